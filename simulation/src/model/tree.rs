//! The tree: children in the order in which they are tried, values and costs at the horizon.

use std::ops::Range;

use outflank_engine::evaluation::{UNIT, Weights, look_ahead};
use outflank_engine::{Position, Score, Square};
use outflank_kernel::Isa;

use super::numbered::{Id, Numbered};
use crate::random::{hash, normal};

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
#[derive(Clone, Copy, Debug)]
pub(super) enum Below {
    /// Nothing: this is its value for the player to move.
    Value(Score),
    /// The children, canonical and different, the most promising first; after a pass only one.
    Children(Children),
}

/// The children of a position, as a part of those of all positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Children {
    first: u32,
    count: u8,
}

impl Children {
    /// Returns their places among those of all positions.
    pub(super) fn places(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + usize::from(self.count)
    }
}

/// A position one ply below another: its number, or the square of the move to it as long as nobody has looked at it.
#[derive(Clone, Copy, Debug)]
struct Child(u32);

/// The first of the numbers that stand for moves; the one after the squares is a pass.
const MOVES: u32 = u32::MAX - PASS;
const PASS: u32 = 64;

impl Child {
    fn met(id: Id) -> Self {
        let number = id.place() as u32;
        assert!(number < MOVES, "there is no memory for as many positions");
        Self(number)
    }

    const fn new(square: Option<Square>) -> Self {
        match square {
            Some(square) => Self(MOVES + square.index()),
            None => Self(MOVES + PASS),
        }
    }

    /// Returns the number, or the position that has none yet.
    fn of(self, parent: impl FnOnce() -> Position) -> Result<Id, Position> {
        let Some(index) = self.0.checked_sub(MOVES) else { return Ok(Id::new(self.0)) };
        let parent = parent();
        let child = Square::new(index).and_then(|square| parent.play(square));
        Err(child.unwrap_or_else(|| parent.pass()).canonical())
    }
}

/// The tree, made as it is looked at.
///
/// A campaign looks at a hundred million positions: so each has a number, by which it is found fast and
/// takes little memory.
#[derive(Debug)]
pub struct Model {
    shape: Shape,
    isa: Isa,
    weights: &'static Weights,
    positions: Numbered,
    /// What is below each position, as far as that was looked at.
    below: Vec<Option<Below>>,
    /// The children of all positions: their numbers, or the moves to those that have none yet, which are most of
    /// them.
    children: Vec<Child>,
}

impl Model {
    /// Returns the tree, or `None` if the program has no evaluation to make it from.
    #[must_use]
    pub fn new(shape: Shape) -> Option<Self> {
        let weights = Weights::embedded().ok()?;
        let (positions, below, children) = (Numbered::default(), Vec::new(), Vec::new());
        Some(Self { shape, isa: Isa::chosen_or_best(), weights, positions, below, children })
    }

    /// Returns the numbers of the model.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the number of `position`, which is canonical.
    pub(super) fn id(&mut self, position: Position) -> Id {
        self.positions.id(position)
    }

    /// Returns the number of `position`, which is canonical, if anybody has looked at it.
    pub(super) fn find(&self, position: Position) -> Option<Id> {
        self.positions.find(position)
    }

    /// Returns the position with this number.
    pub(super) fn position(&self, id: Id) -> Position {
        self.positions.position(id)
    }

    /// Returns the number of the child of `parent` at this place, if anybody has looked at it.
    pub(super) fn met(&mut self, parent: Id, place: usize) -> Option<Id> {
        let id = match self.children[place].of(|| self.positions.position(parent)) {
            Ok(id) => return Some(id),
            Err(child) => self.positions.find(child)?,
        };
        self.children[place] = Child::met(id);
        Some(id)
    }

    /// Returns the number of the child of `parent` at this place.
    pub(super) fn child(&mut self, parent: Id, place: usize) -> Id {
        let id = match self.children[place].of(|| self.positions.position(parent)) {
            Ok(id) => return id,
            Err(child) => self.positions.id(child),
        };
        self.children[place] = Child::met(id);
        id
    }

    /// Returns what is below a position.
    pub(super) fn below(&mut self, id: Id) -> Below {
        if let Some(&Some(below)) = self.below.get(id.place()) {
            return below;
        }
        let below = self.make(self.position(id));
        if self.below.len() <= id.place() {
            self.below.resize(self.positions.len(), None);
        }
        self.below[id.place()] = Some(below);
        below
    }

    /// Returns the moves of `position`, which is canonical, in the order in which they are tried.
    pub(super) fn order(&mut self, position: Position) -> Vec<Square> {
        let id = self.id(position);
        let Below::Children(children) = self.below(id) else { return Vec::new() };
        let children = children.places().map(|place| {
            let child = self.children[place].of(|| position);
            child.map_or_else(|new| new, |id| self.position(id))
        });
        let children: Vec<Position> = children.collect();
        let place = |&square: &Square| {
            let child = position.play(square).map(Position::canonical);
            children.iter().position(|&other| Some(other) == child)
        };
        let mut order: Vec<Square> = Square::all(position.moves()).collect();
        order.sort_by_key(place);
        order
    }

    fn make(&mut self, position: Position) -> Below {
        if position.is_over() {
            return Below::Value(position.final_score());
        }
        if position.must_pass() {
            return self.parent_of([None].into_iter());
        }
        if position.empties() <= self.shape.horizon {
            return Below::Value(self.value(position));
        }
        let moves = Square::all(position.moves());
        let mut moves: Vec<(Position, Square)> =
            moves.filter_map(|square| Some((position.play(square)?.canonical(), square))).collect();
        moves.sort_unstable();
        moves.dedup_by_key(|&mut (child, _)| child);
        let children: Vec<Position> = moves.iter().map(|&(child, _)| child).collect();
        let plies = self.shape.plies - 1;
        let values = look_ahead(self.isa, self.weights, &children, plies);
        let mut ranked: Vec<(i32, (Position, Square))> = values.into_iter().zip(moves).collect();
        ranked.sort_unstable();
        self.parent_of(ranked.into_iter().map(|(_, (_, square))| Some(square)))
    }

    /// Returns what is below a position with these moves.
    fn parent_of(&mut self, moves: impl ExactSizeIterator<Item = Option<Square>>) -> Below {
        let first = u32::try_from(self.children.len()).expect("there is no memory for as many");
        let count = u8::try_from(moves.len()).expect("a position has at most 60 moves");
        self.children.extend(moves.map(Child::new));
        Below::Children(Children { first, count })
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
