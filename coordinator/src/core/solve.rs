//! The requests of clients.

use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{Bound, Position, Score, Square, Symmetry, Window};

use super::fleet::{Lease, after};
use super::graph::Known;
use super::message::{
    Command, Millis, Progress, Proof, Solution, SolveId, Source, Terms, WorkerId,
};
use super::question::{ARRIVAL_BITS, Key, Plan, Question, State, Wanted};
use super::{Core, Turn, graph};

/// An open request.
#[derive(Debug)]
pub(super) struct Solve {
    /// Its place in the order of arrival, which puts campaigns behind clients.
    pub(super) arrival: u64,
    /// How it is served, if it belongs to a campaign.
    pub(super) terms: Option<Terms>,
    /// The position as the client gave it.
    pub(super) given: Position,
    /// Its canonical form.
    pub(super) root: Position,
    /// What turns the canonical form back into the one given.
    pub(super) back: Symmetry,
    /// The window asked.
    pub(super) window: Window,
    /// What is proved of the root.
    pub(super) bound: Bound,
    /// The nodes after which the client gives it up, if it does.
    pub(super) budget: Option<u64>,
    /// Nodes predicted at first.
    pub(super) predicted: f64,
    /// Nodes searched by jobs that have ended.
    pub(super) nodes: u64,
    /// Nodes searched by running jobs.
    pub(super) running_nodes: u64,
    /// Jobs that run, those of judges and those that were cancelled and not reported yet included.
    pub(super) running: u64,
    /// Jobs done.
    pub(super) jobs_done: u64,
    /// Jobs that wait or run.
    pub(super) jobs_open: u64,
    /// The nodes predicted for the jobs that wait or run.
    pub(super) open_nodes: f64,
    /// Bounds taken from the store.
    pub(super) reused: u64,
    /// Whether the store had the answer.
    pub(super) from_store: bool,
    /// The lines that workers found, by canonical position.
    pub(super) lines: BTreeMap<Position, Vec<Square>>,
    /// Jobs that were tried to find the rest of the line.
    pub(super) line_attempts: u32,
    /// Whether only the rest of the line is missing, and a job for it waits or runs.
    pub(super) wants_line: bool,
    /// The worker that could not do the last one.
    pub(super) line_avoid: Option<WorkerId>,
    /// When progress was reported last.
    reported: Millis,
}

impl Solve {
    /// Returns the nodes that were searched so far.
    pub(super) fn searched(&self) -> u64 {
        self.nodes.saturating_add(self.running_nodes)
    }

    /// Returns the nodes that the whole request will probably take.
    pub(super) fn total(&self) -> f64 {
        self.predicted.max(self.searched() as f64 + self.open_nodes)
    }

    /// Returns the nodes that are probably still to search.
    pub(super) fn remaining(&self) -> f64 {
        (self.predicted - self.searched() as f64).max(self.open_nodes)
    }

    /// Returns how `position` lies in the request, if it is its root.
    pub(super) fn lies(&self, position: Position) -> Symmetry {
        Symmetry::between(position, self.given).unwrap_or_default()
    }

    fn progress(&self, questions: &BTreeMap<Key, Question>, workers: u64) -> Progress {
        let nodes = self.searched();
        Progress {
            bound: self.bound,
            window: self.window_at_work(questions),
            jobs_open: self.jobs_open,
            jobs_done: self.jobs_done,
            reused: self.reused,
            nodes,
            predicted_nodes: (self.total() as u64).max(nodes),
            workers,
        }
    }

    /// Returns the part of the window that goals are open for; all of it while there are none.
    fn window_at_work(&self, questions: &BTreeMap<Key, Question>) -> Window {
        let root = Key { position: self.root, window: self.window };
        let goals: Vec<Window> = match questions.get(&root).map(|question| &question.state) {
            Some(State::Expanded { plan: Plan::Principal(principal), .. }) => {
                principal.goals.clone()
            }
            Some(State::Expanded { plan: Plan::Value(_), open, .. }) => {
                open.iter().map(|goal| goal.window).collect()
            }
            _ => return self.window,
        };
        let lower = goals.iter().map(|goal| goal.lower()).min();
        let upper = goals.iter().map(|goal| goal.upper()).max();
        lower.zip(upper).and_then(|(lower, upper)| Window::new(lower, upper)).unwrap_or(self.window)
    }
}

impl Core {
    /// Takes a request: answers it from the store, or asks for its root.
    pub(super) fn submitted(
        &mut self,
        turn: &mut Turn<'_>,
        id: SolveId,
        given: Position,
        window: Window,
        budget: Option<u64>,
        terms: Option<Terms>,
    ) {
        debug_assert!(!self.solves.contains_key(&id), "the name of a request is fresh");
        let (root, back) = (given.canonical(), Symmetry::canonical(given).inverse());
        let known = self.known(turn, root);
        let predicted = self.predictor.corrected(
            window,
            self.advisor.predicted_nodes(root, window, self.advisor.estimate(root)),
        );
        self.arrivals += 1;
        let solve = Solve {
            arrival: place(self.arrivals, terms),
            terms,
            given,
            root,
            back,
            window,
            bound: known.bound,
            budget,
            predicted,
            nodes: 0,
            running_nodes: 0,
            running: 0,
            jobs_done: 0,
            jobs_open: 0,
            open_nodes: 0.0,
            reused: u64::from(known.from_store),
            from_store: known.bound.answers(window),
            lines: BTreeMap::new(),
            line_attempts: 0,
            wants_line: false,
            line_avoid: None,
            reported: turn.now,
        };
        self.solves.insert(id, solve);
        self.crowd.came(id, window, self.solves.len());
        let key = Key { position: root, window };
        if self.ask(turn, key, Wanted::Solve(id), id, 1.0, 1.0) {
            self.look_below(turn, id, key);
        } else {
            self.answered(turn, id, known.bound);
        }
    }

    /// Concludes from what the store knows of the positions after the moves of a request's root: they may have been
    /// asked for themselves.
    fn look_below(&mut self, turn: &mut Turn<'_>, id: SolveId, key: Key) {
        let recent = &self.recent;
        self.graph.link(key.position, |child| recent.known(turn.proofs, child));
        let (bound, _) = self.graph.inferred(key.position).unwrap_or((Bound::UNKNOWN, None));
        if let Some(solve) = self.solves.get_mut(&id)
            && bound.answers(key.window)
        {
            solve.reused += graph::edges(key.position).len() as u64;
            solve.from_store = true;
        }
        self.infer(turn, key.position);
        self.graph.unlink(key.position);
        self.settle(turn);
    }

    /// Drops a request and what only it needs.
    pub(super) fn forget(&mut self, turn: &mut Turn<'_>, id: SolveId) {
        let Some(solve) = self.take_solve(id) else { return };
        self.drop_line(turn, id, &solve);
        let key = Key { position: solve.root, window: solve.window };
        self.release(turn, key, Wanted::Solve(id));
    }

    fn take_solve(&mut self, id: SolveId) -> Option<Solve> {
        let solve = self.solves.remove(&id)?;
        self.insides.forget(id);
        self.audits.let_go(id);
        self.crowd.left(solve.window, self.solves.keys().next().copied());
        Some(solve)
    }

    /// Ends a request with `solution`.
    pub(super) fn conclude(&mut self, turn: &mut Turn<'_>, id: SolveId, line: Vec<Square>) {
        let Some((root, bound)) = self.solves.get(&id).map(|it| (it.root, it.bound)) else {
            return;
        };
        let Some(unaudited) = self.hold_back(turn.now, (id, root), bound, &line) else { return };
        let Some(solve) = self.take_solve(id) else { return };
        self.drop_line(turn, id, &solve);
        let (best_move, line) = self.best_move(turn, &solve, line);
        let source = match (solve.from_store, solve.reused) {
            (true, _) => Source::Store,
            (false, 0) => Source::Search,
            (false, _) => Source::Both,
        };
        let solution = Solution {
            bound: solve.bound,
            best_move,
            line,
            nodes: solve.searched(),
            jobs: solve.jobs_done,
            reused: solve.reused,
            source,
            unaudited,
        };
        turn.commands.push(Command::Solved { solve: id, solution });
    }

    /// Returns the move that reaches what is proved of the request's root at least, and the rest of `line` if it
    /// begins with it. That a value is no larger says nothing of any move.
    fn best_move(
        &self,
        turn: &Turn<'_>,
        solve: &Solve,
        line: Vec<Square>,
    ) -> (Option<Square>, Vec<Square>) {
        let Known { best_move, .. } = self.known(turn, solve.root);
        let witness = best_move.map(|square| solve.back.square(square));
        let first = line.first().copied();
        let is_exact = solve.bound.value().is_some();
        match witness.filter(|_| solve.bound.lower() > Score::MIN) {
            // Where the player must pass, a line begins with a move of the opponent.
            _ if is_exact => (first.or(witness).filter(|_| !solve.root.must_pass()), line),
            None => (None, Vec::new()),
            Some(witness) if first == Some(witness) => (Some(witness), line),
            Some(witness) => (Some(witness), vec![witness]),
        }
    }

    /// Tells the client when the bound of its root has changed.
    pub(super) fn root_changed(&mut self, turn: &mut Turn<'_>, key: Key) {
        let Some(question) = self.questions.get(&key) else { return };
        let bound = self.known(turn, key.position).bound;
        let workers = self.fleet.workers() as u64;
        for &wanted in question.wanted_by.keys() {
            if let Wanted::Solve(id) = wanted
                && let Some(solve) = self.solves.get_mut(&id)
                && solve.bound != bound
            {
                solve.bound = bound;
                solve.reported = turn.now;
                let progress = solve.progress(&self.questions, workers);
                turn.commands.push(Command::Progressed { solve: id, progress });
            }
        }
    }

    /// Tells clients how far their requests are, each at most once an interval.
    pub(super) fn report_progress(&mut self, turn: &mut Turn<'_>) {
        let workers = self.fleet.workers() as u64;
        let interval = self.config.progress_interval;
        for (&id, solve) in &mut self.solves {
            if after(solve.reported, interval) <= turn.now {
                solve.reported = turn.now;
                let progress = solve.progress(&self.questions, workers);
                turn.commands.push(Command::Progressed { solve: id, progress });
            }
        }
    }

    /// Counts jobs that wait or run.
    pub(super) fn count_open(&mut self, home: SolveId, jobs: i64, nodes: f64) {
        if let Some(solve) = self.solves.get_mut(&home) {
            solve.jobs_open = solve.jobs_open.saturating_add_signed(jobs);
            solve.open_nodes = (solve.open_nodes + nodes).max(0.0);
        }
    }

    /// Counts the nodes of a lease that has ended.
    pub(super) fn account(&mut self, lease: &Lease, nodes: u64) {
        if let Some(solve) = self.solves.get_mut(&lease.home) {
            debug_assert!(solve.running > 0, "each lease was counted when it began");
            solve.running = solve.running.saturating_sub(1);
            solve.running_nodes =
                solve.running_nodes.saturating_sub(lease.nodes.saturating_sub(lease.charged));
            solve.nodes = solve.nodes.saturating_add(nodes.saturating_sub(lease.charged));
        }
    }

    /// Stops the requests that depend on a position whose proved bounds contradict each other.
    pub(super) fn stop_contradicted(&mut self, turn: &mut Turn<'_>) {
        for conflict in std::mem::take(&mut turn.conflicts) {
            let position = conflict.claim.position;
            for id in self.dependents(position) {
                self.contradicted(turn, id, &conflict.claim, conflict.held);
            }
            let (claim, held) = (conflict.claim, conflict.held);
            turn.commands.push(Command::Quarantine { claim, held });
        }
    }

    /// Ends a request that rests on a contradiction.
    pub(super) fn contradicted(
        &mut self,
        turn: &mut Turn<'_>,
        solve: SolveId,
        claim: &Proof,
        held: Bound,
    ) {
        let (position, claimed) = (claim.position, claim.bound);
        turn.commands.push(Command::Contradicted { solve, position, held, claimed });
        self.forget(turn, solve);
    }

    /// Returns the requests that use what is proved of `position`.
    pub(super) fn dependents(&self, position: Position) -> BTreeSet<SolveId> {
        let keys = |position: Position| {
            let node = self.graph.get(position);
            let windows = node.map(|node| node.windows.clone()).unwrap_or_default();
            windows.into_iter().map(move |window| Key { position, window })
        };
        let expanded = |key: &Key| {
            let question = self.questions.get(key);
            question.is_some_and(|question| matches!(question.state, State::Expanded { .. }))
        };
        let mut todo: Vec<Key> = keys(position).collect();
        for parent in self.graph.parents(position) {
            todo.extend(keys(parent).filter(expanded));
        }
        let (mut seen, mut solves) = (BTreeSet::new(), BTreeSet::new());
        while let Some(key) = todo.pop() {
            let Some(question) = self.questions.get(&key).filter(|_| seen.insert(key)) else {
                continue;
            };
            for &wanted in question.wanted_by.keys() {
                match wanted {
                    Wanted::Question(parent) => todo.push(parent),
                    Wanted::Solve(solve) => {
                        solves.insert(solve);
                    }
                }
            }
        }
        solves
    }
}

/// Returns the place of the request that arrived as number `arrival`: clients come first, then
/// campaigns by priority.
fn place(arrival: u64, terms: Option<Terms>) -> u64 {
    terms.map_or(arrival, |terms| (256 - u64::from(terms.priority)) << ARRIVAL_BITS | arrival)
}
