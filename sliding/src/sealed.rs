//! Which types are back-ends: the traits are sealed, so that a new method with no default breaks nobody.

/// A back-end of this crate, or the token of an instruction set.
pub trait BackEnd {}

macro_rules! back_ends {
    ($($(#[$attribute:meta])* $type:path;)+) => {$(
        $(#[$attribute])*
        impl BackEnd for $type {}

        $(#[$attribute])*
        const _: () = assert!(size_of::<$type>() == 0, "back-ends have no size");
    )+};
}
back_ends! {
    crate::ClassicalRays;
    crate::Hyperbola;
    crate::HyperbolaDiagonal;
    crate::HyperbolaReverse;
    crate::KoggeStone;
    crate::LowLatency;
    crate::Native;
    crate::ObstructionDifference;
    crate::RayLoop;
    crate::Scalar;
    crate::SetWise;
    #[cfg(target_arch = "aarch64")]
    crate::HyperbolaNeon;
    #[cfg(target_arch = "aarch64")]
    crate::KoggeStoneNeon;
    #[cfg(target_arch = "aarch64")]
    crate::Neon;
    #[cfg(target_arch = "x86_64")]
    crate::Avx2;
    #[cfg(target_arch = "x86_64")]
    crate::Avx512;
    #[cfg(target_arch = "x86_64")]
    crate::Avx512Gfni;
    #[cfg(target_arch = "x86_64")]
    crate::HyperbolaAvx2;
    #[cfg(target_arch = "x86_64")]
    crate::HyperbolaGfni;
    #[cfg(target_arch = "x86_64")]
    crate::HyperbolaSsse3;
    #[cfg(target_arch = "x86_64")]
    crate::KoggeStoneAvx2;
    #[cfg(target_arch = "x86_64")]
    crate::KoggeStoneGfni;
    #[cfg(target_arch = "x86_64")]
    crate::OkuharaAvx2;
    #[cfg(target_arch = "x86_64")]
    crate::OkuharaAvx512;
    #[cfg(target_arch = "x86_64")]
    crate::Ssse3;
    #[cfg(feature = "magic")]
    crate::BlackMagic;
    #[cfg(feature = "magic")]
    crate::FancyMagic;
    #[cfg(all(feature = "pext", target_arch = "x86_64"))]
    crate::Pext;
    #[cfg(all(feature = "pext", target_arch = "x86_64"))]
    crate::PextPdep;
}
