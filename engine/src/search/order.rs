//! Move order in the upper part of the search.

use outflank_kernel::mobility::corners::shifted_corners;
use outflank_kernel::mobility::weighted::corners_twice;

use super::SearchSet;
use super::board::{Board, Node, odd_squares};
use super::midgame::INFINITE;
use super::searcher::{Searcher, Stopped};
use crate::evaluation::{LIMIT, UNIT, Weights};

/// The most moves that any board may have, whether a game comes to it or not. Each move flanks a run of the opponent's
/// discs that ends at one of the player's. No two moves share that disc and the direction from it, of which there are
/// eight; nor the disc beside the move and the line through it, of which there are four: a run has two ends. So m moves
/// need m / 8 discs of the player, m / 4 of the opponent and m empty squares: 46 need 64 squares, 47 would need 65.
/// Annealing over arbitrary boards has found 35.
pub(super) const MOST_MOVES: usize = 46;

/// A move and what speaks for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    pub(crate) flipped: u64,
    pub(crate) square: u32,
    pub(crate) key: i32,
    /// What the move is expected to be worth to the player, in units of the evaluation.
    pub(crate) estimate: i32,
}

/// The keys of the moves that an earlier search found best, before those of all others.
const KNOWN: [i32; 2] = [i32::MAX, i32::MAX - 1];

impl Candidate {
    /// Returns whether an earlier search found the move best, or second best.
    #[inline(always)]
    pub(crate) const fn is_known(&self) -> bool {
        self.key >= KNOWN[1]
    }
}

/// Where the value of a position is expected, compared with a null window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// Far below the window: no move will do, whatever their order.
    Low,
    /// Near the window: much hangs on the order.
    Near,
    /// Far above the window: most moves will do.
    High,
}

/// How far below and above the window the expected value is near it, in units of the evaluation.
const NEAR: (i32, i32) = (-8 * UNIT, 20 * UNIT);

impl Outlook {
    /// Returns the outlook of a position that is expected to be worth `estimate`, in units of the
    /// evaluation.
    #[inline(always)]
    pub(crate) const fn new(estimate: i32, alpha: i32) -> Self {
        let above = estimate - (alpha + 1) * UNIT;
        if above < NEAR.0 {
            Self::Low
        } else if above < NEAR.1 {
            Self::Near
        } else {
            Self::High
        }
    }
}

/// How much time the order of the moves of a node may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hurry {
    /// Only count the opponent's replies.
    Mobility,
    /// Evaluate the position after each move.
    Glance,
    /// Search so many plies after each move.
    Search(u32),
}

impl Hurry {
    /// Returns what is right before a search to the end in a null window: the more empties, the
    /// more a good order saves.
    #[inline(always)]
    pub(crate) fn for_empties(empties: u32, outlook: Outlook) -> Self {
        match empties {
            0..18 if outlook == Outlook::Low => Self::Mobility,
            0..22 => Self::Glance,
            22..26 => Self::Search(2),
            _ => Self::Search(3),
        }
    }

    /// Returns what is right on the principal variation.
    pub(crate) fn for_principal(empties: u32) -> Self {
        match empties {
            0..11 => Self::Mobility,
            11..15 => Self::Search(2),
            15..20 => Self::Search(4),
            _ => Self::Search(5),
        }
    }
}

/// The moves of a position.
#[derive(Debug)]
pub(crate) struct Candidates {
    list: [Candidate; MOST_MOVES],
    count: usize,
}

impl Candidates {
    /// Lists the moves of `board`, unordered.
    #[inline(always)]
    pub(crate) fn new<K: SearchSet>(kernels: K, board: Board, moves: u64) -> Self {
        let mut list = [Candidate::default(); MOST_MOVES];
        let mut count = 0;
        let mut rest = moves;
        while rest != 0 {
            let square = rest.trailing_zeros();
            rest &= rest - 1;
            let flipped = kernels.flip(board.player, board.opponent, square);
            list[count] = Candidate { flipped, square, ..Candidate::default() };
            count += 1;
        }
        Self { list, count }
    }

    pub(crate) fn as_slice(&self) -> &[Candidate] {
        &self.list[..self.count]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Candidate] {
        &mut self.list[..self.count]
    }

    /// Drops the moves for which `keep` says no.
    #[inline(always)]
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Candidate) -> bool) {
        let mut kept = 0;
        for index in 0..self.count {
            if keep(&self.list[index]) {
                self.list[kept] = self.list[index];
                kept += 1;
            }
        }
        self.count = kept;
    }

    /// Takes the move on `square` out of the list, if it is there.
    #[inline(always)]
    pub(crate) fn take(&mut self, square: Option<u8>) -> Option<Candidate> {
        let square = square.map(u32::from)?;
        let index = self.as_slice().iter().position(|candidate| candidate.square == square)?;
        let taken = self.list[index];
        self.list.copy_within(index + 1..self.count, index);
        self.count -= 1;
        Some(taken)
    }

    /// Returns whether a move takes the opponent's last disc: nothing can be better.
    #[inline(always)]
    pub(crate) fn wipes_out(&self, board: Board) -> bool {
        self.as_slice().iter().any(|candidate| candidate.flipped == board.opponent)
    }

    /// Orders the moves, the most promising first; those of `first` come before all others.
    ///
    /// # Errors
    /// [`Stopped`] if the search was asked to stop.
    #[inline(always)]
    pub(crate) fn sort<K: SearchSet>(
        &mut self,
        searcher: &mut Searcher<'_, K>,
        node: &Node,
        first: [Option<u8>; 2],
        hurry: Hurry,
    ) -> Result<(), Stopped> {
        let odd = odd_squares(node.board.empty());
        for candidate in self.as_mut_slice() {
            let square = candidate.square;
            candidate.estimate = node.estimate;
            candidate.key = if first[0] == Some(square as u8) {
                KNOWN[0]
            } else if first[1] == Some(square as u8) {
                KNOWN[1]
            } else {
                key(searcher, node, candidate, hurry)? + (odd >> square & 1) as i32 * ODD
            };
        }
        // Insertion sort: the lists are short, and equal keys must keep their order on every CPU.
        for index in 1..self.count {
            let moving = self.list[index];
            let mut place = index;
            while place > 0 && self.list[place - 1].key < moving.key {
                self.list[place] = self.list[place - 1];
                place -= 1;
            }
            self.list[place] = moving;
        }
        Ok(())
    }
}

/// What a square in a region with an odd number of empty squares is worth, in units of the
/// evaluation: who moves there can hope for the last move in it.
const ODD: i32 = UNIT / 4;

/// What each reply of the opponent costs, in units of the evaluation; a reply into a corner counts
/// twice. A small tree is as good as a good move.
const REPLY: i32 = 7 * UNIT / 2;

/// Returns how promising a move is, in units of the evaluation, and notes in it what it is expected
/// to be worth.
#[inline(always)]
fn key<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    candidate: &mut Candidate,
    hurry: Hurry,
) -> Result<i32, Stopped> {
    let kernels = searcher.kernels;
    let Candidate { flipped, square, .. } = *candidate;
    let board = node.board.after(square, flipped);
    let moves = kernels.moves(board.player, board.opponent);
    let replies = corners_twice(kernels, moves) as i32;
    let Some(weights) = searcher.weights().filter(|_| hurry != Hurry::Mobility) else {
        return Ok(without_weights(kernels, board, replies));
    };
    candidate.estimate = match hurry {
        Hurry::Search(plies) => {
            let after = node.after(kernels, square, flipped);
            -K::midgame(searcher, &after, plies, -INFINITE, INFINITE)?
        }
        _ => after_at_a_glance(kernels, weights, node, *candidate, moves),
    };
    Ok(candidate.estimate - REPLY * replies)
}

/// Returns what a move is worth by the evaluation of the position after it, in which the opponent
/// has `moves`.
#[inline(always)]
pub(super) fn after_at_a_glance<K: SearchSet>(
    kernels: K,
    weights: &Weights,
    node: &Node,
    Candidate { flipped, square, .. }: Candidate,
    moves: u64,
) -> i32 {
    let after = node.board.after(square, flipped);
    let replies = kernels.moves(after.opponent, after.player);
    if moves | replies == 0 {
        return -after.final_score(kernels) * UNIT;
    }
    let (empties, mobility) = (node.empties - 1, (kernels.count(moves), kernels.count(replies)));
    let stage = weights.stage(empties);
    let patterns = kernels.pattern_sum_after(stage, &node.features, square, flipped);
    -(patterns + stage.constant(empties, mobility)).clamp(-LIMIT, LIMIT)
}

/// Returns how promising the move to `after` is by mobility alone: few replies, few empty squares
/// for later replies, corners that stay ours.
#[inline(always)]
fn without_weights<K: SearchSet>(kernels: K, after: Board, replies: i32) -> i32 {
    let potential = kernels.count(kernels.potential_moves(after.player, after.opponent)) as i32;
    let corners = kernels.count(shifted_corners(after.opponent)) as i32;
    -(REPLY * replies) - REPLY / 8 * potential + 3 * REPLY / 8 * corners
}

#[cfg(test)]
mod tests {
    use outflank_kernel::{KernelSet, Scalar};
    use proptest::prelude::*;

    use super::*;

    /// Returns the squares that so many discs and moves need at least.
    fn squares(moves: u32) -> u32 {
        moves + moves.div_ceil(8) + moves.div_ceil(4)
    }

    #[test]
    fn there_is_room_for_as_many_moves_as_a_board_has_squares_for() {
        let most = MOST_MOVES as u32;
        assert_eq!((squares(most), squares(most + 1)), (64, 65));
    }

    /// Returns whether the moves of a board keep to what the limit rests on.
    fn keep(player: u64, opponent: u64, [from_a_disc, through_a_disc]: [u32; 2]) -> bool {
        let moves = Scalar::new().moves(player, opponent).count_ones();
        moves <= from_a_disc * player.count_ones()
            && moves <= through_a_disc * opponent.count_ones()
    }

    #[test]
    fn one_disc_may_end_eight_runs_and_another_lie_in_four() {
        let star = (0x0000_0008_0000_0000, 0x0000_1C14_1C00_0000);
        let cross = (0x0000_1C10_0000_0000, 0x0000_0008_0000_0000);
        for ((player, opponent), limits, too_few) in
            [(star, [8, 4], [7, 4]), (cross, [8, 4], [8, 3])]
        {
            assert!(keep(player, opponent, limits) && !keep(player, opponent, too_few));
        }
    }

    proptest! {
        #[test]
        fn a_move_needs_a_direction_from_a_disc_and_a_line_through_another(
            many: u64,
            others: u64,
            square in 0..64_u32,
        ) {
            // Where one side has a single disc the limits are near.
            let single = 1_u64.rotate_left(square);
            for (player, opponent) in [(many, others), (single, others), (many, single)] {
                let player = if opponent == single { player & !single } else { player };
                prop_assert!(keep(player, opponent & !player, [8, 4]));
            }
        }
    }
}
