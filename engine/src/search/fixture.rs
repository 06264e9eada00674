//! What tests of searches begin with: tables without weights, positions, and splits.

use std::sync::Arc;

use outflank_kernel::{KernelSet, Scalar};

use super::board::{Board, Node};
use super::crew::Tools;
use super::level::Level;
use super::order::{Candidate, Candidates};
use super::principal::Task;
use super::split_point::SplitPoint;
use crate::table::{Hints, Table};
use crate::{Control, Position, Square};

/// Tables and controls of searches without weights.
pub(super) struct Fixture {
    pub(super) table: Table,
    pub(super) hints: Hints,
    pub(super) control: Control,
}

impl Fixture {
    pub(super) fn new() -> Self {
        let table = Table::new(1 << 20).expect("a megabyte is there");
        let hints = Hints::new(1 << 12).expect("four kilobytes are there");
        Self { table, hints, control: Control::default() }
    }

    pub(super) fn tools(&self) -> Tools<'_> {
        let Self { table, hints, .. } = self;
        Tools { table, hints, weights: None, generation: 1, witness: None, turns: None }
    }
}

/// The position of a game that `seed` chooses the moves of, when `empties` squares are left.
pub(super) fn position(mut seed: u64, empties: u32) -> Position {
    let mut position = Position::START;
    while position.empties() > empties {
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        position = match moves.len() {
            0 if position.is_over() => Position::START,
            0 => position.pass(),
            count => position.play(moves[(seed >> 33) as usize % count]).expect("it is legal"),
        };
    }
    position
}

pub(super) fn node(position: Position) -> Node {
    let board = Board { player: position.player(), opponent: position.opponent() };
    Node::new(Scalar::new(), board)
}

/// Returns the moves of a node.
pub(super) fn moves(node: &Node) -> Vec<Candidate> {
    let (kernels, board) = (Scalar::new(), node.board);
    let moves = kernels.moves(board.player, board.opponent);
    Candidates::new(kernels, board, moves).as_slice().to_vec()
}

/// Returns the question whether the position is worth more than a draw.
pub(super) fn task(node: Node) -> Task {
    Task::new(node, 0, 1, Level::EXACT)
}

/// Returns a split of all moves of a position, below `parent`.
pub(super) fn split_below(parent: Option<&Arc<SplitPoint>>, position: Position) -> Arc<SplitPoint> {
    let node = node(position);
    Arc::new(SplitPoint::new(parent.cloned(), moves(&node), task(node)))
}

/// Takes the next move and returns its square.
pub(super) fn take(split: &SplitPoint) -> Option<u32> {
    split.take().map(|(_, candidate)| candidate.square)
}
