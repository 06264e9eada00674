//! How far a campaign is, and what is left of it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use outflank_proto::campaign::Campaign;

use super::{ActiveCampaign, Flight};
use crate::campaign::tally::Tally;
use crate::meter::Meter;

/// How often what a row has taken it will probably take in all: costs differ from what was predicted by factors, so that
/// a row which has taken longer than was expected is not nearly done, but was predicted wrongly. What it has taken is
/// then all that is known of it, and as much again is the best guess.
const AS_MUCH_AGAIN: f64 = 2.0;

/// The most seconds that are told: whatever is longer may as well be for ever.
const MOST_SECONDS: f64 = 1e12;

/// How fast a campaign goes on.
#[derive(Debug, Default)]
pub(super) struct Pace {
    pub(super) nodes: Meter,
    /// Rows decided by a search, and without one.
    by_search: Meter,
    from_store: Meter,
}

impl Pace {
    pub(super) fn note(&mut self, now: Duration, nodes: u64, tally: &Tally) {
        self.nodes.note(now, nodes);
        self.by_search.note(now, tally.by_search());
        self.from_store.note(now, tally.from_store);
    }
}

impl ActiveCampaign {
    /// Returns the nodes searched, those for rows in hand included.
    pub(super) fn nodes(&self) -> u64 {
        let spent = self.in_hand().map(Flight::spent);
        spent.fold(self.ledger.tally.nodes, u64::saturating_add)
    }

    /// Returns the rows that are being searched, or wait for the list.
    pub(super) fn in_hand(&self) -> impl Iterator<Item = &Flight> {
        self.flights.values().chain(self.held.values().map(|(flight, _)| flight))
    }

    /// Returns the nodes that are probably still to search. More than none as long as a row is searched.
    pub(super) fn nodes_left(&self) -> f64 {
        let tally = &self.ledger.tally;
        let usual = tally.correction(0.0, 0.0);
        let (mut predicted, mut expected, mut left) = (0.0, 0.0, 0.0);
        for flight in self.flights.values() {
            let its = flight.expected(usual);
            predicted += flight.predicted();
            expected += its;
            left += its - flight.spent() as f64;
        }
        let done: f64 = self.held.values().map(|(flight, _)| flight.predicted()).sum();
        let waiting = (tally.predicted_open - predicted - done).max(0.0);
        // Before many rows are decided, those in hand may show best how wrong the predictions are.
        left + waiting * tally.correction(predicted, expected)
    }

    /// Returns the seconds that are probably left, with so many nodes, if that can be told.
    ///
    /// Nodes say nothing of rows that the store answers. Their share is taken to be that of the last minute, the rows that
    /// are being searched among the others; it is reckoned by rows a second, and the rest by nodes a second.
    fn seconds_left(&self, nodes: f64) -> Option<u64> {
        let open = self.ledger.tally.open;
        if open == 0 {
            return Some(0);
        }
        let in_search = self.flights.values().filter(|flight| flight.spent() > 0).count();
        let from_store = self.pace.from_store.gain() as f64;
        let others = (self.pace.by_search.gain() + in_search as u64) as f64;
        let share = if from_store > 0.0 { from_store / (from_store + others) } else { 0.0 };
        let answers = seconds(share, open as f64, self.pace.from_store.rate());
        let searches = seconds(1.0 - share, nodes, self.pace.nodes.rate());
        // Both go on at once.
        let seconds = answers.max(searches).ceil().max(1.0);
        (seconds < MOST_SECONDS).then_some(seconds as u64)
    }

    /// Returns the campaign's state.
    pub(in crate::campaign::roster) fn state(&self, era: u64) -> Campaign {
        let (head, tally, settings) = (&self.ledger.head, &self.ledger.tally, self.ledger.settings);
        let (rate, left) = (self.pace.nodes.rate(), self.nodes_left());
        Campaign {
            name: head.name.clone(),
            form: self.ledger.form,
            priority: settings.priority,
            paused: settings.paused,
            split_to: head.split_to,
            rows: tally.rows,
            duplicates: tally.duplicates,
            proved: tally.proved,
            refuted: tally.refuted,
            solved: tally.solved,
            open: tally.open,
            active: (self.flights.len() + self.held.len()) as u64,
            disputed: self.disputed.len() as u64,
            nodes: self.nodes(),
            nodes_per_second: rate,
            predicted_nodes_left: left,
            seconds_left: self.seconds_left(left),
            fault: self.fault(era).unwrap_or_default(),
            workers: 0,
            unaudited: 0,
            unreviewed: self.unreviewed(era),
        }
    }
}

impl Flight {
    pub(super) fn spent(&self) -> u64 {
        self.nodes.saturating_add(self.running.load(Ordering::Relaxed))
    }

    fn predicted(&self) -> f64 {
        f64::from(self.record.predicted)
    }

    /// Returns the nodes that it will probably take in all, where a predicted node is usually as many as `usual`.
    fn expected(&self, usual: f64) -> f64 {
        (self.predicted() * usual).max(AS_MUCH_AGAIN * self.spent() as f64)
    }
}

/// Returns the seconds that a `share` of so much takes at a rate; without one for ever.
fn seconds(share: f64, amount: f64, rate: f64) -> f64 {
    match (share > 0.0, rate > 0.0) {
        (false, _) => 0.0,
        (true, false) => f64::INFINITY,
        (true, true) => share * amount / rate,
    }
}
