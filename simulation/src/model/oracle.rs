//! What the coordinator would believe if it knew all values: the limit of what better estimates can buy.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use outflank_coordinator::advisor::predicted_nodes;
use outflank_coordinator::core::Advisor;
use outflank_engine::{Position, Score, Window};

use super::numbered::remember;
use super::search::{Searcher, Table};
use super::tree::{Model, Shape};

/// Knows the value of each position of a model, as far as it lies in a window; it costs nothing.
#[derive(Debug)]
pub struct Oracle {
    window: Window,
    memory: Mutex<Memory>,
}

#[derive(Debug)]
struct Memory {
    model: Model,
    table: Table,
    values: BTreeMap<Position, i32>,
}

impl Oracle {
    /// Returns an oracle of the model with this `shape` that knows values in `window` and beyond its ends
    /// only that they are there; or `None` if the program has no evaluation.
    #[must_use]
    pub fn new(shape: Shape, window: Window) -> Option<Self> {
        let (model, table, values) = (Model::new(shape)?, Table::default(), BTreeMap::new());
        Some(Self { window, memory: Mutex::new(Memory { model, table, values }) })
    }
}

impl Memory {
    fn value(&mut self, position: Position, window: Window) -> i32 {
        if let Some(&value) = self.values.get(&position) {
            return value;
        }
        let guess = self.model.estimate(position, 0);
        let mut searcher = Searcher::new(&mut self.model, &self.table);
        let bound = searcher.answer(position, window, guess);
        let found = searcher.into_found();
        for (id, bound) in found {
            remember(&mut self.table, id, bound);
        }
        let value = match bound.value() {
            Some(value) => value.discs(),
            None if bound.lower() >= window.upper() => bound.lower().discs(),
            None => bound.upper().discs(),
        };
        self.values.insert(position, value);
        value
    }
}

impl Advisor for Oracle {
    fn estimate(&self, position: Position) -> i32 {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.value(position.canonical(), self.window)
    }

    fn predicted_nodes(&self, position: Position, window: Window, estimate: i32) -> f64 {
        predicted_nodes(position, window, estimate)
    }

    fn error(&self) -> f64 {
        0.1
    }
}

/// Returns the smallest window in which an oracle tells all that requests with these values need,
/// whoever is to move.
#[must_use]
pub fn known_window(values: impl Iterator<Item = Score>) -> Window {
    let widest = values.map(|value| value.discs().abs()).max().unwrap_or(0).min(60);
    let end = |discs| Score::new(discs).expect("even and in range");
    Window::new(end(-widest - 4), end(widest + 4)).expect("ordered")
}
