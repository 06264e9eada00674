//! How a modelled worker searches.

use outflank_engine::{Bound, Position, Score, Window};

use super::numbered::{Id, Map};
use super::tree::{Below, Children, Model};

/// The bounds that a worker holds in its table.
pub(super) type Table = Map<Bound>;

/// The positions at the horizon at which a worker was stopped, with the nodes spent there that its table remembers.
pub(super) type Begun = Map<u64>;

/// One search of a worker.
#[derive(Debug)]
pub(super) struct Searcher<'a> {
    model: &'a mut Model,
    table: &'a Table,
    /// The nodes so far.
    pub(super) nodes: u64,
    /// The positions at the horizon that were begun, with the nodes that need not be searched again.
    begun: Option<&'a Begun>,
    /// How far from the last threshold the value of the position was seen to be, in discs: 0 or more
    /// if the goal holds.
    pub(super) margin: i32,
    found: Table,
    /// What was found, in order.
    pub(super) log: Log,
}

/// What a search has found, in order.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The bounds.
    pub(super) found: Vec<Found>,
}

impl Log {
    /// Returns the first place with what is found after more than so many nodes.
    pub(super) fn after(&self, nodes: u64) -> usize {
        self.found.partition_point(|found| found.after <= nodes)
    }
}

/// A bound that a search has found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// After so many nodes.
    pub(super) after: u64,
    /// The nodes behind it, all of those below it included; at the horizon those that it costs, whenever they were
    /// searched.
    pub(super) nodes: u64,
    /// Of these the ones that had been searched before the search began.
    pub(super) spent: u64,
    /// Of this position.
    pub(super) id: Id,
    /// The bound.
    pub(super) bound: Bound,
    /// Whether it is at the horizon.
    pub(super) is_leaf: bool,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(model: &'a mut Model, table: &'a Table) -> Self {
        let (found, log) = (Table::default(), Log::default());
        Self { model, table, nodes: 0, begun: None, margin: 0, found, log }
    }

    /// Returns a search that goes on after so many nodes, of a worker that has begun some positions.
    pub(super) fn after(self, nodes: u64, begun: &'a Begun) -> Self {
        Self { nodes, begun: Some(begun), ..self }
    }

    /// Returns what was found.
    pub(super) fn into_found(self) -> Table {
        self.found
    }

    /// Returns what is known of a position.
    fn known(&self, id: Id) -> Bound {
        let found = self.found.get(&id).or_else(|| self.table.get(&id));
        found.copied().unwrap_or(Bound::UNKNOWN)
    }

    /// Searches until `window` of `position`, which is canonical, is answered.
    pub(super) fn answer(&mut self, position: Position, window: Window, guess: i32) -> Bound {
        let id = self.model.id(position);
        let mut guess = Score::floor(guess);
        loop {
            let bound = self.known(id);
            if bound.answers(window) {
                return bound;
            }
            let low = window.lower().max(bound.lower());
            let high = window.upper().min(bound.upper());
            guess = guess.clamp(low, high);
            // Above the guess when it is reached, otherwise whether it is.
            let threshold = if guess == low { guess.up() } else { guess };
            self.margin = self.search(id, threshold).discs() - threshold.discs();
        }
    }

    /// Searches whether the value of a position is at least `threshold`, and returns a score on that side
    /// of it: as far away as was seen on the way.
    fn search(&mut self, id: Id, threshold: Score) -> Score {
        let known = self.known(id);
        if known.lower() >= threshold {
            return known.lower();
        }
        if known.upper() < threshold {
            return known.upper();
        }
        let before = self.nodes;
        let below = self.model.below(id);
        let (seen, cost) = match below {
            Below::Value(value) => (value, Some(self.visit(id, value, threshold))),
            Below::Children(children) => (self.best_of(id, children, threshold), None),
        };
        let bound = match seen >= threshold {
            true => Bound::at_least(threshold),
            false => Bound::at_most(threshold.down()),
        };
        let bound = known.merge(bound).unwrap_or(bound);
        self.found.insert(id, bound);
        let searched = self.nodes - before;
        let (nodes, is_leaf) = (cost.unwrap_or(searched), cost.is_some());
        let spent = nodes - searched;
        self.log.found.push(Found { after: self.nodes, nodes, spent, id, bound, is_leaf });
        seen
    }

    /// Searches a position at the horizon, whose `value` is then known. Returns what that costs.
    fn visit(&mut self, id: Id, value: Score, threshold: Score) -> u64 {
        let spent = self.begun.and_then(|begun| begun.get(&id)).copied().unwrap_or(0);
        let cost = self.model.cost(self.model.position(id), value, threshold);
        self.nodes = self.nodes.saturating_add(cost.saturating_sub(spent)); // A fit to few jobs may say anything.
        cost
    }

    /// The same by the children of the position, until one suffices.
    fn best_of(&mut self, parent: Id, children: Children, threshold: Score) -> Score {
        let reply = -threshold.down();
        // A child whose bound is known to suffice comes first.
        let mut best = Score::MIN;
        for place in children.places() {
            let known = self.model.met(parent, place).map(|child| -self.known(child).upper());
            best = known.filter(|&score| score >= threshold).map_or(best, |score| best.max(score));
        }
        for place in children.places() {
            if best >= threshold {
                break;
            }
            let child = self.model.child(parent, place);
            best = best.max(-self.search(child, reply));
        }
        best
    }
}
