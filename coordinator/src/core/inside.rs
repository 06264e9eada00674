//! Dear bounds from inside jobs, which reach those who work beside.
//!
//! What a worker finds deep inside its job only its own table knows; others who work for the same request would
//! find much of it again. So workers tell of bounds that many nodes stand behind. Each is a claim like those of
//! reports: checked, audited in its sample, and kept in the store under the name of who made it. When it is on disk,
//! it goes to those who may meet its position: along with jobs that are handed out, and as answers to heartbeats.
//!
//! So no record is needed of what rests on what (`told` remembers who was told what, for another purpose: it may excuse
//! who was misled). A result can only rest on bounds of positions that can come from
//! its own by moves, and discs never leave the board: the store takes back with the claims of a bad worker all
//! that has been searched with no more discs than one of them, on none but its squares. And whoever audits a
//! claim does so apart from the tables in which such bounds may be.
//!
//! Positions are those of one request, all turned as in it, so that one look at the filled squares tells which can come from
//! which. Which bounds were dear is remembered in memory only, and forgotten with the request.

use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{Bound, FoundBound, Position, Symmetry};

use super::fleet::Target;
use super::message::{Command, JobId, Method, Proof, SolveId, WorkerId};
use super::question::mix;
use super::{Core, Turn};

/// The most positions that are remembered of a request, the dearest ones.
const MOST_KEPT: usize = 4096;

/// The most that are remembered of all requests: some 64 MB.
const MOST_KEPT_IN_ALL: usize = 1 << 19;

/// The most bounds from inside other jobs that go along with a job, or with one message to it.
const MOST_TOLD: usize = 128;

/// What was found inside the jobs of each request.
#[derive(Debug, Default)]
pub(super) struct Insides(BTreeMap<SolveId, Found>);

/// The positions of one request of which a dear bound was found inside a job, as searches meet them.
#[derive(Debug, Default)]
struct Found {
    all: BTreeMap<Position, Dear>,
    by_nodes: BTreeSet<(u64, Position)>,
    by_message: BTreeSet<(u64, Position)>,
    /// The number of messages so far.
    messages: u64,
}

/// Why a bound is remembered.
#[derive(Debug)]
struct Dear {
    /// The nodes behind it.
    nodes: u64,
    /// The number of the message that told of it last.
    message: u64,
    /// Whose message that was.
    worker: WorkerId,
}

impl Found {
    /// Remembers a bound, and of all no more than `most`.
    fn add(&mut self, position: Position, nodes: u64, worker: WorkerId, most: usize) {
        let message = self.messages;
        let mut dear = Dear { nodes, message, worker };
        if let Some(before) = self.take(position) {
            dear.nodes = nodes.max(before.nodes);
        }
        self.by_nodes.insert((dear.nodes, position));
        self.by_message.insert((message, position));
        self.all.insert(position, dear);
        while self.all.len() > most
            && let Some(&(_, cheapest)) = self.by_nodes.first()
        {
            self.take(cheapest);
        }
    }

    fn take(&mut self, position: Position) -> Option<Dear> {
        let dear = self.all.remove(&position)?;
        self.by_nodes.remove(&(dear.nodes, position));
        self.by_message.remove(&(dear.message, position));
        Some(dear)
    }

    /// Returns the positions of which another than `worker` has told in the messages after the one named, with the
    /// numbers of theirs, in that order.
    fn news(&self, worker: WorkerId, after: u64) -> impl Iterator<Item = (u64, Position)> + '_ {
        let news = self.by_message.range((after + 1, FIRST)..).copied();
        news.filter(move |(_, position)| {
            self.all.get(position).is_some_and(|dear| dear.worker != worker)
        })
    }
}

impl Insides {
    /// Returns the number of messages so far that told of bounds inside jobs for `home`.
    pub(super) fn messages(&self, home: SolveId) -> u64 {
        self.0.get(&home).map_or(0, |found| found.messages)
    }

    /// Forgets what was found for `home`.
    pub(super) fn forget(&mut self, home: SolveId) {
        self.0.remove(&home);
    }
}

impl Core {
    /// Returns the fewest nodes behind a bound from inside a job that is to be told of; the more threads there
    /// are the more, so that as many are told of.
    pub(super) fn dear(&self) -> Option<u64> {
        let of_all = self.config.inside_nodes_per_thread * self.fleet.threads() as f64;
        let least = of_all.max(self.config.inside_nodes);
        least.is_finite().then_some(least as u64)
    }

    /// Takes what a worker has found inside a job that it still has.
    pub(super) fn found_inside(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        job: JobId,
        era: u64,
        bounds: &[FoundBound],
    ) {
        let Some(&lease) = self.fleet.lease(worker, job) else { return };
        let is_believed = !matches!(lease.target, Target::Audit(_) | Target::Disowned);
        if !is_believed || era != self.audits.era {
            return;
        }
        let filled = self.filled(lease.position);
        let can_be_met = |inside: &&FoundBound| {
            lies_on(inside.position, filled)
                && inside.position.empties() < lease.position.empties()
                && inside.bound != Bound::UNKNOWN
                && !inside.position.is_over()
        };
        let bounds: Vec<FoundBound> = bounds.iter().filter(can_be_met).copied().collect();
        let claim = |inside: &FoundBound| Proof {
            position: inside.position.canonical(),
            bound: inside.bound,
            best_move: None,
            nodes: inside.nodes,
            method: Method::Search,
            worker: Some(worker),
        };
        let mut claims: Vec<Proof> = bounds.iter().map(claim).collect();
        claims.retain(|claim| claim.bound != Bound::UNKNOWN && !claim.position.is_over());
        if !self.solves.contains_key(&lease.home) {
            return; // There is nobody to tell, now and later.
        }
        let found = self.insides.0.entry(lease.home).or_default();
        found.messages += 1;
        let drawn = JobId(mix(job.0 ^ mix(found.messages)));
        let is_kept = self.take_inside(turn, &lease, drawn, &claims);
        let most = MOST_KEPT.min(MOST_KEPT_IN_ALL / self.insides.0.len().max(1));
        let found = self.insides.0.get_mut(&lease.home).filter(|_| is_kept);
        if let Some(found) = found {
            for &FoundBound { position, nodes, .. } in &bounds {
                found.add(position, nodes, worker, most);
            }
        }
    }

    /// Tells the worker of a running job what others have found inside theirs since it was told last.
    pub(super) fn tell_inside(&mut self, turn: &mut Turn<'_>, worker: WorkerId, job: JobId) {
        let Some(&lease) = self.fleet.lease(worker, job) else { return };
        let Some(found) = self.insides.0.get(&lease.home) else { return };
        if matches!(lease.target, Target::Audit(_) | Target::Disowned) {
            return;
        }
        let filled = self.filled(lease.position);
        let (mut told, mut known) = (found.messages, Vec::new());
        for (message, position) in found.news(worker, lease.told) {
            if !lies_on(position, filled) {
                continue;
            }
            let bound = turn.proofs.kept(position.canonical());
            if bound == Bound::UNKNOWN || known.len() == MOST_TOLD {
                // Not on disk yet, or too much for one message: the rest comes with the next heartbeat.
                told = message - 1;
                break;
            }
            known.push((position, bound));
        }
        if let Some(lease) = self.fleet.lease_mut(worker, job) {
            lease.told = told;
        }
        if !known.is_empty() {
            self.note_told(turn, worker, &known);
            turn.commands.push(Command::Tell { worker, job, known });
        }
    }

    /// Returns the dearest of what was found inside other jobs for `home` that a search of `position` may meet,
    /// whose positions are turned by `symmetry`.
    pub(super) fn bounds_inside(
        &self,
        turn: &Turn<'_>,
        home: SolveId,
        position: Position,
        symmetry: Symmetry,
    ) -> Vec<(Position, Bound)> {
        let Some(found) = self.insides.0.get(&home) else { return Vec::new() };
        let filled = !symmetry.position(position).empty();
        let dearest = found.by_nodes.iter().rev().map(|&(_, position)| position);
        let below = dearest.filter(|&position| lies_on(position, filled));
        let known = below.map(|position| (position, turn.proofs.kept(position.canonical())));
        known.filter(|&(_, bound)| bound != Bound::UNKNOWN).take(MOST_TOLD).collect()
    }

    /// Returns the squares that are filled where a search of `position` begins.
    fn filled(&self, position: Position) -> u64 {
        let symmetry = self.graph.get(position).map(|node| node.symmetry).unwrap_or_default();
        !symmetry.position(position).empty()
    }
}

/// Comes before every other position.
const FIRST: Position = Position::new(0, 0).expect("an empty board is one");

/// Returns whether `position` can come from one on which these squares are `filled`.
fn lies_on(position: Position, filled: u64) -> bool {
    !position.empty() & filled == filled
}
