//! Last flips with what AVX-512 brings: tests into mask registers, leading zeros, bits gathered.
//!
//! None of them is what the engine enters on its AVX-512 level: PEXT and tables
//! ([`bmi2::both`](super::bmi2::both)) answer in half the time.

pub(crate) mod flipped;
pub(crate) mod gathered;
pub(crate) mod tested;
