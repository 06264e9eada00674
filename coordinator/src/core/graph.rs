//! The positions that open questions are about, with what is proved of them.
//!
//! The graph is derived: everything in it follows from the proof store and the open requests. A
//! position is kept as long as a question about it is open or a position before it is expanded.

use std::collections::{BTreeMap, BTreeSet};

use outflank_engine::{Bound, Position, Square, Symmetry, Window};

use super::message::WorkerId;

/// What is proved of a position, and where that comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// What is proved.
    pub(super) bound: Bound,
    /// The move that proves the lower bound; where nothing is proved of that, one that seems best.
    pub(super) best_move: Option<Square>,
    /// Whether it was in the store before anything was asked now.
    pub(super) from_store: bool,
}

impl Known {
    /// Nothing is known.
    pub(super) const NOTHING: Self =
        Self { bound: Bound::UNKNOWN, best_move: None, from_store: false };

    /// Returns what the rules say about a finished game.
    pub(super) fn finished(position: Position) -> Self {
        Self { bound: Bound::exact(position.final_score()), ..Self::NOTHING }
    }

    /// Returns the move that belongs to the lower bound when `bound` is proved as well, with this move.
    pub(super) fn best_move_with(&self, bound: Bound, best_move: Option<Square>) -> Option<Square> {
        crate::best_move::merged((self.bound, self.best_move), (bound, best_move))
    }
}

/// A way to a position one ply below; no square means that the player passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    /// The move, as a square of the upper position.
    pub(super) square: Option<Square>,
    /// The lower position, canonical.
    pub(super) child: Position,
}

/// One position.
#[derive(Debug)]
pub(super) struct Node {
    /// What is proved.
    pub(super) known: Known,
    /// How the position lies in the request that came to it first.
    pub(super) symmetry: Symmetry,
    /// The evaluation's opinion, once it was asked.
    pub(super) estimate: Option<i32>,
    /// Whether that was a careful estimate.
    pub(super) careful: bool,
    /// The nodes of the search by the core that stands behind it, if any does.
    pub(super) searched: Option<f64>,
    /// The worker whose table knows most of it: the last one that searched it or the position above.
    pub(super) worker: Option<WorkerId>,
    /// The moves as a worker would try them, most promising first; empty until one has said so.
    pub(super) order: Vec<Square>,
    /// The positions one ply below while a question is expanded here; of equal ones only the first.
    pub(super) edges: Vec<Edge>,
    /// The windows of the open questions.
    pub(super) windows: BTreeSet<Window>,
    /// The windows of the running jobs, each with the window of its question.
    pub(super) running: BTreeSet<(Window, Window)>,
    /// The windows of the questions that wait for a running job to answer them.
    pub(super) parked: BTreeSet<Window>,
    /// The positions that are expanded and have this one among their children.
    parents: BTreeSet<Position>,
    /// The number of questions that are expanded here.
    expanded: usize,
}

/// All positions that matter now.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: BTreeMap<Position, Node>,
}

impl Graph {
    /// Returns the node of `position`.
    pub(super) fn get(&self, position: Position) -> Option<&Node> {
        self.nodes.get(&position)
    }

    /// Returns the node of `position`.
    pub(super) fn get_mut(&mut self, position: Position) -> Option<&mut Node> {
        self.nodes.get_mut(&position)
    }

    /// Returns the number of positions.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Makes a node for `position` if there is none.
    pub(super) fn ensure(
        &mut self,
        position: Position,
        known: impl FnOnce() -> Known,
        symmetry: impl FnOnce() -> Symmetry,
    ) {
        self.nodes.entry(position).or_insert_with(|| Node {
            known: known(),
            symmetry: symmetry(),
            estimate: None,
            careful: false,
            searched: None,
            worker: None,
            order: Vec::new(),
            edges: Vec::new(),
            windows: BTreeSet::new(),
            running: BTreeSet::new(),
            parked: BTreeSet::new(),
            parents: BTreeSet::new(),
            expanded: 0,
        });
    }

    /// Counts one more question that is expanded at `position`, whose node exists, and links the
    /// positions below.
    pub(super) fn link(&mut self, position: Position, known: impl Fn(Position) -> Known) {
        let Some(node) = self.nodes.get_mut(&position) else { return };
        node.expanded += 1;
        if node.expanded > 1 {
            return;
        }
        let edges = edges(position);
        node.edges.clone_from(&edges);
        let symmetry = node.symmetry;
        for edge in edges {
            let below = || symmetry_below(position, symmetry, edge);
            self.ensure(edge.child, || known(edge.child), below);
            if let Some(child) = self.nodes.get_mut(&edge.child) {
                child.parents.insert(position);
            }
        }
    }

    /// Counts one question less that is expanded at `position`; after the last one the positions
    /// below are let go.
    pub(super) fn unlink(&mut self, position: Position) {
        let Some(node) = self.nodes.get_mut(&position) else { return };
        node.expanded -= 1;
        if node.expanded > 0 {
            return;
        }
        for edge in std::mem::take(&mut node.edges) {
            if let Some(child) = self.nodes.get_mut(&edge.child) {
                child.parents.remove(&position);
            }
            self.collect(edge.child);
        }
    }

    /// Forgets `position` if nothing needs it any more.
    pub(super) fn collect(&mut self, position: Position) {
        let idle = |node: &Node| node.windows.is_empty() && node.parents.is_empty();
        if self.nodes.get(&position).is_some_and(idle) {
            self.nodes.remove(&position);
        }
    }

    /// Returns the expanded positions that have `position` among their children.
    pub(super) fn parents(&self, position: Position) -> Vec<Position> {
        self.nodes.get(&position).map_or_else(Vec::new, |node| {
            let parents = node.parents.iter();
            parents.copied().collect()
        })
    }

    /// Returns what the children of `position` prove of it and the move that proves the lower
    /// bound; `None` if it is not expanded.
    pub(super) fn inferred(&self, position: Position) -> Option<(Bound, Option<Square>)> {
        let node = self.nodes.get(&position)?;
        let seen = node.edges.iter().map(|edge| {
            let bound = self.nodes.get(&edge.child).map_or(Bound::UNKNOWN, |node| node.known.bound);
            (-bound, edge.square)
        });
        infer(seen)
    }
}

/// Returns how the lower position of `edge` lies in a request where `position` lies as `symmetry` says.
fn symmetry_below(position: Position, symmetry: Symmetry, edge: Edge) -> Symmetry {
    let below = match edge.square {
        Some(square) => position.play(square).unwrap_or(position),
        None => position.pass(),
    };
    Symmetry::between(edge.child, symmetry.position(below)).unwrap_or_default()
}

/// Returns the distinct positions one ply below `position`; a pass counts as a ply, and below a
/// finished game there is none.
pub(super) fn edges(position: Position) -> Vec<Edge> {
    if position.must_pass() {
        return vec![Edge { square: None, child: position.pass().canonical() }];
    }
    let mut edges: Vec<Edge> = Vec::new();
    for square in Square::all(position.moves()) {
        let Some(child) = position.play(square).map(Position::canonical) else { continue };
        if edges.iter().all(|edge| edge.child != child) {
            edges.push(Edge { square: Some(square), child });
        }
    }
    edges
}

/// Returns what the bounds of all children, seen by the player who moves there, prove: the largest
/// lower and the largest upper bound, and the move with the largest lower bound.
pub(super) fn infer(
    children: impl Iterator<Item = (Bound, Option<Square>)>,
) -> Option<(Bound, Option<Square>)> {
    children.reduce(|(all, best), (bound, square)| {
        let best = if bound.lower() > all.lower() { square } else { best };
        let lower = all.lower().max(bound.lower());
        let upper = all.upper().max(bound.upper());
        let joined = Bound::new(lower, upper).expect("maxima keep the order of the ends");
        (joined, best)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_engine::Score;

    fn bound(lower: i32, upper: i32) -> Bound {
        let score = |discs| Score::new(discs).expect("even and in range");
        Bound::new(score(lower), score(upper)).expect("ordered")
    }

    #[test]
    fn a_node_is_worth_its_best_child_and_at_most_its_most_open_child() {
        let (first, second) = (Square::new(1), Square::new(2));
        let children = [(bound(-4, 2), first), (bound(0, 0), second)];
        assert_eq!(infer(children.into_iter()), Some((bound(0, 2), second)));
        assert_eq!(infer(std::iter::empty()), None);
    }

    #[test]
    fn symmetric_moves_are_one_edge_and_a_node_goes_with_its_last_user() {
        let start = Position::START.canonical();
        assert_eq!(edges(start).len(), 1);
        let mut graph = Graph::default();
        graph.ensure(start, || Known::NOTHING, Symmetry::default);
        graph.link(start, |_| Known::NOTHING);
        graph.link(start, |_| Known::NOTHING);
        assert_eq!(graph.len(), 2);
        graph.unlink(start);
        assert_eq!(graph.len(), 2, "one question is still expanded");
        graph.unlink(start);
        assert_eq!(graph.len(), 1);
        graph.collect(start);
        assert_eq!(graph.len(), 0);
    }
}
