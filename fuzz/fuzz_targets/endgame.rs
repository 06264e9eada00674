//! Positions with a few empty squares, whether a game can reach them or not, in any window, on one thread and on two, with
//! tables that know the positions before: the answer is that of the plainest solver.

#![no_main]
#![forbid(unsafe_code)]

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use outflank_engine::{
    Bound, Control, Engine, Position, Request, Score, Settings, Square, Window, brute_force,
};
use outflank_kernel::Isa;

/// The most empty squares: what the plainest solver can do in a moment.
const EMPTIES: usize = 8;

/// A table so small that entries make room for each other.
static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let isa = Isa::chosen().expect("no other instruction set is asked for");
    Engine::new(&Settings { isa, table_bytes: 1 << 16 }).expect("there is memory")
});

#[derive(Arbitrary, Debug)]
struct Question {
    discs: u64,
    empty: [u8; EMPTIES],
    ends: [u8; 2],
    two_threads: bool,
    node_limit: Option<u8>,
    /// Whether the search is told of the true value of the position after its first move.
    is_told: bool,
}

fuzz_target!(|question: Question| {
    let empty = question.empty.iter().fold(0, |empty, square| empty | 1_u64 << (square % 64));
    let (player, opponent) = (question.discs & !empty, !question.discs & !empty);
    let position = Position::new(player, opponent).expect("disjoint");
    let ends = question.ends.map(|end| Score::new(2 * (i32::from(end) % 65) - 64).expect("even"));
    let Some(window) = Window::new(ends[0].min(ends[1]), ends[0].max(ends[1])) else { return };

    let value = Bound::exact(brute_force::value(position));
    let first = Square::lowest(position.moves()).filter(|_| question.is_told);
    let child = first.and_then(|square| position.play(square));
    let told = |child: Position| (child.canonical(), Bound::exact(brute_force::value(child)));
    let request = Request {
        position,
        window,
        node_limit: question.node_limit.map(u64::from),
        threads: 1 + usize::from(question.two_threads),
        known: child.into_iter().map(told).collect(),
    };
    let answer = ENGINE.solve(&request, &Control::default());
    assert!(answer.bound.merge(value).is_ok(), "{} for {value} of {request:?}", answer.bound);
    let is_whole = answer.bound.answers(window);
    assert!(is_whole || request.node_limit.is_some(), "{} for {request:?}", answer.bound);
});
