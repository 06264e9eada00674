//! The search once for each instruction set.
//!
//! The functions of the search are generic `inline(always)` code. Here each recursive one gets an
//! entry with the set's target features, into which that code and the kernels are inlined. The
//! recursion goes through these entries: a generic function that called itself would be compiled
//! without the features, and its kernels would become calls.
#![allow(unsafe_code, reason = "entering an instruction set")]

use crate::evaluation::EvaluationSet;

use super::board::{Board, Node};
use super::cost::CostModel;
use super::level::Level;
use super::searcher::{Searcher, Stopped};
use super::tally::Tally;
use super::{cost, deep, last, middle, midgame, plain, selective, shallow, stability};

/// A kernel set with the entries of the search.
pub(crate) trait SearchSet: EvaluationSet {
    /// Solves a position with the four `empty` squares in a null window.
    fn four(self, tally: &mut Tally, board: Board, empty: u64, alpha: i32) -> i32;

    /// Solves a position with five empty squares in a null window; `moves` are the player's.
    fn shallow(self, tally: &mut Tally, board: Board, moves: u64, alpha: i32) -> i32;

    /// Solves a position with up to [`middle::MOST_EMPTIES`] empty squares in a null window;
    /// `moves` are the player's, which the caller mostly has for the order of its own.
    fn middle(
        searcher: &mut Searcher<'_, Self>,
        board: Board,
        moves: u64,
        empties: u32,
        alpha: i32,
    ) -> i32;

    /// Solves a position for which [`plain::suffices`] in a null window; `moves` are the player's.
    fn plain(
        searcher: &mut Searcher<'_, Self>,
        board: Board,
        moves: u64,
        empties: u32,
        alpha: i32,
    ) -> i32;

    /// Returns a lower bound above `alpha` that the player's stable discs prove after one of
    /// `moves` ([`stability`]).
    fn after_a_move(self, board: Board, moves: u64, alpha: i32) -> Option<i32>;

    /// Solves a position with any number of empty squares in a null window.
    ///
    /// # Errors
    /// [`Stopped`] if the search was asked to stop.
    fn deep(searcher: &mut Searcher<'_, Self>, node: &Node, alpha: i32) -> Result<i32, Stopped>;

    /// Returns what it will cost to answer every reply of the player of `node` ([`cost`]).
    fn cost(self, model: CostModel<'_>, node: &Node, pairs: usize, limit: f32) -> f32;

    /// Returns what a selective search to the end believes, in a null window.
    ///
    /// # Errors
    /// [`Stopped`] if the search was asked to stop.
    fn selective(
        searcher: &mut Searcher<'_, Self>,
        node: &Node,
        alpha: i32,
        level: Level,
    ) -> Result<i32, Stopped>;

    /// Returns what a search of `plies` plies believes, in units of the evaluation.
    ///
    /// # Errors
    /// [`Stopped`] if the search was asked to stop.
    fn midgame(
        searcher: &mut Searcher<'_, Self>,
        node: &Node,
        plies: u32,
        alpha: i32,
        beta: i32,
    ) -> Result<i32, Stopped>;
}

/// Implements [`SearchSet`] for a token with the features listed in brackets.
macro_rules! entries {
    ([$($feature:tt),*] $token:ty) => {
        impl SearchSet for $token {
            #[inline(always)]
            fn four(self, tally: &mut Tally, board: Board, empty: u64, alpha: i32) -> i32 {
                $(#[target_feature(enable = $feature)])*
                fn enter(set: $token, tally: &mut Tally, board: Board, empty: u64, alpha: i32) -> i32 {
                    last::four(set, tally, board, empty, alpha)
                }
                enter!([$($feature),*] enter(self, tally, board, empty, alpha))
            }

            #[inline(always)]
            fn shallow(self, tally: &mut Tally, board: Board, moves: u64, alpha: i32) -> i32 {
                $(#[target_feature(enable = $feature)])*
                fn enter(set: $token, tally: &mut Tally, board: Board, moves: u64, alpha: i32) -> i32 {
                    shallow::body(set, tally, board, moves, alpha)
                }
                enter!([$($feature),*] enter(self, tally, board, moves, alpha))
            }

            #[inline(always)]
            fn middle(
                searcher: &mut Searcher<'_, Self>,
                board: Board,
                moves: u64,
                empties: u32,
                alpha: i32,
            ) -> i32 {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    searcher: &mut Searcher<'_, $token>,
                    board: Board,
                    moves: u64,
                    empties: u32,
                    alpha: i32,
                ) -> i32 {
                    middle::body(searcher, board, moves, empties, alpha)
                }
                enter!([$($feature),*] enter(searcher, board, moves, empties, alpha))
            }

            #[inline(always)]
            fn plain(
                searcher: &mut Searcher<'_, Self>,
                board: Board,
                moves: u64,
                empties: u32,
                alpha: i32,
            ) -> i32 {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    searcher: &mut Searcher<'_, $token>,
                    board: Board,
                    moves: u64,
                    empties: u32,
                    alpha: i32,
                ) -> i32 {
                    plain::body(searcher, board, moves, empties, alpha)
                }
                enter!([$($feature),*] enter(searcher, board, moves, empties, alpha))
            }

            #[inline(always)]
            fn after_a_move(self, board: Board, moves: u64, alpha: i32) -> Option<i32> {
                $(#[target_feature(enable = $feature)])*
                #[cold]
                fn enter(
                    set: $token,
                    board: Board,
                    moves: u64,
                    alpha: i32,
                ) -> Option<i32> {
                    stability::after_a_move(set, board, moves, alpha)
                }
                enter!([$($feature),*] enter(self, board, moves, alpha))
            }

            #[inline(always)]
            fn deep(
                searcher: &mut Searcher<'_, Self>,
                node: &Node,
                alpha: i32,
            ) -> Result<i32, Stopped> {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    searcher: &mut Searcher<'_, $token>,
                    node: &Node,
                    alpha: i32,
                ) -> Result<i32, Stopped> {
                    deep::body(searcher, node, alpha)
                }
                enter!([$($feature),*] enter(searcher, node, alpha))
            }

            #[inline(always)]
            fn cost(
                self,
                model: CostModel<'_>,
                node: &Node,
                pairs: usize,
                limit: f32,
            ) -> f32 {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    set: $token,
                    model: CostModel<'_>,
                    node: &Node,
                    pairs: usize,
                    limit: f32,
                ) -> f32 {
                    cost::body(set, model, node, pairs, limit)
                }
                enter!([$($feature),*] enter(self, model, node, pairs, limit))
            }

            #[inline(always)]
            fn selective(
                searcher: &mut Searcher<'_, Self>,
                node: &Node,
                alpha: i32,
                level: Level,
            ) -> Result<i32, Stopped> {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    searcher: &mut Searcher<'_, $token>,
                    node: &Node,
                    alpha: i32,
                    level: Level,
                ) -> Result<i32, Stopped> {
                    selective::body(searcher, node, alpha, level)
                }
                enter!([$($feature),*] enter(searcher, node, alpha, level))
            }

            #[inline(always)]
            fn midgame(
                searcher: &mut Searcher<'_, Self>,
                node: &Node,
                plies: u32,
                alpha: i32,
                beta: i32,
            ) -> Result<i32, Stopped> {
                $(#[target_feature(enable = $feature)])*
                fn enter(
                    searcher: &mut Searcher<'_, $token>,
                    node: &Node,
                    plies: u32,
                    alpha: i32,
                    beta: i32,
                ) -> Result<i32, Stopped> {
                    midgame::body(searcher, node, plies, alpha, beta)
                }
                enter!([$($feature),*] enter(searcher, node, plies, alpha, beta))
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
