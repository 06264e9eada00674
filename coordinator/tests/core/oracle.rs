//! The truth about small positions: a remembering alpha-beta search.

use std::cell::RefCell;
use std::collections::HashMap;

use outflank_engine::{Bound, Position, Score, Square};

/// Positions with at most so many empties are searched again rather than remembered.
const FORGOTTEN: u32 = 4;

/// Bounds by position, narrowed as needed.
#[derive(Debug, Default)]
pub(crate) struct Oracle {
    bounds: RefCell<HashMap<Position, Bound>>,
}

impl Oracle {
    /// Returns the value of `position`.
    pub(crate) fn value(&self, position: Position) -> Score {
        self.known(position).value().unwrap_or_else(|| {
            // A window that lets every value through: one wider than the scores on both sides.
            let value = self.search(position, -66, 66);
            Score::new(value).expect("the value of a position is a score")
        })
    }

    fn known(&self, position: Position) -> Bound {
        self.bounds.borrow().get(&position).copied().unwrap_or(Bound::UNKNOWN)
    }

    /// Returns the value if it is inside the window, else a bound on the same side: fail-soft
    /// alpha-beta search.
    fn search(&self, position: Position, mut alpha: i32, beta: i32) -> i32 {
        let is_small = position.empties() <= FORGOTTEN;
        let known = if is_small { Bound::UNKNOWN } else { self.known(position) };
        let (low, high) = (known.lower().discs(), known.upper().discs());
        if low == high || low >= beta {
            return low;
        }
        if high <= alpha {
            return high;
        }
        if position.must_pass() {
            return -self.search(position.pass(), -beta, -alpha);
        }
        let first = alpha;
        let mut children: Vec<Position> =
            Square::all(position.moves()).filter_map(|square| position.play(square)).collect();
        if !is_small {
            children.sort_by_key(|child| child.moves().count_ones());
        }
        let mut best = if children.is_empty() { position.final_score().discs() } else { -66 };
        for child in &children {
            best = best.max(-self.search(*child, -beta, -alpha));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        if is_small {
            return best;
        }
        let score = Score::floor(best);
        let is_final = children.is_empty() || (first < best && best < beta);
        let proved = match () {
            () if is_final => Bound::exact(score),
            () if best >= beta => Bound::at_least(score),
            () => Bound::at_most(score),
        };
        let merged = known.merge(proved).expect("both are true");
        self.bounds.borrow_mut().insert(position, merged);
        best
    }

    /// Returns a best line to the end of the game.
    pub(crate) fn line(&self, mut position: Position) -> Vec<Square> {
        let mut line = Vec::new();
        while !position.is_over() {
            if position.must_pass() {
                position = position.pass();
                continue;
            }
            let value = self.value(position);
            let best = Square::all(position.moves())
                .find(|&square| -self.value(position.play(square).unwrap()) == value)
                .unwrap();
            line.push(best);
            position = position.play(best).unwrap();
        }
        line
    }
}

/// Returns the score at the end of `line` for the player of `position`, or `None` if it does not
/// lead to the end of the game.
pub(crate) fn replay(mut position: Position, line: &[Square]) -> Option<Score> {
    let mut sign = 1;
    let mut moves = line.iter();
    while !position.is_over() {
        position =
            if position.must_pass() { position.pass() } else { position.play(*moves.next()?)? };
        sign = -sign;
    }
    assert!(moves.next().is_none(), "the line goes on after the end of the game");
    Score::new(sign * position.final_score().discs())
}
