//! Positions to solve.

use outflank_engine::evaluation::{UNIT, Weights, look_ahead};
use outflank_engine::{Position, Score, Square, Window};
use outflank_kernel::Isa;

use crate::cluster::Request;
use crate::random::hash;

/// What is asked of the roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The value.
    Value,
    /// Whether the side that seems ahead does not lose: one goal, as in a campaign of hypotheses.
    Hypothesis,
}

impl Kind {
    /// Returns the window in which a position of this likely value, in discs, is asked.
    #[must_use]
    pub fn window(self, estimate: i32) -> Window {
        let goal = match self {
            Self::Value => None,
            Self::Hypothesis if estimate >= 0 => Window::at_least(Score::DRAW),
            Self::Hypothesis => Window::at_least(Score::DRAW.up()),
        };
        goal.unwrap_or(Window::FULL)
    }
}

/// A move that loses this much against the best one, in discs, is not played.
const SLACK: i32 = 4;

/// Positions further from a draw, in discs, are left out.
const BALANCE: i32 = 10;

/// Returns `count` positions with so many empty squares from seeded games between players who like
/// good moves; `None` if the program has no evaluation.
#[must_use]
pub fn roots(seed: u64, empties: u32, count: usize, kind: Kind) -> Option<Vec<Request>> {
    let weights = Weights::embedded().ok()?;
    let looked = |positions: &[Position], plies| {
        look_ahead(Isa::chosen_or_best(), weights, positions, plies)
            .into_iter()
            .map(|value| value / UNIT)
    };
    let mut found = Vec::new();
    for game in 0.. {
        if found.len() == count {
            break;
        }
        let Some(position) = play(seed, game, empties, &looked) else { continue };
        let estimate = looked(&[position], 4).next().unwrap_or(0);
        if estimate.abs() <= BALANCE
            && found.iter().all(|other: &Request| other.position != position)
        {
            found.push(Request { position, window: kind.window(estimate) });
        }
    }
    Some(found)
}

/// Plays a game down to so many empty squares, or `None` if it ends earlier.
fn play<I: Iterator<Item = i32>>(
    seed: u64,
    game: u64,
    empties: u32,
    looked: &impl Fn(&[Position], u32) -> I,
) -> Option<Position> {
    let mut position = Position::START;
    while position.empties() > empties {
        if position.must_pass() {
            position = position.pass();
            continue;
        }
        let moves = Square::all(position.moves()).filter_map(|square| position.play(square));
        let children: Vec<Position> = moves.collect();
        let values: Vec<i32> = looked(&children, 1).collect();
        let best = values.iter().min()? + SLACK;
        let good: Vec<Position> = children
            .into_iter()
            .zip(values)
            .filter(|(_, value)| *value <= best)
            .map(|(child, _)| child)
            .collect();
        position = good[(hash(seed, position, game) % good.len() as u64) as usize];
    }
    (!position.is_over()).then(|| position.canonical())
}
