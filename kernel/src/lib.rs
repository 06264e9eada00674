//! Bit primitives and Othello kernels: flips, mobility, last flip, full lines, stability, symmetry,
//! hash and population count.
//!
//! Every family has a scalar reference, which is the plainest code there is, and one variant for
//! each instruction set. A variant can be called, tested and measured alone; an [`Isa`] value is
//! the permission to call it, and [`KernelSet`] is the way the search inlines a whole set.
//!
//! Where a file says how many instructions its kernels have and in how many cycles they answer, that
//! is on Zen 5 with rustc 1.95, by `outflank bench kernels`: a call through a pointer, six cycles of
//! which are call and return. Some files of `flip` and `last_flip` leave the call out: two to five
//! instructions and some cycles less. On aarch64 the instructions of the compiled function were
//! counted, and nothing was timed.
//!
//! Squares are numbered A1 = 0, B1 = 1, … H8 = 63; bit `n` of a board is square `n`.
#![cfg_attr(not(any(test, feature = "std")), no_std)]
#![cfg_attr(
    not(any(target_feature = "sse2", target_arch = "aarch64")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "targets without vector registers leave the vector forms out"
    )
)]
#![allow(
    unsafe_code,
    reason = "entering an instruction set is unsafe; each family does it in one place"
)]

pub mod bits;
pub mod catalogue;
pub mod choice;
pub mod flip;
pub mod hash;
mod isa;
#[cfg(target_arch = "x86_64")]
pub mod lanes;
pub mod last_flip;
mod level;
pub mod lines;
pub mod masks;
pub mod mobility;
mod set;
pub mod stability;
pub mod symmetry;

#[cfg(any(test, feature = "std"))]
pub use isa::IsaError;
#[cfg(target_arch = "aarch64")]
pub use isa::Neon;
#[cfg(target_arch = "x86_64")]
pub use isa::{Avx2, Avx512, Avx512Gfni, Ssse3};
pub use isa::{Isa, Scalar};
pub use level::Level;
pub use set::KernelSet;
