//! Proofs of small positions whose store is filled by brute force.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufWriter};
use std::sync::Arc;

use outflank_checker::line::Root;
use outflank_checker::resolve::resolve;
use outflank_checker::sample::Sample;
use outflank_checker::verify::{Verified, verify};
use outflank_engine::{BoardSize, Bound, Position, Score, Square, Symmetry, brute_force};

use super::claim::{Claim, Side};
use super::evidence::Evidence;
use super::writer::Writer;
use super::{Options, ProofError, Reason, Summary, export};
use crate::store::{Method, Origin, Provenance, Record, Store};

/// Returns the position of a random game when `empties` squares are left, or of another game if
/// this one ends before.
fn game(mut seed: u64, empties: u32) -> Position {
    let mut position = Position::START;
    while position.empties() > empties {
        if position.is_over() {
            position = Position::START;
        }
        if position.must_pass() {
            position = position.pass();
            continue;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        let square = moves[(seed >> 33) as usize % moves.len()];
        position = position.play(square).expect("it is legal");
    }
    position
}

fn record(position: Position, bound: Bound, method: Method, worker: &str) -> Record {
    let origin = Origin { worker: worker.to_owned(), ..Origin::default() };
    let provenance = Provenance { method, origin: Arc::new(origin) };
    Record { position: position.canonical(), bound, best_move: None, nodes: 7, provenance }
}

/// Stores the values of all positions after `position`: inferred ones, and searched ones with at
/// most `leaf` empty squares.
fn fill(store: &Store, position: Position, leaf: u32) {
    if position.is_over() || store.get(position.canonical()).is_some() {
        return;
    }
    let bound = Bound::exact(brute_force::value(position));
    if position.empties() <= leaf {
        let record = record(position, bound, Method::Search, "worker");
        store.append(&[record]).expect("memory does not fail");
        return;
    }
    if position.must_pass() {
        fill(store, position.pass(), leaf);
    }
    let after = Square::all(position.moves()).filter_map(|square| position.play(square));
    after.for_each(|next| fill(store, next, leaf));
    let record = record(position, bound, Method::Inference, "coordinator");
    store.append(&[record]).expect("memory does not fail");
}

fn written(store: &Store, roots: &[Position], max_leaf: Option<u32>) -> (Summary, Vec<u8>) {
    let mut file = Vec::new();
    let options = Options { producer: "test".to_owned(), max_leaf };
    let summary = export(store, roots, &options, &mut file).expect("everything is stored");
    (summary, file)
}

/// Lets the checker verify the file and solve all leaves again.
fn checked(file: &[u8]) -> Verified {
    let mut sample = Sample::new(usize::MAX, 64, 1);
    let verified = verify(file, &mut sample).expect("the proof is accepted");
    let leaves = sample.leaves();
    assert_eq!(leaves.len() as u64, verified.leaves);
    assert!(resolve(&leaves, 1, |_| ()).is_true.iter().all(|&is_true| is_true));
    verified
}

#[test]
fn proofs_are_accepted_and_are_the_same_every_time() {
    let mut interior = 0;
    for seed in 0..20 {
        let store = Store::in_memory();
        let mut games = (1000 * seed..).map(|seed| game(seed, 7));
        let some_root = games.find(|root| !root.is_over()).expect("most games go on");
        let passing = games.find(|root| root.must_pass()).expect("some positions are passes");
        let roots = [some_root, passing];
        roots.iter().for_each(|&root| fill(&store, root, 4));
        let (summary, file) = written(&store, &roots, None);
        assert_eq!(written(&store, &roots, None), (summary.clone(), file.clone()));
        let verified = checked(&file);
        interior += verified.by_move + verified.by_all;
        assert_eq!((verified.rows(), verified.leaves), (summary.rows, summary.leaves));
        assert_eq!(verified.seal, summary.seal);
        for (root, position) in verified.first_roots.iter().zip(roots) {
            let value = brute_force::value(position).discs();
            let Root { lower, upper, position: given, .. } = *root;
            assert_eq!((lower, upper, given.player), (value, value, position.player()));
        }
    }
    assert!(interior > 500, "{interior} inferences");
}

#[test]
fn large_leaves_are_replaced_by_what_follows_them() {
    let (store, root) = (Store::in_memory(), game(5, 8));
    let exact = Bound::exact(brute_force::value(root));
    let searched = record(root, exact, Method::Search, "worker");
    store.append(&[searched]).expect("memory does not fail");
    let after = Square::all(root.moves()).filter_map(|square| root.play(square));
    after.for_each(|next| fill(&store, next, 4));
    let (whole, file) = written(&store, &[root], None);
    assert_eq!((whole.rows, whole.leaves), (2, 2));
    checked(&file);
    let (broken, file) = written(&store, &[root], Some(7));
    assert!(broken.rows > 2);
    assert!(checked(&file).by_all > 0);
}

#[test]
fn what_is_not_proved_is_named() {
    let (store, root) = (Store::in_memory(), game(5, 8));
    let failed = |store: &Store| {
        export(store, &[root], &Options::default(), Vec::new()).expect_err("there is no proof")
    };
    assert!(
        matches!(failed(&store), ProofError::NotProved { number: 1, position } if position == root)
    );
    let inferred = record(root, Bound::at_least(Score::MAX), Method::Inference, "coordinator");
    store.append(&[inferred]).expect("memory does not fail");
    let error = failed(&store).to_string();
    assert!(error.contains(">= 64 follows from"), "{error}");
}

#[test]
fn nothing_is_written_of_a_proof_that_lacks_a_root() {
    let (store, root, other) = (Store::in_memory(), game(5, 8), game(6, 8));
    fill(&store, root, 8);
    let mut file = Vec::new();
    let error = export(&store, &[root, other], &Options::default(), &mut file);
    assert!(matches!(error, Err(ProofError::NotProved { number: 2, .. })), "{error:?}");
    assert!(file.is_empty(), "{}", String::from_utf8_lossy(&file));
}

#[test]
fn a_row_says_no_more_than_is_needed() {
    let (store, root) = (Store::in_memory(), game(5, 8));
    let value = brute_force::value(root);
    let best = Square::all(root.moves())
        .filter_map(|square| root.play(square))
        .find(|&next| -brute_force::value(next) == value)
        .expect("a move reaches the value");
    // The worker has proved the exact value; half of it is needed.
    let exact = record(best, Bound::exact(-value), Method::Search, "worker");
    let above = record(root, Bound::at_least(value), Method::Inference, "coordinator");
    store.append(&[exact, above]).expect("memory does not fail");
    let (summary, file) = written(&store, &[root], None);
    assert_eq!((summary.rows, summary.leaves), (2, 1));
    assert_eq!(checked(&file).by_move, 1);
}

/// The checker rejects values that the board cannot have.
#[test]
fn what_is_true_on_a_small_board_anyway_is_left_out_of_its_root() {
    let store = Store::in_memory();
    let start = BoardSize::new(4, 4).expect("it is a size").start();
    let score = |discs| Score::new(discs).expect("it is a score");
    let bound = Bound::new(score(-10), score(30)).expect("it is in order");
    let record = record(start, bound, Method::Search, "worker");
    store.append(&[record]).expect("memory does not fail");
    let (_, file) = written(&store, &[start], None);
    let root = checked(&file).first_roots[0];
    assert_eq!((root.lower, root.upper), (-10, 64));
}

#[test]
fn small_boards_are_proved_and_checked_beside_the_usual_one() {
    let store = Store::in_memory();
    let size = |columns, rows| BoardSize::new(columns, rows).expect("it is a size");
    let mut roots = vec![game(5, 7)];
    for start in [size(4, 4).start(), size(5, 4).start(), size(6, 6).start()] {
        let mut root = start;
        while root.empties() > 9 {
            let moves = Square::all(root.moves()).last();
            root = moves.map_or(root.pass(), |square| root.play(square).expect("it is legal"));
        }
        roots.push(root);
    }
    roots.iter().for_each(|&root| fill(&store, root, 4));
    let (_, file) = written(&store, &roots, None);
    let verified = checked(&file);
    assert!(verified.by_move > 20 && verified.by_all > 20, "{verified:?}");
    let walls =
        verified.first_roots.iter().map(|root| root.position.player & root.position.opponent);
    assert_eq!(
        walls.collect::<Vec<_>>(),
        roots.iter().map(|root| root.walls()).collect::<Vec<_>>()
    );
}

#[test]
fn a_large_leaf_stays_whole_where_the_store_does_not_know_what_follows_it() {
    // Of the moves of the root one is known, and it proves less than the value.
    let worst = |root: Position| {
        let after = Square::all(root.moves()).filter_map(|square| root.play(square));
        after.max_by_key(|&next| brute_force::value(next))
    };
    let proves_less =
        |&(root, next): &(Position, Position)| -brute_force::value(next) < brute_force::value(root);
    let games = (5..).map(|seed| game(seed, 8)).filter_map(|root| Some((root, worst(root)?)));
    let (root, worst) = { games }.find(proves_less).expect("most moves are not equal");
    let store = Store::in_memory();
    for position in [root, worst] {
        let exact = Bound::exact(brute_force::value(position));
        let searched = record(position, exact, Method::Search, "worker");
        store.append(&[searched]).expect("memory does not fail");
    }
    for max_leaf in [7, 8] {
        let (summary, file) = written(&store, &[root], Some(max_leaf));
        assert_eq!((summary.rows, summary.leaves), (2, 2), "at most {max_leaf}");
        checked(&file);
    }
}

#[test]
fn a_leaf_of_exactly_the_greatest_size_is_kept_whole() {
    let (store, root) = (Store::in_memory(), game(5, 8));
    fill(&store, root, 7);
    let searched = record(root, Bound::exact(brute_force::value(root)), Method::Search, "worker");
    let whole = Store::in_memory();
    let after = Square::all(root.moves()).filter_map(|square| root.play(square));
    after.for_each(|next| fill(&whole, next, 7));
    whole.append(&[searched]).expect("memory does not fail");
    assert_eq!(written(&whole, &[root], Some(8)).0.rows, 2);
    assert!(written(&whole, &[root], Some(7)).0.rows > 2);
}

#[test]
fn of_a_position_and_of_the_pass_before_it_the_one_of_which_more_is_known_counts() {
    let passing = (0..).map(|seed| game(seed, 6)).find(|position| position.must_pass());
    let passing = passing.expect("some positions are passes");
    let value = brute_force::value(passing);
    let (exact, weak) = (Bound::exact(value), Bound::UNKNOWN);
    let weaker = Bound::new(value.down(), value.up()).expect("it is in order");
    for [before, after] in [[exact, weaker], [weaker, exact], [exact, weak], [weak, exact]] {
        let store = Store::in_memory();
        let of_next = record(passing.pass(), -after, Method::Search, "worker");
        let of_passing = record(passing, before, Method::Search, "worker");
        store.append(&[of_passing, of_next]).expect("memory does not fail");
        let (_, file) = written(&store, &[passing], None);
        let root = checked(&file).first_roots[0];
        assert_eq!((root.lower, root.upper), (value.discs(), value.discs()), "{before} {after}");
    }
}

/// Stores a lie about a position, of the pass before it or of itself, beside its value.
fn with_a_lie(store: &Store, position: Position) {
    let value = brute_force::value(position);
    let record = |position, bound| record(position, bound, Method::Search, "worker");
    let lie = record(position.pass(), Bound::at_least(-value.down()));
    store.append(&[record(position, Bound::at_least(value)), lie]).expect("memory does not fail");
}

#[test]
fn what_contradicts_itself_through_a_pass_is_no_proof() {
    let passing = (0..).map(|seed| game(seed, 6)).find(|position| position.must_pass());
    let passing = passing.expect("some positions are passes");
    let store = Store::in_memory();
    with_a_lie(&store, passing.pass());
    for root in [passing, passing.pass()] {
        let error = export(&store, &[root], &Options::default(), Vec::new());
        assert!(
            matches!(error, Err(ProofError::Contradiction { position }) if position == root),
            "{error:?}"
        );
    }
}

/// Returns a position before which the opponent has passed or could, and two from which a move leads to it, the second
/// of which has no other.
fn met_twice_after_a_pass() -> (Position, [Position; 2]) {
    for seed in 0.. {
        let mut parents: BTreeMap<Position, BTreeSet<Position>> = BTreeMap::new();
        for parent in below(game(seed, 9)).flat_map(below).flat_map(below) {
            for child in below(parent).filter(|child| child.pass().must_pass()) {
                parents.entry(child).or_default().insert(parent);
            }
        }
        for (child, parents) in parents {
            let only = parents.iter().find(|parent| parent.moves().count_ones() == 1);
            let other = parents.iter().find(|&parent| Some(parent) != only);
            let is_usual = brute_force::value(child).discs().abs() < 60;
            if let (Some(&only), Some(&other), true) = (only, other, is_usual) {
                return (child, [other, only]);
            }
        }
    }
    unreachable!("moves in another order lead to the same positions")
}

#[test]
fn rows_that_contradict_each_other_are_not_written() {
    let (child, [other, only]) = met_twice_after_a_pass();
    let value = brute_force::value(child);
    let store = Store::in_memory();
    with_a_lie(&store, child);
    let inferred = |position, bound| record(position, bound, Method::Inference, "coordinator");
    let from_the_value = inferred(only, Bound::at_most(-value));
    let from_the_lie = inferred(other, Bound::at_least(-value.down()));
    store.append(&[from_the_value, from_the_lie]).expect("memory does not fail");
    let error = export(&store, &[other, only], &Options::default(), Vec::new());
    let contradiction = |position: Position| position.canonical() == child.canonical();
    assert!(
        matches!(error, Err(ProofError::Contradiction { position }) if contradiction(position)),
        "{error:?}"
    );
}

#[test]
fn the_move_that_costs_least_is_chosen_and_of_equals_the_one_that_seemed_best() {
    let root = (0..).map(|seed| game(seed, 8)).find(|root| root.moves().count_ones() > 1);
    let root = root.expect("most positions have several moves");
    let moves: Vec<Square> = Square::all(root.moves()).collect();
    let next = |square: Square| root.play(square).expect("it is legal");
    let ends = [moves[0], moves[moves.len() - 1]];
    // Both moves prove what the worse of them is worth.
    let least = ends.map(|square| -brute_force::value(next(square)));
    let least = least[0].min(least[1]);
    for (square, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
        let store = Store::in_memory();
        let known =
            ends.map(|end| record(next(end), Bound::at_most(-least), Method::Search, "worker"));
        let mut of_root = record(root, Bound::at_least(least), Method::Inference, "coordinator");
        let turn = Symmetry::canonical(root);
        of_root.best_move = Some(turn.square(square));
        store.append(&[&known[..], &[of_root]].concat()).expect("memory does not fail");
        // Alone, the move that seemed best; otherwise the one whose row is needed anyway.
        for (roots, chosen, rows) in [(vec![root], square, 2), (vec![root, next(other)], other, 2)]
        {
            let (summary, file) = written(&store, &roots, None);
            let text = String::from_utf8(file).expect("it is text");
            let expected = format!("\"move\":\"{}\"", turn.square(chosen));
            assert!(text.contains(&expected), "{expected} {text}");
            assert_eq!(summary.rows, rows);
        }
    }
}

/// Returns the positions one ply below, canonical.
fn below(position: Position) -> impl Iterator<Item = Position> {
    let after = Square::all(position.moves()).filter_map(move |square| position.play(square));
    after.map(Position::canonical)
}

/// Returns a position in which somebody can move, with two positions from which a move leads to it.
fn met_twice() -> (Position, [Position; 2]) {
    for seed in 0.. {
        let mut parents: BTreeMap<Position, BTreeSet<Position>> = BTreeMap::new();
        for parent in below(game(seed, 11)).flat_map(below) {
            for child in below(parent) {
                parents.entry(child).or_default().insert(parent);
            }
        }
        let is_met = |(child, parents): &(Position, BTreeSet<Position>)| {
            parents.len() > 1 && child.moves() != 0 && brute_force::value(*child).discs().abs() < 60
        };
        if let Some((child, parents)) = parents.into_iter().find(is_met) {
            let mut parents = parents.into_iter();
            return (child, [(); 2].map(|()| parents.next().expect("there are two")));
        }
    }
    unreachable!("moves in another order lead to the same positions")
}

#[test]
fn of_two_claims_that_rows_need_of_a_position_the_stronger_one_is_proved() {
    let (child, parents) = met_twice();
    let value = -brute_force::value(child);
    for lower in [[value, value.down()], [value.down(), value]] {
        let store = Store::in_memory();
        let inferred = [0, 1].map(|one: usize| {
            record(parents[one], Bound::at_least(lower[one]), Method::Inference, "coordinator")
        });
        let searched = record(child, Bound::exact(-value), Method::Search, "worker");
        store.append(&[&inferred[..], &[searched]].concat()).expect("memory does not fail");
        let (summary, file) = written(&store, &parents, None);
        assert_eq!((summary.rows, summary.leaves), (3, 1));
        assert_eq!(checked(&file).by_move, 2);
    }
}

/// What is left in a buffer goes out with that.
#[test]
fn a_proof_whose_end_cannot_be_written_is_none() {
    let (store, position) = (Store::in_memory(), game(1, 7));
    fill(&store, position, 7);
    let full = BufWriter::with_capacity(1 << 20, &mut [][..]);
    let exported = export(&store, &[position], &Options::default(), full);
    assert!(matches!(exported, Err(ProofError::Output(_))), "{exported:?}");
}

/// A checker holds their texts in memory, and refuses what is longer.
#[test]
fn there_is_no_proof_with_more_origins_than_a_checker_accepts() {
    let position = game(1, 10).canonical();
    let mut writer = Writer::new(io::sink());
    let long = "w".repeat(Origin::LONGEST);
    let claim = Claim { position, side: Side::AtMost, value: Score::DRAW };
    let most = (1 << 26) / (4 * Origin::LONGEST);
    let written = (0..most).try_for_each(|number| {
        let [build, weights, worker, host] = [(); 4].map(|()| long.clone());
        let origin = Arc::new(Origin { build, weights, worker, host, run: number.to_string() });
        let (value, is_search, nodes, best_move) = (Score::DRAW, true, 1, None);
        writer.row(claim, &Reason::Search(Evidence { value, is_search, origin, nodes, best_move }))
    });
    assert!(matches!(written, Err(ProofError::ManyOrigins { .. })), "{written:?}");
}
