//! SUB sets the carry flag if it borrows, and ADC adds it back: two instructions, if the compiler
//! keeps the flag.
//!
//! 4 instructions in 6 cycles. It never wins: the comparison has the same latency, more throughput,
//! and needs no inline assembly.
//!
//! Source: `reversi-bitboard-techniques`, borrow and carry.

use core::arch::x86_64::{_addcarry_u64, _subborrow_u64};

/// Returns the squares below the one of `outflank`, none if it is empty.
#[inline]
#[allow(unused_unsafe, reason = "safe functions in the newest Rust, not yet in 1.90")]
pub(super) fn borrow_and_carry(outflank: u64) -> u64 {
    let mut less = 0;
    // SAFETY: every x86-64 CPU has the instruction.
    let borrow = unsafe { _subborrow_u64(0, outflank, 1, &mut less) };
    let mut below = 0;
    // SAFETY: as above.
    let _always_consumed = unsafe { _addcarry_u64(borrow, less, 0, &mut below) };
    below
}
