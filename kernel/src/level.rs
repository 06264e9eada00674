//! The levels of processors for which the engine is compiled, and the features they promise.

#[cfg(target_arch = "aarch64")]
use crate::Neon;
#[cfg(target_arch = "x86_64")]
use crate::{Avx2, Avx512};
use crate::{Isa, Scalar};

/// Whether the target is an x86-64 with vector registers, as all but the bare-metal ones are.
const SSE2: bool = cfg!(all(target_arch = "x86_64", target_feature = "sse2"));

/// A level of processors: one compiled copy of the engine's search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Portable code, on an architecture without a set of its own.
    Portable,
    /// Every x86-64: SSE2, the set that is called `scalar`.
    Sse2,
    /// AVX2 with BMI2 (x86-64-v3).
    Avx2,
    /// AVX-512 F, CD, VL, DQ, BW (x86-64-v4).
    Avx512,
    /// aarch64: NEON with CRC.
    Neon,
}

/// Turns the list of a features macro into an array of names, behind those that they imply.
macro_rules! names {
    ([$($feature:tt),*] $($implied:literal),*) => { &[$($implied,)* $($feature),*] };
}

impl Level {
    /// The levels that code for this architecture is compiled for, lowest first.
    pub const COMPILED: &'static [Self] = if SSE2 {
        &[Self::Sse2, Self::Avx2, Self::Avx512]
    } else if cfg!(target_arch = "aarch64") {
        &[Self::Portable, Self::Neon]
    } else {
        &[Self::Portable]
    };

    /// Returns the level's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// Returns the features that every processor of the level has.
    #[must_use]
    pub const fn features(self) -> &'static [&'static str] {
        match self {
            Self::Portable => &[],
            Self::Sse2 => &["sse2"],
            Self::Avx2 => crate::avx2_features!(names!("sse2", "ssse3", "sse4.1")),
            Self::Avx512 => crate::avx512_features!(names!("sse2", "ssse3", "sse4.1")),
            Self::Neon => crate::neon_features!(names!()),
        }
    }

    /// Returns whether every processor of the level has all of `features`.
    #[must_use]
    pub const fn has(self, features: &[&str]) -> bool {
        let mut next = 0;
        while next < features.len() {
            if !contains(self.features(), features[next]) {
                return false;
            }
            next += 1;
        }
        true
    }
}

impl Isa {
    /// Returns the level whose kernels this set enters.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            Self::Scalar(_) => <Scalar as OnLevel>::LEVEL,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => <Avx2 as OnLevel>::LEVEL,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => <Avx512 as OnLevel>::LEVEL,
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => <Neon as OnLevel>::LEVEL,
        }
    }
}

/// The level of a token, known to the compiler.
pub(crate) trait OnLevel {
    const LEVEL: Level;
}

impl OnLevel for Scalar {
    const LEVEL: Level = if SSE2 { Level::Sse2 } else { Level::Portable };
}

#[cfg(target_arch = "x86_64")]
impl OnLevel for Avx2 {
    const LEVEL: Level = Level::Avx2;
}

#[cfg(target_arch = "x86_64")]
impl OnLevel for Avx512 {
    const LEVEL: Level = Level::Avx512;
}

#[cfg(target_arch = "aarch64")]
impl OnLevel for Neon {
    const LEVEL: Level = Level::Neon;
}

const fn contains(words: &[&str], word: &str) -> bool {
    let mut next = 0;
    while next < words.len() {
        if equal(words[next], word) {
            return true;
        }
        next += 1;
    }
    false
}

/// Returns whether two words are the same; `==` is not yet for constants.
pub(crate) const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut next = 0;
    while next < a.len() {
        if a[next] != b[next] {
            return false;
        }
        next += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_has_the_features_of_those_below_it() {
        for pair in [
            [Level::Portable, Level::Sse2],
            [Level::Sse2, Level::Avx2],
            [Level::Avx2, Level::Avx512],
        ] {
            assert!(pair[1].has(pair[0].features()), "{pair:?}");
            assert!(!pair[0].has(pair[1].features()), "{pair:?}");
        }
        assert!(!Level::Avx512.has(&["gfni"]));
    }
    /// A set that entered the kernels of a level below its own would be right, and slow.
    #[test]
    fn each_set_enters_the_kernels_of_a_level_of_its_own() {
        let levels: Vec<Level> = Isa::available().map(Isa::level).collect();
        assert!(Level::COMPILED.starts_with(&levels), "{levels:?}");
    }
}
