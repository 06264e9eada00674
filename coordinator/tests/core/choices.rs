//! What a fuzzer (`fuzz/fuzz_targets/storm.rs`) says in the place of chance.

use std::cell::RefCell;
use std::collections::VecDeque;

thread_local! {
    static CHOICES: RefCell<VecDeque<u8>> = RefCell::default();
}

/// Sets what the generators of this thread return next, whatever their seeds. What was left of earlier choices is gone.
pub(crate) fn set(choices: &[u8]) {
    CHOICES.with(|left| *left.borrow_mut() = choices.iter().copied().collect());
}

/// Returns the next choice; `None` if chance has to go on.
pub(crate) fn next() -> Option<u64> {
    CHOICES.with(|left| left.borrow_mut().pop_front()).map(u64::from)
}
