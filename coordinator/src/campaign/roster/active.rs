//! One campaign at work.

mod outlook;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use outflank_engine::Bound;

use super::{Ask, Proved};
use crate::campaign::error::CampaignError;
use crate::campaign::form::Row;
use crate::campaign::ledger::{Cause, Ledger, Settings};
use crate::campaign::question::{Outcome, Question};
use crate::campaign::record::{Progress, Record};
use crate::core::Terms;
use outlook::Pace;

/// A row that is being worked on.
#[derive(Debug)]
struct Flight {
    row: Row,
    record: Record,
    /// What has been proved so far.
    bound: Bound,
    /// Nodes of the questions that are answered.
    nodes: u64,
    /// Nodes of the one that is not.
    running: Arc<AtomicU64>,
}

/// The comparison of the outcomes with what is proved, which is done a few rows at a time.
#[derive(Debug)]
struct Review {
    era: u64,
    /// No row before this one is left.
    next: u64,
    /// Rows that are open again.
    reopened: u64,
}

/// A campaign and its rows that are being worked on.
#[derive(Debug)]
pub(super) struct ActiveCampaign {
    pub(super) ledger: Ledger,
    pub(super) life: u64,
    /// No row before this one waits for its turn.
    cursor: u64,
    flights: BTreeMap<u64, Flight>,
    /// Rows whose outcomes wait until the list is compared with what was imported.
    held: BTreeMap<u64, (Flight, Outcome)>,
    /// Open rows whose proofs contradict each other.
    disputed: BTreeSet<u64>,
    pace: Pace,
    review: Option<Review>,
    /// Whether the list was as it was imported when a claim was first refuted.
    is_list_checked: bool,
    /// Why the campaign cannot go on.
    fault: Option<String>,
    /// When the log was last told how far it is, and how many tasks were open then.
    told: (Duration, u64),
}

/// The time between two lines of the log that say how far a campaign is: a line for each row would be gigabytes a day.
const BETWEEN_SUMMARIES: Duration = Duration::from_secs(600);

/// What is said of outcomes that nobody has reviewed.
pub(super) const IN_DOUBT: &str =
    "the outcomes are not compared with what is proved since proofs were taken back";

impl ActiveCampaign {
    pub(super) fn new(ledger: Ledger, life: u64) -> Self {
        let told = (Duration::ZERO, ledger.tally.open);
        Self {
            ledger,
            life,
            cursor: 0,
            flights: BTreeMap::new(),
            held: BTreeMap::new(),
            disputed: BTreeSet::new(),
            pace: Pace::default(),
            review: None,
            is_list_checked: false,
            fault: None,
            told,
        }
    }

    fn is_running(&self) -> bool {
        !self.ledger.settings.paused && self.fault.is_none()
    }

    /// Returns whether the campaign or a row of it waits until somebody lets it go on.
    pub(super) fn is_held_up(&self) -> bool {
        self.fault.is_some() || !self.disputed.is_empty()
    }

    /// Returns how many rows are being searched.
    pub(super) fn active(&self) -> usize {
        self.flights.len()
    }

    /// Returns whether rows may be handed out, unless there are none.
    pub(super) fn is_ready(&self) -> bool {
        self.is_running() && self.ledger.unchecked().is_none()
    }

    /// Returns whether a row waits for its turn: to look for one takes a walk over the rows.
    pub(super) fn has_waiting_rows(&self) -> bool {
        self.ledger.tally.open > (self.flights.len() + self.disputed.len()) as u64
    }

    /// Gives up what is being worked on; late answers belong to an earlier life.
    pub(super) fn begin_again(&mut self, life: u64) {
        let in_hand = self.flights.keys().chain(self.held.keys());
        let back = in_hand.chain(&self.disputed).copied().min();
        self.cursor = back.map_or(self.cursor, |row| row.min(self.cursor));
        (self.life, self.fault) = (life, None);
        self.flights.clear();
        self.held.clear();
        self.ledger.drop_check();
        self.disputed.clear();
        self.pace = Pace::default();
        self.review = None;
    }

    /// Returns the first question of the next open row.
    pub(super) fn next_ask(&mut self) -> Option<Ask> {
        match self.next_flight() {
            Ok(row) => self.ask(row?),
            Err(error) => {
                self.rest(&error);
                None
            }
        }
    }

    pub(super) fn rest(&mut self, error: &CampaignError) {
        let campaign = &self.ledger.head.name;
        tracing::error!(campaign, %error, "the campaign cannot go on and rests");
        self.fault = Some(error.to_string());
    }

    /// Takes the next open row in hand.
    fn next_flight(&mut self) -> Result<Option<u64>, CampaignError> {
        loop {
            let block = self.ledger.records.from(self.cursor)?;
            if block.is_empty() {
                return Ok(None);
            }
            let records = (self.cursor..).zip(block);
            for (row, record) in records {
                let is_free = !self.flights.contains_key(&row) && !self.disputed.contains(&row);
                let is_next = record.progress == Progress::Open && is_free;
                if is_next {
                    // Where it cannot be read, or not before the list is compared, it waits for its turn as before.
                    let Some(content) = self.ledger.row(&record)? else { return Ok(None) };
                    let (bound, nodes, running) = (Bound::UNKNOWN, 0, Arc::default());
                    self.flights
                        .insert(row, Flight { row: content, record, bound, nodes, running });
                }
                self.cursor = row + 1;
                if is_next {
                    return Ok(Some(row));
                }
            }
        }
    }

    /// Returns what is to be asked next about a row in hand.
    fn ask(&self, row: u64) -> Option<Ask> {
        let flight = self.flights.get(&row)?;
        Some(Ask {
            life: self.life,
            row,
            position: flight.row.position,
            window: flight.row.question.next(flight.bound)?,
            terms: Terms {
                priority: self.ledger.settings.priority,
                split_to: self.ledger.head.split_to,
            },
            nodes: Arc::clone(&flight.running),
        })
    }

    pub(super) fn answered(&mut self, row: u64, bound: Bound, nodes: u64) -> Option<Ask> {
        let flight = self.flights.get_mut(&row)?;
        let Ok(merged) = flight.bound.merge(bound) else {
            self.failed(row, true);
            return None;
        };
        flight.bound = merged;
        // A worker that leads a search which others share tells of what it has searched for them while it runs, but not in
        // the end: what was shown as searched does not become less.
        let running = flight.running.swap(0, Ordering::Relaxed);
        flight.nodes = flight.nodes.saturating_add(nodes.max(running));
        match flight.row.question.outcome(merged) {
            Some(outcome) => {
                self.decided(row, outcome);
                None
            }
            None => self.ask(row),
        }
    }

    /// Takes the outcome of a row in hand, which is not said before the list is compared if it needs that.
    fn decided(&mut self, row: u64, outcome: Outcome) {
        let Some(flight) = self.flights.remove(&row) else { return };
        if !self.needs_check(outcome) {
            self.settle(row, &flight, outcome);
        } else if let Err(error) = self.ledger.begin_check(Cause::Outcome) {
            self.put_back(row, &error);
        } else {
            self.held.insert(row, (flight, outcome));
        }
    }

    /// Returns whether it must be sure that the questions are those that were imported: before a claim is first said to be
    /// refuted and before the campaign is finished. Damage may have made a claim that nobody has.
    fn needs_check(&self, outcome: Outcome) -> bool {
        let is_last = self.ledger.tally.open == 1;
        is_last || outcome == Outcome::Refuted && !self.is_list_checked
    }

    /// Compares some more of the list with what was imported, and says what has waited for that when it is done. Returns
    /// whether it is.
    pub(super) fn check_list(&mut self) -> bool {
        let checked = self.ledger.check_list();
        if matches!(checked, Ok(false)) {
            return false;
        }
        let held = std::mem::take(&mut self.held);
        self.is_list_checked |= checked.is_ok() && !held.is_empty();
        for (row, (flight, outcome)) in held {
            match &checked {
                Ok(_) => self.settle(row, &flight, outcome),
                Err(_) => self.cursor = self.cursor.min(row),
            }
        }
        if let Err(error) = checked {
            self.rest(&error);
        }
        true
    }

    /// Writes and says how a row ended.
    fn settle(&mut self, row: u64, flight: &Flight, outcome: Outcome) {
        let &Flight { row: ref content, record, bound, nodes, .. } = flight;
        let searched = nodes > 0;
        let progress = Progress::Decided { outcome, bound, nodes, searched };
        if let Err(error) = self.ledger.put(row, &Record { progress, ..record }) {
            self.put_back(row, &error);
            return;
        }
        self.tell(row, content, outcome, bound, nodes);
        self.ledger.tally.decide(record.predicted, outcome, nodes, searched);
        if self.ledger.tally.open == 0 {
            let tally = self.ledger.tally;
            tracing::info!(
                campaign = self.ledger.head.name,
                proved = tally.proved,
                refuted = tally.refuted,
                solved = tally.solved,
                nodes = tally.nodes,
                "campaign finished"
            );
        }
    }

    /// Lets a row be as open as the file says, since its outcome could not be written. The store has the proof, for when
    /// the campaign goes on.
    fn put_back(&mut self, row: u64, error: &CampaignError) {
        self.cursor = self.cursor.min(row);
        self.rest(error);
    }

    /// Says how a row ended: a refuted hypothesis as loudly as it can be said without being an error
    /// of ours.
    fn tell(&self, row: u64, content: &Row, outcome: Outcome, bound: Bound, nodes: u64) {
        let (campaign, row, board) = (&self.ledger.head.name, row + 1, content.board());
        let claim = match content.question {
            Question::Claim(claim) => claim.to_string(),
            Question::Value(window) => window.to_string(),
        };
        match outcome {
            Outcome::Proved => {
                tracing::debug!(campaign, row, board, claim, %bound, nodes, "hypothesis proved");
            }
            Outcome::Refuted => {
                tracing::warn!(campaign, row, board, claim, %bound, nodes, "hypothesis refuted");
            }
            Outcome::Solved => {
                tracing::debug!(campaign, row, board, %bound, nodes, "row solved");
            }
        }
    }

    pub(super) fn failed(&mut self, row: u64, disputed: bool) {
        if self.flights.remove(&row).is_none() {
            return;
        }
        if disputed {
            let campaign = &self.ledger.head.name;
            tracing::error!(campaign, row = row + 1, "proofs of this row contradict each other");
            self.disputed.insert(row);
        } else {
            self.cursor = self.cursor.min(row);
        }
    }

    /// Lets a campaign that rests go on.
    pub(super) fn wake(&mut self) {
        self.fault = None;
    }

    /// Returns whether the outcomes are to be reviewed for the time `era`. Those of a campaign that rests, since its review
    /// has failed, say, are not, so that nobody waits for that; but they are not reviewed either, and nobody gets them.
    pub(super) fn is_to_be_reviewed(&self, era: u64) -> bool {
        self.fault.is_none() && !self.is_reviewed(era)
    }

    /// Returns whether the outcomes were last reviewed at the time `era`.
    pub(super) fn is_reviewed(&self, era: u64) -> bool {
        self.ledger.settings.reviewed == era
    }

    /// Returns why the campaign cannot go on, and whether its outcomes may have fallen by the time `era`.
    pub(super) fn fault(&self, era: u64) -> Option<String> {
        let fault = self.fault.as_ref()?;
        Some(if self.is_reviewed(era) { fault.clone() } else { format!("{IN_DOUBT}: {fault}") })
    }

    /// Returns whether a review for the time `era` has begun.
    pub(super) fn is_under_review(&self, era: u64) -> bool {
        self.review.as_ref().is_some_and(|review| review.era == era)
    }

    /// Returns how many rows are still to be reviewed for the time `era`, at least one until that is on disk.
    fn unreviewed(&self, era: u64) -> u64 {
        if !self.is_to_be_reviewed(era) {
            return 0;
        }
        let reviewed = self.review.as_ref().filter(|review| review.era == era);
        self.ledger.tally.rows.saturating_sub(reviewed.map_or(0, |review| review.next)).max(1)
    }

    /// Begins a review for the time `era`, and gives up what is being worked on.
    pub(super) fn begin_review(&mut self, life: u64, era: u64) {
        let reopened = self.review.as_ref().map_or(0, |review| review.reopened);
        self.begin_again(life);
        self.review = Some(Review { era, next: 0, reopened });
    }

    /// Goes on with the review: opens some decided rows again whose bound does not follow from what is proved now. When
    /// there are no more, that is on disk. Where the list is to be compared first, it does some of that.
    pub(super) fn review(&mut self, proved: Proved<'_>) -> Result<(), CampaignError> {
        if self.ledger.unchecked().is_some() {
            return self.ledger.check_list().map(|_is_done| ());
        }
        let Some(Review { era, mut next, mut reopened }) = self.review.take() else {
            return Ok(());
        };
        let block = self.ledger.records.from(next)?;
        if block.is_empty() {
            self.ledger.sync()?;
            self.ledger.change(Settings { reviewed: era, ..self.ledger.settings })?;
            if reopened > 0 {
                let campaign = &self.ledger.head.name;
                tracing::error!(campaign, reopened, "rows are open again: their proofs fell");
            }
            return Ok(());
        }
        for record in block {
            let Some(is_reopened) = self.reopen_if_fallen(next, &record, proved)? else { break };
            reopened += u64::from(is_reopened);
            next += 1;
        }
        self.review = Some(Review { era, next, reopened });
        Ok(())
    }

    /// Opens a decided row again if its bound does not follow from what is proved now; returns whether it was, or `None` if
    /// the list is to be compared first.
    fn reopen_if_fallen(
        &mut self,
        row: u64,
        record: &Record,
        proved: Proved<'_>,
    ) -> Result<Option<bool>, CampaignError> {
        let Progress::Decided { outcome, bound, nodes, searched } = record.progress else {
            return Ok(Some(false));
        };
        let Some(Row { position, .. }) = self.ledger.row(record)? else { return Ok(None) };
        // The same outcome is not enough: the bound is exported, and the value may be another one by now.
        if position.is_over() || proved(position).implies(bound) {
            return Ok(Some(false));
        }
        self.ledger.put(row, &Record { progress: Progress::Open, ..*record })?;
        self.ledger.tally.reopen(record.predicted, outcome, nodes, searched);
        self.cursor = self.cursor.min(row);
        Ok(Some(true))
    }

    pub(super) fn tick(&mut self, now: Duration) {
        self.pace.note(now, self.nodes(), &self.ledger.tally);
        self.ledger.close_list();
        if let Err(error) = self.ledger.sync() {
            self.rest(&error);
        }
        if let Some(decided) = self.decided_since(now) {
            let (campaign, open) = (&self.ledger.head.name, self.ledger.tally.open);
            let active = self.in_hand().count();
            let [nodes_per_second, nodes_left] =
                [self.pace.nodes.rate(), self.nodes_left()].map(|nodes| nodes as u64);
            tracing::info!(
                campaign,
                decided,
                open,
                active,
                nodes_per_second,
                nodes_left,
                "campaign goes on"
            );
        }
    }

    /// Returns how many tasks were decided since the log was last told, if that is due and the campaign goes on: large rows
    /// may take hours each.
    pub(super) fn decided_since(&mut self, now: Duration) -> Option<u64> {
        let (then, before) = self.told;
        if now < then + BETWEEN_SUMMARIES {
            return None;
        }
        let open = self.ledger.tally.open;
        self.told = (now, open);
        // Rows whose proofs fell are open again.
        let decided = before.saturating_sub(open);
        let goes_on = open > 0 && (decided > 0 || self.in_hand().next().is_some());
        goes_on.then_some(decided)
    }
}
