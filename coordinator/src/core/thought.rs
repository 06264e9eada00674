//! What the core thinks itself: searches of its own where many jobs rest on an opinion, and how long they may take.
//!
//! Nobody gets a job meanwhile, and nothing that has come is heard: so what it spends in a row is limited, and counts
//! against the splits of a turn.

use std::iter;

use outflank_engine::Position;

use super::message::SolveId;
use super::question::Key;
use super::{Core, FEWEST_NODES, Turn, graph};

/// The most nodes that the core spends on its own opinion of a position, or of all moves of one; half a second.
const LONGEST_THOUGHT: f64 = 4e6;

/// What it spends in a row grows with no more waiting threads than these, since all wait until each could have a job.
const MOST_WAITING: usize = 4;

/// The nodes of its own searches that count as a split: with 32 splits the core hears nothing for a second.
const NODES_OF_A_SPLIT: f64 = 1e6;

/// The nodes behind an opinion that many jobs rest on.
const NODES_OF_AN_OPINION: u64 = 1_000_000;

/// The core may think about each question it splits as long as this share of a job takes, divided by
/// the number of threads that it keeps busy: so it never holds a fleet up.
const THINKING_SHARE: f64 = 0.5;

/// Of a goal that many workers are to search together it may think as long as this share of the goal takes them.
const SHARE_OF_GOAL: f64 = 0.02;

/// It spends that on so many opinions, or more if one would take more than a million nodes.
const LOOKS: f64 = 8.0;

/// The logarithm of what an empty square more makes of the nodes of a position: the advisor's predictions grow so
/// (docs/simulation.md).
const GROWTH: f64 = 0.63;

/// What the core has thought.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Thought {
    /// The most nodes in a row, for each thread that waits, that the request is worth which is thought about.
    most: f64,
    /// The number of jobs that had gone out when the last one did.
    jobs: u64,
    /// The nodes since then.
    nodes: f64,
    /// The nodes that no turn has been charged for yet.
    uncharged: f64,
}

impl Core {
    /// Notes for which request the core thinks now: not longer than until its client gives it up, since the client has no
    /// other way to end a thought that nobody counts.
    pub(super) fn think_for(&mut self, home: SolveId) {
        let budget = self.solves.get(&home).and_then(|solve| solve.budget);
        let most = self.config.most_thought;
        self.thought.most = budget.map_or(most, |nodes| most.min(nodes as f64));
    }

    /// Returns whether opinions come from quick looks now, those, too, that were begun before.
    fn is_in_haste(&self) -> bool {
        self.advisor.haste().is_wanted()
    }

    /// Returns how many of `nodes` the core may still spend on opinions before a job goes out, and takes them as spent.
    fn afford(&mut self, nodes: f64) -> f64 {
        if self.is_in_haste() {
            return 0.0;
        }
        if self.thought.jobs != self.fleet.leases_entered() {
            self.thought =
                Thought { jobs: self.fleet.leases_entered(), nodes: 0.0, ..self.thought };
        }
        let waiting = self.fleet.free_threads().clamp(1, MOST_WAITING);
        let most = self.thought.most * waiting as f64;
        let nodes = nodes.min((most - self.thought.nodes).max(0.0));
        self.thought.nodes += nodes;
        self.thought.uncharged += nodes;
        nodes
    }

    /// Counts what the core has thought against the splits of this turn, so that it soon hears again what has come.
    pub(super) fn charge(&mut self, turn: &mut Turn<'_>) {
        let splits = (self.thought.uncharged / NODES_OF_A_SPLIT).floor();
        self.thought.uncharged -= splits * NODES_OF_A_SPLIT;
        turn.splits = turn.splits.saturating_sub(splits as usize);
    }

    /// Returns the likely value of the position of `key`, which is in the graph, by a search.
    pub(super) fn careful_estimate(&mut self, key: Key) -> i32 {
        // A wrong guess here costs a whole round of jobs.
        let size = self.size_asked_for(key).unwrap_or(f64::INFINITY);
        let nodes = (THINKING_SHARE * size).min(LONGEST_THOUGHT);
        if is_thought(nodes) && !self.is_careful(key.position) && self.afford(nodes) >= nodes {
            self.estimate_with(key.position, nodes);
        }
        self.estimate(key.position)
    }

    /// Returns about how many nodes a job takes at the number of empty squares that the request of a question is to be
    /// split to, if that was said.
    fn size_asked_for(&self, key: Key) -> Option<f64> {
        let question = self.questions.get(&key)?;
        let plies = key.position.empties().saturating_sub(self.split_to(question)?);
        Some(question.predicted * (-GROWTH * f64::from(plies)).exp())
    }

    /// Returns the size of the jobs that a question is cut into, in predicted nodes.
    fn job_size_below(&self, key: Key) -> f64 {
        let size = self.job_size();
        self.size_asked_for(key).map_or(size, |asked| asked.min(size))
    }

    /// Improves the opinions on the children of the position of `key`, which are in the graph.
    pub(super) fn think(&mut self, key: Key) {
        let threads = self.fleet.threads().max(1) as f64;
        let nodes = (THINKING_SHARE * self.job_size_below(key) / threads).min(LONGEST_THOUGHT);
        let children = graph::edges(key.position);
        let each = nodes / children.len().max(1) as f64;
        if !is_thought(each) || self.afford(nodes) < nodes {
            return; // Somebody has waited long enough, or it would not be worth it: quick looks must do.
        }
        for edge in children {
            self.estimate_with(edge.child, each);
        }
    }

    /// Improves the opinions on a goal that many workers are to search together, and on its children, the
    /// most promising first: the larger the goal, the more jobs rest on that. The core searches as many of
    /// them at once as its advisor has threads.
    pub(super) fn think_deep(&mut self, key: Key) {
        let threads = self.fleet.threads().max(1) as f64;
        let predicted = self.questions.get(&key).map_or(0.0, |question| question.predicted);
        let rests = (THINKING_SHARE * self.job_size_below(key)).max(SHARE_OF_GOAL * predicted);
        // What one of the core's threads may search.
        let mut budget = rests / threads;
        let at_once = self.advisor.threads();
        let nodes = (budget * at_once as f64 / LOOKS)
            .clamp(FEWEST_NODES as f64, NODES_OF_AN_OPINION as f64);
        while budget >= nodes {
            let children = self.ordered_children(key.position);
            let mut open: Vec<Position> = iter::once(key.position)
                .chain(children)
                .filter(|&any| !self.is_careful(any))
                .collect();
            open.truncate(at_once);
            // Somebody may have waited long enough: then quick looks must do.
            if open.is_empty() || self.afford(nodes) < nodes {
                break;
            }
            self.look(&open, nodes);
            budget -= nodes;
            if open[0] == key.position {
                let chance = self.prior(key);
                if let Some(question) = self.questions.get_mut(&key)
                    && question.belief.is_none()
                {
                    question.chance = chance;
                }
            }
        }
    }

    fn is_careful(&self, position: Position) -> bool {
        self.graph.get(position).is_none_or(|node| node.careful)
    }

    /// Has opinions of `positions` in the graph by searches of so many nodes each, unless haste comes meanwhile.
    fn look(&mut self, positions: &[Position], nodes: f64) {
        let estimates = self.advisor.careful_estimates(positions, nodes as u64);
        if self.is_in_haste() {
            return; // Some of them were cut short, perhaps.
        }
        for (&position, estimate) in positions.iter().zip(estimates) {
            if let Some(node) = self.graph.get_mut(position) {
                (node.careful, node.estimate, node.searched) = (true, Some(estimate), Some(nodes));
            }
        }
    }

    /// Has a better opinion of a goal of which no worker on trial has said what it believes: what is
    /// asked below rests on it, and costs many jobs. A fleet that asks for so many that the core could not keep up
    /// does without.
    pub(super) fn think_of(&mut self, key: Key) {
        let is_doubtful = self.questions.get(&key).is_some_and(|question| {
            question.belief.is_none() && question.predicted > self.largest_job()
        });
        let threads = self.fleet.threads().max(1) as f64;
        let size = self
            .size_asked_for(key)
            .map_or(self.config.longest_job, |asked| asked.min(self.config.longest_job));
        let affordable = (THINKING_SHARE * size / threads).min(self.thought.most);
        if !is_doubtful || !self.has_many_requests() || affordable < NODES_OF_AN_OPINION as f64 {
            return;
        }
        let Some(node) = self.graph.get(key.position) else { return };
        if node.searched.is_none() && !self.is_in_haste() {
            self.thought.uncharged += NODES_OF_AN_OPINION as f64;
            self.look(&[key.position], NODES_OF_AN_OPINION as f64);
        }
        let chance = self.prior(key);
        if let Some(question) = self.questions.get_mut(&key) {
            question.chance = chance;
        }
    }

    fn estimate_with(&mut self, position: Position, nodes: f64) {
        if self.is_careful(position) {
            return;
        }
        let estimate = self.advisor.careful_estimate(position, nodes as u64);
        if self.is_in_haste() {
            return; // It was cut short, perhaps.
        }
        if let Some(node) = self.graph.get_mut(position) {
            (node.careful, node.estimate) = (true, Some(estimate));
        }
    }
}

/// Returns whether an opinion of so many nodes comes from more than a quick look. What does not must not pass for a
/// careful one: another request may be worth more.
fn is_thought(nodes: f64) -> bool {
    nodes >= FEWEST_NODES as f64
}
