//! Holds a search to a virtual clock.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The agreement between a search and the clock: the search waits when it has used up its nodes,
/// the clock waits until the search waits or has ended.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    allowed: u64,
    waits: bool,
    ended: bool,
}

impl Pace {
    /// Waits as long as `nodes` are more than the clock allows. The search calls this.
    pub(crate) fn keep(&self, nodes: u64) {
        let mut state = self.state();
        while nodes >= state.allowed {
            state.waits = true;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes that the search is over.
    pub(crate) fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Lets the search run to so many nodes and returns whether it has ended before.
    pub(crate) fn allow(&self, nodes: u64) -> bool {
        let mut state = self.state();
        state.allowed = nodes;
        state.waits = false;
        self.changed.notify_all();
        while !state.waits && !state.ended {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.ended
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
