//! What is begun ahead is taken once, dropped in time, and found in the tables by who comes later.

use outflank_kernel::{KernelSet, Scalar};

use super::*;
use crate::evaluation::Weights;
use crate::search::crew::{Tools, worth_splitting};
use crate::search::fixture::{Fixture, moves, node, position};
use crate::search::split_point::SplitPoint;

const ESTIMATE: Question = Question::Estimate { plies: 4 };
const IS_ABOVE_DRAW: Question = Question::IsAbove { floor: 0, level: Level::EXACT };

fn prospect(empties: u32, question: Question) -> Arc<Prospect> {
    let node = node(position(1, empties));
    Arc::new(Prospect::new(&node, moves(&node), question))
}

fn take_all(prospect: &Prospect) -> Vec<usize> {
    std::iter::from_fn(|| prospect.take()).collect()
}

#[test]
fn brothers_are_begun_from_the_first_and_estimates_from_the_last() {
    let [brothers, estimates] = [IS_ABOVE_DRAW, ESTIMATE].map(|question| prospect(30, question));
    let count = brothers.moves.len();
    assert!(count > 2);
    assert_eq!(take_all(&brothers), (0..count).collect::<Vec<_>>());
    assert_eq!(take_all(&estimates), (0..count).rev().collect::<Vec<_>>());
    brothers.give_back(1);
    assert_eq!(take_all(&brothers), [1], "the others are begun");
}

#[test]
fn who_is_ahead_drops_it_when_a_split_is_open_or_the_others_have_come() {
    let fixture = Fixture::new();
    let tools = fixture.tools();
    let position = position(1, 30);
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position);
    let mut searcher = Searcher::new(Scalar::new(), &crew);
    let task = Task::new(node(position), -1, 1, Level::EXACT);
    let posted = post_brothers(&searcher, &task, 0, &moves(&task.node)).expect("it is worth it");
    searcher.ahead = Some(Arc::clone(&posted.prospect));
    assert_eq!(searcher.go_on(), Ok(()));
    let split = Arc::new(SplitPoint::new(None, moves(&task.node), task));
    crew.open(&split, 0);
    assert_eq!(searcher.go_on(), Err(Stopped), "a split is open");
    crew.close(&split, 0);
    assert_eq!(searcher.go_on(), Ok(()));
    drop(posted);
    assert_eq!(searcher.go_on(), Err(Stopped), "they have come");
    searcher.ahead = None;
    assert_eq!(searcher.go_on(), Ok(()), "it goes on with other work");
}

#[test]
fn who_is_ahead_shares_nothing() {
    let fixture = Fixture::new();
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position(1, 30));
    crew.count_idle();
    let mut searcher = Searcher::new(Scalar::new(), &crew);
    assert!(worth_splitting(&searcher, 20, 2));
    searcher.ahead = Some(prospect(30, ESTIMATE));
    assert!(!worth_splitting(&searcher, 20, 2));
}

#[test]
fn the_lowest_position_comes_first_and_each_move_once() {
    let fixture = Fixture::new();
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position(1, 30));
    let [upper, lower] = [30, 28].map(|empties| prospect(empties, IS_ABOVE_DRAW));
    let prospects = [Arc::clone(&upper), Arc::clone(&lower)];
    let advances: Vec<_> = std::iter::from_fn(|| Advance::next(&crew, &prospects)).collect();
    let taken = |prospect| {
        let of_it = advances.iter().filter(|advance| Arc::ptr_eq(&advance.prospect, prospect));
        of_it.map(|advance| advance.place).collect::<Vec<_>>()
    };
    assert!(Arc::ptr_eq(&advances[0].prospect, &lower));
    assert!(Arc::ptr_eq(&advances.last().expect("there are some").prospect, &upper));
    for prospect in [&upper, &lower] {
        assert_eq!(taken(prospect), (0..prospect.moves.len()).collect::<Vec<_>>());
    }
    assert_eq!(crew.idle(), advances.len(), "they would take work");
    drop(advances);
    assert_eq!(crew.idle(), 0);
    assert_eq!(take_all(&upper).len(), upper.moves.len(), "none was done, so all are given back");
}

#[test]
fn brothers_are_asked_about_the_value_that_is_expected() {
    let fixture = Fixture::new();
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position(1, 30));
    let searcher = Searcher::new(Scalar::new(), &crew);
    let floor = |empties, expected| {
        let task = Task::new(node(position(1, empties)), -3, 5, Level::EXACT);
        let posted = post_brothers(&searcher, &task, expected, &moves(&task.node))?;
        match posted.prospect.question {
            Question::IsAbove { floor, level: Level::EXACT } => Some(floor),
            question => panic!("{question:?}"),
        }
    };
    assert_eq!(floor(16, 0), Some(0));
    assert_eq!(floor(16, 4), Some(4));
    assert_eq!(floor(16, -8), Some(-3), "the eldest fails, and leaves the window as it is");
    assert_eq!(floor(16, 5), None, "the eldest cuts off");
    assert_eq!(floor(15, 0), None, "it is done before anything is found");
    assert!(crew.offers_nothing(), "what was put up is taken down");
}

#[test]
fn moves_are_estimated_that_no_search_knows() {
    let fixture = Fixture::new();
    let weights = Weights::embedded().expect("they are part of the program");
    let tools = Tools { weights: Some(weights), ..fixture.tools() };
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position(1, 30));
    let searcher = Searcher::new(Scalar::new(), &crew);
    let node = node(position(1, 30));
    let moves = moves(&node);
    let known = [Some(moves[1].square as u8), None];
    let post = |moves: &[Candidate], hurry| post_estimates(&searcher, &node, moves, known, hurry);
    let posted = post(&moves, Hurry::Search(4)).expect("it is worth it");
    let squares = posted.prospect.moves.iter().map(|candidate| candidate.square);
    let unknown = moves.iter().map(|candidate| candidate.square);
    let unknown: Vec<_> = unknown.filter(|&square| square != moves[1].square).collect();
    assert_eq!(squares.collect::<Vec<_>>(), unknown);
    for hurry in [Hurry::Mobility, Hurry::Glance, Hurry::Search(3)] {
        assert!(post(&moves, hurry).is_none(), "{hurry:?} takes no time");
    }
    assert!(post(&moves[..2], Hurry::Search(4)).is_none(), "one move needs no help");
}

#[test]
fn what_was_begun_ahead_is_in_the_tables() {
    let fixture = Fixture::new();
    let weights = Weights::embedded().expect("they are part of the program");
    let tools = Tools { weights: Some(weights), ..fixture.tools() };
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position(1, 16));
    let mut searcher = Searcher::new(Scalar::new(), &crew);
    for question in [ESTIMATE, IS_ABOVE_DRAW] {
        let prospect = prospect(16, question);
        let advance = Advance::next(&crew, &[Arc::clone(&prospect)]).expect("it has moves");
        let Candidate { square, flipped, .. } = prospect.moves[advance.place];
        let after = prospect.node.board.after(square, flipped);
        let hash = Scalar::new().hash(after.player, after.opponent);
        advance.run(&mut searcher);
        if matches!(question, Question::Estimate { .. }) {
            let hint =
                fixture.hints.get(hash, after.player, after.opponent).unwrap_or(Hint::UNKNOWN);
            assert!(hint.lower == hint.upper && hint.effort.plies == 4, "{hint:?}");
        } else {
            let entry = fixture.table.get(hash, after.player, after.opponent).expect("it is there");
            assert!(-entry.lower <= 0 || -entry.upper > 0, "it answers the question: {entry:?}");
        }
        assert_eq!(take_all(&prospect).len(), prospect.moves.len() - 1, "it is done");
    }
    assert!(searcher.ahead.is_none() && crew.idle() == 0);
}

#[test]
fn the_moves_of_the_next_search_are_those_of_the_root_but_the_first() {
    let fixture = Fixture::new();
    let tools = fixture.tools();
    let crew = Crew::new(&tools, &fixture.control, u64::MAX, position(1, 30));
    let mut searcher = Searcher::new(Scalar::new(), &crew);
    let root = node(position(1, 30));
    let moves: Vec<_> = moves(&root).iter().map(|candidate| candidate.square).collect();
    let board = root.board;
    let hash = Scalar::new().hash(board.player, board.opponent);
    let hint = Hint { moves: [Some(moves[2] as u8), None], ..Hint::UNKNOWN };
    fixture.hints.put(hash, board.player, board.opponent, hint, 1);
    let level = Level::ladder(30).next().expect("the position is deep");
    let posted = post_next_search(&mut searcher, &root, 4, level).expect("nobody stops it");
    let posted = posted.expect("it is worth it");
    let question = posted.prospect.question;
    let Question::IsAbove { floor: 4, level: found } = question else { panic!("{question:?}") };
    assert_eq!(found, level);
    let mut squares: Vec<_> = posted.prospect.moves.iter().map(|found| found.square).collect();
    squares.push(moves[2]);
    squares.sort_unstable();
    let mut expected = moves;
    expected.sort_unstable();
    assert_eq!(squares, expected);
}
