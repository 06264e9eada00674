//! The tree: children in the order in which they are tried, values and costs at the horizon.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use outflank_engine::evaluation::{UNIT, Weights, look_ahead};
use outflank_engine::{Position, Score, Square};
use outflank_kernel::Isa;

use crate::random::{hash, normal};

/// A map whose order and speed do not depend on the run.
pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// The numbers of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The seed of all that is random.
    pub seed: u64,
    /// Positions with so many empty squares or less have a value of their own.
    pub horizon: u32,
    /// The standard deviation of that value from the evaluation, in discs.
    pub error: f64,
    /// The standard deviation of the logarithm of costs.
    pub spread: f64,
    /// The logarithm of the nodes of a question about a position without empty squares whose answer is
    /// narrow and yes, extrapolated.
    pub cost: f64,
    /// What it adds to the logarithm if the answer is no: then all moves must be searched.
    pub cost_of_no: f64,
    /// What each empty square adds to the logarithm.
    pub cost_of_empty: f64,
    /// What each factor of e of the number of moves adds to the logarithm.
    pub cost_of_move: f64,
    /// What each disc between the value and the threshold takes away from the logarithm.
    pub cost_of_distance: f64,
    /// The plies looked ahead to order moves.
    pub plies: u32,
}

impl Shape {
    /// Returns the numbers fitted to this project's engine; `docs/simulation.md` has the fit.
    #[must_use]
    pub const fn fitted(seed: u64, horizon: u32) -> Self {
        Self {
            seed,
            horizon,
            error: 4.0,
            spread: 1.0,
            cost: -1.2,
            cost_of_no: 0.65,
            cost_of_empty: 0.63,
            cost_of_move: 0.85,
            cost_of_distance: 0.11,
            plies: 2,
        }
    }
}

/// What is below a position.
#[derive(Clone, Debug)]
pub(super) enum Below {
    /// Nothing: this is its value for the player to move.
    Value(Score),
    /// The children, canonical and different, the most promising first; after a pass only one.
    Children(Arc<[Position]>),
}

/// The tree, made as it is looked at.
#[derive(Debug)]
pub struct Model {
    shape: Shape,
    isa: Isa,
    weights: &'static Weights,
    below: Map<Position, Below>,
}

impl Model {
    /// Returns the tree, or `None` if the program has no evaluation to make it from.
    #[must_use]
    pub fn new(shape: Shape) -> Option<Self> {
        let weights = Weights::embedded().ok()?;
        Some(Self { shape, isa: Isa::detect(), weights, below: Map::default() })
    }

    /// Returns the numbers of the model.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns what is below `position`, which is canonical.
    pub(super) fn below(&mut self, position: Position) -> Below {
        if let Some(below) = self.below.get(&position) {
            return below.clone();
        }
        let below = self.make(position);
        self.below.insert(position, below.clone());
        below
    }

    /// Returns the moves of `position`, which is canonical, in the order in which they are tried.
    pub(super) fn order(&mut self, position: Position) -> Vec<Square> {
        let Below::Children(children) = self.below(position) else { return Vec::new() };
        let place = |&square: &Square| {
            let child = position.play(square).map(Position::canonical);
            children.iter().position(|&other| Some(other) == child)
        };
        let mut order: Vec<Square> = Square::all(position.moves()).collect();
        order.sort_by_key(place);
        order
    }

    fn make(&self, position: Position) -> Below {
        if position.is_over() {
            return Below::Value(position.final_score());
        }
        if position.must_pass() {
            return Below::Children(Arc::from([position.pass().canonical()]));
        }
        if position.empties() <= self.shape.horizon {
            return Below::Value(self.value(position));
        }
        let moves = Square::all(position.moves()).filter_map(|square| position.play(square));
        let mut children: Vec<Position> = moves.map(Position::canonical).collect();
        children.sort_unstable();
        children.dedup();
        let plies = self.shape.plies - 1;
        let values = look_ahead(self.isa, self.weights, &children, plies);
        let mut ranked: Vec<(i32, Position)> = values.into_iter().zip(children).collect();
        ranked.sort_unstable();
        Below::Children(ranked.into_iter().map(|(_, child)| child).collect())
    }

    /// Returns the value of a position at the horizon where the player can move.
    fn value(&self, position: Position) -> Score {
        let discs = f64::from(self.estimate(position, 0));
        let error = self.shape.error * normal(hash(self.shape.seed, position, 0));
        // The nearest even number.
        Score::floor(2 * ((discs + error) / 2.0).round() as i32)
    }

    /// Returns the engine's opinion after so many plies, in discs.
    pub(super) fn estimate(&self, position: Position, plies: u32) -> i32 {
        let values = look_ahead(self.isa, self.weights, &[position], plies);
        (values[0] as f32 / UNIT as f32).round() as i32
    }

    /// Returns the nodes that it takes to compare the `value` of a position at the horizon with
    /// `threshold`.
    pub(super) fn cost(&self, position: Position, value: Score, threshold: Score) -> u64 {
        let Shape { seed, spread, cost, cost_of_no, cost_of_empty, .. } = self.shape;
        let Shape { cost_of_move, cost_of_distance, .. } = self.shape;
        let distance = f64::from((value.discs() - threshold.discs() + 1).abs());
        // A game that is over has no moves.
        let moves = f64::from(position.moves().count_ones().max(1));
        let mean = cost + cost_of_empty * f64::from(position.empties()) + cost_of_move * moves.ln()
            - cost_of_distance * distance
            + if value < threshold { cost_of_no } else { 0.0 };
        // Most of what makes a position dear does not depend on the threshold.
        let own = normal(hash(seed, position, 1));
        let other = normal(hash(seed, position, (1000 + threshold.discs()) as u64));
        (mean + spread * (0.9_f64.sqrt() * own + 0.1_f64.sqrt() * other)).exp().max(1.0) as u64
    }
}
