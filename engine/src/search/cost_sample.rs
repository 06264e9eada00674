//! What a question takes, asked with empty tables: what [costs](crate::evaluation::costs) are measured by.

use super::SearchSet;
use super::board::{Board, Node};
use super::crew::{Crew, Tools};
use super::searcher::Searcher;
use crate::evaluation::UNIT;
use crate::{Control, Position};

/// One search of which costs are averages: what the opponent of the player of a position needed to prove a bound, or
/// failed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostSample {
    /// The moves of the player.
    pub replies: u32,
    /// By how much the evaluation says that the opponent is above the bound, in units of 1/32 disc.
    pub margin: i32,
    /// Whether the bound holds.
    pub holds: bool,
    /// The nodes of the search that found it out.
    pub nodes: u64,
}

/// Asks whether the opponent of the player of `position` is worth more than `bound` discs; `None`
/// without weights.
pub(crate) fn cost_sample<K: SearchSet>(
    kernels: K,
    tools: &Tools<'_>,
    position: Position,
    bound: i32,
) -> Option<CostSample> {
    let weights = tools.weights?;
    let control = Control::default();
    let crew = Crew::new(tools, &control, u64::MAX, position);
    let mut searcher = Searcher::new(kernels, &crew);
    let board = Board { player: position.player(), opponent: position.opponent() };
    let node = Node::new(kernels, board);
    let value = K::deep(&mut searcher, &node, -bound - 1).expect("nobody can stop this search");
    let replies = kernels.count(kernels.moves(board.player, board.opponent));
    let answers = kernels.count(kernels.moves(board.opponent, board.player));
    let estimate = kernels.evaluate(weights, &node.features, node.empties, (replies, answers));
    Some(CostSample {
        replies,
        margin: -estimate - bound * UNIT,
        holds: -value > bound,
        nodes: searcher.total_nodes(),
    })
}
