//! The disk of a simulated coordinator: a store with a writer in front of it, as the service has them.
//!
//! A proof is visible to the core at once and on disk later; when the coordinator dies in between it is
//! gone. The store is a map, and a real one beside it if a run asks for that: both must always say
//! the same, also after the real one was opened again from what a killed process leaves.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::Arc;

use outflank_coordinator::core::{
    self, AuditId, Command, Doubted, Memory, ProcessId, Proof, Proofs, Report, WorkerId,
};
use outflank_coordinator::store::{self, Origin, Provenance, Record};
use outflank_engine::{Bound, Position, Square, Symmetry};
use tempfile::TempDir;

use crate::random::Random;
use crate::world::Store;

/// What goes out once the proofs before it are on disk; an acknowledgement has its report with it.
pub(crate) type Release = (Command, Option<Report>);

/// What one event has brought to be written, in this order, and when that will have been done.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) due: u64,
    pub(crate) doubted: Vec<(AuditId, Proof)>,
    pub(crate) proofs: Vec<Proof>,
    pub(crate) cleared: Vec<AuditId>,
    pub(crate) releases: Vec<Release>,
}

/// A store and what is on its way to it.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    /// What is on disk.
    pub(crate) kept: Store,
    /// Who proved the lower and the upper bounds; nobody inferred them.
    sources: BTreeMap<Position, [Option<WorkerId>; 2]>,
    waiting: VecDeque<Batch>,
    /// The claims that are being solved again, with the processes that made them.
    docket: BTreeMap<AuditId, Proof>,
    /// What processes were told, and those that were told more.
    told: BTreeMap<WorkerId, BTreeMap<Position, Bound>>,
    told_more: BTreeSet<WorkerId>,
    /// Those that were excused.
    pub(crate) excused: BTreeSet<WorkerId>,
    /// How often proofs were taken back.
    pub(crate) era: u64,
    real: Option<Real>,
}

impl Proofs for Disk {
    fn get(&self, position: Position) -> Option<(Bound, Option<Square>)> {
        let proofs = self.waiting.iter().flat_map(|batch| &batch.proofs);
        let on_the_way = proofs.filter(|proof| proof.position == position);
        on_the_way.fold(self.kept.get(position), |held, proof| {
            let (bound, best_move) = held.unwrap_or((Bound::UNKNOWN, None));
            let merged = bound.merge(proof.bound).expect("the core persists no contradiction");
            Some((merged, proof.best_move.or(best_move)))
        })
    }

    fn kept(&self, position: Position) -> Bound {
        self.kept.get(position).map_or(Bound::UNKNOWN, |(bound, _)| bound)
    }
}

impl Disk {
    /// Returns a disk with a real store on it.
    pub(crate) fn real() -> Self {
        Self { real: Some(Real::new()), ..Self::default() }
    }

    /// Takes what is to be on disk when it is due.
    pub(crate) fn take(&mut self, batch: Batch) {
        self.waiting.push_back(batch);
    }

    /// Notes at once what a process is told.
    pub(crate) fn tell(
        &mut self,
        process: WorkerId,
        bounds: Vec<(Position, Bound)>,
        and_more: bool,
    ) {
        self.told.entry(process).or_default().extend(bounds);
        self.told_more.extend(and_more.then_some(process));
    }

    /// Checks that a bound which a process is told is on its way to the disk, and noted.
    pub(crate) fn check_told(&self, process: WorkerId, position: Position, bound: Bound) {
        let held = self.get(position).map_or(Bound::UNKNOWN, |(held, _)| held);
        assert!(held.implies(bound), "{bound} of {position:?} was told, and is only {held}");
        let noted = self.told.get(&process).and_then(|bounds| bounds.get(&position));
        let is_noted = noted.is_some_and(|noted| noted.implies(bound));
        assert!(is_noted || self.told_more.contains(&process), "nobody knows who was told {bound}");
    }

    /// Forgets what processes were told that is not on disk, and returns who was told any of it.
    fn forget_told(&mut self) -> Vec<WorkerId> {
        let mut processes = Vec::new();
        for (&process, bounds) in &mut self.told {
            let before = bounds.len();
            let is_held = |(bound, _): &(Bound, Option<Square>), told| bound.implies(told);
            bounds.retain(|position, &mut told| {
                self.kept.0.get(position).is_some_and(|held| is_held(held, told))
            });
            processes.extend((bounds.len() < before).then_some(process));
        }
        processes
    }

    /// Returns the claims that were being solved again.
    pub(crate) fn doubted(&self) -> Vec<Doubted> {
        let doubted = |(&audit, &claim): (&AuditId, &Proof)| {
            let author = claim.worker.map(|process| ProcessId(process.0));
            Doubted { audit, claim: Proof { worker: None, ..claim }, author }
        };
        self.docket.iter().map(doubted).collect()
    }

    /// Returns the claims that are being solved again, or are to be.
    pub(crate) fn docket(&self) -> impl Iterator<Item = &Proof> {
        self.docket.values()
    }

    /// Returns what the next coordinator knows of the processes.
    pub(crate) fn memory(&self) -> Memory {
        let process = |worker: &WorkerId| ProcessId(worker.0);
        let told = self.told.iter().map(|(worker, bounds)| {
            (process(worker), bounds.iter().map(|(&position, &bound)| (position, bound)).collect())
        });
        Memory {
            told: told.collect(),
            told_more: self.told_more.iter().map(process).collect(),
            excused: self.excused.iter().map(process).collect(),
            has_gaps: false,
        }
    }

    /// Writes what is due and returns what may go out now.
    pub(crate) fn write(&mut self, now: u64) -> Vec<Release> {
        let mut releases = Vec::new();
        while self.waiting.front().is_some_and(|batch| batch.due <= now) {
            let batch = self.waiting.pop_front().expect("there is one");
            self.docket.extend(batch.doubted);
            batch.proofs.iter().for_each(|proof| self.keep(proof));
            if let Some(real) = &self.real {
                real.append(&batch.proofs);
            }
            self.docket.retain(|audit, _| !batch.cleared.contains(audit));
            releases.extend(batch.releases);
        }
        releases
    }

    fn keep(&mut self, proof: &Proof) {
        let held = self.kept.0.entry(proof.position).or_insert((Bound::UNKNOWN, None));
        let merged = held.0.merge(proof.bound).expect("the core persists no contradiction");
        let sources = self.sources.entry(proof.position).or_insert([proof.worker; 2]);
        if merged.lower() > held.0.lower() {
            sources[0] = proof.worker;
        }
        if merged.upper() < held.0.upper() {
            sources[1] = proof.worker;
        }
        *held = (merged, proof.best_move.or(held.1));
    }

    /// Dies and comes back: what was not on disk is gone.
    pub(crate) fn crash(&mut self, random: &mut Random) {
        if let Some(batch) = self.waiting.pop_front()
            && random.chance(50)
        {
            self.docket.extend(batch.doubted); // The proofs would have been next.
        }
        self.waiting.clear();
        // Nobody knows any more who claimed that.
        let more = self.forget_told();
        self.told_more.extend(more);
        if let Some(real) = &mut self.real {
            real.crash(random);
            real.compare(&self.kept);
        }
    }

    /// Loses so many percent of what is on disk.
    pub(crate) fn lose(&mut self, random: &mut Random, percent: u64) {
        self.kept.0.retain(|_, _| !random.chance(percent));
        self.sources.retain(|position, _| self.kept.0.contains_key(position));
    }

    /// Returns who the false side of a bound comes from, or the bounds it was inferred from.
    pub(crate) fn source(
        &self,
        position: Position,
        held: Bound,
        truth: Bound,
    ) -> Result<WorkerId, Vec<(Position, Bound)>> {
        let lower_is_false = held.lower() > truth.upper();
        let stored = self.kept.get(position).map_or(Bound::UNKNOWN, |(bound, _)| bound);
        let is_stored = match lower_is_false {
            true => stored.lower() >= held.lower(),
            false => stored.upper() <= held.upper(),
        };
        if is_stored && let Some(worker) = self.sources[&position][usize::from(!lower_is_false)] {
            return Ok(worker);
        }
        let blamed = below(position).into_iter().filter_map(|child| {
            let (bound, _) = self.kept.get(child)?;
            let part = match lower_is_false {
                true if -bound.upper() >= held.lower() => Bound::at_most(bound.upper()),
                true => return None,
                false => Bound::at_least(bound.lower()),
            };
            (part != Bound::UNKNOWN && !child.is_over()).then_some((child, part))
        });
        Err(blamed.collect())
    }

    /// Returns whether another than `worker` has searched what may come from `position`.
    pub(crate) fn others_have_searched_below(&self, position: Position, worker: WorkerId) -> bool {
        let is_of_another = |from: &Option<WorkerId>| from.is_some_and(|from| from != worker);
        let found = self.sources.iter().any(|(&below, from)| {
            below != position && may_come_from(below, position) && from.iter().any(is_of_another)
        });
        if let Some(real) = &self.real {
            let by_store = real.store().others_have_searched_below(position, &name(Some(worker)));
            assert_eq!(by_store.unwrap(), found);
        }
        found
    }

    /// Takes back what `worker` claimed, and what may rest on it.
    pub(crate) fn withdraw(&mut self, worker: WorkerId) {
        let is_from = |position: &&Position| self.sources[*position].contains(&Some(worker));
        let fallen = self.kept.0.keys().filter(is_from).copied().collect();
        let count = self.take_back(fallen);
        if let Some(real) = &self.real {
            let withdrawn = real.store().withdraw(&name(Some(worker))).unwrap();
            assert_eq!(withdrawn, count);
            real.compare(&self.kept);
        }
    }

    /// Takes back what is said of `position`, and what may rest on it.
    pub(crate) fn retract(&mut self, position: Position) {
        let is_there = self.kept.0.contains_key(&position);
        let count = self.take_back(is_there.then_some(position).into_iter().collect());
        if let Some(real) = &self.real {
            assert_eq!(real.store().retract(position).unwrap(), count);
            real.compare(&self.kept);
        }
    }

    /// Takes back what is said of these, and what may rest on them. Returns the number of positions.
    fn take_back(&mut self, mut fallen: BTreeSet<Position>) -> u64 {
        let is_searched =
            |position: &&Position| self.sources[*position].iter().any(Option::is_some);
        let rests_on_one =
            |above: &&Position| fallen.iter().any(|&below| may_come_from(below, **above));
        let searched = self.kept.0.keys().filter(is_searched).filter(rests_on_one);
        fallen = searched.copied().chain(fallen.iter().copied()).collect();
        let mut before = usize::MAX;
        while fallen.len() != before {
            before = fallen.len();
            let rests = |position: &&Position| below(**position).iter().any(|c| fallen.contains(c));
            let more: Vec<Position> = self.kept.0.keys().filter(rests).copied().collect();
            fallen.extend(more);
        }
        for position in &fallen {
            self.kept.0.remove(position);
            self.sources.remove(position);
        }
        self.forget_told();
        fallen.len() as u64
    }

    /// Returns the real store.
    pub(crate) fn store(&self) -> &store::Store {
        self.real.as_ref().expect("this run has one").store()
    }
}

/// Returns whether every square that is filled in some image of `above` is filled in `below`.
fn may_come_from(below: Position, above: Position) -> bool {
    let images = Symmetry::all().map(|symmetry| symmetry.position(above));
    images.into_iter().any(|image| below.empty() & !image.empty() == 0)
}

fn below(position: Position) -> Vec<Position> {
    if position.must_pass() {
        return vec![position.pass().canonical()];
    }
    let children = Square::all(position.moves()).filter_map(|square| position.play(square));
    children.map(Position::canonical).collect()
}

fn name(worker: Option<WorkerId>) -> String {
    worker.map_or_else(|| "coordinator".to_owned(), |worker| format!("worker {}", worker.0))
}

/// A real store, in a folder in memory where the system has one.
#[derive(Debug)]
struct Real {
    folder: TempDir,
    store: Option<store::Store>,
}

impl Real {
    fn new() -> Self {
        let folder = folder();
        let (store, _) = store::Store::open(folder.path()).unwrap();
        Self { folder, store: Some(store) }
    }

    fn store(&self) -> &store::Store {
        self.store.as_ref().expect("it is open")
    }

    fn append(&self, proofs: &[Proof]) {
        let records: Vec<Record> = proofs.iter().map(record).collect();
        let appended = self.store().append(&records).unwrap();
        assert_eq!(appended.contradicted, [], "the core lets no contradiction through");
    }

    /// Leaves what a kill in the middle of a write leaves: the log up to its last sync, a part of
    /// a frame behind it, and an index that may be missing.
    fn crash(&mut self, random: &mut Random) {
        let after = folder();
        let (from, to) = (self.folder.path(), after.path());
        fs::create_dir(to.join("log")).unwrap();
        let mut last = None;
        for file in fs::read_dir(from.join("log")).unwrap() {
            let name = file.unwrap().file_name();
            fs::copy(from.join("log").join(&name), to.join("log").join(&name)).unwrap();
            last = last.max(Some(name));
        }
        let torn: Vec<u8> = (0..random.below(60)).map(|_| random.bits() as u8).collect();
        let last = to.join("log").join(last.expect("a log has a segment"));
        OpenOptions::new().append(true).open(last).unwrap().write_all(&torn).unwrap();
        // The old one goes before the new one opens, as with processes.
        self.store = None;
        self.store = Some(store::Store::open(to).unwrap().0);
        self.folder = after;
    }

    fn compare(&self, kept: &Store) {
        assert_eq!(self.store().records(), kept.0.len() as u64);
        for (&position, &(bound, _)) in &kept.0 {
            assert_eq!(self.store().get(position).map(|stored| stored.bound), Some(bound));
        }
    }
}

fn folder() -> TempDir {
    let memory = std::path::Path::new("/dev/shm");
    if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap()
}

fn record(proof: &Proof) -> Record {
    let method = match proof.method {
        core::Method::Search => store::Method::Search,
        core::Method::Inference => store::Method::Inference,
    };
    let origin = Arc::new(Origin { worker: name(proof.worker), ..Origin::default() });
    Record {
        position: proof.position,
        bound: proof.bound,
        best_move: proof.best_move,
        nodes: proof.nodes,
        provenance: Provenance { method, origin },
    }
}
