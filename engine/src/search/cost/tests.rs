//! Costs against their definition, on every instruction set.

use outflank_kernel::{Isa, KernelSet, Scalar, with_set};

use super::*;
use crate::evaluation::EvaluationSet;
use crate::table::{Effort, Entry, Hint, Hints, Table};
use crate::{Position, Square};

fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// Returns a position in which somebody can move, from a random game.
fn position(empties: u32, seed: &mut u64) -> Position {
    loop {
        let mut position = Position::START;
        while position.empties() > empties && !position.is_over() {
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            position = match moves.len() {
                0 => position.pass(),
                count => {
                    let square = moves[(random(seed) % count as u64) as usize];
                    position.play(square).unwrap()
                }
            };
        }
        if !position.is_over() {
            return position;
        }
    }
}

fn node<K: SearchSet>(kernels: K, position: Position) -> Node {
    let board = Board { player: position.player(), opponent: position.opponent() };
    Node::new(kernels, board)
}

/// What `position`, in which the opponent moves, is worth to the other player.
fn value(position: Position) -> i32 {
    if position.is_over() {
        return -position.final_score().discs() * UNIT;
    }
    let weights = Weights::embedded().unwrap();
    -Scalar::new().evaluate_board(weights, position.player(), position.opponent())
}

/// Returns the costs of proofs that positions are worth more than a draw.
fn model() -> CostModel<'static> {
    let weights = Weights::embedded().unwrap();
    CostModel::new(weights, 0).expect("the embedded weights say what proofs cost")
}

fn prospect_of(position: Position) -> Prospect {
    model().prospect(position.empties(), position.moves().count_ones(), value(position))
}

fn ratio(prospect: Prospect) -> f32 {
    prospect.cost / prospect.chance
}

/// The definition: the sum over the replies of the cost of the cheapest answer.
fn reference(position: Position, pairs: usize) -> f32 {
    if position.moves() == 0 {
        return reference_answer(position.pass(), pairs);
    }
    let replies = Square::all(position.moves());
    replies.map(|square| reference_answer(position.play(square).unwrap(), pairs)).sum()
}

fn reference_answer(position: Position, pairs: usize) -> f32 {
    let play = |square| position.play(square).unwrap();
    let mut answers: Vec<Position> = Square::all(position.moves()).map(play).collect();
    if answers.is_empty() {
        let after = position.pass();
        let loss = model().loss(after.empties());
        return match after.is_over() {
            true if after.final_score().discs() < 0 => 0.0,
            true => loss,
            false => in_turn(&[prospect_of(after)], loss),
        };
    }
    answers.sort_by_key(|after| after.moves().count_ones());
    if pairs == 1 {
        answers.truncate(EVALUATED);
        let mut prospects: Vec<Prospect> = answers.into_iter().map(prospect_of).collect();
        prospects.sort_by(|&one, &other| ratio(one).total_cmp(&ratio(other)));
        return in_turn(&prospects, model().loss(position.empties() - 1));
    }
    answers.truncate(MOST_ANSWERS);
    let ratio = |after: &Position| ratio(prospect_of(*after));
    answers.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    answers.truncate(2);
    let costs = answers.into_iter().map(|after| reference(after, pairs - 1));
    costs.fold(f32::INFINITY, f32::min)
}

/// The first is tried for sure, the second if the first fails, and so on.
fn in_turn(prospects: &[Prospect], loss: f32) -> f32 {
    let (mut sum, mut all_fail) = (0.0, 1.0);
    for prospect in prospects {
        sum += all_fail * prospect.cost;
        all_fail *= 1.0 - prospect.chance;
    }
    sum + all_fail * loss
}

#[test]
fn every_set_finds_the_cost_by_its_definition() {
    let mut seed = 0x0DDB_1A5E;
    for empties in [6, 14, 16, 20, 24] {
        for pairs in [1, 1, 1, 2] {
            let position = position(empties, &mut seed);
            let expected = reference(position, pairs);
            for isa in Isa::available() {
                let found = with_set!(isa, set => {
                    set.cost(model(), &node(set, position), pairs, f32::INFINITY)
                });
                assert_eq!(
                    found.to_bits(),
                    expected.to_bits(),
                    "{isa}, {pairs} pairs: {position:?}"
                );
            }
        }
    }
}

#[test]
fn a_limit_changes_no_cost_below_it() {
    let mut seed = 0x5EED_5EED;
    for case in 0..60 {
        let position = position(12 + case % 10, &mut seed);
        let pairs = 1 + case as usize % 2;
        let node = node(Scalar::new(), position);
        let cost = Scalar::new().cost(model(), &node, pairs, f32::INFINITY);
        for part in [0.1, 0.5, 0.9, 1.1, 2.0] {
            let limit = cost * part;
            let found = Scalar::new().cost(model(), &node, pairs, limit);
            if part < 1.0 {
                assert!(found >= limit, "{found} below {limit}, the cost is {cost}");
            } else {
                assert_eq!(found.to_bits(), cost.to_bits(), "limit {limit}");
            }
        }
    }
}

#[test]
fn the_cheapest_move_comes_first_and_the_others_keep_their_order() {
    let mut seed = 0xC0FF_EE00;
    for case in 0..40 {
        let node = node(Scalar::new(), position(16 + case % 3, &mut seed));
        let moves = Scalar::new().moves(node.board.player, node.board.opponent);
        let mut candidates = Candidates::new(Scalar::new(), node.board, moves);
        let before: Vec<u32> = candidates.as_slice().iter().map(|one| one.square).collect();
        let costs =
            candidates.as_slice().iter().take(5).map(|&Candidate { square, flipped, .. }| {
                let after = node.after(Scalar::new(), square, flipped);
                Scalar::new().cost(model(), &after, 1, f32::INFINITY)
            });
        let cheapest = costs.enumerate().min_by(|one, other| one.1.total_cmp(&other.1));
        let (kernels, model) = (Scalar::new(), model());
        let comparison = Comparison { kernels, model, node: &node };
        comparison.cheapest_first(candidates.as_mut_slice(), Scrutiny { moves: 5, pairs: 1 });
        let mut expected = before;
        if let Some((place, _)) = cheapest {
            expected[..=place].rotate_right(1);
        }
        let after: Vec<u32> = candidates.as_slice().iter().map(|one| one.square).collect();
        assert_eq!(after, expected);
    }
}

/// Tables of a search, large enough for what the tests put into them.
struct Tables(Table, Hints);

impl Tables {
    fn new() -> Self {
        let tables = Self(Table::new(1 << 20).unwrap(), Hints::new(1 << 20).unwrap());
        tables.0.prepare(60);
        tables.1.prepare(60);
        tables
    }

    fn probe(&self) -> Probe<'_> {
        Probe { table: &self.0, hints: &self.1 }
    }

    /// Keeps a proof that `position` is worth from `lower` to `upper` discs to its player.
    fn prove(&self, position: Position, lower: i32, upper: i32) {
        let (player, opponent) = (position.player(), position.opponent());
        let entry = Entry { lower, upper, moves: [None; 2], cost: 0 };
        self.0.put(Scalar::new().hash(player, opponent), player, opponent, entry, 1);
    }

    /// Keeps what a search of so many plies believes of `position`, in discs, and its best move.
    fn believe(&self, position: Position, lower: i32, upper: i32, plies: u32, best: Square) {
        let (player, opponent) = (position.player(), position.opponent());
        let effort = Effort { plies: plies as u8, level: 0 };
        let unknown = Hint::UNKNOWN;
        let hint = Hint {
            lower: if lower > -64 { lower * UNIT } else { unknown.lower },
            upper: if upper < 64 { upper * UNIT } else { unknown.upper },
            effort,
            moves: [Some(best.index() as u8), None],
        };
        self.1.put(Scalar::new().hash(player, opponent), player, opponent, hint, 1);
    }

    /// Returns the cost of the move to `position` by one pair, with these tables.
    fn cost(&self, position: Position) -> f32 {
        let node = node(Scalar::new(), position);
        Scalar::new().cost(model().probing(self.probe()), &node, 1, f32::INFINITY)
    }
}

/// Returns a position with so many empty squares and at least two replies, each of which can be
/// answered by a move, and these replies.
fn with_replies(empties: u32, seed: &mut u64) -> (Position, Vec<Position>) {
    loop {
        let position = position(empties, seed);
        let replies: Vec<Position> =
            Square::all(position.moves()).map(|square| position.play(square).unwrap()).collect();
        let answered =
            replies.iter().all(|reply| reply.empties() == empties - 1 && reply.moves() != 0);
        if replies.len() > 1 && answered {
            return (position, replies);
        }
    }
}

/// The costs of the replies, summed up in their order.
fn sum(costs: impl IntoIterator<Item = f32>) -> f32 {
    costs.into_iter().sum()
}

#[test]
fn empty_tables_and_bounds_that_decide_nothing_change_no_cost() {
    let mut seed = 0xBEEF_CAFE;
    for empties in [13, 15, 17, 20] {
        let (position, replies) = with_replies(empties, &mut seed);
        let tables = Tables::new();
        let expected = reference(position, 1);
        assert_eq!(tables.cost(position).to_bits(), expected.to_bits());
        // The question is whether the value is above 0.
        for &reply in &replies {
            tables.prove(reply, 0, 2);
        }
        assert_eq!(tables.cost(position).to_bits(), expected.to_bits());
    }
}

#[test]
fn what_is_proved_costs_nothing_and_what_is_refuted_makes_a_move_vain() {
    let mut seed = 0xFACE_FEED;
    for empties in [13, 14, 15, 18, 21] {
        let (position, replies) = with_replies(empties, &mut seed);
        let tables = Tables::new();
        let last = replies.len() - 1;
        tables.prove(replies[last], 2, 64);
        let expected = sum(replies[..last].iter().map(|&reply| reference_answer(reply, 1)));
        assert_eq!(tables.cost(position).to_bits(), expected.to_bits());
        tables.prove(replies[0], -64, 0);
        assert_eq!(tables.cost(position).to_bits(), IN_VAIN.to_bits());
    }
}

#[test]
fn a_reply_with_a_proved_answer_costs_nothing() {
    let mut seed = 0x0DD_BA11;
    for empties in [17, 18, 20] {
        let (position, replies) = with_replies(empties, &mut seed);
        let tables = Tables::new();
        let answer = Square::all(replies[0].moves()).last().unwrap();
        tables.prove(replies[0].play(answer).unwrap(), -64, -2);
        let expected = sum(replies[1..].iter().map(|&reply| reference_answer(reply, 1)));
        assert_eq!(tables.cost(position).to_bits(), expected.to_bits());
    }
}

#[test]
fn only_beliefs_to_the_end_count() {
    let mut seed = 0x51DE_CA12;
    for empties in [14, 17, 20] {
        let (position, replies) = with_replies(empties, &mut seed);
        let reply = replies[0];
        let best = Square::all(reply.moves()).last().unwrap();
        let others = || replies[1..].iter().map(|&reply| reference_answer(reply, 1));
        let loss = model().loss(empties - 2);

        let tables = Tables::new();
        tables.believe(reply, 2, 64, empties - 2, best);
        assert_eq!(tables.cost(position).to_bits(), reference(position, 1).to_bits());

        tables.believe(reply, 2, 64, empties - 1, best);
        let after = reply.play(best).unwrap();
        if after.moves() != 0 {
            let believed = BELIEVED.0 * prospect_of(after).cost + BELIEVED.1 * loss;
            let expected = sum(std::iter::once(believed).chain(others()));
            assert_eq!(tables.cost(position).to_bits(), expected.to_bits());
        }

        let tables = Tables::new();
        tables.believe(reply, -64, 0, empties - 1, best);
        let expected = sum(std::iter::once(DOUBTED * loss).chain(others()));
        assert_eq!(tables.cost(position).to_bits(), expected.to_bits());
    }
}

#[test]
fn a_comparison_ends_when_the_search_is_stopped() {
    let position = position(20, &mut 4);
    let control = Control::default();
    let cost = |pairs| {
        let kernels = Scalar::new();
        kernels.cost(model().ended_by(&control), &node(kernels, position), pairs, 1e9)
    };
    let costs = [1, 2, 3].map(cost);
    assert!(costs.iter().all(|&cost| cost < 1e9), "{costs:?}");
    control.stop();
    assert_eq!([1, 2, 3].map(cost), [costs[0], 1e9, 1e9]);
}
