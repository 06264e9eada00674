//! What workers were told that may be false.
//!
//! A worker cannot check a bound that it is told: its tables keep it, and what it finds at positions above may be
//! inferred from it. So who made a false claim may have been misled. This remembers for each process of which
//! positions it was told a bound, until the bound is taken back: with it fall the claims that may rest on it.
//!
//! There is room for so much. What those were told who have left longest ago is forgotten first: who does not come back
//! cannot be refused, and what it claimed is taken back in any case if it turns out to be false.
//!
//! The shell notes all of this, so that the next coordinator knows it, too. Where it cannot, and for what there was no
//! room, a process that may have been misled is excused once: everything that it has claimed is taken back then, and all
//! tables are cleared.

use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{Bound, Position};

use super::message::{Command, Memory, ProcessId, Proofs, WorkerId};
use super::{Core, Turn};
use crate::reach::{fillings, may_come};

/// The most bounds that are remembered of one process.
const MOST_OF_ONE: usize = 1 << 14;

/// What each process was told.
#[derive(Debug, Default)]
pub(super) struct Told {
    by_process: BTreeMap<ProcessId, BTreeMap<Position, Bound>>,
    in_all: usize,
    /// The connections of each process that has any.
    connections: BTreeMap<ProcessId, usize>,
    /// The processes that have none, in the order in which they have left.
    gone: BTreeMap<u64, ProcessId>,
    /// Their places there.
    places: BTreeMap<ProcessId, u64>,
    departures: u64,
    /// Whether any process may have been told bounds of which nobody knows.
    has_gaps: bool,
    /// The processes that were told more than there was room for.
    overfull: BTreeSet<ProcessId>,
    /// Those of which the shell has noted that.
    noted: BTreeSet<ProcessId>,
    /// Those that were excused for what is not remembered.
    excused: BTreeSet<ProcessId>,
    /// What was solved again, and is true.
    proved: BTreeMap<Position, Bound>,
}

impl Told {
    /// Takes over what earlier coordinators have noted, `most` bounds at most.
    pub(super) fn resume(&mut self, memory: Memory, most: usize) {
        let Memory { told, told_more, excused, has_gaps } = memory;
        for (process, bounds) in told {
            self.note(process, &bounds, most);
            self.has_left(process);
        }
        // What there was no room for here is noted, but not what will be told beside it.
        self.noted = told_more.into_iter().collect();
        self.overfull.extend(&self.noted);
        self.excused.extend(excused);
        self.has_gaps = has_gaps;
    }

    /// Takes note that a worker of `process` has connected.
    pub(super) fn has_come(&mut self, process: ProcessId) {
        *self.connections.entry(process).or_default() += 1;
        if let Some(place) = self.places.remove(&process) {
            self.gone.remove(&place);
        }
    }

    /// Takes note that a connection of `process` is gone.
    pub(super) fn has_left(&mut self, process: ProcessId) {
        if let Some(connections) = self.connections.get_mut(&process) {
            *connections -= 1;
            if *connections > 0 {
                return;
            }
            self.connections.remove(&process);
        }
        if self.by_process.contains_key(&process) {
            self.departures += 1;
            self.gone.insert(self.departures, process);
            self.places.insert(process, self.departures);
        }
    }

    /// Takes note of bounds, of positions turned in whatever way, that a process is told; of all that anybody is there
    /// are `most_of_all`. Returns those that are news, of canonical positions, and whether others are for which
    /// there is no room, the first time that this is so.
    fn note(
        &mut self,
        process: ProcessId,
        known: &[(Position, Bound)],
        most_of_all: usize,
    ) -> (Vec<(Position, Bound)>, bool) {
        let (mut news, mut is_overfull) = (Vec::new(), false);
        let most = MOST_OF_ONE.min(most_of_all / self.connections.len().max(1));
        for &(position, bound) in known {
            let position = position.canonical();
            let bounds = self.by_process.entry(process).or_default();
            if let Some(held) = bounds.get_mut(&position) {
                let merged = held.merge(bound).unwrap_or(bound);
                if std::mem::replace(held, merged) != merged {
                    news.push((position, merged));
                }
            } else if bounds.len() < most && self.has_room(most_of_all) {
                self.by_process.entry(process).or_default().insert(position, bound);
                self.in_all += 1;
                news.push((position, bound));
            } else {
                self.overfull.insert(process);
                is_overfull |= self.noted.insert(process);
            }
        }
        (news, is_overfull)
    }

    /// Returns whether there is room for one more bound, if need be where those had theirs who have left longest ago.
    fn has_room(&mut self, most_of_all: usize) -> bool {
        while self.in_all >= most_of_all {
            let Some((_, process)) = self.gone.pop_first() else { return false };
            self.places.remove(&process);
            if let Some(bounds) = self.by_process.remove(&process) {
                self.in_all -= bounds.len();
                self.overfull.insert(process);
            }
        }
        true
    }

    /// Takes note that a bound was solved again, and is true.
    pub(super) fn prove(&mut self, position: Position, bound: Bound) {
        let proved = self.proved.entry(position).or_insert(bound);
        *proved = proved.merge(bound).unwrap_or(bound);
    }

    /// Returns the bounds which `process` was told, and which are not known to be true, of positions that a search
    /// of `position` may meet: after moves from it, and its own if `with_own`.
    pub(super) fn suspects(
        &self,
        process: ProcessId,
        position: Position,
        with_own: bool,
    ) -> Vec<(Position, Bound)> {
        let Some(bounds) = self.by_process.get(&process) else { return Vec::new() };
        let passed = position.must_pass().then(|| position.pass().canonical());
        let filled: Vec<u64> = fillings(position).collect();
        let lies_below =
            |below: Position| below.empties() < position.empties() && may_come(below, &filled);
        let may_mislead = |&(&told, bound): &(&Position, &Bound)| {
            let is_met = lies_below(told) || Some(told) == passed || with_own && told == position;
            is_met && !self.proved.get(&told).is_some_and(|proved| proved.implies(*bound))
        };
        bounds.iter().filter(may_mislead).map(|(&told, &bound)| (told, bound)).collect()
    }

    /// Returns whether all that may have misled `process` is remembered.
    pub(super) fn remembers_all_of(&self, process: ProcessId) -> bool {
        !self.has_gaps && !self.overfull.contains(&process)
    }

    /// Returns whether `process` was excused before.
    pub(super) fn was_excused(&self, process: ProcessId) -> bool {
        self.excused.contains(&process)
    }

    /// Begins anew with a process of which everything that it claimed is taken back.
    pub(super) fn excuse(&mut self, process: ProcessId) {
        let bounds = self.by_process.remove(&process).unwrap_or_default();
        self.in_all -= bounds.len();
        self.overfull.remove(&process);
        self.excused.insert(process);
    }

    /// Forgets the bounds that were taken back.
    pub(super) fn taken_back(&mut self, proofs: &dyn Proofs) {
        let is_held = |position: &Position, bound: &Bound| proofs.holds(*position, *bound);
        for bounds in self.by_process.values_mut() {
            bounds.retain(|position, bound| is_held(position, bound));
        }
        self.by_process.retain(|_, bounds| !bounds.is_empty());
        self.in_all = self.by_process.values().map(BTreeMap::len).sum();
        self.proved.retain(|position, bound| is_held(position, bound));
    }
}

impl Core {
    /// Takes note of bounds that a worker is about to be told.
    pub(super) fn note_told(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        known: &[(Position, Bound)],
    ) {
        let most = self.config.most_told;
        let (bounds, and_more) = self.told.note(self.fleet.process(worker), known, most);
        if and_more || !bounds.is_empty() {
            turn.commands.push(Command::Told { worker, bounds, and_more });
        }
    }
}
