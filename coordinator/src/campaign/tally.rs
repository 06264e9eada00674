//! What is counted of a campaign, and what follows about the work that is left.

use super::question::Outcome;
use super::record::{Progress, Record};

/// The sums over the records of a campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) rows: u64,
    pub(super) duplicates: u64,
    pub(super) proved: u64,
    pub(super) refuted: u64,
    pub(super) solved: u64,
    pub(super) open: u64,
    /// Nodes searched for decided rows.
    pub(super) nodes: u64,
    /// Of the decided rows those that were decided without a search: the store had the proof.
    pub(super) from_store: u64,
    /// Nodes predicted for open rows.
    pub(super) predicted_open: f64,
    /// Nodes predicted for the rows that were decided by a search, and nodes that it took.
    predicted_searched: f64,
    searched: f64,
}

impl Tally {
    /// Counts a record.
    pub(super) fn add(&mut self, record: &Record) {
        self.rows += 1;
        let predicted = f64::from(record.predicted);
        match record.progress {
            Progress::Open => {
                self.open += 1;
                self.predicted_open += predicted;
            }
            Progress::Duplicate { .. } => self.duplicates += 1,
            Progress::Decided { outcome, nodes, searched, .. } => {
                self.count(outcome, nodes, searched, predicted);
            }
        }
    }

    /// Counts that an open record is decided now.
    pub(super) fn decide(&mut self, predicted: f32, outcome: Outcome, nodes: u64, searched: bool) {
        let predicted = f64::from(predicted);
        self.open -= 1;
        self.predicted_open = (self.predicted_open - predicted).max(0.0);
        self.count(outcome, nodes, searched, predicted);
    }

    /// Counts that a decided record is open again.
    pub(super) fn reopen(&mut self, predicted: f32, outcome: Outcome, nodes: u64, searched: bool) {
        let predicted = f64::from(predicted);
        self.open += 1;
        self.predicted_open += predicted;
        *self.of(outcome) -= 1;
        self.nodes = self.nodes.saturating_sub(nodes);
        if searched {
            self.predicted_searched = (self.predicted_searched - predicted).max(0.0);
            self.searched = (self.searched - nodes as f64).max(0.0);
        } else {
            self.from_store -= 1;
        }
    }

    fn of(&mut self, outcome: Outcome) -> &mut u64 {
        match outcome {
            Outcome::Proved => &mut self.proved,
            Outcome::Refuted => &mut self.refuted,
            Outcome::Solved => &mut self.solved,
        }
    }

    fn count(&mut self, outcome: Outcome, nodes: u64, searched: bool, predicted: f64) {
        *self.of(outcome) += 1;
        self.nodes = self.nodes.saturating_add(nodes);
        if searched {
            self.predicted_searched += predicted;
            self.searched += nodes as f64;
        } else {
            self.from_store += 1;
        }
    }

    /// Returns how many rows were decided by a search.
    pub(super) fn by_search(&self) -> u64 {
        (self.proved + self.refuted + self.solved).saturating_sub(self.from_store)
    }

    /// Returns how many nodes a predicted node turns out to be, where rows in hand for which `predicted` nodes were
    /// predicted will probably take `expected`; 1 before anything is known.
    pub(super) fn correction(&self, predicted: f64, expected: f64) -> f64 {
        let predicted = self.predicted_searched + predicted;
        if predicted > 0.0 { (self.searched + expected) / predicted } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Score};

    use super::*;

    fn open(predicted: f32) -> Record {
        Record { progress: Progress::Open, predicted, offset: 0, length: 1 }
    }

    #[test]
    fn what_was_predicted_wrongly_is_corrected_for_the_rest() {
        let mut tally = Tally::default();
        [100.0, 100.0, 300.0].into_iter().for_each(|nodes| tally.add(&open(nodes)));
        let left = |tally: &Tally| tally.predicted_open * tally.correction(0.0, 0.0);
        assert_eq!((left(&tally), tally.open), (500.0, 3));
        tally.decide(100.0, Outcome::Proved, 250, true);
        assert_eq!((left(&tally), tally.open, tally.nodes), (1000.0, 2, 250));
        // What the store answered says nothing about the cost of the rest.
        tally.decide(100.0, Outcome::Refuted, 0, false);
        assert_eq!((left(&tally), tally.refuted), (750.0, 1));
    }

    #[test]
    fn a_row_that_is_open_again_is_counted_as_if_it_had_never_been_decided() {
        let mut tally = Tally::default();
        [100.0, 300.0].into_iter().for_each(|nodes| tally.add(&open(nodes)));
        tally.decide(300.0, Outcome::Proved, 70, true);
        let before = tally;
        for searched in [true, false] {
            tally.decide(100.0, Outcome::Refuted, 250, searched);
            tally.reopen(100.0, Outcome::Refuted, 250, searched);
            assert_eq!(tally, before);
        }
    }

    #[test]
    fn a_campaign_that_is_opened_again_is_counted_as_it_was() {
        let bound = Bound::at_least(Score::DRAW);
        let decided =
            Progress::Decided { outcome: Outcome::Proved, bound, nodes: 70, searched: true };
        let mut live = Tally::default();
        live.add(&open(10.0));
        live.add(&Record { progress: Progress::Duplicate { of: 0 }, ..open(10.0) });
        live.add(&open(30.0));
        live.decide(10.0, Outcome::Proved, 70, true);
        let mut opened = Tally::default();
        opened.add(&Record { progress: decided, ..open(10.0) });
        opened.add(&Record { progress: Progress::Duplicate { of: 0 }, ..open(10.0) });
        opened.add(&open(30.0));
        assert_eq!(opened, live);
    }
}
