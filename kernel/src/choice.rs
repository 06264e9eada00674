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
        {
            let entry = find(entries, wish);
            if entry.compiled || level.has(entry.needs) {
                return wish;
            }
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

choices! {
    FLIP "flip" {
        Portable "lowest_and_lzcnt" "the first portable one"
        Sse2     "lowest_and_lzcnt" "the first portable one"
        Avx2     "avx2_smart_clear" "fastest AVX2 form in the documents"
        Avx512   "avx512_minima"    "fewest instructions"
        Neon     "neon_rbit"        "fewest instructions"
    }
    LAST_FLIP "last_flip" {
        Portable "kindergarten" "the only portable one"
        Sse2     "kindergarten" "the only portable one"
        Avx2     "kindergarten" "faster than PMOVMSKB here; PEXT is slow before Zen 3"
        Avx512   "pext_both"    "every CPU with AVX-512 has a fast PEXT"
        Neon     "neon_addv"    "the only one"
    }
    LAST_FLIP_BOTH "last_flip_both" {
        Portable "kindergarten" "the only portable one"
        Sse2     "kindergarten" "the only portable one"
        Avx2     "kindergarten" "faster than PMOVMSKB here; PEXT is slow before Zen 3"
        Avx512   "pext_both"    "every CPU with AVX-512 has a fast PEXT"
        Neon     "neon_addv"    "the only one"
    }
    MOBILITY "mobility" {
        Portable "parallel_prefix"         "the only portable one"
        Sse2     "parallel_prefix"         "not yet measured against SSE2"
        Avx2     "avx2_four_directions"    "the only one"
        Avx512   "avx512_eight_directions" "the only one"
        Neon     "parallel_prefix"         "shifts are part of the logic instructions"
    }
    LINES "lines" {
        Portable "parallel_prefix"         "the only portable one"
        Sse2     "parallel_prefix"         "not yet measured against SSE2"
        Avx2     "avx2_kogge_stone"        "the only one"
        Avx512   "avx512_eight_directions" "the only one"
        Neon     "parallel_prefix"         "the only one"
    }
    STABILITY "stability" {
        Portable "multiplication"   "the only portable one"
        Sse2     "multiplication"   "not yet measured against SSE2"
        Avx2     "avx2_pmovmskb"    "the only one"
        Avx512   "avx512_pmovmskb"  "the only one"
        Neon     "multiplication"   "the only one"
    }
    HASH "hash" {
        Portable "tables_of_8" "the only portable one"
        Sse2     "tables_of_8" "the only portable one"
        Avx2     "crc32"       "one instruction for eight bytes"
        Avx512   "crc32"       "one instruction for eight bytes"
        Neon     "crc32cx"     "one instruction for eight bytes"
    }
    SYMMETRY "symmetry" {
        Portable "delta_swaps"         "the only portable one"
        Sse2     "delta_swaps"         "the only portable one"
        Avx2     "avx2_transpositions" "the only one"
        Avx512   "avx512_eight_images" "the only one"
        Neon     "delta_swaps"         "the compiler makes RBIT and REV of the mirrors"
    }
}
