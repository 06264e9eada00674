//! The best move of a solved position, from what the store knows.

use outflank_engine::{Position, Score, Square};

use crate::service::{ProofStore, solver};

/// Returns a move that is proved to reach `value`, the value of `position`, if one is known: the one
/// that was stored with it, or one that the bounds of the positions after the moves prove.
///
/// A value that came along with the search of another position was stored without its move. The move of a bound that
/// does not reach `value`, as where the store has lost its better one, may be any.
pub(super) fn best_move(
    store: &dyn ProofStore,
    position: Position,
    value: Score,
) -> Option<Square> {
    let stored = store.get(position.canonical()).filter(|stored| stored.bound.lower() >= value);
    let named = stored.and_then(|stored| stored.best_move);
    let seen = named.and_then(|square| solver::as_seen_by(position, square));
    let reaches = |square: &Square| {
        position.play(*square).is_some_and(|after| most_after(store, after) <= -value)
    };
    seen.or_else(|| Square::all(position.moves()).find(reaches))
}

/// Returns the most that the side to move is known to get.
fn most_after(store: &dyn ProofStore, position: Position) -> Score {
    if position.is_over() {
        return position.final_score();
    }
    let known = |position: Position| store.bound(position.canonical());
    let own = known(position).upper();
    if position.must_pass() { own.min(-known(position.pass()).lower()) } else { own }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use outflank_engine::{Bound, brute_force};

    use super::*;
    use crate::store::{Method, Origin, Provenance, Record, Store};

    /// Returns a position with `empties` empty squares whose side to move has a move.
    fn played(mut seed: u64, empties: u32) -> Position {
        let mut position = Position::START;
        while position.empties() > empties || position.moves() == 0 {
            position = match (position.is_over(), position.must_pass()) {
                (true, _) => Position::START,
                (_, true) => position.pass(),
                _ => {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
                    let moves: Vec<Square> = Square::all(position.moves()).collect();
                    let square = moves[(seed >> 33) as usize % moves.len()];
                    position.play(square).expect("it is legal")
                }
            };
        }
        position
    }

    /// Stores the value of a position without a move.
    fn keep(store: &Store, position: Position) {
        keep_bound(store, position, Bound::exact(brute_force::value(position)), None);
    }

    fn keep_bound(store: &Store, position: Position, bound: Bound, best_move: Option<Square>) {
        let provenance = Provenance { method: Method::Search, origin: Arc::new(Origin::default()) };
        let position = position.canonical();
        let record = Record { position, bound, best_move, nodes: 7, provenance };
        store.append(&[record]).expect("memory does not fail");
    }

    #[test]
    fn a_move_that_was_not_stored_is_found_by_the_positions_after_the_moves() {
        let (mut passes, mut ends) = (0, 0);
        for position in (0..200).map(|seed| played(seed, 1 + (seed % 5) as u32)) {
            let store = Store::in_memory();
            let value = brute_force::value(position);
            keep(&store, position);
            let after = Square::all(position.moves()).filter_map(|square| position.play(square));
            for after in after {
                match (after.is_over(), after.must_pass()) {
                    (true, _) => ends += 1,
                    (_, true) => {
                        passes += 1;
                        keep(&store, after.pass());
                    }
                    _ => keep(&store, after),
                }
            }
            let best = best_move(&store, position, value).expect("every move is known");
            let after = position.play(best).expect("it is legal");
            assert_eq!(-brute_force::value(after), value);
        }
        assert!(passes > 0 && ends > 0, "{passes} passes, {ends} ends");
    }

    /// The proof of the value was lost, and the store had a bound of it with a move of its own.
    #[test]
    fn the_move_of_a_bound_that_does_not_reach_the_value_is_not_named() {
        let position = played(3, 6).canonical();
        let value = brute_force::value(position);
        let named = Square::all(position.moves()).next();
        let store = Store::in_memory();
        let less = Score::new(value.discs() - 2).expect("it is not the least");
        keep_bound(&store, position, Bound::at_least(less), named);
        assert_eq!(best_move(&store, position, value), None);
        keep_bound(&store, position, Bound::at_least(value), named);
        assert_eq!(best_move(&store, position, value), named);
    }

    #[test]
    fn no_move_is_best_as_long_as_none_is_proved_to_be() {
        let position = played(3, 6);
        let store = Store::in_memory();
        keep(&store, position);
        assert_eq!(best_move(&store, position, brute_force::value(position)), None);
    }
}
