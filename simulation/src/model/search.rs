//! How a modelled worker searches.

use outflank_engine::{Bound, Position, Score, Window};

use super::tree::{Below, Map, Model};

/// The bounds that a worker holds in its table.
pub(super) type Table = Map<Position, Bound>;

/// The node limit was reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

/// One search of a worker.
#[derive(Debug)]
pub(super) struct Searcher<'a> {
    model: &'a mut Model,
    table: &'a Table,
    limit: u64,
    /// The nodes so far.
    pub(super) nodes: u64,
    found: Table,
    /// What was found after how many nodes.
    pub(super) log: Vec<(u64, Position, Bound)>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(model: &'a mut Model, table: &'a Table, limit: u64) -> Self {
        Self { model, table, limit, nodes: 0, found: Table::default(), log: Vec::new() }
    }

    /// Returns what is known of `position`.
    pub(super) fn known(&self, position: Position) -> Bound {
        let found = self.found.get(&position).or_else(|| self.table.get(&position));
        found.copied().unwrap_or(Bound::UNKNOWN)
    }

    /// Searches until `window` is answered.
    pub(super) fn answer(
        &mut self,
        position: Position,
        window: Window,
        guess: i32,
    ) -> Result<Bound, Stopped> {
        let mut guess = Score::floor(guess);
        loop {
            let bound = self.known(position);
            if bound.answers(window) {
                return Ok(bound);
            }
            let low = window.lower().max(bound.lower());
            let high = window.upper().min(bound.upper());
            guess = guess.clamp(low, high);
            // Above the guess when it is reached, otherwise whether it is.
            let threshold = if guess == low { guess.up() } else { guess };
            self.holds(position, threshold)?;
        }
    }

    /// Returns whether the value of `position` is at least `threshold`.
    fn holds(&mut self, position: Position, threshold: Score) -> Result<bool, Stopped> {
        let known = self.known(position);
        if known.lower() >= threshold {
            return Ok(true);
        }
        if known.upper() < threshold {
            return Ok(false);
        }
        let holds = match self.model.below(position) {
            Below::Value(value) => {
                self.nodes += self.model.cost(position, value, threshold);
                if self.nodes >= self.limit {
                    self.nodes = self.limit;
                    return Err(Stopped);
                }
                value >= threshold
            }
            Below::Children(children) => {
                let reply = -threshold.down();
                // A child whose bound is known to suffice comes first.
                let suffices = |child: &&Position| self.known(**child).upper() < reply;
                let mut holds = children.iter().any(|child| suffices(&child));
                for &child in children.iter() {
                    if holds {
                        break;
                    }
                    holds = !self.holds(child, reply)?;
                }
                holds
            }
        };
        let bound =
            if holds { Bound::at_least(threshold) } else { Bound::at_most(threshold.down()) };
        let merged = known.merge(bound).unwrap_or(bound);
        self.found.insert(position, merged);
        self.log.push((self.nodes, position, merged));
        Ok(holds)
    }
}
