//! Probing the tables: what earlier searches left of the positions that a comparison of [costs](super::cost) looks at.
//!
//! A bound in the table of proofs makes a part of a proof free, or impossible. A hint of a selective
//! search says which answer will most likely do, or that none will.

use super::SearchSet;
use super::board::{Board, Node};
use super::deep::HINTS_FROM;
use super::order::{Candidates, MOST_MOVES};
use crate::evaluation::UNIT;
use crate::table::{Hints, Table};

/// Fewest empty squares at which bounds are looked up: with 11 trees are 0.1 % smaller.
const PROVED_FROM: u32 = 12;

/// Fewest empty squares at which the bounds after each move are looked up: with 14 trees are up to
/// 1.5 % smaller, but each look-up in a large table waits for memory.
const PROVED_AFTER_FROM: u32 = 16;

/// The tables of a search, to be probed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe<'a> {
    pub(super) table: &'a Table,
    pub(super) hints: &'a Hints,
}

/// What is known of a claim that the player of a position is worth more than so many discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Proved,
    Refuted,
    /// A selective search came to this move.
    Believed(u32),
    /// A selective search found no move.
    Doubted,
    Unknown,
}

impl Probe<'_> {
    /// Asks the CPU for what the tables hold of a position with so many `empties`.
    #[inline(always)]
    pub(super) fn prefetch<K: SearchSet>(self, kernels: K, board: Board, empties: u32) {
        if empties >= PROVED_FROM {
            let hash = kernels.hash(board.player, board.opponent);
            self.table.prefetch(hash);
            if empties >= HINTS_FROM {
                self.hints.prefetch(hash);
            }
        }
    }

    /// Returns what is known of the claim that the player of a position with so many `empties` is
    /// worth more than `alpha` discs.
    #[inline(always)]
    pub(super) fn verdict<K: SearchSet>(
        self,
        kernels: K,
        Board { player, opponent }: Board,
        empties: u32,
        alpha: i32,
    ) -> Verdict {
        if empties < PROVED_FROM {
            return Verdict::Unknown;
        }
        let hash = kernels.hash(player, opponent);
        match self.table.get(hash, player, opponent) {
            Some(known) if known.lower > alpha => return Verdict::Proved,
            Some(known) if known.upper <= alpha => return Verdict::Refuted,
            _ => {}
        }
        if empties < HINTS_FROM {
            return Verdict::Unknown;
        }
        // Only searches to the end count, of whatever level.
        match self.hints.get(hash, player, opponent) {
            Some(hint) if u32::from(hint.effort.plies) != empties => Verdict::Unknown,
            Some(hint) if hint.upper <= alpha * UNIT => Verdict::Doubted,
            Some(hint) if hint.lower > alpha * UNIT => {
                hint.moves[0].map_or(Verdict::Unknown, |square| Verdict::Believed(square.into()))
            }
            _ => Verdict::Unknown,
        }
    }

    /// Asks the CPU for what the table holds of the positions after `moves` of `node`, and returns
    /// their hashes.
    #[inline(always)]
    pub(super) fn prefetch_after<K: SearchSet>(
        self,
        kernels: K,
        node: &Node,
        moves: &Candidates,
    ) -> [u64; MOST_MOVES] {
        let mut hashes = [0; MOST_MOVES];
        if node.empties >= PROVED_AFTER_FROM {
            for (hash, candidate) in hashes.iter_mut().zip(moves.as_slice()) {
                let after = node.board.after(candidate.square, candidate.flipped);
                *hash = kernels.hash(after.player, after.opponent);
                self.table.prefetch(*hash);
            }
        }
        hashes
    }

    /// Returns whether one of the `moves` of `node` is proved to be worth more than `alpha` discs;
    /// the `hashes` are of the positions after them.
    #[inline(always)]
    pub(super) fn has_proof(
        self,
        node: &Node,
        moves: &Candidates,
        hashes: &[u64; MOST_MOVES],
        alpha: i32,
    ) -> bool {
        if node.empties < PROVED_AFTER_FROM {
            return false;
        }
        for (&hash, candidate) in hashes.iter().zip(moves.as_slice()) {
            let after = node.board.after(candidate.square, candidate.flipped);
            let known = self.table.get(hash, after.player, after.opponent);
            if known.is_some_and(|known| -known.upper > alpha) {
                return true;
            }
        }
        false
    }
}
