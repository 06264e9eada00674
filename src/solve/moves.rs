//! What is asked for the positions of a command: the positions themselves, or those after each of their moves.
//!
//! Who wants the value of every move asks for every position one move on. What the position itself is worth
//! follows from them. Of a game that is over there is nothing to ask.

use std::cmp::Reverse;
use std::ops::Range;

use outflank_coordinator::core::{Solution, Source};
use outflank_engine::notation::Problem;
use outflank_engine::{Bound, Position, Score, Square, Window};

use crate::output::Move;

/// The positions that are asked for, those that belong to one position of the command side by side.
#[derive(Debug)]
pub(super) struct Questions {
    list: Vec<Problem>,
    /// Where the questions of each position begin, and where the last ones end.
    starts: Vec<usize>,
    /// What is asked of each of them.
    window: Window,
    /// The moves that lead to them, a pass included, if every move is asked for.
    moves: Option<Vec<Option<Square>>>,
}

/// The answer for a position of the command.
#[derive(Debug)]
pub(super) struct Combined {
    /// The answer; where every move is asked for, what their answers say together.
    pub(super) solution: Solution,
    /// The moves, the best first, if every move is asked for.
    pub(super) moves: Option<Vec<Move>>,
    /// Whether all that was asked is answered.
    pub(super) is_complete: bool,
}

impl Questions {
    /// Asks for the positions themselves.
    pub(super) fn of_positions(problems: &[Problem], window: Window) -> Self {
        let (mut list, mut starts) = (Vec::new(), vec![0]);
        for problem in problems {
            list.extend(Some(problem).filter(|problem| !problem.position.is_over()).cloned());
            starts.push(list.len());
        }
        Self { list, starts, window, moves: None }
    }

    /// Asks for the position after each move.
    pub(super) fn of_moves(problems: &[Problem], window: Window) -> Self {
        let (mut list, mut moves, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for problem in problems {
            for (square, after) in after_each_move(problem) {
                moves.push(square);
                list.push(after);
            }
            starts.push(list.len());
        }
        Self { list, starts, window: -window, moves: Some(moves) }
    }

    /// Returns all positions that are asked for.
    pub(super) fn list(&self) -> &[Problem] {
        &self.list
    }

    /// Returns what is asked of each of them.
    pub(super) const fn window(&self) -> Window {
        self.window
    }

    /// Returns the places in the list of those that belong to position `index` of the command.
    pub(super) fn places(&self, index: usize) -> Range<usize> {
        self.starts[index]..self.starts[index + 1]
    }

    /// Returns what the progress is shown under of the question at `place`, which belongs to position `index`.
    pub(super) fn name(&self, index: usize, place: usize) -> String {
        let positions = self.starts.len() - 1;
        let number = index + 1;
        match &self.moves {
            None => format!("[{number}/{positions}]"),
            Some(moves) => format!("[{number}/{positions} {}]", Move::name(moves[place])),
        }
    }

    /// Returns the answer for position `index` of the command, which is `problem`, from the `answers` to its questions.
    pub(super) fn combine(
        &self,
        index: usize,
        problem: &Problem,
        mut answers: Vec<Solution>,
    ) -> Combined {
        if problem.position.is_over() {
            let moves = self.moves.is_some().then(Vec::new);
            return Combined { solution: over(problem.position), moves, is_complete: true };
        }
        let is_complete = answers.iter().all(|answer| answer.bound.answers(self.window));
        let Some(moves) = &self.moves else {
            let solution = answers.swap_remove(0); // There is one question for each position that goes on.
            return Combined { solution, moves: None, is_complete };
        };
        let squares = &moves[self.places(index)];
        let mut moves: Vec<Move> = squares.iter().zip(&answers).map(judged).collect();
        moves.sort_by_key(|judged| Reverse((judged.bound.lower(), judged.bound.upper())));
        let solution = from_moves(&moves, &answers);
        Combined { solution, moves: Some(moves), is_complete }
    }
}

/// Returns what is known of a game that is over: its score.
fn over(position: Position) -> Solution {
    Solution {
        bound: Bound::exact(position.final_score()),
        best_move: None,
        line: Vec::new(),
        nodes: 0,
        jobs: 0,
        reused: 0,
        source: Source::Search,
        unaudited: 0,
    }
}

/// Returns each move with the position after it; where the player must pass, that after the pass.
fn after_each_move(problem: &Problem) -> Vec<(Option<Square>, Problem)> {
    if problem.position.is_over() {
        return Vec::new();
    }
    let Problem { position, side, .. } = *problem;
    let after = |position| Problem {
        position,
        side: side.other(),
        expected: Vec::new(),
        bound: Bound::UNKNOWN,
    };
    let played = |square| Some((Some(square), after(position.play(square)?)));
    let moves: Vec<_> = Square::all(position.moves()).filter_map(played).collect();
    if moves.is_empty() { vec![(None, after(position.pass()))] } else { moves }
}

fn judged((&square, answer): (&Option<Square>, &Solution)) -> Move {
    let line = square.into_iter().chain(answer.line.iter().copied()).collect();
    Move { square, bound: -answer.bound, line }
}

/// Returns what the moves, the best first, and the answers say of their position.
fn from_moves(moves: &[Move], answers: &[Solution]) -> Solution {
    let lower = moves.iter().map(|judged| judged.bound.lower()).max().unwrap_or(Score::MIN);
    let upper = moves.iter().map(|judged| judged.bound.upper()).max().unwrap_or(Score::MAX);
    let sum = |part: fn(&Solution) -> u64| answers.iter().map(part).sum();
    // That a move is worth no more than something makes it no better than others.
    let reaches = |best: &&Move| best.bound.lower() > Score::MIN || best.bound.value().is_some();
    let best = moves.first().filter(reaches);
    Solution {
        bound: Bound::new(lower, upper).unwrap_or(Bound::UNKNOWN),
        best_move: best.and_then(|best| best.square),
        line: best.map(|best| best.line.clone()).unwrap_or_default(),
        nodes: sum(|answer| answer.nodes),
        jobs: sum(|answer| answer.jobs),
        reused: sum(|answer| answer.reused),
        source: source(answers),
        unaudited: answers.iter().map(|answer| answer.unaudited).max().unwrap_or(0), // each counts all
    }
}

fn source(answers: &[Solution]) -> Source {
    let come_all_from = |source| answers.iter().all(|answer| answer.source == source);
    [Source::Store, Source::Search]
        .into_iter()
        .find(|&one| come_all_from(one))
        .unwrap_or(Source::Both)
}

#[cfg(test)]
mod tests {
    use outflank_engine::notation;

    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn answer(lower: i32, upper: i32, source: Source) -> Solution {
        let score = |discs| Score::new(discs).unwrap();
        Solution {
            bound: Bound::new(score(lower), score(upper)).unwrap(),
            best_move: None,
            line: vec!["a1".parse().unwrap()],
            nodes: 10,
            jobs: 1,
            reused: 2,
            source,
            unaudited: 0,
        }
    }

    fn start() -> Vec<Problem> {
        vec![notation::problems("test", START).next().unwrap().unwrap()]
    }

    #[test]
    fn a_position_is_worth_what_its_best_move_is() {
        let (problems, window) = (start(), Window::FULL);
        let questions = Questions::of_moves(&problems, window);
        let squares = ["d3", "c4", "f5", "e6"];
        assert_eq!((questions.list().len(), questions.places(0)), (4, 0..4));
        let names: Vec<_> = (0..4).map(|place| questions.name(0, place)).collect();
        assert_eq!(names, squares.map(|square| format!("[1/1 {square}]")));
        let values = [4, -2, -2, 64];
        let answers = values.map(|value| answer(value, value, Source::Search)).to_vec();
        let Combined { solution, moves, is_complete } = questions.combine(0, &start()[0], answers);
        let moves: Vec<_> = moves.unwrap().iter().map(|one| Move::name(one.square)).collect();
        assert_eq!(moves, ["c4", "f5", "d3", "e6"], "the best first, equals as they come");
        assert_eq!(solution.bound, Bound::exact(Score::new(2).unwrap()));
        assert_eq!(notation::moves(&solution.line), "c4 a1");
        assert_eq!((solution.nodes, solution.jobs, solution.reused), (40, 4, 8));
        assert!(is_complete && solution.source == Source::Search);
    }

    #[test]
    fn what_is_not_known_of_one_move_is_not_known_of_the_position() {
        let problems = start();
        let questions = Questions::of_moves(&problems, Window::FULL);
        let exact = |value| answer(value, value, Source::Store);
        let answers = vec![exact(0), answer(-6, 2, Source::Search), exact(8), exact(10)];
        let Combined { solution, is_complete, .. } = questions.combine(0, &start()[0], answers);
        let expected = Bound::new(Score::new(0).unwrap(), Score::new(6).unwrap()).unwrap();
        assert_eq!(solution.bound, expected);
        assert!(!is_complete && solution.source == Source::Both);
    }

    #[test]
    fn of_moves_of_which_nothing_is_known_none_is_the_best() {
        let questions = Questions::of_moves(&start(), Window::FULL);
        let answers = (0..4).map(|_| answer(-64, 64, Source::Search)).collect();
        let Combined { solution, is_complete, .. } = questions.combine(0, &start()[0], answers);
        assert_eq!((solution.bound, solution.best_move), (Bound::UNKNOWN, None));
        assert!(!is_complete && solution.line.is_empty());
    }

    #[test]
    fn of_moves_that_are_only_known_to_be_worth_no_more_none_is_the_best() {
        let questions = Questions::of_moves(&start(), Window::FULL);
        let answers = (0..4).map(|_| answer(2, 64, Source::Search)).collect();
        let Combined { solution, .. } = questions.combine(0, &start()[0], answers);
        assert_eq!(solution.bound, Bound::at_most(Score::new(-2).unwrap()));
        assert_eq!((solution.best_move, solution.line), (None, Vec::new()));
        let lost = (0..4).map(|_| answer(64, 64, Source::Search)).collect();
        let Combined { solution, .. } = questions.combine(0, &start()[0], lost);
        assert_eq!(solution.best_move, Some("d3".parse().unwrap()), "all are as bad");
    }

    #[test]
    fn a_pass_is_a_move() {
        let text = format!("OOOOOOO-{}O X", "X".repeat(55));
        let problems: Vec<_> = notation::problems("test", &text).map(Result::unwrap).collect();
        assert!(problems[0].position.must_pass());
        let questions = Questions::of_moves(&problems, Window::FULL);
        assert_eq!((questions.places(0), questions.name(0, 0)), (0..1, "[1/1 pass]".to_owned()));
        let lost = vec![answer(64, 64, Source::Search)];
        let Combined { solution, moves, .. } = questions.combine(0, &problems[0], lost);
        assert_eq!(moves.map(|moves| moves.len()), Some(1));
        assert_eq!(solution.bound, Bound::exact(Score::MIN));
        assert_eq!(notation::moves(&solution.line), "a1", "a pass is no part of a line");
    }

    #[test]
    fn of_a_game_that_is_over_nothing_is_asked() {
        let text = format!("{START}\n{}- O\n{START}", "X".repeat(63));
        let problems: Vec<_> = notation::problems("test", &text).map(Result::unwrap).collect();
        let questions = Questions::of_positions(&problems, Window::FULL);
        assert_eq!([0, 1, 2].map(|index| questions.places(index)), [0..1, 1..1, 1..2]);
        let Combined { solution, moves, is_complete } =
            questions.combine(1, &problems[1], Vec::new());
        assert_eq!(solution.bound, Bound::exact(Score::MIN), "the one disc missing is black's");
        assert!(moves.is_none() && is_complete && solution.best_move.is_none());
        let questions = Questions::of_moves(&problems, Window::FULL);
        assert_eq!([0, 1, 2].map(|index| questions.places(index)), [0..4, 4..4, 4..8]);
        let Combined { moves, .. } = questions.combine(1, &problems[1], Vec::new());
        assert_eq!(moves.map(|moves| moves.len()), Some(0));
    }
}
