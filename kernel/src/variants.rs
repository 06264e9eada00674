//! The table of a family's variants, which tests and benchmarks walk.

/// Makes a safe function of a kernel that needs the features of a set.
macro_rules! entered {
    ($kernel:path, ($($argument:ident),*)) => {
        // SAFETY: handed out only for the `Isa` that proves the features.
        |$($argument),*| unsafe { $kernel($($argument),*) }
    };
}
pub(crate) use entered;

/// Defines a family's function type and `variants`, which lists what each set can enter.
///
/// The kernels of a vector set are wrapped in closures that enter them.
macro_rules! variants {
    (
        $(#[$about:meta])*
        $kernel:ident = $function:ty, called with $arguments:tt;
        scalar: [$($scalar_name:literal: $scalar:path),*],
        avx2: [$($avx2_name:literal: $avx2:path),*],
        avx512: [$($avx512_name:literal: $avx512:path),*],
        neon: [$($neon_name:literal: $neon:path),*],
    ) => {
        $(#[$about])*
        pub type $kernel = $function;

        /// Returns the name and the function of each variant that `isa` permits and that no lower
        /// set does; [`KernelSet`](crate::KernelSet) enters the engine's choice.
        #[must_use]
        pub fn variants(isa: $crate::Isa) -> &'static [(&'static str, $kernel)] {
            match isa {
                $crate::Isa::Scalar(_) => &[$(($scalar_name, $scalar)),*],
                #[cfg(target_arch = "x86_64")]
                $crate::Isa::Avx2(_) => &[
                    $(($avx2_name, $crate::variants::entered!($avx2, $arguments))),*
                ],
                #[cfg(target_arch = "x86_64")]
                $crate::Isa::Avx512(_) => &[
                    $(($avx512_name, $crate::variants::entered!($avx512, $arguments))),*
                ],
                #[cfg(target_arch = "aarch64")]
                $crate::Isa::Neon(_) => &[
                    $(($neon_name, $crate::variants::entered!($neon, $arguments))),*
                ],
            }
        }
    };
}
pub(crate) use variants;
