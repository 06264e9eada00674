//! What it will cost to show that a move is good enough, so that the cheapest such move comes first.
//!
//! Where a move cuts off, most often several would, and their trees differ by factors. A tree below
//! a move must answer *every* reply of the opponent, but each with *one* move. So the cost of a
//! move is the sum over the replies of the cost of the cheapest answer, as with proof numbers (L.
//! V. Allis). After some pairs of a reply and an answer it is what searches of such positions have
//! taken: those with as many empty squares and replies, and the evaluation as far above the window
//! ([`Costs`]). An answer that may fail costs what the next one takes, too, and if all fail, the
//! whole move was in vain. What the tables know of a position ([`probe`](super::probe)) comes before all that.

mod attempts;

use self::attempts::{Attempts, EVALUATED};
use super::SearchSet;
use super::board::{Board, Node};
use super::order::{Candidate, Candidates, MOST_MOVES, Outlook, after_at_a_glance};
use super::probe::{Probe, Verdict};
use super::witness::Witness;
use crate::Control;
use crate::evaluation::costs::Prospect;
use crate::evaluation::{Costs, UNIT, Weights};

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
pub(super) const DOUBT_KNOWN_FROM: u32 = 14;

/// Moves that promise so much less than the best, in units of the evaluation, are not compared.
const FAR_BEHIND: i32 = 9 * UNIT;

/// The most moves that are compared by one pair, by two, and by three: the cheapest by one pair
/// less.
const COMPARED: [usize; 3] = [5, 3, 2];

/// While another comparison follows, costs are found out up to so many times the least.
const SLACK: f32 = 1.5;

/// What tells the costs of proofs that the value of positions is above `alpha`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostModel<'a> {
    weights: &'a Weights,
    costs: &'a Costs,
    /// The value that the one who proves must be shown to exceed, in discs.
    alpha: i32,
    /// What is remembered, if anything is.
    probe: Option<Probe<'a>>,
    witness: Option<&'a Witness>,
    /// What ends comparisons early: those of many empty squares take milliseconds.
    control: Option<&'a Control>,
}

impl<'a> CostModel<'a> {
    /// Returns the model with these weights, if they say what proofs cost.
    #[inline(always)]
    pub(super) fn new(weights: &'a Weights, alpha: i32) -> Option<Self> {
        Some(Self {
            weights,
            costs: weights.costs()?,
            alpha,
            probe: None,
            witness: None,
            control: None,
        })
    }

    /// Returns the model with what earlier searches left.
    #[inline(always)]
    pub(super) fn probing(self, probe: Probe<'a>) -> Self {
        Self { probe: Some(probe), ..self }
    }

    /// Returns the model with somebody who wants to see what is looked at.
    #[inline(always)]
    pub(super) fn seen_by(self, witness: Option<&'a Witness>) -> Self {
        Self { witness, ..self }
    }

    /// Returns the model that `control` ends: what a cost is then has no meaning.
    #[inline(always)]
    pub(super) fn ended_by(self, control: &'a Control) -> Self {
        Self { control: Some(control), ..self }
    }

    /// Returns what is remembered of a position that the one who proves is to move in.
    #[inline(always)]
    fn verdict<K: SearchSet>(self, kernels: K, board: Board, empties: u32) -> Verdict {
        match self.probe {
            Some(probe) => probe.verdict(kernels, board, empties, self.alpha),
            None => Verdict::Unknown,
        }
    }

    /// Asks for what is remembered of the positions after `moves` of `node`; see
    /// [`Probe::prefetch_after`].
    #[inline(always)]
    fn prefetch_after<K: SearchSet>(
        self,
        kernels: K,
        node: &Node,
        moves: &Candidates,
    ) -> [u64; MOST_MOVES] {
        match self.probe {
            Some(probe) => probe.prefetch_after(kernels, node, moves),
            None => [0; MOST_MOVES],
        }
    }

    /// Returns whether one of the `moves` of `node` is known to be a proof.
    #[inline(always)]
    fn has_proof(self, node: &Node, moves: &Candidates, hashes: &[u64; MOST_MOVES]) -> bool {
        self.probe.is_some_and(|probe| probe.has_proof(node, moves, hashes, self.alpha))
    }

    /// Returns the prospect of a proof in a position whose player has so many `replies`, and which
    /// seems to be worth `value`, in units of the evaluation, to the one who proves.
    #[inline(always)]
    fn prospect(self, empties: u32, replies: u32, value: i32) -> Prospect {
        self.costs.prospect(empties, replies, value - self.alpha * UNIT)
    }

    /// Returns what it costs if there is no proof of a position with so many empty squares.
    #[inline(always)]
    fn loss(self, empties: u32) -> f32 {
        LOSS * self.costs.mean(empties)
    }
}

/// What a failure costs, in positions of as many empty squares: the move it belongs to has some ten
/// such below it, and so has the next one, which must be tried then. Twice as much or half of it is
/// as good.
const LOSS: f32 = 30.0;

/// A comparison of the moves of a node.
#[derive(Debug)]
pub(super) struct Comparison<'a, K> {
    pub(super) kernels: K,
    pub(super) model: CostModel<'a>,
    pub(super) node: &'a Node,
}

impl<K: SearchSet> Comparison<'_, K> {
    /// Puts the cheapest of the `candidates` first. The others keep their order, in which the most
    /// promising comes first: if the cheapest fails, that counts more. Returns by how many pairs the
    /// last two or more were compared, and whether another move has come to the front.
    #[inline(always)]
    pub(super) fn cheapest_first(
        &self,
        candidates: &mut [Candidate],
        scrutiny: Scrutiny,
    ) -> (usize, bool) {
        let (mut order, mut count) = self.contenders(candidates, scrutiny.moves);
        let mut compared = 0;
        for pairs in 1..=scrutiny.pairs {
            count = count.min(COMPARED[pairs - 1]);
            if count < 2 {
                break;
            }
            let slack = if pairs == scrutiny.pairs { 1.0 } else { SLACK };
            self.rank(candidates, &mut order[..count], pairs, slack);
            compared = pairs;
        }
        if count > 0 {
            candidates[..=order[0]].rotate_right(1);
        }
        (compared, order[0] != 0)
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
            let cost = self.kernels.cost(self.model, &after, pairs, costs[0] * slack);
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
    model: CostModel<'_>,
    node: &Node,
    pairs: usize,
    limit: f32,
) -> f32 {
    if pairs > 1 && model.control.is_some_and(Control::is_stopped) {
        return limit;
    }
    let board = node.board;
    let replies = kernels.moves(board.player, board.opponent);
    if replies == 0 {
        return cheapest_answer(
            kernels,
            model,
            &node.pass(kernels),
            Verdict::Unknown,
            pairs,
            limit,
        );
    }
    let replies = Candidates::new(kernels, board, replies);
    if let Some(probe) = model.probe {
        // All lines are on their way before the first is needed.
        for &Candidate { flipped, square, .. } in replies.as_slice() {
            probe.prefetch(kernels, board.after(square, flipped), node.empties - 1);
        }
    }
    let mut sum = 0.0;
    for &Candidate { flipped, square, .. } in replies.as_slice() {
        let verdict = model.verdict(kernels, board.after(square, flipped), node.empties - 1);
        match verdict {
            Verdict::Proved => continue,
            Verdict::Refuted => return IN_VAIN,
            _ => {}
        }
        let after = node.after(kernels, square, flipped);
        sum += cheapest_answer(kernels, model, &after, verdict, pairs, limit - sum);
        if sum >= limit {
            break;
        }
    }
    sum
}

/// Returns the cost of the cheapest answer in `node`, of which the `verdict` is no proof, or a number
/// that is not less than `limit`.
#[inline(always)]
fn cheapest_answer<K: SearchSet>(
    kernels: K,
    model: CostModel<'_>,
    node: &Node,
    verdict: Verdict,
    pairs: usize,
    limit: f32,
) -> f32 {
    let moves = kernels.moves(node.board.player, node.board.opponent);
    if moves == 0 {
        return at_a_pass(kernels, model, node);
    }
    let moves = Candidates::new(kernels, node.board, moves);
    let hashes = model.prefetch_after(kernels, node, &moves);
    let loss = model.loss(node.empties - 1);
    match verdict {
        Verdict::Believed(square) => {
            let mut answers = moves.as_slice().iter();
            if let Some(answer) = answers.find(|answer| answer.square == square) {
                if model.has_proof(node, &moves, &hashes) {
                    return 0.0;
                }
                return believed(kernels, model, node, answer, pairs, limit);
            }
        }
        Verdict::Doubted if pairs == 1 => {
            return if model.has_proof(node, &moves, &hashes) { 0.0 } else { DOUBTED * loss };
        }
        _ => {}
    }
    if pairs == 1 {
        let answers = Answers::<EVALUATED>::new(kernels, node, &moves);
        // Not before: what the table holds is on its way.
        if model.has_proof(node, &moves, &hashes) {
            return 0.0;
        }
        if let Some(witness) = model.witness {
            witness.see(node.board, node.empties, model.alpha);
        }
        let mut attempts = Attempts::new();
        for place in 0..answers.count {
            attempts.add(answers.list[place].prospect(kernels, model, node));
        }
        return attempts.cost(loss);
    }
    let answers = Answers::<MOST_ANSWERS>::new(kernels, node, &moves);
    if model.has_proof(node, &moves, &hashes) {
        return 0.0;
    }
    let mut least = f32::INFINITY;
    for answer in answers.cheapest_two(kernels, model, node).into_iter().flatten() {
        let after = node.after(kernels, answer.square, answer.flipped);
        least = least.min(kernels.cost(model, &after, pairs - 1, limit.min(least)));
    }
    least
}

/// What a move costs that does not prove anything: more than all that do.
const IN_VAIN: f32 = 1e30;

/// What it costs where a selective search found no answer, as a part of a loss.
const DOUBTED: f32 = 0.5;

/// Parts of the cost of an answer, and of a loss, that remain where a selective search came to it.
const BELIEVED: (f32, f32) = (0.7, 0.005);

/// Returns the cost of the `answer` that a selective search came to.
#[inline(always)]
fn believed<K: SearchSet>(
    kernels: K,
    model: CostModel<'_>,
    node: &Node,
    answer: &Candidate,
    pairs: usize,
    limit: f32,
) -> f32 {
    if pairs > 1 {
        let after = node.after_candidate(kernels, answer);
        return kernels.cost(model, &after, pairs - 1, limit);
    }
    let Prospect { cost, .. } = Answer::new(kernels, node, answer).prospect(kernels, model, node);
    BELIEVED.0 * cost + BELIEVED.1 * model.loss(node.empties - 1)
}

/// Returns the cost of a position whose player, for whom it is to be proved, must pass.
#[inline(always)]
fn at_a_pass<K: SearchSet>(kernels: K, model: CostModel<'_>, node: &Node) -> f32 {
    let replies = kernels.count(kernels.moves(node.board.opponent, node.board.player));
    let loss = model.loss(node.empties);
    if replies == 0 {
        return if node.board.final_score(kernels) > model.alpha { 0.0 } else { loss };
    }
    let value = kernels.evaluate(model.weights, &node.features, node.empties, (0, replies));
    let Prospect { cost, chance } = model.prospect(node.empties, replies, value);
    cost + (1.0 - chance) * loss
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

impl Answer {
    #[inline(always)]
    fn new<K: SearchSet>(kernels: K, node: &Node, candidate: &Candidate) -> Self {
        let &Candidate { flipped, square, .. } = candidate;
        let after = node.board.after(square, flipped);
        let replies = kernels.moves(after.player, after.opponent);
        Self { flipped, replies, square, count: kernels.count(replies) }
    }

    /// Returns the prospect of a proof after this answer in `node`.
    ///
    /// Callers loop over places: the closure of an iterator would be compiled for any processor, and
    /// its look-ups would become calls.
    #[inline(always)]
    fn prospect<K: SearchSet>(&self, kernels: K, model: CostModel<'_>, node: &Node) -> Prospect {
        let &Self { flipped, square, replies, count } = self;
        let candidate = Candidate { flipped, square, ..Candidate::default() };
        let value = after_at_a_glance(kernels, model.weights, node, candidate, replies);
        model.prospect(node.empties - 1, count, value)
    }
}

/// The answers to a reply that leave the opponent the fewest moves, in this order, at most `MOST`.
#[derive(Debug)]
struct Answers<const MOST: usize> {
    list: [Answer; MOST],
    count: usize,
}

impl<const MOST: usize> Answers<MOST> {
    /// Chooses among `moves`; of two that leave as many moves the first is kept.
    #[inline(always)]
    fn new<K: SearchSet>(kernels: K, node: &Node, moves: &Candidates) -> Self {
        let mut all = [Answer::default(); MOST_MOVES];
        let mut keys = [u32::MAX; MOST];
        for (found, candidate) in moves.as_slice().iter().enumerate() {
            all[found] = Answer::new(kernels, node, candidate);
            // Insertion without a branch: how many replies an answer leaves cannot be foreseen.
            let mut key = all[found].count << 8 | found as u32;
            for kept in &mut keys {
                (*kept, key) = ((*kept).min(key), (*kept).max(key));
            }
        }
        let count = moves.as_slice().len().min(MOST);
        let mut list = [Answer::default(); MOST];
        for place in 0..count {
            list[place] = all[keys[place] as usize & 0xFF];
        }
        Self { list, count }
    }

    /// Returns the two with the least cost for their chance, the cheapest first.
    #[inline(always)]
    fn cheapest_two<K: SearchSet>(
        &self,
        kernels: K,
        model: CostModel<'_>,
        node: &Node,
    ) -> [Option<Answer>; 2] {
        let (mut least, mut cheapest) = ([f32::INFINITY; 2], [None; 2]);
        for place in 0..self.count {
            let answer = self.list[place];
            let ratio = answer.prospect(kernels, model, node).ratio();
            if ratio < least[0] {
                (least, cheapest) = ([ratio, least[0]], [Some(answer), cheapest[0]]);
            } else if ratio < least[1] {
                (least[1], cheapest[1]) = (ratio, Some(answer));
            }
        }
        cheapest
    }
}

#[cfg(test)]
mod tests;
