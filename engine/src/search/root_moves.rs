//! What is proved of the root's moves: kept beside the table, where cheap entries make room for
//! others and a position whose player must pass has none.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::board::Board;
use super::principal::Task;
use crate::{Bound, Position, Score, Square};

/// The moves of the position that a search was asked for, and the bounds of the root's value that
/// they prove, by their squares.
#[derive(Debug)]
pub(crate) struct RootMoves {
    root: Board,
    bounds: Mutex<[Bound; 64]>,
}

impl RootMoves {
    /// Returns the moves of `position`, of which nothing is known; if its player must pass, those of
    /// the position that follows.
    pub(crate) fn new(position: Position) -> Self {
        let root = if position.must_pass() { position.pass() } else { position };
        let root = Board { player: root.player(), opponent: root.opponent() };
        Self { root, bounds: Mutex::new([Bound::UNKNOWN; 64]) }
    }

    /// Takes what the search of a move has found inside the window of `task`, if it proves anything
    /// and the position is the root.
    pub(super) fn note(&self, task: &Task, square: u32, value: i32) {
        if task.node.board == self.root && task.is_proof() {
            let bound = &mut self.bounds()[square as usize];
            *bound = narrowed(*bound, value, task.alpha, task.beta);
        }
    }

    /// Returns what is proved of the position after the move to `square`, seen by its player.
    pub(super) fn after(&self, square: Square) -> Bound {
        -self.bounds()[square.index() as usize]
    }

    fn bounds(&self) -> MutexGuard<'_, [Bound; 64]> {
        self.bounds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the bound that a fail-soft search of the window has proved, with what was known.
pub(super) fn narrowed(known: Bound, value: i32, alpha: i32, beta: i32) -> Bound {
    let value_score = Score::floor(value);
    let lower = if value > alpha { value_score } else { Score::MIN };
    let upper = if value < beta { value_score } else { Score::MAX };
    let proved = Bound::new(lower, upper).unwrap_or(Bound::UNKNOWN);
    known.merge(proved).unwrap_or(proved)
}
