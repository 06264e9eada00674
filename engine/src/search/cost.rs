//! What it will cost to show that a move is good enough, so that the cheapest such move comes first.
//!
//! Where a move cuts off, most often several would, and their trees differ by factors. A tree below
//! a move must answer *every* reply of the opponent, but each with *one* move. So the cost of a
//! move is the sum over the replies of the cost of the cheapest answer, as with proof numbers (L.
//! V. Allis); after some pairs of a reply and an answer the cost is guessed from what the position
//! is worth and how many moves the opponent has there.
//!
//! How far below the window all this is does not matter: another `alpha` multiplies all costs alike.

use super::SearchSet;
use super::board::Node;
use super::order::{Candidate, Outlook, after_at_a_glance};
use crate::evaluation::{UNIT, Weights};

/// How far the costs of moves are looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scrutiny {
    /// How many of the moves are compared, the first in the order of their promise.
    moves: usize,
    /// How many pairs of a reply and an answer are played.
    pairs: usize,
}

impl Scrutiny {
    /// Returns what is right for a node that is expected to be worth `estimate`, in units of the
    /// evaluation: the larger the tree below it, the more may be spent. `None` if costs do not
    /// matter, because no move will do, or do not pay.
    #[inline(always)]
    pub(super) fn for_node(empties: u32, estimate: i32, alpha: i32) -> Option<Self> {
        if Outlook::new(estimate, alpha) == Outlook::Low {
            return None;
        }
        let above = (estimate - (alpha + 1) * UNIT).max(0);
        match empties.saturating_sub((above / AS_A_SQUARE_LESS) as u32) {
            0..12 => None,
            12..14 => Some(Self { moves: 3, pairs: 1 }),
            14..17 => Some(Self { moves: 5, pairs: 1 }),
            17..24 => Some(Self { moves: 5, pairs: 2 }),
            _ => Some(Self { moves: 5, pairs: 3 }),
        }
    }
}

/// By how much the value must be expected above the window, in units of the evaluation, for the
/// tree to be as small as with an empty square less.
const AS_A_SQUARE_LESS: i32 = 8 * UNIT;

/// Fewest empty squares at which the cost of a known move is compared with the costs of others.
pub(super) const DOUBT_KNOWN_FROM: u32 = 16;

/// What the cost of a known move is multiplied with: it has cut off before, the others are promises.
const KNOWN: f32 = 0.75;

/// Moves that promise so much less than the best, in units of the evaluation, are not compared.
const FAR_BEHIND: i32 = 12 * UNIT;

/// The most moves that are compared by one pair, by two, and by three: the cheapest by one pair
/// less.
const COMPARED: [usize; 3] = [5, 3, 2];

/// While another comparison follows, costs are found out up to so many times the least.
const SLACK: f32 = 3.0;

/// A comparison of the moves of a node.
#[derive(Debug)]
pub(super) struct Comparison<'a, K> {
    pub(super) kernels: K,
    pub(super) weights: &'a Weights,
    pub(super) node: &'a Node,
    /// The move that cut off in an earlier search.
    pub(super) known: Option<u8>,
}

impl<K: SearchSet> Comparison<'_, K> {
    /// Puts the cheapest of the `candidates` first. The others keep their order, in which the most
    /// promising comes first: if the cheapest fails, that counts more.
    #[inline(always)]
    pub(super) fn cheapest_first(&self, candidates: &mut [Candidate], scrutiny: Scrutiny) {
        let (mut order, mut count) = self.contenders(candidates, scrutiny.moves);
        for pairs in 1..=scrutiny.pairs {
            count = count.min(COMPARED[pairs - 1]);
            if count < 2 {
                break;
            }
            let slack = if pairs == scrutiny.pairs { 1.0 } else { SLACK };
            self.rank(candidates, &mut order[..count], pairs, slack);
        }
        if count > 0 {
            candidates[..=order[0]].rotate_right(1);
        }
    }

    /// Returns the places of the moves to compare, and their number.
    #[inline(always)]
    fn contenders(&self, candidates: &[Candidate], most: usize) -> ([usize; COMPARED[0]], usize) {
        let candidates = &candidates[..most.min(candidates.len())];
        let unknown = candidates.iter().filter(|candidate| !candidate.is_known());
        let best = unknown.map(|candidate| candidate.key).max().unwrap_or(0);
        let (mut order, mut count) = ([0; COMPARED[0]], 0);
        for (place, candidate) in candidates.iter().enumerate() {
            if candidate.key >= best - FAR_BEHIND {
                order[count] = place;
                count += 1;
            }
        }
        (order, count)
    }

    /// Sorts the places in `order` by the costs of their moves.
    #[inline(always)]
    fn rank(&self, candidates: &[Candidate], order: &mut [usize], pairs: usize, slack: f32) {
        let mut costs = [f32::INFINITY; COMPARED[0]];
        for index in 0..order.len() {
            let which = order[index];
            let Candidate { square, flipped, .. } = candidates[which];
            let after = self.node.after(self.kernels, square, flipped);
            let factor = if self.known == Some(square as u8) { KNOWN } else { 1.0 };
            let limit = costs[0] * slack / factor;
            let cost = factor * self.kernels.cost(self.weights, &after, pairs, limit);
            let mut place = index;
            while place > 0 && costs[place - 1] > cost {
                costs[place] = costs[place - 1];
                order[place] = order[place - 1];
                place -= 1;
            }
            costs[place] = cost;
            order[place] = which;
        }
    }
}

/// Returns what it will cost to answer every reply of the player of `node`: the cost, or a number
/// that is not less than `limit` if the cost is not.
#[inline(always)]
pub(super) fn body<K: SearchSet>(
    kernels: K,
    weights: &Weights,
    node: &Node,
    pairs: usize,
    limit: f32,
) -> f32 {
    let board = node.board;
    let mut replies = kernels.moves(board.player, board.opponent);
    if replies == 0 {
        return cheapest_answer(kernels, weights, &node.pass(kernels), pairs, limit);
    }
    let mut sum = 0.0;
    while replies != 0 && sum < limit {
        let square = replies.trailing_zeros();
        replies &= replies - 1;
        let flipped = kernels.flip(board.player, board.opponent, square);
        let after = node.after(kernels, square, flipped);
        sum += cheapest_answer(kernels, weights, &after, pairs, limit - sum);
    }
    sum
}

/// Returns the cost of the cheapest move of `node`, or a number that is not less than `limit`.
#[inline(always)]
fn cheapest_answer<K: SearchSet>(
    kernels: K,
    weights: &Weights,
    node: &Node,
    pairs: usize,
    limit: f32,
) -> f32 {
    let moves = kernels.moves(node.board.player, node.board.opponent);
    if moves == 0 {
        return at_a_pass(kernels, weights, node);
    }
    if pairs == 1 {
        let answers = Answers::new(kernels, node, moves, evaluated(node.empties));
        return answers.costs(kernels, weights, node).fold(f32::INFINITY, f32::min);
    }
    let answers = Answers::new(kernels, node, moves, MOST_ANSWERS);
    let mut least = f32::INFINITY;
    for answer in answers.cheapest_two(kernels, weights, node).into_iter().flatten() {
        let after = node.after(kernels, answer.square, answer.flipped);
        least = least.min(kernels.cost(weights, &after, pairs - 1, limit.min(least)));
    }
    least
}

/// Returns how many answers are evaluated at the last pair, with that many empty squares before them.
#[inline(always)]
const fn evaluated(empties: u32) -> usize {
    if empties < 14 { 2 } else { 3 }
}

/// Returns the cost of a position whose player, for whom it is to be proved, must pass.
#[inline(always)]
fn at_a_pass<K: SearchSet>(kernels: K, weights: &Weights, node: &Node) -> f32 {
    let replies = kernels.count(kernels.moves(node.board.opponent, node.board.player));
    if replies == 0 {
        return guess(node.board.final_score(kernels) * UNIT, 0);
    }
    guess(kernels.evaluate(weights, &node.features, node.empties, (0, replies)), replies)
}

/// The most answers to a reply that are looked at: those that leave the opponent the fewest moves.
const MOST_ANSWERS: usize = 8;

/// An answer to a reply.
#[derive(Clone, Copy, Debug, Default)]
struct Answer {
    flipped: u64,
    /// The opponent's moves after it.
    replies: u64,
    square: u32,
    /// How many these are.
    count: u32,
}

/// The answers to a reply that leave the opponent the fewest moves, in this order.
#[derive(Debug)]
struct Answers {
    list: [Answer; MOST_ANSWERS],
    count: usize,
}

impl Answers {
    /// Keeps at most `most` of the `moves`.
    #[inline(always)]
    fn new<K: SearchSet>(kernels: K, node: &Node, moves: u64, most: usize) -> Self {
        let mut list = [Answer::default(); MOST_ANSWERS];
        let mut kept = 0;
        let mut rest = moves;
        while rest != 0 {
            let square = rest.trailing_zeros();
            rest &= rest - 1;
            let flipped = kernels.flip(node.board.player, node.board.opponent, square);
            let after = node.board.after(square, flipped);
            let replies = kernels.moves(after.player, after.opponent);
            let count = kernels.count(replies);
            let mut place = kept;
            while place > 0 && list[place - 1].count > count {
                place -= 1;
            }
            if place < most {
                kept = most.min(kept + 1);
                list.copy_within(place..kept - 1, place + 1);
                list[place] = Answer { flipped, replies, square, count };
            }
        }
        Self { list, count: kept }
    }

    /// Returns a guess at the cost of each.
    #[inline(always)]
    fn costs<K: SearchSet>(
        &self,
        kernels: K,
        weights: &Weights,
        node: &Node,
    ) -> impl Iterator<Item = f32> {
        self.list[..self.count].iter().map(move |answer| {
            let &Answer { flipped, square, replies, count } = answer;
            let candidate = Candidate { flipped, square, ..Candidate::default() };
            guess(after_at_a_glance(kernels, weights, node, candidate, replies), count)
        })
    }

    /// Returns the two that seem to cost least, the cheapest first.
    #[inline(always)]
    fn cheapest_two<K: SearchSet>(
        &self,
        kernels: K,
        weights: &Weights,
        node: &Node,
    ) -> [Option<Answer>; 2] {
        let (mut least, mut cheapest) = ([f32::INFINITY; 2], [None; 2]);
        for (&answer, cost) in self.list.iter().zip(self.costs(kernels, weights, node)) {
            if cost < least[0] {
                (least, cheapest) = ([cost, least[0]], [Some(answer), cheapest[0]]);
            } else if cost < least[1] {
                (least[1], cheapest[1]) = (cost, Some(answer));
            }
        }
        cheapest
    }
}

/// By how much more a position is worth, in units of the evaluation, if its cost is half as much.
const HALVING: i32 = 185;

/// Returns a guess at the cost of a position that is expected to be worth `value`, in units of the
/// evaluation, to the player who must be shown to have enough, and in which the opponent has so many
/// `replies`.
///
/// Both the exponent and the square were fitted to what searches of 1,400 positions of 16 to 20
/// empty squares took for each of their moves.
#[inline(always)]
fn guess(value: i32, replies: u32) -> f32 {
    let replies = replies as f32 + 0.5;
    replies * replies * power_of_two(-value * STEPS / HALVING)
}

/// Steps of a power of two, as a power of two.
const STEPS: i32 = 64;

/// Returns 2 to the power of `exponent` / [`STEPS`]: the same bits on every processor, unlike what
/// the mathematical libraries return.
#[inline(always)]
fn power_of_two(exponent: i32) -> f32 {
    let whole = exponent.div_euclid(STEPS);
    let part = exponent.rem_euclid(STEPS) as usize;
    f32::from_bits(((127 + whole) as u32) << 23) * PARTS[part]
}

/// 2 to the power of each part of a step.
static PARTS: [f32; STEPS as usize] = {
    /// 2 to the power of 1 / [`STEPS`].
    const STEP: f64 = 1.010_889_286_051_700_5;
    let mut parts = [1.0; STEPS as usize];
    let mut power = 1.0;
    let mut index = 0;
    while index < STEPS as usize {
        parts[index] = power as f32;
        power *= STEP;
        index += 1;
    }
    parts
};

#[cfg(test)]
mod tests;
