//! The eight symmetries of a board and the canonical form of a position: the smallest of its eight
//! images, compared as (player, opponent).

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod gfni;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub mod portable;
pub mod scalar;
mod set;
pub mod smallest;

pub use set::Symmetry;

crate::catalogue::family! {
    /// Player, opponent → the smallest of the eight symmetric positions.
    Canonical = fn(player: u64, opponent: u64) -> (u64, u64);
    chosen by SYMMETRY or "OUTFLANK_KERNEL_SYMMETRY";
    portable {
        "reference" "A6" [] scalar::canonical,
        "delta_swaps" "A2 A4 A6" [] portable::canonical,
    }
    x86_64 {
        "avx2_transpositions" "A6" ["avx2"] avx2::canonical,
        "avx2_lanes" "A5 A6" ["avx2"] avx2::canonical_lanes,
        "avx512_eight_images" "A6" ["avx2", "avx512f", "avx512vl"] avx512::canonical,
        "avx512_vptestmb" "A4 A6" ["avx2", "avx512f", "avx512bw", "avx512vl"]
            avx512::canonical_tests,
        "gfni" "A4 A6" ["avx2", "avx512f", "avx512vl", "gfni"] gfni::canonical,
    }
    aarch64 {
        "neon_two_boards" "A2 A6" ["neon"] neon::canonical,
    }
}

/// Returns the variant by which this CPU finds a canonical form when it is called through a pointer:
/// that of [`SYMMETRY_BEYOND`](crate::choice::SYMMETRY_BEYOND) if the CPU has its features beside
/// those of the level, and no build wishes otherwise; else the level's.
#[cfg(any(test, feature = "std"))]
#[must_use]
pub fn engine_function(isa: crate::Isa) -> Canonical {
    engine_variant(isa).and_then(crate::catalogue::Variant::function).unwrap_or(portable::canonical)
}

/// Returns the variant of [`engine_function`].
#[cfg(any(test, feature = "std"))]
#[must_use]
pub fn engine_variant(isa: crate::Isa) -> Option<&'static crate::catalogue::Variant<Canonical>> {
    let named = |name| VARIANTS.iter().find(|variant| variant.entry().name == name);
    let mut wanted = engine_names(isa.level(), WISH).filter_map(named);
    wanted.find(|variant| variant.function().is_some())
}

/// Returns what is to be entered on a level, best first, in a build with this wish.
#[cfg(any(test, feature = "std"))]
fn engine_names(level: crate::Level, wish: Option<&str>) -> impl Iterator<Item = &str> {
    let beyond = crate::choice::SYMMETRY_BEYOND;
    let chosen = crate::choice::SYMMETRY.name(level, wish, ENTRIES);
    let above = (level == beyond.level && wish != Some(chosen)).then_some(beyond.variant);
    above.into_iter().chain([chosen])
}

/// Returns the image under the four symmetries without transposition, in the order of
/// [`scalar::transform`].
#[inline(always)]
fn mirrored(board: u64) -> [u64; 4] {
    use crate::bits::{mirror_files, mirror_ranks};
    let mirror = mirror_files(board);
    [board, mirror, mirror_ranks(board), mirror_ranks(mirror)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isa, choice};

    #[test]
    fn the_engine_enters_a_variant_that_finds_the_canonical_form() {
        for isa in Isa::available() {
            let function = engine_function(isa);
            for shift in 0..64 {
                let player = 0x0102_0840_1122_8000_u64.rotate_left(shift);
                let opponent = !player & 0x00ff_3c00_7e18_0101;
                let expected = scalar::canonical(player, opponent);
                assert_eq!(function(player, opponent), expected, "{isa}, {player:#x}");
            }
        }
    }

    /// A set that was lowered must not enter what only a better one has.
    #[test]
    fn the_variant_beyond_the_levels_is_for_the_best_of_them_alone() {
        let beyond = choice::SYMMETRY_BEYOND;
        let mut variants = VARIANTS.iter();
        let found = variants.find(|variant| variant.entry().name == beyond.variant);
        let is_there = found.is_some_and(|variant| variant.function().is_some());
        for isa in Isa::available() {
            let level = isa.level();
            let entered = engine_variant(isa).expect("each level has one").entry().name;
            let no_wish = WISH != Some(engine_choice(level));
            let is_beyond = is_there && no_wish && isa.name() == "avx512";
            let expected = if is_beyond { beyond.variant } else { engine_choice(level) };
            assert_eq!(entered, expected, "{isa}");
        }
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[test]
    fn a_wish_for_the_choice_of_the_level_is_not_overridden_by_the_variant_beyond() {
        let names = |wish| engine_names(crate::Level::Avx512, wish).collect::<Vec<_>>();
        assert_eq!(names(Some("avx512_eight_images")), ["avx512_eight_images"]);
        assert_eq!(names(Some("avx512_vptestmb")), ["avx512_vptestmb"]);
        for none in [None, Some("")] {
            assert_eq!(names(none), ["gfni", "avx512_eight_images"]);
        }
        assert_eq!(names(Some("gfni"))[0], "gfni");
    }

    #[test]
    fn the_catalogue_has_the_variant_beyond_the_levels() {
        let beyond = choice::SYMMETRY_BEYOND;
        let known = VARIANTS.iter().any(|variant| variant.entry().name == beyond.variant);
        assert_eq!(known, cfg!(target_arch = "x86_64"), "{beyond:?}");
    }
}
