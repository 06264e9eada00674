//! The engine: an instruction set, a hash table, and the way in.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use outflank_kernel::{Isa, KernelSet, with_set};

use crate::estimate::{Estimate, estimate};
use crate::evaluation::Weights;
use crate::search::cost_sample::{CostSample, cost_sample};
use crate::search::crew::Tools;
use crate::search::hands;
use crate::search::root;
use crate::search::turns::{Rehearsal, Turns};
use crate::search::witness::Witness;
use crate::small;
use crate::table::{Entry, Hints, Table};
use crate::{Answer, Bound, Control, Errand, Position, Request, Score, SharedHint};

/// How to set an engine up.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The instruction set to use.
    pub isa: Isa,
    /// Size of the hash table in bytes; at least one line of 64 bytes is used.
    pub table_bytes: usize,
}

/// The engine cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The system has not got the memory.
    #[error("no memory for a hash table of {bytes} bytes")]
    Memory {
        /// The size asked for.
        bytes: usize,
        /// What the system said.
        source: io::Error,
    },
}

/// One part in so many of the memory goes to the table of hints.
const HINTS_PART: usize = 8;

/// The size of the tables of a search apart: as small as few nodes are lost.
const APART_BYTES: usize = 64 << 20;

/// A solver with its hash table. Several threads may solve at once; they share the table.
#[derive(Debug)]
pub struct Engine {
    isa: Isa,
    table: Table,
    hints: Hints,
    weights: Option<&'static Weights>,
    /// The searches since the tables were clear; it never comes round to 0 again.
    searches: AtomicU64,
}

impl Engine {
    /// Sets up an engine.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if there is no memory for the table.
    pub fn new(settings: &Settings) -> Result<Self, EngineError> {
        let bytes = settings.table_bytes;
        let failed = |source| EngineError::Memory { bytes, source };
        let table = Table::new(bytes - bytes / HINTS_PART).map_err(failed)?;
        let hints = Hints::new(bytes / HINTS_PART).map_err(failed)?;
        let weights = Weights::embedded().ok();
        Ok(Self { isa: settings.isa, table, hints, weights, searches: AtomicU64::new(0) })
    }

    /// Returns the engine with other weights than those that are part of the program; with `None`
    /// it orders moves by mobility alone. Proofs do not depend on it, only the time they take.
    #[must_use]
    pub fn with_weights(self, weights: Option<&'static Weights>) -> Self {
        Self { weights, ..self }
    }

    /// Returns the instruction set in use.
    #[must_use]
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Forgets everything, so that the next search is as the first one. No search may run meanwhile: what it writes after
    /// that stays.
    pub fn clear(&self) {
        if self.searches.swap(0, Ordering::Relaxed) != 0 {
            // Tables never used are clear: do not touch all their pages.
            self.table.clear();
            self.hints.clear();
        }
    }

    /// Searches until the window is answered, the node limit is reached or `control` says stop.
    ///
    /// On one thread the same engine settings and the same sequence of requests since [`clear`]
    /// give the same answers and node counts.
    ///
    /// [`clear`]: Self::clear
    #[must_use]
    pub fn solve(&self, request: &Request, control: &Control) -> Answer {
        self.search(request, control, self.next_tools())
    }

    /// Searches as [`solve`](Self::solve) and returns a sample of the questions that its comparisons of
    /// moves asked themselves: a position, whose player has a move, and how many discs he is to be shown to
    /// be worth more than. Empty without weights that know what proofs cost.
    #[must_use]
    pub fn questions(&self, request: &Request) -> Vec<(Position, i32)> {
        let witness = Witness::default();
        let tools = Tools { witness: Some(&witness), ..self.next_tools() };
        let _answer = self.search(request, &Control::default(), tools);
        witness.into_questions()
    }

    /// Searches as [`solve`](Self::solve) would on a machine with a processor for each thread: the threads take turns
    /// by clocks that count nodes, so that any machine can find out what so many threads bring, and the same sequence
    /// of requests since [`clear`](Self::clear) gives the same answers, node counts and times. It takes longer than
    /// one thread would. Positions of smaller boards are searched on one thread.
    #[must_use]
    pub fn rehearse(&self, request: &Request, control: &Control) -> (Answer, Rehearsal) {
        let turns = Turns::new(Request::threads_of(request.threads));
        let tools = Tools { turns: Some(&turns), ..self.next_tools() };
        let answer = self.search(request, control, tools);
        (answer, turns.taken())
    }

    /// Does an errand for another engine's search, on so many threads. Returns what the move is worth to the player of its
    /// position, in discs: what is at most the lower end of the window is an upper bound, the upper end or more is a lower
    /// one. At [`Errand::PROOF`] it is proved. `None` if `control` stopped it, or if bounds that the engine was told contradict
    /// each other.
    ///
    /// All errands after a request count as one search with it: the tables keep what each leaves for the next. They are of
    /// most use if each engine [hears](Self::hear) what the other believes, and [knows](Self::know) what it has found.
    #[must_use]
    pub fn run_errand(&self, errand: &Errand, threads: usize, control: &Control) -> Option<i32> {
        self.prepare(errand.position().empties());
        let tools = &self.tools(self.generation());
        with_set!(self.isa, set => hands::run(set, tools, errand, threads, control))
    }

    /// Returns positions that the searches since [`clear`](Self::clear) went through and in which
    /// they found a move good enough, as far as the tables still hold them: there the order of the
    /// moves counted. It says nothing of their values. Call it when no search is going on.
    #[must_use]
    pub fn cut_nodes(&self) -> Vec<Position> {
        let boards = self.table.bounded_below().chain(self.hints.bounded_below());
        boards.filter_map(|(player, opponent)| Position::new(player, opponent)).collect()
    }

    /// Takes what other engines believe into account. False hints cost time and nothing else: they
    /// are read where moves are ordered and where a search cuts by probability, never by a proof.
    pub fn hear(&self, hints: &[SharedHint]) {
        if hints.is_empty() {
            return;
        }
        let generation = self.generation();
        // They need room before there is any work to make it by.
        self.hints.prepare(hints.iter().map(|hint| hint.position().empties()).max().unwrap_or(0));
        for &hint in hints {
            let (player, opponent) = (hint.position().player(), hint.position().opponent());
            let hash = self.hash(player, opponent);
            self.hints.hear(hash, hint, generation);
        }
    }

    /// Takes bounds that were proved elsewhere while a search goes on; the engine trusts them, as it
    /// does those of a request.
    pub fn know(&self, known: &[(Position, Bound)]) {
        let searches = self.searches.load(Ordering::Relaxed);
        for &(position, bound) in known.iter().filter(|_| searches != 0) {
            let (player, opponent) = (position.player(), position.opponent());
            let entry = Entry::told(bound.lower().discs(), bound.upper().discs());
            self.table.put(self.hash(player, opponent), player, opponent, entry, searches as u8);
        }
    }

    /// Searches as [`solve`](Self::solve), but neither reads what earlier searches have left in the tables nor leaves
    /// anything there: with tables of its own, which are smaller.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if there is no memory for them.
    pub fn solve_apart(&self, request: &Request, control: &Control) -> Result<Answer, EngineError> {
        let settings = Settings { isa: self.isa, table_bytes: APART_BYTES };
        let apart = Self::new(&settings)?.with_weights(self.weights);
        Ok(apart.solve(request, control))
    }

    fn hash(&self, player: u64, opponent: u64) -> u64 {
        with_set!(self.isa, set => set.hash(player, opponent))
    }

    /// Returns the number of the last search, for the age of entries that are about to be put.
    fn generation(&self) -> u8 {
        // Otherwise `clear` would take the tables for clear.
        let first = self.searches.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed);
        first.map_or_else(|searches| searches as u8, |_| 1)
    }

    /// Returns the number of a new search, for the age of entries; it comes round.
    fn next_generation(&self) -> u8 {
        self.searches.fetch_add(1, Ordering::Relaxed).wrapping_add(1) as u8
    }

    fn search(&self, request: &Request, control: &Control, tools: Tools<'_>) -> Answer {
        self.prepare(request.position.empties());
        if request.position.walls() != 0 {
            return self.solve_small(tools.generation, request, control);
        }
        let tools = &tools;
        with_set!(self.isa, set => root::solve(set, tools, request, control))
    }

    fn value(&self, position: Position) -> Score {
        loop {
            let answer = self.solve(&Request::exact(position), &Control::default());
            if let Some(value) = answer.bound.value() {
                return value;
            }
            self.clear(); // As in `values`.
        }
    }

    /// Searches on a board smaller than 8x8, on one thread.
    fn solve_small(&self, generation: u8, request: &Request, control: &Control) -> Answer {
        let table = &self.table;
        with_set!(self.isa, set => small::solve(set, table, generation, request, control))
    }

    /// Returns the exact values of many positions and nothing else, solved one after the other on
    /// this thread. For positions of few empty squares this is quicker than as many requests. If bounds that the engine was
    /// told contradict each other, it [forgets](Self::clear) everything.
    #[must_use]
    pub fn values(&self, positions: &[Position]) -> Vec<Score> {
        if positions.iter().any(|position| position.walls() != 0) {
            return positions.iter().map(|&position| self.value(position)).collect();
        }
        let most_empties = positions.iter().map(|position| position.empties()).max().unwrap_or(0);
        loop {
            let tools = &self.next_tools();
            self.prepare(most_empties);
            if let Some(values) = with_set!(self.isa, set => root::values(set, tools, positions)) {
                return values;
            }
            // Nobody can stop this search: what was told before is false, and true values are only found without it.
            self.clear();
        }
    }

    /// Returns what `position` seems to be worth after selective searches of about `node_limit` nodes:
    /// much better than [`estimate`](crate::estimate()), and much dearer.
    #[must_use]
    pub fn believe(&self, position: Position, node_limit: u64) -> Estimate {
        self.believe_until_stopped(position, node_limit, &Control::default())
    }

    /// Returns what [`Engine::believe`] does, or what has been found by then when `control` stops it: that may be
    /// nothing, and no better than 0.
    #[must_use]
    pub fn believe_until_stopped(
        &self,
        position: Position,
        node_limit: u64,
        control: &Control,
    ) -> Estimate {
        let generation = self.next_generation();
        self.prepare(position.empties());
        let tools = &self.tools(generation);
        if tools.weights.is_none() || position.moves() == 0 || position.walls() != 0 {
            return estimate(position);
        }
        Estimate::new(
            with_set!(self.isa, set => root::believe(set, tools, position, node_limit, control)),
        )
    }

    /// Forgets everything and returns what it takes to find out whether the *opponent* of the player of
    /// `position` is worth more than `bound` discs, which may be from −65 to 64; `None` if the engine has
    /// no weights, or the position is on a smaller board, of which they know nothing.
    #[must_use]
    pub fn cost_sample(&self, position: Position, bound: i32) -> Option<CostSample> {
        if position.walls() != 0 {
            return None;
        }
        self.clear();
        let generation = self.next_generation();
        self.prepare(position.empties());
        let tools = &self.tools(generation);
        with_set!(self.isa, set => cost_sample(set, tools, position, bound))
    }

    /// Lets a search with that many `empties` take as much of the tables into use as it can fill.
    fn prepare(&self, empties: u32) {
        self.table.prepare(empties);
        self.hints.prepare(empties);
    }

    /// Returns what a new search needs.
    fn next_tools(&self) -> Tools<'_> {
        self.tools(self.next_generation())
    }

    fn tools(&self, generation: u8) -> Tools<'_> {
        let Self { table, hints, weights, .. } = self;
        Tools { table, hints, weights: *weights, generation, witness: None, turns: None }
    }
}
