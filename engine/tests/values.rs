//! Many positions solved at once, as training does it.

use outflank_engine::{
    BoardSize, Bound, Control, Engine, Position, Request, Score, Settings, Square, brute_force,
};
use outflank_kernel::Isa;

#[test]
fn values_of_many_positions_are_those_of_brute_force() {
    let mut state = 7_u64;
    let mut positions = Vec::new();
    for game in 0..400 {
        let mut position = Position::START;
        while position.empties() > game % 8 && !position.is_over() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            position = match moves.len() {
                0 => position.pass(),
                count => position.play(moves[(state >> 33) as usize % count]).unwrap(),
            };
        }
        positions.push(position); // also games that are over, and passes
    }
    let expected: Vec<_> = positions.iter().map(|&position| brute_force::value(position)).collect();
    for isa in Isa::available() {
        let engine = Engine::new(&Settings { isa, table_bytes: 1 << 16 }).unwrap();
        assert_eq!(engine.values(&positions), expected, "{isa}");
        assert_eq!(engine.values(&positions), expected, "{isa}, again");
    }
}

/// Nobody can be asked about what an earlier request was told.
#[test]
fn values_are_found_of_what_was_told_to_be_both_good_and_bad() {
    let lies = [Bound::at_least(Score::DRAW.up()), Bound::at_most(Score::DRAW.down())];
    for start in [Position::START, BoardSize::new(6, 6).unwrap().start()] {
        let mut asked = start;
        while asked.empties() > 9 || asked.must_pass() {
            asked = Square::lowest(asked.moves())
                .map_or(asked.pass(), |square| asked.play(square).unwrap());
        }
        let engine = Engine::new(&Settings { isa: Isa::detect(), table_bytes: 1 << 16 }).unwrap();
        let known = lies.map(|lie| (asked, lie)).to_vec();
        let told = engine.solve(&Request { known, ..Request::exact(asked) }, &Control::default());
        assert!(!told.finished, "{told:?}");
        let expected = brute_force::value(asked);
        assert_eq!(engine.values(&[asked, asked]), [expected; 2], "{asked:?}");
    }
}
