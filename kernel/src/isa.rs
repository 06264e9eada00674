//! Which instruction set the CPU has, as values that only detection can make.
//!
//! A token ([`Scalar`], `Avx2`, `Avx512`, `Neon`) is the proof that the CPU has the features of its
//! set, so holding one is the permission to enter its kernels. The lists of features are written
//! once, in the macros [`avx2_features`](crate::avx2_features),
//! [`avx512_features`](crate::avx512_features) and [`neon_features`](crate::neon_features), which
//! hand them to a macro of the caller.

use core::fmt;

/// Permission to use the portable kernels; every CPU has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar(());

impl Scalar {
    /// Returns the token: every CPU runs the portable kernels.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }

    /// Returns the token, always; for symmetry with the other sets.
    #[must_use]
    pub const fn detect() -> Option<Self> {
        Some(Self(()))
    }
}

impl Default for Scalar {
    fn default() -> Self {
        Self::new()
    }
}

/// Calls `then!` with the features of the AVX2 set (x86-64-v3 without floating point) as a list of
/// literals, followed by the given arguments.
///
/// ```
/// macro_rules! entry {
///     ([$($feature:tt),*] $name:ident) => {
///         #[target_feature($(enable = $feature),*)]
///         fn $name() {}
///     };
/// }
/// # #[cfg(target_arch = "x86_64")]
/// outflank_kernel::avx2_features!(entry!(search));
/// ```
#[macro_export]
macro_rules! avx2_features {
    ($then:ident ! ( $($arguments:tt)* )) => {
        $then! { ["sse4.2", "avx2", "bmi1", "bmi2", "lzcnt", "popcnt"] $($arguments)* }
    };
}

/// Calls `then!` with the features of the AVX-512 set (x86-64-v4), like
/// [`avx2_features`](crate::avx2_features).
#[macro_export]
macro_rules! avx512_features {
    ($then:ident ! ( $($arguments:tt)* )) => {
        $then! {
            ["sse4.2", "avx2", "bmi1", "bmi2", "lzcnt", "popcnt", "fma", "f16c",
             "avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw"] $($arguments)*
        }
    };
}

/// Calls `then!` with the features of the AVX-512 set of Ice Lake and Zen 4 (GFNI and VBMI), like
/// [`avx2_features`](crate::avx2_features).
#[macro_export]
macro_rules! avx512_gfni_features {
    ($then:ident ! ( $($arguments:tt)* )) => {
        $then! {
            ["sse4.2", "avx2", "bmi1", "bmi2", "lzcnt", "popcnt", "fma", "f16c",
             "avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw",
             "avx512vbmi", "avx512vbmi2", "gfni"] $($arguments)*
        }
    };
}

/// Calls `then!` with the features of the SSSE3 set (part of x86-64-v2), like
/// [`avx2_features`](crate::avx2_features).
#[macro_export]
macro_rules! ssse3_features {
    ($then:ident ! ( $($arguments:tt)* )) => {
        $then! { ["ssse3"] $($arguments)* }
    };
}

/// Calls `then!` with the features of the NEON set (aarch64 with CRC), like
/// [`avx2_features`](crate::avx2_features).
#[macro_export]
macro_rules! neon_features {
    ($then:ident ! ( $($arguments:tt)* )) => {
        $then! { ["neon", "crc"] $($arguments)* }
    };
}

/// Evaluates an expression with the set of an [`Isa`](crate::Isa): it is compiled once for each set that the
/// architecture has, so that it may be generic code over a [`KernelSet`](crate::KernelSet).
///
/// ```
/// use outflank_kernel::{Isa, KernelSet, with_set};
///
/// // Black's moves in the starting position.
/// let moves = with_set!(Isa::detect(), set => set.moves(0x0000_0008_1000_0000, 0x0000_0010_0800_0000));
/// assert_eq!(moves, 0x0000_1020_0408_0000);
/// ```
#[macro_export]
macro_rules! with_set {
    ($isa:expr, $set:ident => $call:expr) => {
        match $isa {
            $crate::Isa::Scalar($set) => $call,
            #[cfg(target_arch = "x86_64")]
            $crate::Isa::Avx2($set) => $call,
            #[cfg(target_arch = "x86_64")]
            $crate::Isa::Avx512($set) => $call,
            #[cfg(target_arch = "aarch64")]
            $crate::Isa::Neon($set) => $call,
        }
    };
}

/// Defines a token and its detection: at run time with `std`, otherwise what the target promises.
macro_rules! token {
    ([$($feature:tt),*] $(#[$about:meta])* $token:ident, $detected:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $token(());

        impl $token {
            /// Returns the token if the CPU has every feature of the set.
            #[must_use]
            pub fn detect() -> Option<Self> {
                #[cfg(any(test, feature = "std"))]
                let present = $(std::arch::$detected!($feature))&&*;
                #[cfg(not(any(test, feature = "std")))]
                let present = $(cfg!(target_feature = $feature))&&*;
                present.then_some(Self(()))
            }

            /// Returns the token if the crate is compiled for the set, so that no CPU without it
            /// can run the code.
            #[must_use]
            pub const fn compiled() -> Option<Self> {
                if $(cfg!(target_feature = $feature))&&* { Some(Self(())) } else { None }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
avx2_features!(token!(
    /// Permission to use the AVX2 kernels.
    Avx2, is_x86_feature_detected
));
#[cfg(target_arch = "x86_64")]
avx512_features!(token!(
    /// Permission to use the AVX-512 kernels.
    Avx512, is_x86_feature_detected
));
#[cfg(target_arch = "x86_64")]
avx512_gfni_features!(token!(
    /// Permission to use AVX-512 with GFNI and VBMI. It is not an [`Isa`] of its own: the Othello
    /// kernels do not need it, the `sliding` crate does.
    Avx512Gfni, is_x86_feature_detected
));
#[cfg(target_arch = "x86_64")]
ssse3_features!(token!(
    /// Permission to use SSSE3, the byte shuffle; not an [`Isa`] of its own either.
    Ssse3, is_x86_feature_detected
));
#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Returns the token of a set that this one contains.
    #[must_use]
    pub const fn ssse3(self) -> Ssse3 {
        Ssse3(())
    }
}
#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// Returns the token of a set that this one contains.
    #[must_use]
    pub const fn avx2(self) -> Avx2 {
        Avx2(())
    }
}
#[cfg(target_arch = "x86_64")]
impl Avx512Gfni {
    /// Returns the token of a set that this one contains.
    #[must_use]
    pub const fn avx512(self) -> Avx512 {
        Avx512(())
    }
}
#[cfg(target_arch = "aarch64")]
neon_features!(token!(
    /// Permission to use the NEON kernels.
    Neon, is_aarch64_feature_detected
));

/// An instruction set that this CPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// Portable code.
    Scalar(Scalar),
    /// AVX2 with BMI2 (x86-64-v3).
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 F, CD, VL, DQ, BW (x86-64-v4).
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    /// NEON with CRC.
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

/// The names that [`Isa::named`] knows, on any architecture.
const NAMES: [&str; 5] = ["scalar", "sse2", "avx2", "avx512", "neon"];

impl Isa {
    /// Returns the best set that this CPU has.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self::Scalar(Scalar::new()))
    }

    /// Returns the sets that this CPU has, from the lowest to the best.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let vector = [Avx2::detect().map(Self::Avx2), Avx512::detect().map(Self::Avx512)];
        #[cfg(target_arch = "aarch64")]
        let vector = [Neon::detect().map(Self::Neon)];
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let vector: [Option<Self>; 0] = [];
        core::iter::once(Self::Scalar(Scalar::new())).chain(vector.into_iter().flatten())
    }

    /// Returns the set that the environment variable `OUTFLANK_ISA` names, or the best one if the
    /// variable is absent, empty or `auto`. It can only lower the set.
    ///
    /// # Errors
    /// If the word is unknown, is not Unicode, or names a set that this CPU lacks.
    #[cfg(any(test, feature = "std"))]
    pub fn chosen() -> Result<Self, IsaError> {
        match std::env::var_os("OUTFLANK_ISA") {
            None => Ok(Self::detect()),
            Some(word) => Self::named(&word.to_string_lossy()),
        }
    }

    /// Returns [`Isa::chosen`], or the best set where that is an error: for what cannot report one. Whoever starts a
    /// search does.
    #[must_use]
    #[cfg(any(test, feature = "std"))]
    pub fn chosen_or_best() -> Self {
        Self::chosen().unwrap_or_else(|_| Self::detect())
    }

    /// Returns the set with this name (`scalar`, `avx2`, `avx512`, `neon`) or that of its level (`sse2` for
    /// `scalar` on x86-64); the empty word and `auto` mean the best one.
    ///
    /// # Errors
    /// If the word is unknown, or names a set that this CPU lacks.
    #[cfg(any(test, feature = "std"))]
    pub fn named(word: &str) -> Result<Self, IsaError> {
        if word.is_empty() || word == "auto" {
            return Ok(Self::detect());
        }
        let found = Self::available().find(|isa| isa.name() == word || isa.level().name() == word);
        found.ok_or_else(|| IsaError {
            word: word.to_owned(),
            known: NAMES.contains(&word),
            best: Self::detect(),
        })
    }

    /// Returns the set's name, as `OUTFLANK_ISA` takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar(_) => NAMES[0],
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => NAMES[2],
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => NAMES[3],
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => NAMES[4],
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The environment asks for an instruction set that cannot be had.
#[cfg(any(test, feature = "std"))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsaError {
    word: String,
    known: bool,
    best: Isa,
}

#[cfg(any(test, feature = "std"))]
impl fmt::Display for IsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, known, best } = self;
        if *known {
            write!(f, "OUTFLANK_ISA={word}: this CPU lacks that set, its best is {best}")
        } else {
            write!(f, "OUTFLANK_ISA={word}: unknown set, expected auto, {}", NAMES.join(", "))
        }
    }
}

#[cfg(any(test, feature = "std"))]
impl core::error::Error for IsaError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_found_by_their_name() {
        for isa in Isa::available() {
            assert_eq!(Isa::named(&isa.to_string()), Ok(isa));
            assert_eq!(Isa::named(isa.level().name()), Ok(isa));
        }
        assert_eq!(Isa::named("auto"), Ok(Isa::detect()));
        assert_eq!(Isa::named(""), Ok(Isa::detect()));
    }

    /// CI runs this with each word in the environment.
    #[test]
    fn the_environment_chooses_the_set_it_names() {
        let word = std::env::var("OUTFLANK_ISA").unwrap_or_default();
        println!("OUTFLANK_ISA={word}: {:?}", Isa::chosen());
        assert_eq!(Isa::chosen(), Isa::named(&word));
        assert_eq!(Isa::chosen_or_best(), Isa::named(&word).unwrap_or_else(|_| Isa::detect()));
    }

    #[test]
    fn an_unknown_word_is_an_error_that_names_the_choices() {
        let error = Isa::named("avx3").expect_err("there is no such set").to_string();
        assert_eq!(
            error,
            "OUTFLANK_ISA=avx3: unknown set, expected auto, scalar, sse2, avx2, avx512, neon"
        );
    }

    #[test]
    fn a_set_of_another_cpu_is_an_error_that_names_the_best() {
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        let error = Isa::named(foreign).expect_err("another architecture's").to_string();
        let best = Isa::detect();
        assert_eq!(
            error,
            format!("OUTFLANK_ISA={foreign}: this CPU lacks that set, its best is {best}")
        );
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn only_a_build_for_a_set_has_it_without_looking() {
        assert!(Ssse3::compiled().is_none() || cfg!(target_feature = "ssse3"));
        assert!(Avx2::compiled().is_none() || cfg!(target_feature = "avx2"));
        assert!(Avx512::compiled().is_none() || cfg!(target_feature = "avx512bw"));
        assert!(Avx512Gfni::compiled().is_none() || cfg!(target_feature = "gfni"));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_cpu_has_the_sets_that_the_code_is_compiled_for_and_those_they_contain() {
        assert!(Ssse3::compiled().is_none() || Ssse3::detect().is_some());
        assert!(Avx512Gfni::compiled().is_none() || Avx512Gfni::detect().is_some());
        assert!(Avx512Gfni::detect().is_none_or(|set| Avx512::detect() == Some(set.avx512())));
        assert!(Avx512::detect().is_none_or(|set| Avx2::detect() == Some(set.avx2())));
        assert!(Avx2::detect().is_none_or(|set| Ssse3::detect() == Some(set.ssse3())));
    }

    #[test]
    fn the_best_set_is_the_last_available_one() {
        assert_eq!(Isa::available().next(), Some(Isa::Scalar(Scalar::new())));
        assert_eq!(Isa::available().last(), Some(Isa::detect()));
    }
}
