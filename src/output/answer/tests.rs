use outflank_engine::Square;

use super::*;

const START: &str = "---------------------------OX------XO--------------------------- X";

fn problem(expected: &str) -> Problem {
    notation::problems("test", &format!("{START};{expected}")).next().unwrap().unwrap()
}

fn solution(value: i32, best: &str) -> Solution {
    let best: Square = best.parse().unwrap();
    Solution {
        bound: Bound::exact(Score::new(value).unwrap()),
        best_move: Some(best),
        line: vec![best],
        nodes: 1_234_567,
        jobs: 3,
        reused: 2,
        source: Source::Both,
        unaudited: 0,
    }
}

fn answered<'a>(problem: &'a Problem, solution: &'a Solution) -> Answered<'a> {
    let time = Duration::from_millis(250);
    let (is_complete, is_kept) = (true, true);
    Answered { number: 1, problem, solution, time, is_complete, is_kept, moves: None }
}

#[test]
fn an_answer_agrees_when_value_and_move_do() {
    let problem = problem(" F5:+2; D3:-4;");
    let agrees = |value, best| answered(&problem, &solution(value, best)).agrees();
    assert_eq!(agrees(2, "f5"), Some(true));
    assert_eq!(agrees(2, "c4"), Some(true), "no score is given for c4");
    assert_eq!(agrees(2, "d3"), Some(false));
    assert_eq!(agrees(4, "f5"), Some(false));
    let bound = Bound::at_least(Score::new(-2).unwrap());
    let proved = Solution { bound, ..solution(0, "d3") };
    assert_eq!(answered(&problem, &proved).agrees(), None, "+2 is -2 or more, as others are");
    let bound = Bound::at_least(Score::new(4).unwrap());
    let proved = Solution { bound, ..proved };
    assert_eq!(answered(&problem, &proved).agrees(), Some(false));
    assert_eq!(answered(&self::problem(""), &proved).agrees(), None);
}

#[test]
fn nothing_agrees_with_what_was_not_found() {
    let problem = problem(" F5:+2;");
    let spent = |lower, upper| {
        let [lower, upper] = [lower, upper].map(|discs| Score::new(discs).unwrap());
        let bound = Bound::new(lower, upper).unwrap();
        let solution = Solution { bound, ..solution(0, "f5") };
        let answered = Answered { is_complete: false, ..answered(&problem, &solution) };
        (answered.agrees(), answered.expected())
    };
    assert_eq!(spent(-64, 64), (None, "+2".to_owned()));
    assert_eq!(spent(0, 4), (None, "+2".to_owned()));
    assert_eq!(spent(4, 64), (Some(false), "+2 ✗".to_owned()));
    assert_eq!(spent(2, 2), (Some(true), "+2 ✓".to_owned()));
}

#[test]
fn bounds_are_held_against_what_is_proved() {
    let told = |given: &str, lower, upper| {
        let [lower, upper] = [lower, upper].map(|discs| Score::new(discs).unwrap());
        let bound = Bound::new(lower, upper).unwrap();
        let (problem, solution) = (problem(given), Solution { bound, ..solution(0, "f5") });
        let answered = answered(&problem, &solution);
        (answered.agrees(), answered.expected())
    };
    assert_eq!(told(" >= 2;", 4, 64), (Some(true), ">= +2 ✓".to_owned()));
    assert_eq!(told(" >= 2;", 0, 64), (None, ">= +2".to_owned()));
    assert_eq!(told(" >= 2;", -64, 0), (Some(false), ">= +2 ✗".to_owned()));
    assert_eq!(told(" >= 2; <= 4;", 2, 4), (Some(true), "+2 to +4 ✓".to_owned()));
    assert_eq!(told(" F5:+2; >= 0;", 2, 2), (Some(true), "+2 ✓".to_owned()));
    assert_eq!(told(" F5:+2; >= 0;", 0, 4), (None, "+2".to_owned()));
    assert_eq!(told(" D3:-4; >= -6;", 0, 0), (Some(false), "-4 ✗".to_owned()));
}

#[test]
fn scores_of_moves_are_held_against_the_moves() {
    let (problem, solution) = (problem(" D3:-4;"), solution(2, "f5"));
    let judged = |square: &str, value| {
        let square: Square = square.parse().unwrap();
        let bound = Bound::exact(Score::new(value).unwrap());
        Move { square: Some(square), bound, line: vec![square] }
    };
    let moves = [judged("f5", 2), judged("d3", -4)];
    let answered = Answered { moves: Some(&moves), ..answered(&problem, &solution) };
    assert_eq!(answered.agrees(), Some(true), "that of the best move was not given");
    let object: serde_json::Value = serde_json::from_str(&answered.json().unwrap()).unwrap();
    assert_eq!(object.get("expected"), None, "it would be none of the position: {object}");
    assert_eq!(Answered { moves: None, ..answered }.agrees(), Some(false));
}

#[test]
fn a_bound_is_marked_by_the_value_where_scores_stand_beside_their_moves() {
    let (problem, solution) = (problem(" F5:+2; D3:-4; >= 2;"), solution(2, "f5"));
    let square: Square = "d3".parse().unwrap();
    let bound = Bound::exact(Score::new(0).unwrap());
    let moves = [Move { square: Some(square), bound, line: vec![square] }];
    let answered = Answered { moves: Some(&moves), ..answered(&problem, &solution) };
    assert_eq!(answered.agrees(), Some(false), "d3 is worth 0");
    assert_eq!(answered.expected(), ">= +2 ✓", "and the value is 2");
}

#[test]
fn json_says_which_bounds_were_given() {
    let solution = solution(2, "f5");
    let given = |line: &str| {
        let problem = problem(line);
        let json = answered(&problem, &solution).json().unwrap();
        let object: serde_json::Value = serde_json::from_str(&json).unwrap();
        ["expected", "expected_lower", "expected_upper", "agrees"]
            .map(|field| object.get(field).map(ToString::to_string).unwrap_or_default())
    };
    assert_eq!(given(" >= 2;"), ["", "2", "", "true"]);
    assert_eq!(given(" <= 0;"), ["", "", "0", "false"]);
    assert_eq!(given(" F5:+2; >= -2; <= 4;"), ["2", "-2", "4", "true"]);
    assert_eq!(given(""), ["", "", "", ""]);
}

#[test]
fn bounds_are_worded() {
    let bound =
        |lower, upper| Bound::new(Score::new(lower).unwrap(), Score::new(upper).unwrap()).unwrap();
    let cases = [
        (bound(2, 2), "+2"),
        (bound(2, 64), "at least +2"),
        (bound(-64, -4), "at most -4"),
        (bound(-4, 2), "-4 to +2"),
        (bound(64, 64), "+64"),
        (Bound::UNKNOWN, "-64 to +64"),
    ];
    for (bound, expected) in cases {
        assert_eq!(worded(bound, "at least", "at most"), expected);
    }
}

#[test]
fn json_has_the_documented_fields() {
    let (problem, solution) = (problem(" F5:+2;"), solution(2, "f5"));
    let json: serde_json::Value =
        serde_json::from_str(&answered(&problem, &solution).json().unwrap()).unwrap();
    let expected = serde_json::json!({
        "position": START, "lower": 2, "upper": 2, "value": 2, "best_move": "f5", "line": ["f5"],
        "nodes": 1_234_567, "seconds": 0.25, "source": "both", "jobs": 3, "reused": 2,
        "expected": 2, "agrees": true,
    });
    assert_eq!(json, expected);
}

#[test]
fn without_a_store_no_answer_comes_from_it() {
    let problem = problem("");
    let source = |source, is_kept| {
        let solution = Solution { source, ..solution(2, "f5") };
        Answered { is_kept, ..answered(&problem, &solution) }.source()
    };
    assert_eq!((source(Source::Store, true), source(Source::Store, false)), ("store", "memory"));
    assert_eq!(source(Source::Search, false), "search");
}

#[test]
fn a_count_that_may_have_grown_is_no_total() {
    let problem = problem("");
    let said = |nodes| {
        let solution = Solution { nodes, ..solution(2, "f5") };
        let spent = Answered { is_complete: false, ..answered(&problem, &solution) };
        let json: serde_json::Value = serde_json::from_str(&spent.json().unwrap()).unwrap();
        let paragraph = spent.paragraph();
        let line = paragraph.lines().find(|line| line.starts_with("nodes")).unwrap();
        (line.to_owned(), spent.row().split_whitespace().nth(4).unwrap().to_owned(), json)
    };
    let (line, row, json) = said(1_234_567);
    assert_eq!((line.as_str(), row.as_str()), ("nodes      at least 1,234,567", ">=1,234,567"));
    assert_eq!(json["nodes"], 1_234_567);
    let (line, row, json) = said(0);
    assert_eq!((line.as_str(), row.as_str()), ("nodes      none counted by then", "-"));
    assert!(json["nodes"].is_null(), "{json}");
}

#[test]
fn moves_stand_below_their_position() {
    let (problem, solution) = (problem(" F5:+2; D3:-4;"), solution(2, "f5"));
    let judged = |square: &str, lower, upper| {
        let square: Square = square.parse().unwrap();
        let [lower, upper] = [lower, upper].map(|discs| Score::new(discs).unwrap());
        let bound = Bound::new(lower, upper).unwrap();
        Move { square: Some(square), bound, line: vec![square] }
    };
    let moves = [judged("f5", 2, 2), judged("d3", -64, -2)];
    let answered = Answered { moves: Some(&moves), ..answered(&problem, &solution) };
    assert_eq!(answered.agrees(), None, "d3 may be worth -4, or less");
    let paragraph = answered.paragraph();
    let below: Vec<_> = paragraph.lines().skip(8).collect();
    let expected = [
        "move       value        expected   line",
        "f5         +2           +2 ✓       f5",
        "d3         at most -2   -4         d3",
    ];
    assert_eq!(below, expected, "{paragraph}");
    let rows = answered.rows();
    let place = |row: &str, word: &str| {
        row.chars().count() - row.rsplit_once(word).unwrap().1.chars().count()
    };
    let ends: Vec<_> =
        rows.lines().map(|row| [" f5", " d3"].map(|end| row.ends_with(end))).collect();
    assert_eq!(ends, [[true, false], [true, false], [false, true]], "{rows}");
    let [position, first, second] = rows.lines().collect::<Vec<_>>()[..] else { panic!("{rows}") };
    assert_eq!(place(position, "f5"), place(first, "f5"), "in the same column: {rows}");
    assert_eq!(place(first, "f5"), place(second, "d3"), "{rows}");
    let wrong = [judged("f5", 2, 2), judged("d3", 0, 0)];
    assert_eq!(Answered { moves: Some(&wrong), ..answered }.agrees(), Some(false));
    let json: serde_json::Value = serde_json::from_str(&answered.json().unwrap()).unwrap();
    let expected = serde_json::json!([
        { "move": "f5", "lower": 2, "upper": 2, "value": 2, "expected": 2, "line": ["f5"] },
        { "move": "d3", "lower": -64, "upper": -2, "expected": -4, "line": ["d3"] },
    ]);
    assert_eq!(json["moves"], expected);
}

#[test]
fn the_paragraph_says_everything() {
    let (problem, solution) = (problem(" F5:+2;"), solution(2, "f5"));
    let expected = "\
to move    black, 60 empties
value      +2
expected   +2 ✓
best move  f5
line       f5
nodes      1,234,567 (4.9 M/s)
time       0.250 s
source     both (3 jobs done, 2 bounds reused)";
    assert_eq!(answered(&problem, &solution).paragraph(), expected);
}
