//! Searches on many threads that take turns: what they find is true, and what they took repeats exactly.

use outflank_engine::notation::problems;
use outflank_engine::{Bound, Control, Engine, Position, Rehearsal, Request, Score, Settings};
use outflank_kernel::Isa;

/// FFO #40 and #41, 20 and 21 empty squares.
const BOARDS: [(&str, i32); 2] = [
    ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", 38),
    ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", 0),
];

fn position(board: &str) -> Position {
    problems("test", board).next().expect("a position").expect("a board").position
}

/// Returns the value, the nodes, and what the search took.
fn rehearse(engine: &Engine, board: &str, threads: usize) -> (Bound, u64, Rehearsal) {
    engine.clear();
    let request = Request { threads, ..Request::exact(position(board)) };
    let (answer, taken) = engine.rehearse(&request, &Control::default());
    (answer.bound, answer.nodes, taken)
}

#[test]
fn rehearsals_repeat_and_more_threads_take_less_time() {
    let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 24 };
    let engine = Engine::new(&settings).expect("sixteen megabytes are there");
    for (board, value) in BOARDS {
        let value = Bound::exact(Score::floor(value));
        let mut shortest = u64::MAX;
        for threads in [1, 8] {
            let found = rehearse(&engine, board, threads);
            let (bound, nodes, Rehearsal { time, handing_over }) = found;
            assert_eq!(bound, value, "{board} on {threads} threads");
            assert!(time < shortest, "{board} on {threads} threads: {time}, with fewer {shortest}");
            assert!(nodes + handing_over <= time * threads as u64, "{found:?}");
            shortest = time;
            if threads > 1 {
                assert_eq!(
                    rehearse(&engine, board, threads),
                    found,
                    "{board} on {threads} threads"
                );
            }
        }
    }
}

#[test]
fn one_thread_takes_the_time_of_its_nodes() {
    let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 24 };
    let engine = Engine::new(&settings).expect("sixteen megabytes are there");
    let (board, _) = BOARDS[0];
    let (_, nodes, taken) = rehearse(&engine, board, 1);
    engine.clear();
    let solved = engine.solve(&Request::exact(position(board)), &Control::default());
    assert_eq!(nodes, solved.nodes, "it is the same search");
    assert_eq!(taken.time, nodes + taken.handing_over);
}

#[test]
fn a_rehearsal_on_no_thread_is_one_on_one() {
    let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 24 };
    let engine = Engine::new(&settings).expect("sixteen megabytes are there");
    let (board, _) = BOARDS[0];
    assert_eq!(rehearse(&engine, board, 0), rehearse(&engine, board, 1));
}
