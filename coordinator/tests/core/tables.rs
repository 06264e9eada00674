//! What a simulated worker has in its tables: what it was told, be it true or false.
//!
//! A search believes what it is told. So a worker that was told a false bound infers from it, without a lie of
//! its own, what is false at the positions from which that bound's may be reached.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use outflank_engine::{Bound, Position, Score, Square, Symmetry};

use crate::oracle::Oracle;

/// Who knows the values of positions, or believes to.
pub(crate) trait Values {
    /// Returns the value of `position`.
    fn value(&self, position: Position) -> Score;

    /// Returns a line whose moves keep the value, as far as there are any.
    fn line(&self, position: Position) -> Vec<Square>;
}

impl Values for Oracle {
    fn value(&self, position: Position) -> Score {
        Self::value(self, position)
    }

    fn line(&self, position: Position) -> Vec<Square> {
        Self::line(self, position)
    }
}

/// The false bounds that a worker was told in one era; true ones lead nobody astray.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    era: u64,
    told: BTreeMap<Position, Bound>,
    /// The values that follow.
    inferred: RefCell<HashMap<Position, Score>>,
}

impl Tables {
    /// Forgets everything unless it is of this era.
    pub(crate) fn enter(&mut self, era: u64) {
        if self.era != era {
            *self = Self { era, ..Self::default() };
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self { era: self.era, ..Self::default() };
    }

    /// Takes what the worker is told, unless it knows better.
    pub(crate) fn hear(&mut self, oracle: &Oracle, known: &[(Position, Bound)]) {
        for &(position, bound) in known {
            let position = position.canonical();
            if bound.merge(Bound::exact(oracle.value(position))).is_ok() {
                continue;
            }
            let held = self.told.entry(position).or_insert(bound);
            if let Ok(merged) = held.merge(bound) {
                *held = merged;
                self.inferred.borrow_mut().clear();
            }
        }
    }

    /// Returns whether a false bound may be met by a search of `position`.
    fn may_mislead(&self, position: Position) -> bool {
        let images = || Symmetry::all().map(|turn| turn.position(position).empty());
        self.told.keys().any(|below| images().any(|empty| below.empty() & !empty == 0))
    }
}

/// A worker that believes its tables and searches the rest truly.
pub(crate) struct Believer<'a> {
    pub(crate) oracle: &'a Oracle,
    pub(crate) tables: &'a Tables,
}

impl Values for Believer<'_> {
    fn value(&self, position: Position) -> Score {
        if position.is_over() || !self.tables.may_mislead(position) {
            return self.oracle.value(position);
        }
        let key = position.canonical();
        let known = self.tables.inferred.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let searched = match position.must_pass() {
                true => -self.value(position.pass()),
                false => children(position).map(|(_, child)| -self.value(child)).max().unwrap(),
            };
            let told = self.tables.told.get(&key).copied().unwrap_or(Bound::UNKNOWN);
            let value = searched.clamp(told.lower(), told.upper());
            self.tables.inferred.borrow_mut().insert(key, value);
            value
        })
    }

    fn line(&self, mut position: Position) -> Vec<Square> {
        let mut line = Vec::new();
        while !position.is_over() {
            if position.must_pass() {
                position = position.pass();
                continue;
            }
            let value = self.value(position);
            // What was told of a position says nothing of a move that keeps its value.
            let Some((square, child)) =
                children(position).find(|&(_, child)| -self.value(child) == value)
            else {
                break;
            };
            line.push(square);
            position = child;
        }
        line
    }
}

fn children(position: Position) -> impl Iterator<Item = (Square, Position)> {
    Square::all(position.moves()).filter_map(move |square| Some((square, position.play(square)?)))
}
