//! The storms of the core's tests, with the fuzzer in the place of chance: it chooses which messages are lost, which
//! machines hang, when the coordinator starts again, what a liar says. Values are right, nothing acknowledged is lost, and
//! the checker accepts the proof.

#![no_main]
#![forbid(unsafe_code)]

#[path = "../../coordinator/tests/core/main.rs"]
#[allow(dead_code, unused_imports, reason = "most of it serves tests, which are not there")]
mod tests;

use std::rc::Rc;

use libfuzzer_sys::fuzz_target;

// Where the tests expect each other.
#[allow(unused_imports, reason = "as above")]
use tests::*;

thread_local! {
    static ORACLE: Rc<oracle::Oracle> = Rc::default();
}

fuzz_target!(|input: &[u8]| {
    let Some((&kind, choices)) = input.split_first() else { return };
    let mut chance = random::Random(77);
    let roots = [7, 8, 9].map(|empties| random::position(&mut chance, empties));
    choices::set(choices);
    let _happened = ORACLE.with(|oracle| tests::storms::storm(u64::from(kind), oracle, &roots));
    choices::set(&[]);
});
