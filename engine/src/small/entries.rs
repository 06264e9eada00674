//! The search on small boards once for each instruction set, as in `search/entries.rs`.
#![allow(unsafe_code, reason = "entering an instruction set")]

use outflank_kernel::KernelSet;

use super::searcher::{Discs, Field, Searcher};
use super::{deep, look, shallow};
use crate::search::searcher::Stopped;

/// A kernel set with the entries of the search on small boards.
pub(crate) trait SmallSet: KernelSet {
    /// Solves a position with up to [`shallow::MOST_EMPTIES`] empty squares in a null window.
    fn small_shallow(self, nodes: &mut u64, field: &Field, discs: Discs, alpha: i32) -> i32;

    /// Solves a position in a null window.
    ///
    /// # Errors
    /// [`Stopped`] if the search was asked to stop.
    fn small_deep(
        searcher: &mut Searcher<'_, Self>,
        discs: Discs,
        alpha: i32,
    ) -> Result<i32, Stopped>;

    /// Returns what a look of `plies` plies says, in units of the evaluation.
    fn small_look(self, field: &Field, discs: Discs, plies: u32, alpha: i32, beta: i32) -> i32;
}

/// Implements [`SmallSet`] for a token with the features listed in brackets.
macro_rules! entries {
    ([$($feature:tt),*] $token:ty) => {
        impl SmallSet for $token {
            #[inline(always)]
            fn small_shallow(self, nodes: &mut u64, field: &Field, discs: Discs, alpha: i32) -> i32 {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    set: $token,
                    nodes: &mut u64,
                    field: &Field,
                    discs: Discs,
                    alpha: i32,
                ) -> i32 {
                    shallow::body(set, nodes, field, discs, alpha)
                }
                enter!([$($feature),*] enter(self, nodes, field, discs, alpha))
            }

            #[inline(always)]
            fn small_deep(
                searcher: &mut Searcher<'_, Self>,
                discs: Discs,
                alpha: i32,
            ) -> Result<i32, Stopped> {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    searcher: &mut Searcher<'_, $token>,
                    discs: Discs,
                    alpha: i32,
                ) -> Result<i32, Stopped> {
                    deep::body(searcher, discs, alpha)
                }
                enter!([$($feature),*] enter(searcher, discs, alpha))
            }

            #[inline(always)]
            fn small_look(
                self,
                field: &Field,
                discs: Discs,
                plies: u32,
                alpha: i32,
                beta: i32,
            ) -> i32 {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    set: $token,
                    field: &Field,
                    discs: Discs,
                    plies: u32,
                    alpha: i32,
                    beta: i32,
                ) -> i32 {
                    look::body(set, field, discs, plies, alpha, beta)
                }
                enter!([$($feature),*] enter(self, field, discs, plies, alpha, beta))
            }
        }
    };
}

/// Calls an entry. Without features that is an ordinary call.
macro_rules! enter {
    ([] $call:expr) => {
        $call
    };
    ([$($feature:tt),+] $call:expr) => {
        // SAFETY: the token, an argument or in the searcher, proves that the CPU has the features.
        unsafe { $call }
    };
}

entries!([] outflank_kernel::Scalar);
#[cfg(target_arch = "x86_64")]
outflank_kernel::avx2_features!(entries!(outflank_kernel::Avx2));
#[cfg(target_arch = "x86_64")]
outflank_kernel::avx512_features!(entries!(outflank_kernel::Avx512));
#[cfg(target_arch = "aarch64")]
outflank_kernel::neon_features!(entries!(outflank_kernel::Neon));
