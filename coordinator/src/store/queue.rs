//! Callers that append at the same time share a write and a sync.
//!
//! The first to come writes for all who have come by then; those who come meanwhile form the next
//! group. Nobody holds a lock that a served caller needs in order to leave.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::error::StoreError;
use super::record::{Appended, Record};

/// What a caller is told.
pub(super) type Outcome = Result<Appended, StoreError>;

/// A caller's records, and what became of them.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) records: Vec<Record>,
    outcome: Mutex<Option<Outcome>>,
}

impl Request {
    pub(super) fn new(records: Vec<Record>) -> Self {
        Self { records, outcome: Mutex::new(None) }
    }

    /// Tells the caller what became of its records.
    pub(super) fn answer(&self, outcome: Outcome) {
        *guard(&self.outcome) = Some(outcome);
    }
}

/// Those who wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Arc<Request>>,
    /// Whether a group is being written.
    writing: bool,
}

/// The right to write; given back when dropped, also by a panic.
struct Turn<'a>(&'a Queue);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        guard(&self.0.state).writing = false;
        self.0.changed.notify_all();
    }
}

impl Queue {
    /// Returns the answer to `request`, given by `serve` in this thread or in another.
    ///
    /// `serve` must answer every request of its group.
    pub(super) fn serve(&self, request: Request, serve: impl FnOnce(&[Arc<Request>])) -> Outcome {
        let request = Arc::new(request);
        let mut state = guard(&self.state);
        state.waiting.push(Arc::clone(&request));
        while state.writing {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            if let Some(outcome) = guard(&request.outcome).take() {
                return outcome;
            }
        }
        state.writing = true;
        let group = std::mem::take(&mut state.waiting);
        drop(state);
        let turn = Turn(self);
        serve(&group);
        drop(turn);
        guard(&request.outcome).take().expect("the group had this request, and all are answered")
    }
}

/// Locks `mutex`. What is guarded in a store is consistent also after a panic in another thread:
/// every change is one assignment, or is undone by the next append.
pub(super) fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
