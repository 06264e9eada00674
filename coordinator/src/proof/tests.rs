//! Proofs of small positions whose store is filled by brute force.

use std::sync::Arc;

use outflank_checker::line::Root;
use outflank_checker::resolve::resolve;
use outflank_checker::sample::Sample;
use outflank_checker::verify::{Verified, verify};
use outflank_engine::{BoardSize, Bound, Position, Score, Square, brute_force};

use super::{Options, ProofError, Summary, export};
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
