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

#[cfg(test)]
mod tests {
    use outflank_kernel::Scalar;

    use super::*;
    use crate::search::board::Node;
    use crate::search::level::Level;

    fn task(position: Position, alpha: i32, beta: i32, level: Level) -> Task {
        let board = Board { player: position.player(), opponent: position.opponent() };
        Task::new(Node::new(Scalar::new(), board), alpha, beta, level)
    }

    fn bound(lower: i32, upper: i32) -> Bound {
        Bound::new(Score::floor(lower), Score::floor(upper)).expect("the ends are in order")
    }

    #[test]
    fn what_windows_prove_of_a_move_is_kept_together() {
        let moves = RootMoves::new(Position::START);
        let square = Square::new(19).expect("it is on the board");
        let note = |alpha, beta, value| {
            moves.note(&task(Position::START, alpha, beta, Level::EXACT), 19, value);
            moves.after(square)
        };
        assert_eq!(note(-5, -3, -2), bound(-64, 2), "at least -2, seen by the opponent");
        assert_eq!(note(9, 11, 8), bound(-8, 2), "at most 8");
        assert_eq!(note(3, 4, 4), bound(-8, -4), "the upper end of the window, and perhaps more");
        assert_eq!(note(6, 7, 6), bound(-6, -4), "the lower end of the window, and perhaps less");
        assert_eq!(note(-64, 64, 6), bound(-6, -6), "inside the window");
    }

    #[test]
    fn only_proofs_and_only_of_the_root_are_kept() {
        let after = Position::START.play(Square::new(19).expect("it is on the board"));
        let after = after.expect("it is a legal move");
        let moves = RootMoves::new(Position::START);
        for level in Level::ladder(30) {
            moves.note(&task(Position::START, -1, 1, level), 26, 0);
        }
        moves.note(&task(after, -1, 1, Level::EXACT), 26, 0);
        let known = Square::all(!0).map(|square| moves.after(square));
        assert!(known.into_iter().all(|bound| bound == Bound::UNKNOWN));
    }

    #[test]
    fn the_moves_of_a_root_that_must_pass_are_those_after_the_pass() {
        let root = Position::new(0b10, 0b01).expect("they share no square");
        assert!(root.must_pass());
        let moves = RootMoves::new(root);
        moves.note(&task(root.pass(), -64, 65, Level::EXACT), 2, 64);
        assert_eq!(moves.after(Square::new(2).expect("it is on the board")), bound(-64, -64));
    }
}
