//! What falls with some positions, found in one visit of the index.
//!
//! The index is visited by number of empties, so that all of a ply that falls is known before the next ply comes. After
//! a move there is one empty less: whether a position leads to one that falls is told by the ply below, and whole plies
//! are passed over where nothing falls there. A pass leads to a position of the same ply, which is none that must pass:
//! those that must are put aside until their ply ends, and nothing of their ply rests on them.
//!
//! Positions are gathered and looked at together by all processors: everybody waits for the answer.

use std::mem;

use outflank_engine::Position;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::reach::below;
use crate::store::filled::Filled;

/// So many positions are looked at together.
const GATHERED: usize = if cfg!(test) { 1 << 5 } else { 1 << 14 };
/// So many at least are worth another thread.
const FEWEST: usize = if cfg!(test) { 1 << 2 } else { 1 << 8 };

/// Positions with equally many empties of which nothing is to be believed any more, each list in order.
#[derive(Debug, Default)]
struct Ply {
    empties: u32,
    /// Those of which something that counts was claimed by who cannot be believed.
    claimed: Vec<Position>,
    /// The others that must pass, which may rest on these and on those below.
    passing: Vec<Position>,
    /// The others, which may rest on those below, or may have been searched with the claims.
    resting: Vec<Position>,
}

impl Ply {
    fn contains(&self, position: Position) -> bool {
        let lists = [&self.resting, &self.claimed, &self.passing];
        lists.iter().any(|list| list.binary_search(&position).is_ok())
    }

    fn len(&self) -> usize {
        self.claimed.len() + self.passing.len() + self.resting.len()
    }
}

/// A ply in which something falls, and which hashes its positions have: most questions end there.
#[derive(Debug)]
struct Marked {
    ply: Ply,
    marks: Vec<u64>,
    shift: u32,
}

impl Marked {
    /// Some 16 to 32 bits for each position let about one in twenty others pass.
    fn new(ply: Ply) -> Self {
        let bits = (ply.len() * 16).next_power_of_two().max(64);
        let mut marked =
            Self { ply, marks: vec![0; bits / 64], shift: u64::BITS - bits.trailing_zeros() };
        let Ply { claimed, passing, resting, .. } = &marked.ply;
        for &position in claimed.iter().chain(passing).chain(resting) {
            let (word, bit) = place(position, marked.shift);
            marked.marks[word] |= bit;
        }
        marked
    }

    fn contains(&self, position: Position) -> bool {
        let (word, bit) = place(position, self.shift);
        self.marks[word] & bit != 0 && self.ply.contains(position)
    }
}

/// Returns the word and the bit in it that stand for the hash of `position`, which is shifted so far.
fn place(position: Position, shift: u32) -> (usize, u64) {
    let hash = position.player().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ position.opponent();
    let hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> shift;
    ((hash / 64) as usize, 1 << (hash % 64))
}

/// What becomes of a position before those of its ply that must pass are looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Stands,
    Falls,
    /// It falls and is one that must pass.
    FallsPassing,
    /// It falls if the position after its pass does.
    LiesWithItsPass,
}

/// Hears of all positions, by number of empties and position, and says which of them fall.
#[derive(Debug)]
pub(super) struct Falling<'a> {
    filled: &'a Filled,
    /// None where the system has no more threads, or too few positions are expected.
    pool: Option<ThreadPool>,
    /// The plies with more empties come later.
    ended: Vec<Ply>,
    /// The last one of those that ended, if something falls in it.
    last: Option<Marked>,
    ply: Ply,
    /// The positions of this ply that were not looked at, and whether each was searched.
    gathered: Vec<(Position, bool)>,
    fates: Vec<Fate>,
    /// Those of this ply which must pass and stand so far.
    aside: Vec<Position>,
}

impl<'a> Falling<'a> {
    /// About so many `positions` will be heard of; `filled` are the squares of those that are claimed.
    pub(super) fn new(filled: &'a Filled, positions: u64) -> Self {
        let is_worth_it = positions >= GATHERED as u64;
        let pool = is_worth_it.then(|| ThreadPoolBuilder::new().build().ok()).flatten();
        Self {
            filled,
            pool,
            ended: Vec::new(),
            last: None,
            ply: Ply::default(),
            gathered: Vec::new(),
            fates: Vec::new(),
            aside: Vec::new(),
        }
    }

    /// Hears of a position that falls because of what was claimed of it.
    pub(super) fn claimed(&mut self, position: Position) {
        self.begin(position);
        self.ply.claimed.push(position);
    }

    /// Hears of a position that falls if it rests on what falls.
    pub(super) fn other(&mut self, position: Position, is_searched: bool) {
        self.begin(position);
        self.gathered.push((position, is_searched));
        if self.gathered.len() == GATHERED {
            self.look();
        }
    }

    /// Ends the last ply if `position` is the first of the next one.
    fn begin(&mut self, position: Position) {
        if position.empties() != self.ply.empties {
            self.end_ply();
            self.ply.empties = position.empties();
            // Below it may be a gap.
            if let Some(last) = self.last.take_if(|last| last.ply.empties + 1 != self.ply.empties) {
                self.ended.push(last.ply);
            }
        }
    }

    fn end_ply(&mut self) {
        self.look();
        let mut ply = mem::take(&mut self.ply);
        let passing = self.aside.drain(..).filter(|it| ply.contains(it.pass().canonical()));
        let passing: Vec<Position> = passing.collect();
        ply.passing.extend(passing);
        ply.passing.sort_unstable();
        self.ended.extend(self.last.take().map(|last| last.ply));
        if ply.len() > 0 {
            self.last = Some(Marked::new(ply));
        }
    }

    /// Looks at what was gathered.
    fn look(&mut self) {
        let Self { filled, last, gathered, fates, .. } = self;
        let fate = |&(position, is_searched): &(Position, bool)| {
            fate(position, is_searched, last.as_ref(), filled)
        };
        match &self.pool {
            Some(pool) if gathered.len() > FEWEST => pool.install(|| {
                gathered.par_iter().with_min_len(FEWEST).map(fate).collect_into_vec(fates);
            }),
            _ => fates.extend(gathered.iter().map(fate)),
        }
        for ((position, _), fate) in self.gathered.drain(..).zip(self.fates.drain(..)) {
            match fate {
                Fate::Stands => {}
                Fate::Falls => self.ply.resting.push(position),
                Fate::FallsPassing => self.ply.passing.push(position),
                Fate::LiesWithItsPass => self.aside.push(position),
            }
        }
    }

    /// Returns what falls, in the order in which it has to be taken back.
    pub(super) fn in_order(mut self) -> Vec<Position> {
        self.end_ply();
        self.ended.extend(self.last.take().map(|last| last.ply));
        let lists = self.ended.into_iter().rev();
        lists.flat_map(|ply| [ply.passing, ply.resting, ply.claimed]).flatten().collect()
    }
}

/// Returns what becomes of a position when so much falls one ply below.
fn fate(position: Position, is_searched: bool, last: Option<&Marked>, filled: &Filled) -> Fate {
    let leads_there = last.is_some_and(|last| below(position).any(|child| last.contains(child)));
    // What takes longer comes last.
    let falls = leads_there || is_searched && filled.may_come_from(position);
    match (falls, position.must_pass()) {
        (true, true) => Fate::FallsPassing,
        (true, false) => Fate::Falls,
        (false, true) => Fate::LiesWithItsPass,
        (false, false) => Fate::Stands,
    }
}
