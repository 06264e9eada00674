//! The weights that are part of the program.

use outflank_engine::evaluation::{UNIT, Weights, look_ahead};
use outflank_engine::{Engine, Position, Settings, Square};
use outflank_kernel::Isa;

fn embedded() -> &'static Weights {
    Weights::embedded().expect("the program is built with weights")
}

/// Positions of random games with `empties` empty squares whose side to move has a move.
fn positions(empties: u32, count: usize) -> Vec<Position> {
    let mut state = 11_u64;
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = Position::START;
        while position.empties() > empties && !position.is_over() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            position = match moves.len() {
                0 => position.pass(),
                count => position.play(moves[(state >> 33) as usize % count]).unwrap(),
            };
        }
        if position.empties() == empties && position.moves() != 0 {
            positions.push(position);
        }
    }
    positions
}

#[test]
fn the_embedded_weights_say_where_they_come_from() {
    let weights = embedded();
    assert_eq!(weights.trained(), (5, 56));
    assert!(weights.provenance().contains("seed "), "{}", weights.provenance());
    assert!(weights.provenance().contains("stage 28: "), "{}", weights.provenance());
}

#[test]
fn predictions_are_near_exact_values_and_nearer_after_looking_ahead() {
    let isa = Isa::detect();
    let engine = Engine::new(&Settings { isa, table_bytes: 1 << 20 }).unwrap();
    for empties in [8, 11] {
        let positions = positions(empties, 300);
        let exact = engine.values(&positions);
        let error = |plies| {
            let values = look_ahead(isa, embedded(), &positions, plies);
            let errors = values.iter().zip(&exact).map(|(value, exact)| {
                (f64::from(*value) / f64::from(UNIT) - f64::from(exact.discs())).abs()
            });
            errors.sum::<f64>() / positions.len() as f64
        };
        assert!(error(0) < 8.0, "{empties} empty squares: {} discs off on average", error(0));
        assert!(error(4) < 0.8 * error(0), "{} and {} discs off", error(0), error(4));
    }
}

#[test]
fn the_start_is_even_and_deeper_searches_are_nearer_to_the_exact_value() {
    let start = look_ahead(Isa::detect(), embedded(), &[Position::START], 4)[0];
    assert!(start.abs() < 6 * UNIT, "the start is worth {start} thirty-seconds of a disc");
    let selectivity = embedded().selectivity().expect("it was measured");
    for empties in [14, 20, 26] {
        let spreads = [0, 2, 4, 6, 8].map(|shallow| selectivity.spread(empties, shallow, empties));
        assert!(spreads.is_sorted_by(|shallower, deeper| shallower > deeper), "{spreads:?}");
        assert!(spreads[0] > 4.0 && spreads[0] < 16.0, "{spreads:?}");
    }
    assert!(selectivity.quantiles.is_sorted(), "{:?}", selectivity.quantiles);
}
