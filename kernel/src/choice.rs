//! Which variant the engine enters, for each family and level: the one place that decides it.
//!
//! A row says for each level the variant's name in the family's catalogue and what decided it. A
//! build can override the names of a family on every level that has the features: see
//! [`catalogue`](crate::catalogue) and `docs/kernels.md`. The compiler refuses a name that the
//! catalogue does not have.

use crate::catalogue::Entry;
use crate::level::{Level, equal};

/// The variants of one family that the engine enters.
#[derive(Debug)]
pub struct Choice {
    /// The family's name.
    pub family: &'static str,
    levels: &'static [Chosen],
}

/// One row of the table: what the engine enters on a level.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    /// The level.
    pub level: Level,
    /// The name of the variant in the family's catalogue.
    pub variant: &'static str,
    /// The measurement, or the reason, that decided it.
    pub because: &'static str,
}

impl Choice {
    /// Returns the row of a level, before a build's own wish is looked at.
    #[must_use]
    pub const fn on(&self, level: Level) -> Chosen {
        let mut row = 0;
        while row < self.levels.len() {
            if self.levels[row].level as u8 == level as u8 {
                return self.levels[row];
            }
            row += 1;
        }
        panic!("a family has no row for a level")
    }

    /// Returns the name of the variant that the engine enters on `level`: the build's `wish`, if
    /// there is one and the level has its features, or else the one in the table.
    pub(crate) const fn name<'a>(
        &self,
        level: Level,
        wish: Option<&'a str>,
        entries: &[Entry],
    ) -> &'a str {
        if let Some(wish) = wish
            && !wish.is_empty()
            && find(entries, wish).can_be_entered(level)
        {
            return wish;
        }
        self.on(level).variant
    }

    /// Returns whether `variant` is what [`name`](Self::name) returns.
    pub(crate) const fn enters(
        &self,
        level: Level,
        variant: &str,
        wish: Option<&str>,
        entries: &[Entry],
    ) -> bool {
        equal(self.name(level, wish, entries), variant)
    }

    /// Returns whether each level of this architecture names a variant of the catalogue whose
    /// features it has.
    pub(crate) const fn is_sound(&self, entries: &[Entry]) -> bool {
        let mut next = 0;
        while next < Level::COMPILED.len() {
            let level = Level::COMPILED[next];
            if !level.has(find(entries, self.on(level).variant).needs) {
                return false;
            }
            next += 1;
        }
        true
    }
}

/// Returns whether the build's wish, if there is one, is the name of a variant.
pub(crate) const fn is_known(wish: Option<&str>, entries: &[Entry]) -> bool {
    let Some(wish) = wish else { return true };
    let mut next = 0;
    while next < entries.len() {
        if equal(entries[next].name, wish) {
            return true;
        }
        next += 1;
    }
    wish.is_empty()
}

/// Returns the entry of a variant that is known to exist.
const fn find<'a>(entries: &'a [Entry], variant: &str) -> &'a Entry {
    let mut next = 0;
    while next < entries.len() {
        if equal(entries[next].name, variant) {
            return &entries[next];
        }
        next += 1;
    }
    panic!("the table of choices names a variant that the catalogue of its family lacks")
}

/// The variant of canonical forms beyond the levels: it needs a feature that none of them promises,
/// so that only code that enters it through a pointer can have it.
pub const SYMMETRY_BEYOND: Chosen = Chosen {
    level: Level::Avx512,
    variant: "gfni",
    because: "alone 2.2, the level's 7.3; GFNI is not of the level",
};

/// Writes the table: a family's name, then level, variant and reason.
macro_rules! choices {
    ($(
        $constant:ident $family:literal {
            $($level:ident $variant:literal $because:literal)*
        }
    )*) => {
        $(
            #[doc = concat!("The variants of the family `", $family, "` that the engine enters.")]
            pub const $constant: Choice = Choice {
                family: $family,
                levels: &[$(Chosen {
                    level: Level::$level,
                    variant: $variant,
                    because: $because,
                }),*],
            };
        )*
    };
}

// "Search" is processor time of FFO #20–#39 relative to the choice, from the least to the greatest figure of the runs in
// docs/log/kernels.md; "alone" nanoseconds a call in `outflank bench kernels`, of the first of these runs, whose figures
// are 5 % lower than the later ones. Both are of a Zen 5; docs/kernels.md has the commands.
choices! {
    FLIP "flip" {
        Portable "lowest_and_lzcnt" "alone 3.8, shifts 7.5; not measured in the search of its level"
        Sse2     "lowest_and_lzcnt" "search 1.00, carry 1.01 and 1.04 without LZCNT"
        Avx2     "avx2_smart_clear" "alone 2.1, the least latency of AVX2; nibbles 2.8"
        Avx512   "avx512_minima"    "search 1.00, mask forms 1.00 to 1.03, AVX2 1.01 to 1.05, one register 1.06 to 1.10"
        Neon     "neon_rbit"        "51 instructions, 80 on general registers; no Arm machine to time it"
    }
    FLIP_PAIR "flip_pair" {
        Portable "lowest_and_lzcnt" "one after the other; the search makes single flips"
        Sse2     "lowest_and_lzcnt" "alone 9.8, of what needs no more than SSE2"
        Avx2     "avx2_smart_clear" "alone 4.1, general registers 9.8"
        Avx512   "avx512_minima"    "alone 3.3 one after the other, 3.9 in one register; search 0.99, 1.03"
        Neon     "neon_rbit"        "fewer instructions than one after the other on general registers"
    }
    FLIP_FOUR "flip_four" {
        Portable "lowest_and_lzcnt" "one after the other; the search makes single flips"
        Sse2     "lowest_and_lzcnt" "alone 23, of what needs no more than SSE2"
        Avx2     "avx2_smart_clear" "alone 25, general registers 23 with 34 of latency for 27"
        Avx512   "avx512_minima"    "alone 22.9 one after the other, 23.9 in two registers"
        Neon     "neon_rbit"        "fewer instructions than one after the other on general registers"
    }
    FLIP_SIDES "flip_sides" {
        Portable "lowest_and_lzcnt" "one after the other; the search makes single flips"
        Sse2     "lowest_and_lzcnt" "alone 9.7, of what needs no more than SSE2"
        Avx2     "avx2_smart_clear" "alone 4.3, general registers 9.7"
        Avx512   "avx512_minima"    "alone 3.3 one after the other, 3.8 in one register"
        Neon     "neon_rbit"        "fewer instructions than one after the other on general registers"
    }
    LAST_FLIP "last_flip" {
        Portable "kindergarten" "alone 2.1, isolated bits 5.2"
        Sse2     "kindergarten" "alone 2.1, SSE2 1.8 but 6.9 of latency for 5.5"
        Avx2     "kindergarten" "least latency of those without PEXT, slow before Zen 3"
        Avx512   "pext_both"    "least latency, 5.4; every CPU with AVX-512 has a fast PEXT"
        Neon     "neon_interleaved" "38 instructions, tables 41; no Arm machine to time it"
    }
    LAST_FLIP_BOTH "last_flip_both" {
        Portable "kindergarten" "alone 2.9, isolated bits 10.8"
        Sse2     "kindergarten" "alone 2.9, SSE2 2.8 but 7.8 of latency for 6.4"
        Avx2     "kindergarten" "alone 2.9 as PMOVMSKB, 6.4 of latency for 7.7; PEXT is slow before Zen 3"
        Avx512   "pext_both"    "search 1.00, crossed 1.00, kindergarten 1.00 to 1.07, VPTESTMB 1.00 to 1.05"
        Neon     "neon_interleaved" "54 instructions, tables 57; no Arm machine to time it"
    }
    LAST_FLIP_EIGHT "last_flip_eight" {
        Portable "kindergarten" "alone 36 for eight; the search has no use for it"
        Sse2     "kindergarten" "alone 36 for eight, of what needs no more than SSE2"
        Avx2     "kindergarten" "alone 36 for eight; PEXT is slow before Zen 3"
        Avx512   "pext_crossed" "alone 23.7 for eight, four look-ups 24.9, a lane each 29.8"
        Neon     "kindergarten" "there is no Arm machine to measure on"
    }
    LAST_SCORE "last_score" {
        Portable "both_sides" "alone 4.3 as the low cut"
        Sse2     "both_sides" "alone 4.3 as the low cut"
        Avx2     "both_sides" "alone 4.3, AVX2 3.3 but 8.1 of latency for 6.7"
        Avx512   "pext_both"  "alone 2.9 and 6.4 of latency; search 1.00, VPLZCNTQ 1.02, high cuts 1.04"
        Neon     "both_sides" "there is no Arm machine to measure on"
    }
    MOBILITY "mobility" {
        Portable "parallel_prefix"         "alone 7.0, shifts 9.3"
        Sse2     "sse2_six_directions"     "search 0.94 of the portable form; alone 4.7 for 7.0"
        Avx2     "avx2_four_directions"    "search 1.03 to 1.04 of AVX-512, SSE2 1.13 to 1.20"
        Avx512   "avx512_eight_directions" "search 1.00, four directions 0.99 to 1.07, AVX2 1.03 to 1.04; alone 1.9 for 2.4"
        Neon     "parallel_prefix"         "shifts are part of the logic instructions"
    }
    POTENTIAL "potential" {
        Portable "rows_first" "alone 1.6, the floor"
        Sse2     "rows_first" "alone 1.6, the floor"
        Avx2     "rows_first" "alone 1.6, the floor"
        Avx512   "rows_first" "alone 1.6, eight directions 1.8 with 7.5 of latency for 2.6"
        Neon     "rows_first" "shifts are part of the logic instructions"
    }
    LINES "lines" {
        Portable "parallel_prefix"         "alone 5.6, rotations 7.7; used by stability only"
        Sse2     "parallel_prefix"         "alone 5.6, SSE2 8.0"
        Avx2     "avx2_kogge_stone"        "alone 2.4, mixed 2.9, comparisons 7.7"
        Avx512   "avx512_eight_directions" "alone 2.5, the least latency"
        Neon     "parallel_prefix"         "there is no Arm machine to measure on"
    }
    STABILITY "stability" {
        Portable "multiplication"   "alone 11.9, rotations 10.0; not measured in the search"
        Sse2     "multiplication"   "search 1.00, SSE2 0.99 to 1.05, rotations 0.99: the noise"
        Avx2     "avx2_pmovmskb"    "search 1.01 to 1.03 of AVX-512"
        Avx512   "avx512_pmovmskb"  "alone 7.2, the least; search 1.00, SSE2 0.97 to 0.99, general registers 0.99 to 1.01"
        Neon     "multiplication"   "there is no Arm machine to measure on"
    }
    HASH "hash" {
        Portable "tables_of_8" "alone 5.6, tables of four 6.5"
        Sse2     "tables_of_8" "alone 5.6, tables of four 6.5"
        Avx2     "crc32"       "alone 1.5, tables 5.6"
        Avx512   "crc32"       "alone 1.5, tables 5.6; search 1.00, by halves 0.99 to 1.02, tables 1.03 to 1.08"
        Neon     "crc32cx"     "one instruction for eight bytes"
    }
    SYMMETRY "symmetry" {
        Portable "delta_swaps"         "alone 17.8; the store and the splitting use it, not the search"
        Sse2     "delta_swaps"         "alone 17.8"
        Avx2     "avx2_transpositions" "alone 11.3, lanes 10.8 with more latency"
        Avx512   "avx512_eight_images" "alone 7.3, tests 8.7; through a pointer GFNI, see above"
        Neon     "neon_two_boards"     "154 instructions, on general registers 200; no Arm machine to time it"
    }
    COUNT "count" {
        Portable "count_ones" "the compiler's choice"
        Sse2     "count_ones" "the compiler's choice: divide and conquer"
        Avx2     "count_ones" "becomes POPCNT, alone 1.5 and as much latency, nibbles 1.8 and 6.3"
        Avx512   "count_ones" "becomes POPCNT, 1.5 of latency; VPOPCNTQ 2.6"
        Neon     "count_ones" "becomes CNT and ADDV"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What every level has, what AVX2 has and what none has.
    const ENTRIES: &[Entry] =
        &[entry("plain", &[]), entry("wide", &["avx2"]), entry("far", &["gfni"])];

    const fn entry(name: &'static str, needs: &'static [&'static str]) -> Entry {
        Entry { name, techniques: "", needs, compiled: false }
    }

    const fn row(level: Level, variant: &'static str) -> Chosen {
        Chosen { level, variant, because: "" }
    }

    /// A family whose choice differs from level to level.
    const CHOICE: Choice = Choice {
        family: "family",
        levels: &[
            row(Level::Portable, "plain"),
            row(Level::Sse2, "plain"),
            row(Level::Avx2, "wide"),
            row(Level::Avx512, "plain"),
            row(Level::Neon, "plain"),
        ],
    };

    #[test]
    fn a_wish_counts_on_the_levels_that_have_its_features() {
        let names = |wish| {
            [Level::Sse2, Level::Avx2, Level::Avx512].map(|level| CHOICE.name(level, wish, ENTRIES))
        };
        assert_eq!(names(None), ["plain", "wide", "plain"]);
        assert_eq!(names(Some("")), ["plain", "wide", "plain"]);
        assert_eq!(names(Some("plain")), ["plain"; 3]);
        assert_eq!(names(Some("wide")), ["plain", "wide", "wide"]);
        assert_eq!(names(Some("far")), ["plain", "wide", "plain"]);
        for level in [Level::Sse2, Level::Avx2, Level::Avx512] {
            let entered: Vec<_> = ["plain", "wide", "far"]
                .into_iter()
                .filter(|name| CHOICE.enters(level, name, Some("wide"), ENTRIES))
                .collect();
            assert_eq!(entered, [CHOICE.name(level, Some("wide"), ENTRIES)], "exactly one");
        }
    }

    #[test]
    fn what_the_whole_build_has_can_be_entered_on_every_level() {
        let compiled = Entry { compiled: true, ..entry("far", &["gfni"]) };
        let entries = &[entry("plain", &[]), entry("wide", &["avx2"]), compiled];
        assert_eq!(CHOICE.name(Level::Sse2, Some("far"), entries), "far");
    }

    #[test]
    fn a_wish_is_known_by_its_whole_name() {
        for wish in [None, Some(""), Some("plain"), Some("far")] {
            assert!(is_known(wish, ENTRIES), "{wish:?}");
        }
        for wish in ["plai", "plain_", "Wide", " "] {
            assert!(!is_known(Some(wish), ENTRIES), "{wish:?}");
        }
    }

    /// Entering what a processor lacks would be undefined, so the compiler refuses such a table.
    #[test]
    fn a_table_is_sound_if_every_level_has_what_it_enters() {
        assert!(CHOICE.is_sound(ENTRIES));
        for &unsound in Level::COMPILED {
            let levels = Level::COMPILED
                .iter()
                .map(|&level| row(level, if level == unsound { "far" } else { "plain" }));
            let levels: &[Chosen] = Box::leak(levels.collect());
            assert!(!Choice { levels, ..CHOICE }.is_sound(ENTRIES), "{unsound:?}");
        }
    }
}
