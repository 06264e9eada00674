//! Dear bounds from inside jobs, which reach those who work beside.
//!
//! What a worker finds deep inside its job only its own table knows; others who work for the same request would
//! find much of it again. So workers tell of bounds that many nodes stand behind. Each is a claim like those of
//! reports: checked, audited in its sample, and kept in the store under the name of who made it. When it is on disk,
//! it goes to those who may meet its position: along with jobs that are handed out, and as answers to heartbeats. Where few
//! work together they are told of cheaper ones, too, and at each tick: what is left of a request is a matter of seconds
//! there, and what one worker has proved is a good part of what its neighbour has before it.
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

use super::fleet::{Lease, Target};
use super::message::{Command, ErrandDone, JobId, Method, Proof, SolveId, WorkerId};
use super::mix::mix;
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
    by_number: BTreeMap<u64, Position>,
    /// The number of the newest bound.
    newest: u64,
    /// The number of messages so far.
    messages: u64,
}

/// Why a bound is remembered.
#[derive(Debug)]
struct Dear {
    /// The nodes behind it.
    nodes: u64,
    /// Its number among the bounds, in the order in which others are to be told of them.
    number: u64,
    /// Who has told of it last.
    worker: WorkerId,
}

impl Found {
    /// Remembers a bound, and of all no more than `most`.
    fn add(&mut self, position: Position, nodes: u64, worker: WorkerId, most: usize) {
        self.newest += 1;
        let number = self.newest;
        let mut dear = Dear { nodes, number, worker };
        if let Some(before) = self.take(position) {
            dear.nodes = nodes.max(before.nodes);
        }
        self.by_nodes.insert((dear.nodes, position));
        self.by_number.insert(number, position);
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
        self.by_number.remove(&dear.number);
        Some(dear)
    }

    /// Makes a bound the newest, as if it had been told of now.
    fn put_off(&mut self, position: Position) {
        let Some(dear) = self.all.get_mut(&position) else { return };
        self.newest += 1;
        self.by_number.remove(&dear.number);
        dear.number = self.newest;
        self.by_number.insert(dear.number, position);
    }

    /// Returns the positions with numbers after the one named of which another than `worker` has told last, in that
    /// order.
    fn news(&self, worker: WorkerId, after: u64) -> impl Iterator<Item = (u64, Position)> + '_ {
        let news = self.by_number.range(after + 1..).map(|(&number, &position)| (number, position));
        news.filter(move |(_, position)| {
            self.all.get(position).is_some_and(|dear| dear.worker != worker)
        })
    }
}

impl Insides {
    /// Returns the number of the newest bound inside jobs for `home`; 0 if there was none.
    pub(super) fn newest(&self, home: SolveId) -> u64 {
        self.0.get(&home).map_or(0, |found| found.newest)
    }

    /// Returns the number of requests for which something was found.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets what was found for `home`.
    pub(super) fn forget(&mut self, home: SolveId) {
        self.0.remove(&home);
    }
}

impl Core {
    /// Returns the fewest nodes behind a bound from inside a job that a worker is to tell of.
    pub(super) fn dear(&self) -> Option<u64> {
        let least = self.dear_afar();
        let least = if self.tells_soon() { least.min(self.config.soon_nodes) } else { least };
        least.is_finite().then_some(least as u64)
    }

    /// Returns the fewest nodes behind a bound that it is worth to tell those of who hear of it later; the more threads
    /// there are the more, so that as many are told of.
    fn dear_afar(&self) -> f64 {
        let of_all = self.config.inside_nodes_per_thread * self.fleet.threads() as f64;
        of_all.max(self.config.inside_nodes)
    }

    /// Returns whether the fleet is so small that who works beside is told at once.
    fn tells_soon(&self) -> bool {
        self.slots() <= self.config.soon_slots
    }

    /// Returns the fewest nodes behind a bound that is kept, and told to those who work for `home`, too.
    fn worth_telling(&self, home: SolveId) -> f64 {
        match self.solves.get(&home) {
            Some(solve) if self.tells_soon() && solve.running > 1 => {
                self.dear_afar().min(self.config.soon_share * solve.searched() as f64)
            }
            _ => self.dear_afar(),
        }
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
        let Some(lease) = self.believed_lease(worker, job, era) else { return };
        let least = self.worth_telling(lease.home);
        let is_dear = |inside: &&FoundBound| inside.nodes as f64 >= least;
        let bounds: Vec<FoundBound> = bounds.iter().filter(is_dear).copied().collect();
        self.keep_inside(turn, worker, job, &lease, bounds);
    }

    /// Takes what a worker has proved for another one with which it shares a search, and answers that one.
    pub(super) fn errand_done(&mut self, turn: &mut Turn<'_>, done: &ErrandDone) {
        let ErrandDone { job, asker, hand, number, value, .. } = *done;
        let is_kept = self.take_answer(turn, done);
        let value = is_kept.then_some(value);
        turn.commands.push(Command::Answer { worker: asker, job, hand, number, value });
    }

    /// Keeps what a worker has proved for another one, and notes that this one is told of it. Returns whether it is kept.
    fn take_answer(&mut self, turn: &mut Turn<'_>, done: &ErrandDone) -> bool {
        let ErrandDone { worker, job, era, asker, found, .. } = *done;
        let (Some(found), false) = (found, self.is_guilty(worker)) else { return false };
        let asks = self.believed_lease(asker, job, era);
        let (Some(lease), Some(_)) = (self.believed_lease(worker, job, era), asks) else {
            return false;
        };
        let is_kept = self.keep_inside(turn, worker, job, &lease, vec![found]);
        if is_kept {
            self.note_told(turn, asker, &[(found.position, found.bound)]);
        }
        is_kept
    }

    /// Returns the lease of a job of which bounds may be claimed that were found inside.
    fn believed_lease(&mut self, worker: WorkerId, job: JobId, era: u64) -> Option<Lease> {
        self.rehome_job(worker, job);
        let lease = self.fleet.lease(worker, job).copied()?;
        let is_believed = !matches!(lease.target, Target::Audit(_) | Target::Disowned);
        (is_believed && era == self.audits.era).then_some(lease)
    }

    /// Keeps those of `bounds` that can have been found inside a job. Returns whether that is any.
    fn keep_inside(
        &mut self,
        turn: &mut Turn<'_>,
        worker: WorkerId,
        job: JobId,
        lease: &Lease,
        mut bounds: Vec<FoundBound>,
    ) -> bool {
        let filled = self.filled(lease.position);
        bounds.retain(|inside| {
            lies_on(inside.position, filled)
                && inside.position.empties() < lease.position.empties()
                && inside.bound != Bound::UNKNOWN
                && !inside.position.is_over()
        });
        let claim = |inside: &FoundBound| Proof {
            position: inside.position.canonical(),
            bound: inside.bound,
            best_move: None,
            nodes: inside.nodes,
            method: Method::Search,
            worker: Some(worker),
        };
        let claims: Vec<Proof> = bounds.iter().map(claim).collect();
        if claims.is_empty() || !self.solves.contains_key(&lease.home) {
            return false; // There is nothing to tell, or nobody, now and later.
        }
        let found = self.insides.0.entry(lease.home).or_default();
        found.messages += 1;
        let drawn = JobId(mix(job.0 ^ mix(found.messages)));
        let is_kept = self.take_inside(turn, lease, drawn, &claims);
        let least = self.worth_telling(lease.home);
        let most = MOST_KEPT.min(MOST_KEPT_IN_ALL / self.insides.0.len().max(1));
        let found = self.insides.0.get_mut(&lease.home).filter(|_| is_kept);
        if let Some(found) = found {
            for &FoundBound { position, nodes, .. } in &bounds {
                if nodes as f64 >= least {
                    found.add(position, nodes, worker, most);
                }
            }
        }
        is_kept
    }

    /// Where the fleet is small, tells all who work what others have found inside their jobs since they were told last.
    pub(super) fn tell_soon(&mut self, turn: &mut Turn<'_>) {
        if self.insides.0.is_empty() || !self.tells_soon() {
            return;
        }
        for (worker, job) in self.fleet.jobs() {
            self.tell_inside(turn, worker, job);
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
        let (mut told, mut known, mut awaited) = (found.newest, Vec::new(), Vec::new());
        for (number, position) in found.news(worker, lease.told) {
            if !lies_on(position, filled) {
                continue;
            }
            if known.len() + awaited.len() == MOST_TOLD {
                told = number - 1; // The rest comes the next time.
                break;
            }
            match turn.proofs.kept(position.canonical()) {
                bound if bound == Bound::UNKNOWN => awaited.push(position),
                bound => known.push((position, bound)),
            }
        }
        // What is not on disk yet, and may never be, holds up nothing else: it is told of after all the rest.
        if let Some(found) = self.insides.0.get_mut(&lease.home) {
            awaited.into_iter().for_each(|position| found.put_off(position));
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

/// Returns whether `position` can come from one on which these squares are `filled`.
fn lies_on(position: Position, filled: u64) -> bool {
    !position.empty() & filled == filled
}

#[cfg(test)]
mod tests {
    use outflank_engine::Square;

    use super::*;

    #[test]
    fn of_too_many_bounds_those_are_remembered_that_are_dearest() {
        let mut found = Found::default();
        let mut positions = vec![Position::START];
        for place in 0..3 {
            let position = positions[place];
            positions.push(
                position.play(Square::lowest(position.moves()).expect("a move")).expect("legal"),
            );
        }
        for (place, nodes) in [(0, 20), (1, 10), (0, 5), (2, 30), (3, 40)] {
            found.add(positions[place], nodes, WorkerId(1), 3);
        }
        let news: Vec<_> = found.news(WorkerId(2), 0).collect();
        assert_eq!(news, [(3, positions[0]), (4, positions[2]), (5, positions[3])]);
        assert_eq!((found.by_nodes.len(), found.by_number.len()), (3, 3));
    }
}
