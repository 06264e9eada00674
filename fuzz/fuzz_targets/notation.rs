//! Text as positions: what is read is written and read again as the same, and what is not is an error with a place.

#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use outflank_engine::BoardSize;
use outflank_engine::notation::{Problem, problems, problems_on};

fuzz_target!(|text: &str| {
    for (columns, rows) in [(8, 8), (6, 6), (4, 5), (4, 4)] {
        let size = BoardSize::new(columns, rows).expect("a size that there is");
        for problem in problems_on(size, "text", text) {
            match problem {
                Ok(problem) => check(&problem),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
});

fn check(problem: &Problem) {
    let written = problem.to_string();
    let again: Vec<_> = problems("written", &written).collect();
    let [Ok(again)] = again.as_slice() else { panic!("{written:?} is read as {again:?}") };
    assert_eq!(again, problem, "{written:?}");
}
