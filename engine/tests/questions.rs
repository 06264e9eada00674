//! What a search asks itself when it compares moves, and what the answers take: what costs of proofs are
//! measured by.

use outflank_engine::{Control, Engine, Position, Request, Settings, notation};
use outflank_kernel::Isa;

/// A position of 24 empty squares.
const ROOT: &str = "-OOOO-X---OXOX----XOOO-X--XOOOX-XX-OXOXXOXXOOOOO-XOO-O----OO---- X;";

fn engine() -> Engine {
    Engine::new(&Settings { isa: Isa::detect(), table_bytes: 4 << 20 }).unwrap()
}

fn questions(engine: &Engine) -> Vec<(Position, i32)> {
    let root = notation::problems("text", ROOT).next().unwrap().unwrap().position;
    engine.clear();
    engine.questions(&Request { node_limit: Some(300_000), ..Request::exact(root) })
}

#[test]
fn a_search_tells_what_it_asked_itself() {
    let engine = engine();
    let asked = questions(&engine);
    assert!(asked.len() > 1_000, "{} questions", asked.len());
    for (position, bound) in &asked {
        assert!(position.moves() != 0 && (-64..64).contains(bound), "{position:?}, {bound}");
    }
    for empties in 10..=16 {
        let alike = asked.iter().filter(|(position, _)| position.empties() == empties);
        assert!(alike.count() > 10, "hardly any of {empties} empty squares");
    }
    assert_eq!(questions(&engine), asked, "the same search asks the same");
    assert_eq!(questions(&engine.with_weights(None)), [], "without weights nothing is compared");
}

#[test]
fn a_cost_sample_is_that_of_the_right_answer() {
    let engine = engine();
    let small = questions(&engine).into_iter().filter(|(position, _)| position.empties() <= 12);
    let mut outcomes = [0; 2];
    for (position, bound) in small.step_by(20) {
        engine.clear();
        let value = engine.solve(&Request::exact(position), &Control::default()).bound.value();
        let value = value.expect("nobody stopped it").discs();
        // The opponent of the player is worth as much less.
        for bound in [bound, -value - 1, -value] {
            let sample = engine.cost_sample(position, bound).expect("there are weights");
            assert_eq!(sample.holds, -value > bound, "{position:?}, {value}, {bound}");
            assert_eq!(sample.replies, position.moves().count_ones());
            outcomes[usize::from(sample.holds)] += 1;
            let again = engine.cost_sample(position, bound);
            assert_eq!(again, Some(sample), "tables are empty each time");
        }
    }
    assert!(outcomes.iter().all(|&count| count > 10), "{outcomes:?}");
    let start = Position::START;
    assert_eq!(engine.with_weights(None).cost_sample(start, 0), None);
}
