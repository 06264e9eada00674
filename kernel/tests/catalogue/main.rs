//! Every variant of the catalogue gives what the reference of its family gives.
//!
//! `KERNEL_POSITIONS=100000000 cargo test --release -p outflank-kernel --test catalogue` is the
//! long run; without the variable each family sees about a million positions or boards.
//!
//! Under Miri a few boards check pointers and lanes, for x86-64-v3 and below: it knows neither
//! VPTERNLOG of AVX-512 nor the shifts by vectors of NEON. `docs/kernels.md` has the command.
#![allow(clippy::print_stdout, reason = "tests say which variants they cover")]

#[path = "../common/mod.rs"]
mod common;

mod bits;
mod flip;
mod hash;
mod last_flip;
mod lines;
mod mobility;
mod run;
mod stability;
mod symmetry;
