//! Plain searches of a fixed depth whose leaves are evaluated: what training asks of the weights.
//!
//! No table and no selectivity, so that a value depends on nothing but the weights, the position
//! and the depth. A game that ends on the way counts with its true score.
#![allow(unsafe_code, reason = "entering an instruction set")]

use outflank_kernel::mobility::CORNERS;
use outflank_kernel::{Isa, with_set};

use super::{EvaluationSet, Features, UNIT, Weights};
use crate::Position;
use crate::search::board::Board;

/// From so many plies on, moves are ordered by evaluating them; below, by the replies they leave.
const EVALUATE_FROM: u32 = 3;

/// More than every value, in units of the evaluation.
const INFINITE: i32 = 1 << 20;

/// Returns the value of each position, in units of 1/32 disc, by a search of `plies` plies. A pass
/// is no ply.
///
/// # Panics
/// If a position is on a board smaller than 8x8, which the weights know nothing of.
#[must_use]
pub fn look_ahead(isa: Isa, weights: &Weights, positions: &[Position], plies: u32) -> Vec<i32> {
    let value = |position: &Position| {
        assert_eq!(position.walls(), 0, "the weights are those of the 8x8 board");
        let board = Board { player: position.player(), opponent: position.opponent() };
        with_set!(isa, set => root(set, weights, board, plies))
    };
    positions.iter().map(value).collect()
}

/// A position to search, and what it takes to evaluate it.
#[derive(Clone, Copy)]
struct Node<'a> {
    weights: &'a Weights,
    board: Board,
    features: &'a Features,
    plies: u32,
    alpha: i32,
    beta: i32,
}

/// A kernel set with an entry of this search.
trait LookAheadSet: EvaluationSet {
    /// Returns the value of the node, fail-soft.
    fn search(self, node: Node<'_>) -> i32;
}

macro_rules! entry {
    ([$($feature:tt),*] $token:ty) => {
        impl LookAheadSet for $token {
            #[inline(always)]
            fn search(self, node: Node<'_>) -> i32 {
                $(#[target_feature(enable = $feature)])*
                fn enter(set: $token, node: Node<'_>) -> i32 {
                    body(set, node)
                }
                #[allow(unused_unsafe, reason = "the portable set needs no features")]
                // SAFETY: the token proves that the CPU has the features.
                unsafe {
                    enter(self, node)
                }
            }
        }
    };
}

entry!([] outflank_kernel::Scalar);
#[cfg(target_arch = "x86_64")]
outflank_kernel::avx2_features!(entry!(outflank_kernel::Avx2));
#[cfg(target_arch = "x86_64")]
outflank_kernel::avx512_features!(entry!(outflank_kernel::Avx512));
#[cfg(target_arch = "aarch64")]
outflank_kernel::neon_features!(entry!(outflank_kernel::Neon));

fn root<K: LookAheadSet>(set: K, weights: &Weights, board: Board, plies: u32) -> i32 {
    let features = &set.features(board.player, board.opponent);
    set.search(Node { weights, board, features, plies, alpha: -INFINITE, beta: INFINITE })
}

/// A move and what speaks for it.
#[derive(Clone, Copy, Default)]
struct Candidate {
    flipped: u64,
    square: u32,
    key: i32,
}

#[inline(always)]
fn body<K: LookAheadSet>(set: K, node: Node<'_>) -> i32 {
    let Node { weights, board, features, plies, alpha, beta } = node;
    let moves = set.moves(board.player, board.opponent);
    if moves == 0 {
        if set.moves(board.opponent, board.player) == 0 {
            return UNIT * board.final_score(set);
        }
        let features = &set.after_pass(features);
        let board = board.pass();
        return -set.search(Node { board, features, alpha: -beta, beta: -alpha, ..node });
    }
    if plies == 0 {
        return leaf(set, weights, board, features, set.count(moves));
    }
    let mut list = [Candidate::default(); 64];
    let list = &mut list[..set.count(moves) as usize];
    fill(set, node, moves, list);
    list.sort_unstable_by_key(|candidate| (-candidate.key, candidate.square));
    let mut best = -INFINITE;
    for &Candidate { flipped, square, .. } in &*list {
        let features = &set.after_move(features, square, flipped);
        let board = board.after(square, flipped);
        let (alpha, plies) = (alpha.max(best), plies - 1);
        let after = Node { weights, board, features, plies, alpha: -beta, beta: -alpha };
        best = best.max(-set.search(after));
        if best >= beta {
            break;
        }
    }
    best
}

/// Lists the moves with their keys.
#[inline(always)]
fn fill<K: LookAheadSet>(set: K, node: Node<'_>, moves: u64, list: &mut [Candidate]) {
    let board = node.board;
    let mut rest = moves;
    for candidate in list {
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let flipped = set.flip(board.player, board.opponent, square);
        let after = board.after(square, flipped);
        let replies = set.moves(after.player, after.opponent);
        let mobility = set.count(replies) + set.count(replies & CORNERS);
        let mut key = -4 * UNIT * mobility as i32;
        if node.plies >= EVALUATE_FROM {
            let features = &set.after_move(node.features, square, flipped);
            key -= leaf(set, node.weights, after, features, set.count(replies));
        }
        *candidate = Candidate { flipped, square, key };
    }
}

#[inline(always)]
fn leaf<K: LookAheadSet>(
    set: K,
    weights: &Weights,
    board: Board,
    features: &Features,
    moves: u32,
) -> i32 {
    let replies = set.count(set.moves(board.opponent, board.player));
    set.evaluate(weights, features, set.count(board.empty()), (moves, replies))
}
