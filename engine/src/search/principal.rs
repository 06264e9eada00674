//! Windows wider than a null window: principal variation search.
//!
//! The first move is searched with the whole window, each later one in a null window above the
//! best so far, and again with the whole window if it turns out better (NegaScout, A. Reinefeld).

use super::board::Board;
use super::order::{Candidate, Candidates};
use super::searcher::{Searcher, Stopped};
use super::{SearchSet, crew};
use crate::table::Entry;

/// A position in a window, and the best that its moves have reached so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) board: Board,
    pub(crate) empties: u32,
    /// Lower end of the window; it rises with the best.
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    pub(crate) best: i32,
    pub(crate) best_move: Option<u8>,
    first_alpha: i32,
}

impl Task {
    pub(crate) fn new(board: Board, empties: u32, alpha: i32, beta: i32) -> Self {
        Self { board, empties, alpha, beta, best: -128, best_move: None, first_alpha: alpha }
    }

    /// Takes the value of a move into account. In a null window `alpha` does not rise: a value
    /// above it ends the search.
    #[inline(always)]
    pub(crate) fn improve(&mut self, value: i32, square: u32) {
        if value > self.best {
            self.best = value;
            self.best_move = Some(square as u8);
            if value < self.beta {
                self.alpha = self.alpha.max(value);
            }
        }
    }

    /// Returns whether the window only separates two values.
    #[inline(always)]
    fn is_null(&self) -> bool {
        self.alpha + 1 == self.beta
    }

    /// Returns whether the best is above the window, so that no other move matters.
    #[inline(always)]
    pub(crate) fn is_cut(&self) -> bool {
        self.best >= self.beta
    }

    /// Puts what is proved into the table. `begin` is the node count before the search.
    #[inline(always)]
    pub(crate) fn store<K: SearchSet>(&self, searcher: &Searcher<'_, K>, hash: u64, begin: u64) {
        let work = searcher.total_nodes() - begin;
        let entry = Entry {
            lower: if self.best > self.first_alpha { self.best } else { -64 },
            upper: if self.best < self.beta { self.best } else { 64 },
            moves: [self.best_move, None],
            cost: (2 * work.max(1).ilog2()).min(63) as u8,
        };
        let Board { player, opponent } = self.board;
        searcher.table().put(hash, player, opponent, entry, searcher.crew.generation);
    }
}

/// Solves `board` in the window from `alpha` to `beta`; the value is exact between them. Returns
/// the best move too, if one was looked for.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop.
pub(crate) fn principal<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    board: Board,
    empties: u32,
    alpha: i32,
    beta: i32,
) -> Result<(i32, Option<u8>), Stopped> {
    let kernels = searcher.kernels;
    searcher.nodes += 1;
    searcher.go_on()?;
    let moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            return Ok((board.final_score(kernels), None));
        }
        return Ok((-principal(searcher, board.pass(), empties, -beta, -alpha)?.0, None));
    }
    let hash = kernels.hash(board.player, board.opponent);
    let known = searcher.table().get(hash, board.player, board.opponent).unwrap_or(Entry::UNKNOWN);
    if known.lower >= beta || known.lower == known.upper {
        return Ok((known.lower, known.moves[0]));
    }
    if known.upper <= alpha {
        return Ok((known.upper, known.moves[0]));
    }
    let begin = searcher.total_nodes();
    let mut candidates = Candidates::new(kernels, board, moves);
    candidates.sort(kernels, board, &known);
    let (alpha, beta) = (alpha.max(known.lower - 1), beta.min(known.upper + 1));
    let mut task = Task::new(board, empties, alpha, beta);
    for (index, &candidate) in candidates.as_slice().iter().enumerate() {
        let rest = &candidates.as_slice()[index..];
        if index > 0 && crew::worth_splitting(searcher, empties, rest.len()) {
            crew::split(searcher, rest, &mut task)?;
            break;
        }
        let value = if index == 0 && !task.is_null() {
            let after = board.after(candidate.square, candidate.flipped);
            -principal(searcher, after, empties - 1, -beta, -alpha)?.0
        } else {
            brother(searcher, &task, candidate)?
        };
        task.improve(value, candidate.square);
        if task.is_cut() {
            break;
        }
    }
    task.store(searcher, hash, begin);
    Ok((task.best, task.best_move))
}

/// Returns the value of a move that is expected to be no better than the best so far.
///
/// # Errors
/// [`Stopped`] if the search was asked to stop.
pub(crate) fn brother<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    task: &Task,
    Candidate { flipped, square, .. }: Candidate,
) -> Result<i32, Stopped> {
    let after = task.board.after(square, flipped);
    let value = -K::deep(searcher, after, task.empties - 1, -task.alpha - 1)?;
    if value <= task.alpha || value >= task.beta {
        return Ok(value);
    }
    Ok(-principal(searcher, after, task.empties - 1, -task.beta, 1 - value)?.0)
}
