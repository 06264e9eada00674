//! Several flips at once: of two squares, of four squares, or of both sides.
//!
//! For leaf searches that want all moves of a position before they try the first: the way in and
//! out of the vector registers is paid once, and no branch waits for a single flip. The references
//! and most variants make one flip after the other; those that do not are in
//! `flip/avx512/several.rs`.

/// Defines two flips, four flips and both sides' flips by one kernel, one after the other.
macro_rules! one_after_the_other {
    ($(#[$about:meta])* $module:ident, $flip:path, $($features:literal)?) => {
        $(#[$about])*
        mod $module {
            #[inline]
            $(#[target_feature(enable = $features)])?
            pub(super) fn pair(player: u64, opponent: u64, [a, b]: [u32; 2]) -> [u64; 2] {
                [$flip(player, opponent, a), $flip(player, opponent, b)]
            }

            #[inline]
            $(#[target_feature(enable = $features)])?
            pub(super) fn four(player: u64, opponent: u64, [a, b, c, d]: [u32; 4]) -> [u64; 4] {
                let [a, b] = pair(player, opponent, [a, b]);
                let [c, d] = pair(player, opponent, [c, d]);
                [a, b, c, d]
            }

            #[inline]
            $(#[target_feature(enable = $features)])?
            pub(super) fn sides(player: u64, opponent: u64, square: u32) -> [u64; 2] {
                [$flip(player, opponent, square), $flip(opponent, player, square)]
            }
        }
    };
}

one_after_the_other!(reference, crate::flip::scalar::flip,);
one_after_the_other!(portable, crate::flip::portable::flip,);
#[cfg(target_arch = "x86_64")]
one_after_the_other!(lzcnt, crate::flip::lzcnt::flip, "bmi1,bmi2,lzcnt");
#[cfg(target_arch = "x86_64")]
one_after_the_other!(avx2, crate::flip::avx2::flip, "avx2");
#[cfg(target_arch = "x86_64")]
one_after_the_other!(avx512, crate::flip::avx512::flip, "avx2,avx512f,avx512cd,avx512vl");
#[cfg(target_arch = "aarch64")]
one_after_the_other!(neon, crate::flip::neon::flip, "neon");

/// Two squares.
pub mod pair {
    #[cfg(target_arch = "x86_64")]
    use super::super::avx512::several;
    use super::*;

    crate::catalogue::family! {
        /// Player, opponent, two empty squares (0–63) → discs that the player turns on each.
        FlipPair = fn(player: u64, opponent: u64, squares: [u32; 2]) -> [u64; 2];
        chosen by FLIP_PAIR or "OUTFLANK_KERNEL_FLIP_PAIR";
        portable {
            "reference" "E2" [] reference::pair,
            "lowest_and_lzcnt" "E2" [] portable::pair,
        }
        x86_64 {
            "lzcnt_in_registers" "E2" ["bmi1", "bmi2", "lzcnt"] lzcnt::pair,
            "avx2_smart_clear" "E9" ["avx2"] avx2::pair,
            "avx512_minima" "E10" ["avx2", "avx512f", "avx512cd", "avx512vl"] avx512::pair,
            "avx512_pair" "E10" ["avx2", "avx512f", "avx512cd"] several::pair,
        }
        aarch64 {
            "neon_rbit" "E11" ["neon"] neon::pair,
        }
    }
}

/// Four squares.
pub mod four {
    #[cfg(target_arch = "x86_64")]
    use super::super::avx512::several;
    use super::*;

    crate::catalogue::family! {
        /// Player, opponent, four empty squares (0–63) → discs that the player turns on each.
        FlipFour = fn(player: u64, opponent: u64, squares: [u32; 4]) -> [u64; 4];
        chosen by FLIP_FOUR or "OUTFLANK_KERNEL_FLIP_FOUR";
        portable {
            "reference" "E2" [] reference::four,
            "lowest_and_lzcnt" "E2" [] portable::four,
        }
        x86_64 {
            "lzcnt_in_registers" "E2" ["bmi1", "bmi2", "lzcnt"] lzcnt::four,
            "avx2_smart_clear" "E9" ["avx2"] avx2::four,
            "avx512_minima" "E10" ["avx2", "avx512f", "avx512cd", "avx512vl"] avx512::four,
            "avx512_four" "E10" ["avx2", "avx512f", "avx512cd"] several::four,
        }
        aarch64 {
            "neon_rbit" "E11" ["neon"] neon::four,
        }
    }
}

/// Both sides.
pub mod sides {
    #[cfg(target_arch = "x86_64")]
    use super::super::avx512::several;
    use super::*;

    crate::catalogue::family! {
        /// Player, opponent, square (0–63, empty) → discs that the player and the opponent turn.
        FlipSides = fn(player: u64, opponent: u64, square: u32) -> [u64; 2];
        chosen by FLIP_SIDES or "OUTFLANK_KERNEL_FLIP_SIDES";
        portable {
            "reference" "E2" [] reference::sides,
            "lowest_and_lzcnt" "E2" [] portable::sides,
        }
        x86_64 {
            "lzcnt_in_registers" "E2" ["bmi1", "bmi2", "lzcnt"] lzcnt::sides,
            "avx2_smart_clear" "E9" ["avx2"] avx2::sides,
            "avx512_minima" "E10" ["avx2", "avx512f", "avx512cd", "avx512vl"] avx512::sides,
            "avx512_sides" "E10" ["avx2", "avx512f", "avx512cd"] several::sides,
        }
        aarch64 {
            "neon_rbit" "E11" ["neon"] neon::sides,
        }
    }
}
