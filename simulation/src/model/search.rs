//! How a modelled worker searches.

use outflank_engine::{Bound, Position, Score, Window};

use super::tree::{Below, Map, Model};

/// The bounds that a worker holds in its table.
pub(super) type Table = Map<Position, Bound>;

/// One search of a worker.
#[derive(Debug)]
pub(super) struct Searcher<'a> {
    model: &'a mut Model,
    table: &'a Table,
    /// The nodes so far.
    pub(super) nodes: u64,
    /// The position at the horizon that is searched already, with the nodes that are spent on it.
    begun: Option<(Position, u64)>,
    /// How far from the last threshold the value of the position was seen to be, in discs: 0 or more
    /// if the goal holds.
    pub(super) margin: i32,
    found: Table,
    /// What was found, in order.
    pub(super) log: Vec<Found>,
}

/// A bound that a search has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// After so many nodes.
    pub(super) after: u64,
    /// Of this position.
    pub(super) position: Position,
    /// The bound.
    pub(super) bound: Bound,
    /// The nodes that it has cost, at the horizon.
    pub(super) cost: u64,
    /// Those of them that need not be searched again, as they were before the search began.
    pub(super) spent: u64,
    /// The nodes behind it, all of those below it included.
    pub(super) behind: u64,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(model: &'a mut Model, table: &'a Table) -> Self {
        let (found, log) = (Table::default(), Vec::new());
        Self { model, table, nodes: 0, begun: None, margin: 0, found, log }
    }

    /// Returns a search that goes on after so many nodes.
    pub(super) fn after(self, nodes: u64, begun: Option<(Position, u64)>) -> Self {
        Self { nodes, begun, ..self }
    }

    /// Returns what was found.
    pub(super) fn into_found(self) -> Table {
        self.found
    }

    /// Returns what is known of `position`.
    pub(super) fn known(&self, position: Position) -> Bound {
        let found = self.found.get(&position).or_else(|| self.table.get(&position));
        found.copied().unwrap_or(Bound::UNKNOWN)
    }

    /// Searches until `window` is answered.
    pub(super) fn answer(&mut self, position: Position, window: Window, guess: i32) -> Bound {
        let mut guess = Score::floor(guess);
        loop {
            let bound = self.known(position);
            if bound.answers(window) {
                return bound;
            }
            let low = window.lower().max(bound.lower());
            let high = window.upper().min(bound.upper());
            guess = guess.clamp(low, high);
            // Above the guess when it is reached, otherwise whether it is.
            let threshold = if guess == low { guess.up() } else { guess };
            self.margin = self.search(position, threshold).discs() - threshold.discs();
        }
    }

    /// Searches whether the value of `position` is at least `threshold`, and returns a score on that side
    /// of it: as far away as was seen on the way.
    fn search(&mut self, position: Position, threshold: Score) -> Score {
        let known = self.known(position);
        if known.lower() >= threshold {
            return known.lower();
        }
        if known.upper() < threshold {
            return known.upper();
        }
        let (mut cost, mut spent, before) = (0, 0, self.nodes);
        let seen = match self.model.below(position) {
            Below::Value(value) => {
                let begun = self.begun.take_if(|(begun, _)| *begun == position);
                spent = begun.map_or(0, |(_, nodes)| nodes);
                cost = self.model.cost(position, value, threshold);
                self.nodes += cost.saturating_sub(spent);
                value
            }
            Below::Children(children) => self.best_of(&children, threshold),
        };
        let bound = match seen >= threshold {
            true => Bound::at_least(threshold),
            false => Bound::at_most(threshold.down()),
        };
        let merged = known.merge(bound).unwrap_or(bound);
        self.found.insert(position, merged);
        let behind = self.nodes - before + spent;
        self.log.push(Found { after: self.nodes, position, bound: merged, cost, spent, behind });
        seen
    }

    /// The same by the children, until one suffices.
    fn best_of(&mut self, children: &[Position], threshold: Score) -> Score {
        let reply = -threshold.down();
        // A child whose bound is known to suffice comes first.
        let known = children.iter().map(|&child| -self.known(child).upper());
        let mut best = known.filter(|&score| score >= threshold).max().unwrap_or(Score::MIN);
        for &child in children {
            if best >= threshold {
                break;
            }
            best = best.max(-self.search(child, reply));
        }
        best
    }
}
