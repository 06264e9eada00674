//! Other engines that try moves for a search: those who send the moves out, and those who try them.
//!
//! For each engine that helps, the search has a thread that takes moves of open splits as its own threads do, and waits
//! for the other engine instead of searching them. So younger brothers wait here, too, and whatever is cut off elsewhere
//! is called back. What comes back goes into the tables besides, since the other engine's tables are out of reach. A
//! move that is lost on the way, or that the other engine gives up, goes back to its split, for whoever else takes it.

use std::sync::Arc;

use super::SearchSet;
use super::board::{Board, Node};
use super::crew::{Crew, Outcome, Taken, Tools};
use super::level::Level;
use super::order::Candidate;
use super::principal::{Task, brother};
use super::root::with_threads;
use super::searcher::Stopped;
use super::split_point::SplitPoint;
use crate::evaluation::{LIMIT, UNIT};
use crate::table::{Entry, Hint};
use crate::{Control, Errand, Hands, Position, Square};

impl<'a> Crew<'a> {
    /// Has engine number `hand` try moves of open splits, until the search is over.
    pub(super) fn lend<K: SearchSet>(&'a self, kernels: K, hands: &dyn Hands, hand: usize) {
        let least = hands.least_empties();
        while hands.attend(hand, &|| self.is_over()) {
            let Some(split) = self.wait_for_errands(least, hand) else { break };
            if !hands.engage(hand, &|| split.has_moves_for(hand) && !self.is_over()) {
                continue;
            }
            let mut next = Some(split);
            while let Some(split) = next {
                self.note_sent(hand, Some(&split));
                let are_sent = self.send_moves(kernels, &split, hands, hand);
                self.note_sent(hand, None);
                next = if are_sent {
                    if !split.has_returned() {
                        self.close(&split, 0); // Otherwise there is something left for others.
                    }
                    self.errands(least, hand)
                } else {
                    self.call_owner();
                    None
                };
                hands.nudge();
            }
            hands.release(hand);
        }
    }

    /// Sends moves of `split` until none is left for `hand`; `false` if one came back, so that there may be some.
    fn send_moves<K: SearchSet>(
        &self,
        kernels: K,
        split: &Arc<SplitPoint>,
        hands: &dyn Hands,
        hand: usize,
    ) -> bool {
        while let Some((task, candidate)) = split.take_for(hand) {
            let mut taken = Taken::new(self, split, candidate);
            let errand = errand(&task, &candidate).expect("a search asks what can be asked");
            let is_pointless = || self.control.is_stopped() || split.is_pointless();
            taken.outcome = match hands.run(hand, &errand, &is_pointless) {
                Some(value) => {
                    remember(kernels, self, &task, &candidate, value);
                    self.root_moves.note(&task, candidate.square, value);
                    Outcome::Value(Ok(value))
                }
                None if is_pointless() => Outcome::Value(Err(Stopped)),
                None => Outcome::Back(hand),
            };
            if let Outcome::Back(_) = taken.outcome {
                return false;
            }
        }
        true
    }
}

/// Returns what another engine is to find out.
fn errand(task: &Task, candidate: &Candidate) -> Option<Errand> {
    let Board { player, opponent } = task.node.board;
    let position = Position::new(player, opponent)?;
    let window = (task.alpha, task.beta);
    let estimate = candidate.estimate.clamp(-LIMIT, LIMIT);
    Errand::new(position, Square::new(candidate.square)?, window, task.level.step(), estimate)
}

/// Puts what another engine has found of a move into the tables.
fn remember<K: SearchSet>(
    kernels: K,
    crew: &Crew<'_>,
    task: &Task,
    candidate: &Candidate,
    value: i32,
) {
    let Board { player, opponent } = task.node.board.after(candidate.square, candidate.flipped);
    let hash = kernels.hash(player, opponent);
    let (is_least, is_most) = (value < task.beta, value > task.alpha);
    if task.level == Level::EXACT {
        let lower = if is_least { -value } else { -64 };
        let upper = if is_most { -value } else { 64 };
        crew.table.put(hash, player, opponent, Entry::told(lower, upper), crew.generation);
    } else {
        let Hint { lower, upper, .. } = Hint::UNKNOWN;
        let hint = Hint {
            lower: if is_least { -value * UNIT } else { lower },
            upper: if is_most { -value * UNIT } else { upper },
            effort: task.level.effort(task.node.empties - 1),
            moves: [None; 2],
        };
        crew.hints.put(hash, player, opponent, hint, crew.generation);
    }
}

/// Does an errand on so many threads. Returns what the move is worth to the player of its position, in discs: at most
/// `alpha` is an upper bound, `beta` or more a lower one; `None` if `control` stopped it, or if the tables have bounds that
/// contradict each other.
pub(crate) fn run<K: SearchSet>(
    kernels: K,
    tools: &Tools<'_>,
    errand: &Errand,
    threads: usize,
    control: &Control,
) -> Option<i32> {
    let position = errand.position();
    let crew = Crew::new(tools, control, u64::MAX, position).of_threads(threads);
    with_threads(kernels, &crew, |searcher| {
        let board = Board { player: position.player(), opponent: position.opponent() };
        let square = errand.square().index();
        let flipped = kernels.flip(board.player, board.opponent, square);
        let candidate =
            Candidate { flipped, square, estimate: errand.estimate(), ..Candidate::default() };
        let node = Node { estimate: errand.estimate(), ..Node::new(kernels, board) };
        let (alpha, beta) = errand.window();
        let value = brother(searcher, &Task::new(node, alpha, beta, errand.level()), candidate);
        searcher.report_nodes();
        value.ok()
    })
}

#[cfg(test)]
mod tests {
    use outflank_kernel::{KernelSet, Scalar};

    use super::*;
    use crate::search::fixture::{Fixture, moves, node, position};

    /// What others find of a move goes into the tables as whoever moves next sees it.
    #[test]
    fn a_value_outside_of_the_window_or_at_its_ends_bounds_one_side() {
        let (kernels, node) = (Scalar::new(), node(position(1, 20)));
        let candidate = moves(&node)[0];
        let Board { player, opponent } = node.board.after(candidate.square, candidate.flipped);
        let hash = kernels.hash(player, opponent);
        let Hint { lower, upper, .. } = Hint::UNKNOWN;
        for (value, proved, believed) in [
            (-4, (4, 64), (4 * UNIT, upper)),
            (0, (0, 64), (0, upper)),
            (2, (-2, -2), (-2 * UNIT, -2 * UNIT)),
            (6, (-64, -6), (lower, -6 * UNIT)),
            (10, (-64, -10), (lower, -10 * UNIT)),
        ] {
            let fixture = Fixture::new();
            let tools = fixture.tools();
            let crew = Crew::new(&tools, &fixture.control, u64::MAX, Position::START);
            let selective = Level::at(0).expect("it is the first step");
            remember(kernels, &crew, &Task::new(node, 0, 6, selective), &candidate, value);
            let hint = fixture.hints.get(hash, player, opponent).expect("it is believed");
            assert_eq!((hint.lower, hint.upper), believed, "{value}");
            assert_eq!(hint.effort, selective.effort(19));
            assert_eq!(fixture.table.get(hash, player, opponent), None, "nothing is proved");
            remember(kernels, &crew, &Task::new(node, 0, 6, Level::EXACT), &candidate, value);
            let entry = fixture.table.get(hash, player, opponent).expect("it is proved");
            assert_eq!((entry.lower, entry.upper), proved, "{value}");
        }
    }
}
