//! Discs turned by a move.
//!
//! Every variant takes the player's discs, the opponent's discs and an empty square (0–63), and
//! returns the opponent's discs that are turned; none if the move is not legal.
//!
//! The variants' counts of instructions are those of the function compiled alone for its features,
//! with address arithmetic (`cargo rustc -p outflank-kernel --release -- --emit asm`, rustc 1.95);
//! the cycles are latencies on Zen 5, from the boards to the answer in general registers. There
//! each way in or out of the vector registers takes five cycles or more and each vector instruction
//! two.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod bmi2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod lzcnt;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub mod portable;
pub mod scalar;
pub mod several;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;
mod tables;
pub(crate) mod wide;

crate::catalogue::family! {
    /// Player, opponent, square (0–63, empty) → discs turned; none if the move is not legal.
    Flip = fn(player: u64, opponent: u64, square: u32) -> u64;
    chosen by FLIP or "OUTFLANK_KERNEL_FLIP";
    portable {
        "reference" "E2" [] scalar::flip,
        "lowest_and_lzcnt" "E2" [] portable::flip,
        "shift_loop" "E2" [] portable::shifts::one_by_one,
        "parallel_prefix" "E2" [] portable::shifts::parallel_prefix,
        "carry_and_lzcnt" "E2 A8" [] portable::carry::carry_and_lzcnt,
        "carry_and_clz" "E2 A8" [] portable::carry::carry_and_clz,
        "carry_and_reverse" "E2 A8" [] portable::carry::carry_and_reverse,
        "kindergarten" "E1" [] portable::tables::kindergarten,
        "rotated_tables" "E1" [] portable::tables::rotated,
    }
    x86_64 {
        "sse2_float" "E3 A7 A8" ["sse2"] sse2::float,
        "sse2_squares" "E3 A7 A8" ["sse2"] sse2::squares::general,
        "sse2_tricks" "E3 A7 A8" ["sse2"] sse2::squares::special,
        "sse2_tables" "E1 E3" ["sse2"] sse2::tables::movemask,
        "lzcnt_in_registers" "E2" ["bmi1", "bmi2", "lzcnt"] lzcnt::flip,
        "pext_tables" "E1" ["bmi2"] bmi2::pext,
        "avx2_sequence" "E4" ["avx2"] avx2::prefix::sequence,
        "avx2_float" "E5 A7" ["avx2"] avx2::highest_bit::float,
        "avx2_swapped" "E6" ["avx2", "lzcnt"] avx2::highest_bit::swapped,
        "avx2_nibbles" "E7" ["avx2"] avx2::highest_bit::nibbles,
        "avx2_fill" "E8" ["avx2"] avx2::prefix::fill,
        "avx2_smart_clear" "E9" ["avx2"] avx2::flip,
        "avx512_minima" "E10" ["avx2", "avx512f", "avx512cd", "avx512vl"] avx512::flip,
        "avx512_mask_up" "E10" ["avx2", "avx512f", "avx512cd", "avx512vl"]
            avx512::mask_register::up,
        "avx512_mask_both" "E10" ["avx2", "avx512f", "avx512cd", "avx512vl"]
            avx512::mask_register::both,
        "avx512_one_register" "E10" ["avx2", "avx512f", "avx512cd"] avx512::one_register::halves,
        "avx512_bytes" "E10" ["avx2", "avx512f", "avx512cd", "avx512bw", "avx512vbmi"]
            avx512::one_register::bytes,
        "avx512_turned" "E10 A5" ["avx2", "avx512f", "avx512bw", "avx512vbmi", "gfni"]
            avx512::turned::flip,
        "avx512_gathered" "E10" ["avx512f", "avx512bw", "avx512bitalg"] avx512::gathered::flip,
    }
    aarch64 {
        "neon_rbit" "E11 A8" ["neon"] neon::flip,
        "neon_clz" "E11 A8" ["neon"] neon::clz::flip,
    }
}
