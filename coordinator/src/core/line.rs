//! The best line of an answered request.
//!
//! It is walked from the root along proved values: if the value of a position is v and a child's
//! proved upper bound, seen by the opponent, is −v or less, the move there is best and the child's
//! value is −v. Where the chain ends before the game does, a worker is asked for the rest.

use std::cmp::Reverse;

use outflank_engine::{Bound, Position, Score, Square, Symmetry, Window};

use super::fleet::{Lease, Target};
use super::message::{SolveId, WorkerId};
use super::question::{Item, Key, Rank};
use super::solve::Solve;
use super::{Core, Turn, slots};

/// A walk along proved best moves.
struct Walk {
    /// The moves, in the client's orientation.
    line: Vec<Square>,
    /// Where it ends: `None` at the end of the game, else the position, in the client's
    /// orientation, with its value.
    end: Option<(Position, Score)>,
}

impl Core {
    /// Goes on with a request whose root is answered by `bound`: sends the answer, or first has the
    /// rest of the line searched.
    pub(super) fn answered(&mut self, turn: &mut Turn<'_>, id: SolveId, bound: Bound) {
        let Some(solve) = self.solves.get_mut(&id) else { return };
        solve.bound = bound;
        let Some(value) = bound.value() else {
            let line = solve.lines.get(&solve.root).map(|line| legal_part(solve.root, line));
            let squares = line.unwrap_or_default().into_iter();
            let line = squares.map(|square| solve.back.square(square)).collect();
            self.conclude(turn, id, line);
            return;
        };
        let solve = &self.solves[&id];
        let walk = self.walk(turn, solve, value);
        match walk.end {
            Some((end, value)) if self.wants_line_job(solve, end, value) => {
                let arrival = solve.arrival;
                if let Some(solve) = self.solves.get_mut(&id) {
                    solve.wants_line = true;
                }
                self.queue.insert((line_rank(arrival), Item::Line(id)));
            }
            _ => self.conclude(turn, id, walk.line),
        }
    }

    /// Returns whether the rest of the line is worth a job.
    fn wants_line_job(&self, solve: &Solve, end: Position, value: Score) -> bool {
        let predicted = self.advisor.predicted_nodes(end, around(value), value.discs());
        let is_small = predicted <= self.config.longest_job * self.config.budget_factor.powi(2)
            || end.empties() <= self.config.leaf_empties;
        self.config.lines
            && solve.terms.is_none()
            && is_small
            && self.fleet.accepting() > 0
            && solve.line_attempts < self.config.retry_limit
    }

    /// Returns the nodes that a job for the rest of the line will probably take at most.
    fn line_nodes(&self, end: Position, value: Score) -> f64 {
        let window = around(value);
        let predicted = self.advisor.predicted_nodes(end, window, value.discs());
        self.predictor.corrected(window, predicted).max(predicted)
    }

    /// Follows the proved best moves from the root, whose value is `value`.
    fn walk(&self, turn: &Turn<'_>, solve: &Solve, mut value: Score) -> Walk {
        let (mut position, mut line) = (solve.given, Vec::new());
        while !position.is_over() {
            if position.must_pass() {
                (position, value) = (position.pass(), -value);
                continue;
            }
            let (canonical, back) = (position.canonical(), Symmetry::canonical(position).inverse());
            if let Some(rest) = solve.lines.get(&canonical)
                && replay(canonical, rest) == Some(value)
            {
                line.extend(rest.iter().map(|&square| back.square(square)));
                return Walk { line, end: None };
            }
            let Some((square, child)) = self.best_step(turn, position, value) else {
                return Walk { line, end: Some((position, value)) };
            };
            line.push(square);
            (position, value) = (child, -value);
        }
        Walk { line, end: None }
    }

    /// Returns a move that is proved best at `position`, whose value is `value`.
    fn best_step(
        &self,
        turn: &Turn<'_>,
        position: Position,
        value: Score,
    ) -> Option<(Square, Position)> {
        Square::all(position.moves())
            .filter_map(|square| Some((square, position.play(square)?)))
            .find(|&(_, child)| self.known(turn, child.canonical()).bound.upper() <= -value)
    }

    /// Starts the line job of a request, of `width` threads. Returns `false` if no worker is free.
    pub(super) fn assign_line(&mut self, turn: &mut Turn<'_>, id: SolveId, width: u32) -> bool {
        let Some(solve) = self.solves.get(&id) else { return true };
        let Some(root_value) = solve.bound.value() else { return true };
        let walk = self.walk(turn, solve, root_value);
        let Some((end, value)) = walk.end else {
            self.conclude(turn, id, walk.line);
            return true;
        };
        let (position, attempts) = (end.canonical(), solve.line_attempts);
        let key = Key { position, window: around(value) };
        let (familiar, avoid) = (self.familiar(position), solve.line_avoid);
        let Some((worker, free)) = self.fleet.choose(key.job_id(), familiar, avoid) else {
            return false;
        };
        let predicted = self.line_nodes(position, value);
        let growth = self.config.budget_factor.powi(attempts as i32 + 1);
        let limit = (predicted * growth).max(self.config.shortest_job) as u64;
        let threads = slots::of_free(free, width);
        let lease = Lease::new(Target::Line(id), id, key, threads, predicted);
        if let Some(solve) = self.solves.get_mut(&id) {
            solve.line_attempts += 1;
        }
        self.send_job(turn, worker, lease, limit);
        true
    }

    /// Goes on after `worker` has lost the line job of a request, or could not do it: with the copy of another, or with
    /// somebody else.
    pub(super) fn line_lost(&mut self, turn: &mut Turn<'_>, id: SolveId, worker: WorkerId) {
        self.side_jobs.end(Target::Line(id), worker);
        if !self.side_jobs.run(Target::Line(id)) {
            self.line_ended(turn, id, Some(worker));
        }
    }

    /// Goes on after the line job of a request has been reported, or not been done by the worker `avoid`.
    pub(super) fn line_ended(&mut self, turn: &mut Turn<'_>, id: SolveId, avoid: Option<WorkerId>) {
        if let Some(solve) = self.solves.get_mut(&id) {
            (solve.wants_line, solve.line_avoid) = (false, avoid);
            let bound = solve.bound;
            self.answered(turn, id, bound);
        }
    }

    /// Answers the requests whose line nobody can complete now.
    pub(super) fn answer_without_lines(&mut self, turn: &mut Turn<'_>) {
        let waits = |&(&id, solve): &(&SolveId, &Solve)| {
            solve.wants_line && !self.side_jobs.run(Target::Line(id))
        };
        let ids = self.solves.iter().filter(waits).map(|(&id, _)| id);
        for id in ids.collect::<Vec<_>>() {
            self.line_ended(turn, id, None);
        }
    }

    /// Takes a request that is gone off the line jobs.
    pub(super) fn drop_line(&mut self, turn: &mut Turn<'_>, id: SolveId, solve: &Solve) {
        let place = (line_rank(solve.arrival), Item::Line(id));
        self.queue.remove(&place);
        self.ready.remove(&place);
        self.stop_side_jobs(turn, Target::Line(id));
    }
}

/// Line jobs come first in their request: only they hold its answer back.
fn line_rank(arrival: u64) -> Rank {
    Rank { step: 0, arrival, doubt: 0, asked: Reverse(u64::MAX) }
}

/// Returns the narrowest window that a search answers with the exact `value` and a line.
fn around(value: Score) -> Window {
    Window::new(value.down(), value.up()).expect("at most one end is kept at the limit")
}

/// Returns the score at the end of the game for the player of `position` if `line` leads there.
fn replay(mut position: Position, line: &[Square]) -> Option<Score> {
    let mut turned = false;
    let mut moves = line.iter();
    while !position.is_over() {
        position =
            if position.must_pass() { position.pass() } else { position.play(*moves.next()?)? };
        turned = !turned;
    }
    let score = position.final_score();
    moves.next().is_none().then_some(if turned { -score } else { score })
}

/// Returns the part of `line` that can be played from `position`.
fn legal_part(mut position: Position, line: &[Square]) -> Vec<Square> {
    let mut legal = Vec::new();
    for &square in line {
        if position.must_pass() {
            position = position.pass();
        }
        let Some(next) = position.play(square) else { break };
        position = next;
        legal.push(square);
    }
    legal
}
