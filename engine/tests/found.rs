//! What a search tells of on its way, and searches that know nothing of others.

use outflank_engine::{Bound, Control, Engine, Position, Request, Settings, Square, brute_force};
use outflank_kernel::Isa;

fn engine() -> Engine {
    let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 22 };
    Engine::new(&settings).expect("four megabytes are there")
}

/// Returns the position after moves that `seed` chooses, when `empties` squares are left.
fn played(seed: usize, empties: u32) -> Position {
    let mut position = Position::START;
    for step in 0.. {
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        if position.empties() <= empties || position.is_over() {
            break;
        }
        position = match moves.len() {
            0 => position.pass(),
            count => position.play(moves[(seed * 7 + step * 3) % count]).expect("it is legal"),
        };
    }
    position
}

#[test]
fn what_is_told_is_true_dear_and_costs_no_nodes() {
    let mut told = 0;
    for seed in 0..3 {
        let position = played(seed, 18);
        let request = Request::exact(position);
        let silent = Control::default();
        let alone = engine().solve(&request, &silent);
        assert_eq!(silent.take_found(), [], "nobody has asked");
        let control = Control::default().with_found(Some(2_000));
        let answer = engine().solve(&request, &control);
        assert_eq!((answer.bound, answer.nodes), (alone.bound, alone.nodes));
        for found in control.take_found() {
            assert!(found.nodes >= 2_000 && found.nodes <= answer.nodes, "{found:?}");
            let value = engine().solve(&Request::exact(found.position), &Control::default());
            assert!(value.bound.implies(found.bound), "{found:?} is {:?}", value.bound);
            told += 1;
        }
        assert_eq!(control.take_found(), [], "they are taken");
    }
    assert!(told > 20, "{told}");
}

#[test]
fn who_is_told_of_what_another_has_found_has_less_to_search() {
    let position = played(4, 20);
    let request = Request::exact(position);
    let control = Control::default().with_found(Some(500));
    let alone = engine().solve(&request, &control);
    let known = control.take_found().into_iter().filter(|found| found.position != position);
    let known: Vec<(Position, Bound)> = known.map(|found| (found.position, found.bound)).collect();
    assert!(!known.is_empty());
    let told = engine().solve(&Request { known, ..request }, &Control::default());
    assert_eq!(told.bound, alone.bound);
    assert!(told.nodes < alone.nodes, "{} of {} nodes", told.nodes, alone.nodes);
}

#[test]
fn a_search_apart_does_not_have_it_from_the_tables() {
    let position = played(3, 10);
    let truth = Bound::exact(brute_force::value(position));
    let misled = engine();
    let value = truth.value().expect("it is exact");
    let lie = Bound::exact(if value.discs() < 64 { value.up() } else { value.down() });
    let request = Request { known: vec![(position, lie)], ..Request::exact(position) };
    assert_eq!(misled.solve(&request, &Control::default()).bound, lie, "it trusts what it is told");
    let request = Request::exact(position);
    let apart = misled.solve_apart(&request, &Control::default()).expect("there is memory");
    assert_eq!(apart.bound, truth);
    assert_eq!(misled.solve(&request, &Control::default()).bound, lie, "and leaves nothing there");
}
