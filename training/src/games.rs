//! Positions of games that are neither all random nor all sensible.
//!
//! The trees of a solver are full of positions that no good player would reach, and the weights
//! have to order moves there. So a game begins with random moves, and goes on with moves that look
//! one ply ahead, among which a share that differs from game to game is random again. Strong play
//! would be worse: it was measured to shift the values of the positions that a solver meets.

use outflank_engine::{Position, Square};

use crate::Random;

/// The squares that look-ahead by one ply likes best.
const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The squares next to a corner on the diagonal.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;
/// The share of random moves after the opening, drawn for each game.
const SHARES: [f64; 6] = [0.0, 0.05, 0.1, 0.2, 0.4, 1.0];

/// Plays a game until `empties` squares are left and returns the position, the side to move of
/// which has a move; `None` if the game ends before, or there.
#[must_use]
pub fn position(random: &mut Random, empties: u32) -> Option<Position> {
    let opening = 60 - (4 + random.below(16));
    let share = SHARES[random.below(SHARES.len() as u32) as usize];
    let mut position = Position::START;
    loop {
        if position.moves() == 0 {
            position = position.pass();
            if position.moves() == 0 {
                return None;
            }
        }
        if position.empties() == empties {
            return Some(position);
        }
        position = if position.empties() > opening || random.happens(share) {
            any_move(random, position)
        } else {
            greedy_move(random, position)
        };
    }
}

fn any_move(random: &mut Random, position: Position) -> Position {
    let moves = position.moves();
    let chosen = Square::all(moves).nth(random.below(moves.count_ones()) as usize);
    chosen.and_then(|square| position.play(square)).expect("it is one of the legal moves")
}

/// Returns the position after the move that leaves the opponent the least, with some jitter.
fn greedy_move(random: &mut Random, position: Position) -> Position {
    let value = |square: Square, after: Position, jitter: u32| {
        let replies = after.moves();
        let restriction = 4 * replies.count_ones() + 8 * (replies & CORNERS).count_ones();
        let place = if square.bit() & CORNERS != 0 {
            16
        } else if square.bit() & X_SQUARES != 0 {
            -6
        } else {
            0
        };
        place - restriction.cast_signed() + jitter.cast_signed()
    };
    Square::all(position.moves())
        .filter_map(|square| {
            let after = position.play(square)?;
            Some((value(square, after, random.below(10)), after))
        })
        .max_by_key(|&(value, _)| value)
        .expect("the side to move has a move")
        .1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_have_the_empties_asked_for_and_a_move() {
        for empties in 4..=59 {
            let mut random = Random::stream(1, &[empties.into()]);
            let found: Vec<_> = (0..20).filter_map(|_| position(&mut random, empties)).collect();
            assert!(found.len() > 10, "most games get to {empties}");
            for position in found {
                assert_eq!(position.empties(), empties);
                assert_ne!(position.moves(), 0);
                assert_eq!(position.empty() & 0x0000_0018_1800_0000, 0, "the centre stays full");
            }
        }
    }

    #[test]
    fn a_stream_gives_the_same_game_again() {
        let play = |stream| position(&mut Random::stream(1, &[stream]), 20);
        assert_eq!(play(5), play(5));
        assert_ne!(play(5), play(6));
    }

    /// Every position that can be reached after two moves, as the rules say.
    #[test]
    fn early_positions_can_be_reached() {
        let mut reached = vec![Position::START];
        for _ in 0..2 {
            let after = |position: &Position| {
                let position = *position;
                Square::all(position.moves()).filter_map(move |square| position.play(square))
            };
            reached = reached.iter().flat_map(after).collect();
        }
        let mut random = Random::stream(1, &[]);
        for _ in 0..100 {
            let position = position(&mut random, 58).expect("no game ends so early");
            assert!(reached.contains(&position), "{position:?}");
        }
    }
}
