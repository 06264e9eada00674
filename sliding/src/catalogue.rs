//! Every back-end that this CPU can run: tests and benchmarks walk the same list, so that a new one
//! escapes neither.

use outflank_kernel::Scalar;

use crate::attacks::Attacks;
use crate::{
    ClassicalRays, Hyperbola, HyperbolaDiagonal, HyperbolaReverse, KoggeStone, LowLatency, Native,
    ObstructionDifference, RayLoop, SetWise,
};

/// Is shown each back-end; a trait, since the back-ends are types.
pub trait Visitor {
    /// Receives a back-end and its name.
    fn visit<A: Attacks>(&mut self, name: &'static str, attacks: A);
}

/// Shows `visitor` every back-end that this CPU can run and that the features of the crate include.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit("ray loop", RayLoop);
    visitor.visit("G4 Hyperbola Quintessence, rank table", Hyperbola);
    visitor.visit("G4 Hyperbola Quintessence, bit reversal", HyperbolaReverse);
    visitor.visit("G4 Hyperbola Quintessence, rank by diagonal", HyperbolaDiagonal);
    visitor.visit("G4 Hyperbola Quintessence, low latency", LowLatency);
    visitor.visit("G6 set-wise o^(o-2r)", SetWise);
    visitor.visit("G7 Kogge-Stone", KoggeStone);
    visitor.visit("G7 classical rays", ClassicalRays);
    visitor.visit("G7 obstruction difference", ObstructionDifference);
    visitor.visit("best of scalar", Scalar::new());
    visitor.visit("best as compiled", Native);
    #[cfg(target_arch = "aarch64")]
    if let Some(token) = outflank_kernel::Neon::detect() {
        visitor.visit("G5 Hyperbola Quintessence, NEON", crate::HyperbolaNeon::new(token));
        visitor.visit("G7 Kogge-Stone, NEON", crate::KoggeStoneNeon::new(token));
        visitor.visit("best of NEON", token);
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    visit_x86(visitor);
    #[cfg(all(feature = "magic", not(miri)))] // Miri would fill the tables for minutes
    visitor.visit("G7 fancy magic", crate::magic::FancyMagic::new());
    #[cfg(all(feature = "magic", not(miri)))]
    visitor.visit("G7 black magic", crate::black_magic::BlackMagic::new());
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn visit_x86(visitor: &mut impl Visitor) {
    use outflank_kernel::{Avx2, Avx512, Avx512Gfni, Ssse3};

    use crate::{
        HyperbolaAvx2, HyperbolaGfni, HyperbolaSsse3, KoggeStoneAvx2, KoggeStoneGfni, OkuharaAvx2,
        OkuharaAvx512,
    };

    if let Some(token) = Ssse3::detect() {
        visitor.visit("G5 Hyperbola Quintessence, SSSE3", HyperbolaSsse3::new(token));
        visitor.visit("best of SSSE3", token);
    }
    if let Some(token) = Avx2::detect() {
        visitor.visit("G1-G3 Okuhara, AVX2", OkuharaAvx2::new(token));
        visitor.visit("G5 Hyperbola Quintessence, AVX2", HyperbolaAvx2::new(token));
        visitor.visit("G7 Kogge-Stone, AVX2", KoggeStoneAvx2::new(token));
        visitor.visit("best of AVX2", token);
        #[cfg(feature = "pext")]
        visitor.visit("G7 PEXT", crate::pext::Pext::new(token));
        #[cfg(feature = "pext")]
        visitor.visit("G7 PEXT and PDEP", crate::pext::PextPdep::new(token));
    }
    if let Some(token) = Avx512::detect() {
        visitor.visit("G1 Okuhara, AVX-512VL", OkuharaAvx512::new(token));
        visitor.visit("best of AVX-512", token);
    }
    if let Some(token) = Avx512Gfni::detect() {
        visitor.visit("G4 Hyperbola Quintessence, GFNI", HyperbolaGfni::new(token));
        visitor.visit("G7 Kogge-Stone, AVX-512 and GFNI", KoggeStoneGfni::new(token));
        visitor.visit("best of AVX-512 and GFNI", token);
    }
}
