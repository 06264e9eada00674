//! Bit primitives and Othello kernels: flips, mobility, last flip, full lines, stability, symmetry,
//! hash and population count.
//!
//! Every family has a scalar reference, which is the plainest code there is, and one variant for
//! each instruction set. A variant can be called, tested and measured alone; an [`Isa`] value is
//! the permission to call it, and [`KernelSet`] is the way the search inlines a whole set.
//!
//! Squares are numbered A1 = 0, B1 = 1, … H8 = 63; bit `n` of a board is square `n`.
#![cfg_attr(not(any(test, feature = "std")), no_std)]
#![allow(
    unsafe_code,
    reason = "entering an instruction set is unsafe; each family does it in one place"
)]

pub mod flip;
pub mod mobility;
pub mod symmetry;
