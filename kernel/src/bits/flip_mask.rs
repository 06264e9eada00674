//! All squares below an outflanking disc, none if there is none: the step from the disc that ends
//! a run, towards higher squares, to the discs that turn (which a mask of the line cuts out).
//!
//! ```text
//!   outflank   . . . . . # . .       one bit or none
//!   below      # # # # # . . .       outflank - 1, but 0 for 0
//! ```

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
pub mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Boards.
pub mod boards {
    use super::*;

    crate::catalogue::family! {
        /// A board with one square or none → the squares below it.
        FlipMask = fn(outflank: u64) -> u64;
        portable {
            "reference" "A8" [] scalar::below,
            "subtract_comparison" "A8" [] portable::subtract_comparison,
            "add_top_bit" "A8" [] portable::add_top_bit,
            "saturating" "A8" [] portable::saturating,
        }
        x86_64 {
            "borrow_and_carry" "A8" [] x86::borrow_and_carry,
            "sse2_compare" "A8" ["sse2"] sse2::below,
        }
        aarch64 {
            "neon_uqsub" "A8" ["neon"] neon::below,
        }
    }
}

/// Rows.
pub mod rows {
    use super::*;

    crate::catalogue::family! {
        /// A board with one square or none in each row → the squares to the left of them.
        RowFlipMask = fn(outflank: u64) -> u64;
        portable {
            "reference" "A8" [] scalar::below_in_rows,
            "multiplication" "A8" [] portable::below_in_rows,
        }
        x86_64 {
            "sse2_psubusb" "A8" ["sse2"] sse2::below_in_rows,
        }
        aarch64 {
            "neon_uqsub" "A8" ["neon"] neon::below_in_rows,
        }
    }
}
