use outflank_engine::Score;
use proptest::prelude::*;

use super::super::question::Hypothesis;
use super::*;

const BOARD: &str = "------------------OOXX-----OXX----XXOO----XO-O------------------ X";

fn score(discs: i32) -> Score {
    Score::new(discs).unwrap()
}

fn claim(lower: i32, upper: i32) -> Question {
    Question::Claim(Hypothesis::new(score(lower), score(upper)).unwrap())
}

fn row(form: Form, line: &str) -> Row {
    read_row(form, line, Defaults::default()).unwrap().unwrap()
}

fn open(number: u64) -> Answer {
    let (state, bound) = (RowState::Open, Bound::UNKNOWN);
    Answer { number, state, bound, nodes: 0, duplicate_of: None, best_move: None }
}

fn decided(outcome: Outcome, lower: i32, upper: i32) -> Answer {
    let bound = Bound::new(score(lower), score(upper)).unwrap();
    Answer { state: RowState::Decided(outcome), bound, nodes: 70, ..open(3) }
}

#[test]
fn the_hypothesis_of_a_task_follows_from_its_score_and_window() {
    let question = |rest: &str| row(Form::Tasks, &format!("{BOARD};,96,{rest}")).question;
    assert_eq!(question("4,-64,0"), claim(0, 64));
    assert_eq!(question("0,-64,0"), claim(0, 64));
    assert_eq!(question("-6,0,64"), claim(-64, 0));
    assert_eq!(question("0,-64,64"), claim(0, 0));
    assert_eq!(question("5,-3,3"), claim(4, 64));
    assert_eq!(question("-3,-3,3"), claim(-64, -4));
    assert_eq!(question("64,-64,64"), claim(64, 64));
    assert_eq!(question("-64,-64,64"), claim(-64, -64));
}

#[test]
fn a_search_in_the_knowledge_claims_its_bound_and_a_prediction_claims_nothing() {
    let question = |rest: &str| row(Form::Knowledge, &format!("{BOARD};,{rest}")).question;
    assert_eq!(question("50,100,-64,-4,-123"), claim(-64, -4));
    assert_eq!(question("50,100,2,2,123"), claim(2, 2));
    assert_eq!(question("50,100,-64,-3,123"), claim(-64, -4), "an odd bound of a search");
    assert_eq!(question("24,73,2,2,123"), Question::Value(Window::FULL));
    assert_eq!(question("24,100,2,2,123"), Question::Value(Window::FULL), "not to the end");
    assert_eq!(question("50,98,2,2,123"), Question::Value(Window::FULL));
    assert_eq!(question("50,100,-64,64,0"), Question::Value(Window::FULL));
    assert_eq!(question("24,73,3,3,123"), Question::Value(Window::FULL), "a prediction may be odd");
    let predicted = |rest: &str| row(Form::Knowledge, &format!("{BOARD};,{rest}")).prediction;
    assert_eq!(["24,73,3,3,1", "50,100,2,4,1"].map(predicted), [Some(3), None]);
}

#[test]
fn a_row_that_claims_nothing_asks_for_the_value_in_the_window_of_the_campaign() {
    let window = Window::at_least(Score::DRAW).unwrap();
    for (form, line) in [(Form::Obf, BOARD), (Form::Json, &format!("{{\"position\":\"{BOARD}\"}}"))]
    {
        let row =
            read_row(form, line, Defaults { window, ..Defaults::default() }).unwrap().unwrap();
        assert_eq!(row.question, Question::Value(window), "{line}");
    }
    let line = format!("{{\"position\":\"{BOARD}\",\"window\":[-2,4]}}");
    let own = Window::new(score(-2), score(4)).unwrap();
    assert_eq!(row(Form::Json, &line).question, Question::Value(own));
}

#[test]
fn a_row_without_walls_is_on_the_board_of_the_campaign() {
    let board: BoardSize = "4x4".parse().unwrap();
    let defaults = Defaults { board, ..Defaults::default() };
    let walled = notation::board(board.start(), Side::Black);
    for text in ["-----OX--XO----- X", &walled] {
        let (tasks, known) = (format!("{text};,1,-10,-64,64"), format!("{text};,12,100,-10,-10,9"));
        let object = format!("{{\"position\":\"{text}\",\"at_most\":-10}}");
        for (form, line) in [
            (Form::Obf, text),
            (Form::Json, &object),
            (Form::Tasks, &tasks),
            (Form::Knowledge, &known),
        ] {
            let row = read_row(form, line, defaults).unwrap().unwrap();
            assert_eq!(row.position.canonical(), board.start().canonical(), "{line}");
        }
    }
    assert!(read_row(Form::Obf, "-----OX--XO----- X", Defaults::default()).is_err());
}

#[test]
fn lines_without_a_row_are_skipped() {
    let headers = [(Form::Tasks, tasks::HEADER), (Form::Knowledge, knowledge::HEADER)];
    let others = [(Form::Obf, "# text"), (Form::Obf, "  % text"), (Form::Obf, " ")];
    let blank = [(Form::Json, ""), (Form::Tasks, " "), (Form::Knowledge, "")];
    for (form, line) in headers.into_iter().chain(others).chain(blank) {
        assert_eq!(read_row(form, line, Defaults::default()), Ok(None), "{line:?}");
    }
}

#[test]
fn faults_name_the_column_what_was_found_and_what_was_expected() {
    let task = |rest: &str| (Form::Tasks, format!("{BOARD};{rest}"));
    let known = |rest: &str| (Form::Knowledge, format!("{BOARD};{rest}"));
    let json = |rest: &str| (Form::Json, format!("{{\"position\":\"{BOARD}\"{rest}}}"));
    let faults = [
        (task(",1,4,-64"), 1, "found 4 fields, expected 5: obf,count,score,alpha,beta"),
        (task(",x,4,-64,0"), 69, "found the count \"x\", expected 0 to"),
        (task(",1,65,-64,0"), 71, "found the score \"65\", expected -64 to 64"),
        (task(",1,1,-64,64"), 71, "found the score 1, expected an even one"),
        (task(",1,4,0,0"), 75, "found beta 0, expected more than alpha, which is 0"),
        ((Form::Tasks, BOARD.replacen('X', "Z", 1) + ";,1,4,0,2"), 21, "found 'Z' on the board"),
        ((Form::Tasks, "header".to_owned()), 1, "found 1 fields, expected 5"),
        (known(",50,100,4,2,1"), 78, "found the upper bound 2, expected a value not below 4"),
        (known(",50,100,-3,-3,1"), 79, "found -3 as both bounds, expected an even value"),
        (known(",50,101,2,2,1"), 72, "found the accuracy \"101\", expected 0 to 100"),
        (known(",50,100,2,2,many"), 80, "found the number of nodes \"many\""),
        ((Form::Obf, format!("{BOARD}; A1:+2;")), 69, "a score is given for A1, which is illegal"),
        (json(",\"at_lest\":2"), 90, "unknown field `at_lest`"),
        (json(",\"at_least\":3"), 82, "found at_least 3, expected an even number"),
        (json(",\"at_least\":4,\"at_most\":2"), 95, "found at_most +2, expected a value not below"),
        (json(",\"window\":[2,2]"), 82, "found the window [2, 2], expected the lower end first"),
        (json(",\"score\":99"), 82, "found the score 99, expected -64 to 64"),
        (json(",\"at_least\":18.0"), 96, "found number `18.0`, expected an integer"),
        (json(",\"count\":-1"), 91, "found integer `-1`, expected an integer from 0 on"),
        (json(",\"window\":2"), 91, "found integer `2`, expected an array of length 2"),
        (json(","), 82, "trailing comma"),
        ((Form::Json, "{\"position\":\"XO\"}".to_owned()), 14, "found a board of 2 squares"),
    ];
    for ((form, line), column, reason) in faults {
        let fault = read_row(form, &line, Defaults::default()).unwrap_err();
        assert!(fault.reason.contains(reason), "{line}: {fault:?}");
        assert_eq!(fault.column, column, "{line}: {fault:?}");
    }
}

/// One of as many values as there are keys was taken for a row, and others were said to have the wrong length.
#[test]
fn an_array_is_no_row() {
    let nulls = ",null".repeat(12);
    for line in ["[]", &format!("[\"{BOARD}\",18]"), &format!("[\"{BOARD}\"{nulls}]"), "["] {
        assert_eq!(recognized(line), Form::Json);
        for (blanks, column) in [("", 1), ("  ", 3)] {
            let fault = read_row(Form::Json, &format!("{blanks}{line}"), Defaults::default());
            let expected = "found an array, expected an object with \"position\"";
            let found = fault.map_err(|RowFault { column, reason }| (column, reason));
            assert_eq!(found.unwrap_err(), (column, expected.to_owned()));
        }
    }
}

#[test]
fn a_line_that_is_nearly_a_header_is_called_one() {
    let (tasks, known) = (tasks::HEADER, knowledge::HEADER);
    let any = format!("{tasks} or {known}");
    let no_header = "a row, since this form has no header";
    let faults = [
        (Form::Obf, "obf, count, score, alpha, beta", any.as_str()),
        (Form::Obf, " obf;count;score;alpha;beta ", &any),
        (Form::Obf, "obf,count;score,alpha,beta", &any),
        (Form::Obf, "obf,count,score,alpha,beta\r---OX", &any),
        (Form::Obf, tasks, no_header),
        (Form::Json, known, no_header),
        (Form::Tasks, "obf, count, score, alpha, beta", tasks),
        (Form::Tasks, known, tasks),
        (Form::Knowledge, "obf,depth", known),
    ];
    for (form, line, expected) in faults {
        let fault = read_row(form, line, Defaults::default()).unwrap_err();
        let reason = format!("found the header {:?}, expected {expected}", excerpt(line.trim()));
        assert_eq!(fault, RowFault { column: 1, reason }, "{line:?}");
    }
    for line in ["obf", "obfx,count", "O-,obf", BOARD] {
        let fault = read_row(Form::Tasks, line, Defaults::default()).unwrap_err();
        assert!(!fault.reason.contains("the header"), "{line:?}: {fault:?}");
    }
}

/// What was expected of a key was followed by what is expected of the whole line.
#[test]
fn faults_of_json_ask_for_a_position_only_where_there_is_none() {
    let asks = |line: &str| {
        let fault = read_row(Form::Json, line, Defaults::default()).unwrap_err();
        fault.reason.contains("expected an object with \"position\"")
    };
    for line in ["{}", "{\"count\":1}", "[]", "7", "\"f5\"", "f5d6", "null"] {
        assert!(asks(line), "{line}");
    }
    for line in ["\"count\":1.0", "\"at_lest\":2", "\"score\":null,", "\"score\":\"4\""] {
        assert!(!asks(&format!("{{\"position\":\"{BOARD}\",{line}}}")), "{line}");
    }
}

#[test]
fn faults_quote_no_more_of_a_long_field_than_its_beginning() {
    let long = "é".repeat(30_000);
    let json = |key: &str| format!("{{\"position\":\"{BOARD}\",{key}}}");
    for (form, line, reason) in [
        (Form::Tasks, format!("{BOARD};,{long},4,-64,0"), "…\", expected 0 to"),
        (Form::Knowledge, format!("{BOARD};,50,{long},4,4,1"), "…\", expected 0 to 100"),
        (Form::Obf, format!("{BOARD}; {long}"), "…\", expected a move and its score"),
        (Form::Json, json(&format!("\"{long}\":1")), "`, expected one of `position`,"),
        (Form::Json, json(&format!("\"score\":\"{long}\"")), "\", expected an integer"),
    ] {
        let fault = read_row(form, &line, Defaults::default()).unwrap_err();
        assert!(fault.reason.contains(reason) && fault.reason.contains('…'), "{}", fault.reason);
        assert!(fault.reason.chars().count() < 400, "{}", fault.reason);
    }
}

#[test]
fn answers_stand_where_a_form_has_a_place_for_them() {
    let proved = decided(Outcome::Proved, 0, 64);
    let line = format!("{BOARD};,96,4,-64,0");
    let task = row(Form::Tasks, &line);
    for answer in [open(1), proved.clone(), decided(Outcome::Refuted, -64, -2)] {
        assert_eq!(renewed(Form::Tasks, &line, &task, &answer), line);
    }
    let known = format!("{BOARD};,50,100,0,64,70");
    let row_of = row(Form::Knowledge, &known);
    assert_eq!(renewed(Form::Knowledge, &known, &row_of, &open(1)), known);
    let expected = format!("{BOARD};,50,100,0,64,-70");
    assert_eq!(renewed(Form::Knowledge, &known, &row_of, &proved), expected);
    assert_eq!(format_row(Form::Knowledge, &task, &proved), Some(expected));
    assert_eq!(format_row(Form::Knowledge, &task, &open(1)), None);
    let known = format_row(Form::Knowledge, &task, &Answer { nodes: 0, ..proved.clone() });
    assert!(known.unwrap().ends_with(",-1"), "they are never those of the published program");

    let best = Answer { best_move: Some("d2".parse().unwrap()), ..decided(Outcome::Solved, 6, 6) };
    for line in [BOARD.to_owned(), format!("{BOARD};")] {
        let bare = row(Form::Obf, &line);
        assert_eq!(renewed(Form::Obf, &line, &bare, &open(1)), line);
        assert_eq!(renewed(Form::Obf, &line, &bare, &solved(None)), line, "nobody knows a move");
        assert_eq!(renewed(Form::Obf, &line, &bare, &best), format!("{BOARD}; D2:+6;"));
    }
    let object: serde_json::Value =
        serde_json::from_str(&format_row(Form::Json, &task, &proved).unwrap()).unwrap();
    let expected = serde_json::json!({
        "row": 3, "position": BOARD, "at_least": 0, "score": 4, "count": 96,
        "state": "proved", "lower": 0, "upper": 64, "nodes": 70,
    });
    assert_eq!(object, expected);
}

#[test]
fn a_row_of_knowledge_keeps_its_position_as_it_was_written() {
    let proved = decided(Outcome::Proved, 4, 4);
    for position in [BOARD.to_owned(), format!("{BOARD};"), format!(" {BOARD} ;")] {
        let line = format!("{position},50,100,-64,64,7");
        let text = renewed(Form::Knowledge, &line, &row(Form::Knowledge, &line), &proved);
        let (kept, answer) = text.split_once(',').unwrap();
        assert_eq!((kept, answer.starts_with("50,100,4,4,-")), (&*position, true), "{text}");
    }
}

fn solved(best_move: Option<&str>) -> Answer {
    let best_move = best_move.map(|square| square.parse().unwrap());
    Answer { best_move, ..decided(Outcome::Solved, 6, 6) }
}

/// Checks that the line is answered so, and says the answer when it is read again.
fn answered(defaults: Defaults, line: &str, answer: &Answer, expected: &str) {
    let row = read_row(Form::Obf, line, defaults).unwrap().unwrap();
    let text = renewed(Form::Obf, line, &row, answer);
    assert_eq!(text, expected);
    let read = read_row(Form::Obf, &text, defaults).unwrap().unwrap();
    assert_eq!((read.position, read.side, read.question), (row.position, row.side, claim(6, 6)));
    assert_eq!(renewed(Form::Obf, &text, &read, &decided(Outcome::Proved, 6, 6)), text);
}

#[test]
fn an_id_comes_out_as_it_was_written() {
    for id in
        ["12345678901234567890123", "1.50", "1e999", "null", "\"\\u00e9\"", "{\"b\": [1], \"a\":2}"]
    {
        let line = format!("{{\"position\":\"{BOARD}\",\"id\": {id} }}");
        let text = format_row(Form::Json, &row(Form::Json, &line), &open(1)).unwrap();
        assert!(text.contains(&format!("\"id\":{id},")), "{text}");
        assert_eq!(row(Form::Json, &text), row(Form::Json, &line));
    }
    assert_eq!(row(Form::Json, &format!("{{\"position\":\"{BOARD}\"}}")).id, None);
}

#[test]
fn an_answer_in_obf_leaves_the_comment_where_it_is() {
    for (rest, expected) in [
        ("; % c1", "; D2:+6; % c1"),
        (";# c1 ; x", "; D2:+6;# c1 ; x"),
        ("  \t% c1 # c2 ", "; D2:+6;  \t% c1 # c2 "),
        (" ; ", " ; D2:+6; "),
    ] {
        let (line, expected) = (format!("{BOARD}{rest}"), format!("{BOARD}{expected}"));
        answered(Defaults::default(), &line, &solved(Some("d2")), &expected);
    }
}

/// Its own scores stood there, so that no proof could prove the list.
#[test]
fn a_refuted_row_in_obf_says_in_a_new_list_what_is_proved() {
    let best = Answer { state: RowState::Decided(Outcome::Refuted), ..solved(Some("d2")) };
    for (rest, answer, expected) in [
        ("; D2:+8; C2:+2; % c1 ", &best, "; D2:+6; % c1 "),
        ("; >= +8;", &decided(Outcome::Refuted, -64, 6), "; <= +6;"),
        ("; <= -8;#c1", &decided(Outcome::Refuted, -6, 64), "; >= -6; #c1"),
    ] {
        let line = format!("{BOARD}{rest}");
        let row = row(Form::Obf, &line);
        assert_eq!(renewed(Form::Obf, &line, &row, answer), line, "the list stays as it was");
        assert_eq!(relisted(Form::Obf, &line, &row, answer), format!("{BOARD}{expected}"));
        let proved = Answer { state: RowState::Decided(Outcome::Proved), ..answer.clone() };
        assert_eq!(relisted(Form::Obf, &line, &row, &proved), line);
    }
}

/// The checker reads no other boards.
#[test]
fn a_decided_row_in_obf_is_in_a_new_list_a_board_of_64_squares() {
    let small = Defaults { board: "4x4".parse().unwrap(), ..Defaults::default() };
    let answer = Answer { state: RowState::Decided(Outcome::Proved), ..solved(None) };
    for (defaults, line, comment) in [
        (small, "-----OX--XO----- X; >= -64; % c1", " % c1"),
        (Defaults::default(), "f5d6c3", ""),
        (Defaults::default(), "START % c1", " % c1"),
    ] {
        let row = read_row(Form::Obf, line, defaults).unwrap().unwrap();
        let expected = format!("{}; >= +6; <= +6;{comment}", row.board());
        assert_eq!(relisted(Form::Obf, line, &row, &answer), expected);
    }
}

#[test]
fn an_answered_move_list_becomes_a_board() {
    let small = Defaults { board: "4x4".parse().unwrap(), ..Defaults::default() };
    for (defaults, line, best) in [
        (Defaults::default(), "start", "f5"),
        (Defaults::default(), " F5 d6", "c3"),
        (small, "Start", "d3"),
        (small, "d3", "c3"),
    ] {
        let board = read_row(Form::Obf, line, defaults).unwrap().unwrap().board();
        let expected = format!("{board}; {}:+6; % c1", best.to_uppercase());
        answered(defaults, &format!("{line} % c1"), &solved(Some(best)), &expected);
    }
}

#[test]
fn a_pass_is_scored_in_obf() {
    let line = format!("OX{} X", "-".repeat(62));
    let passing = row(Form::Obf, &line);
    assert!(passing.position.must_pass());
    let expected = format!("{line}; PS:+6;");
    answered(Defaults::default(), &line, &solved(None), &expected);
    assert_eq!(format_row(Form::Obf, &passing, &solved(None)), Some(expected));
}

#[test]
fn what_is_proved_without_a_move_is_written_in_obf_as_ends_of_the_value() {
    let tasks = row(Form::Tasks, &format!("{BOARD};,96,4,-64,0"));
    for (outcome, lower, upper, expected) in [
        (Outcome::Proved, 0, 64, " >= +0;"),
        (Outcome::Refuted, -64, -2, " <= -2;"),
        (Outcome::Proved, 0, 6, " >= +0; <= +6;"),
        (Outcome::Proved, 6, 6, " >= +6; <= +6;"),
    ] {
        let text = format_row(Form::Obf, &tasks, &decided(outcome, lower, upper)).unwrap();
        assert_eq!(text, format!("{BOARD};{expected}"));
        let read = row(Form::Obf, &text);
        assert_eq!((read.question, read.prediction), (claim(lower, upper), None));
        assert_eq!(renewed(Form::Obf, &text, &read, &solved(Some("d2"))), text, "a claim stays");
    }
    assert_eq!(format_row(Form::Obf, &tasks, &open(1)), Some(format!("{BOARD};")));
    // A question in a window, whose answer need not be a value.
    let asked = row(Form::Obf, BOARD);
    let answer = decided(Outcome::Solved, 2, 64);
    assert_eq!(renewed(Form::Obf, BOARD, &asked, &answer), format!("{BOARD}; >= +2;"));
}

#[test]
fn what_every_game_ends_with_is_left_out_in_obf() {
    let board: BoardSize = "4x4".parse().unwrap();
    let line = notation::board(board.start(), Side::Black);
    let asked = row(Form::Obf, &line);
    let text =
        |lower, upper| renewed(Form::Obf, &line, &asked, &decided(Outcome::Solved, lower, upper));
    assert_eq!(text(-10, 16), format!("{line}; >= -10;"));
    assert_eq!(text(-20, -10), format!("{line}; <= -10;"));
    assert_eq!(text(-16, -10), format!("{line}; <= -10;"));
    assert_eq!(text(-64, 64), line);
}

fn any_score() -> impl Strategy<Value = i32> {
    (-32..=32_i32).prop_map(|half| 2 * half)
}

fn any_position() -> impl Strategy<Value = (Position, Side)> {
    (any::<[bool; 40]>(), any::<bool>(), 0..45_usize).prop_map(|(choices, black, plies)| {
        let mut position = Position::START;
        for &choice in choices.iter().take(plies) {
            let mut moves = Square::all(position.moves());
            let square = if choice { moves.next() } else { moves.last() };
            match square.and_then(|square| position.play(square)) {
                Some(next) if next.moves() != 0 => position = next,
                _ => break,
            }
        }
        (position, if black { Side::Black } else { Side::White })
    })
}

fn any_question() -> impl Strategy<Value = Question> {
    // The ends often: a claim on one side has one.
    let end = || prop_oneof![2 => any_score(), 1 => Just(-64), 1 => Just(64)];
    (end(), end()).prop_map(|(a, b)| {
        let (lower, upper) = (score(a.min(b)), score(a.max(b)));
        let claim = Hypothesis::new(lower, upper).map(Question::Claim);
        claim.unwrap_or(Question::Value(Window::FULL))
    })
}

proptest! {
    #[test]
    fn what_is_written_as_json_is_read_as_the_same_row(
        (position, side) in any_position(),
        question in any_question(),
        prediction in prop::option::of(-64..=64_i32),
        count in prop::option::of(any::<u64>()),
        id in prop::option::of("[ -~]{0,12}"),
        number in any::<u64>(),
    ) {
        let id = id.map(|id| serde_json::from_str(&serde_json::to_string(&id).unwrap()).unwrap());
        let row = Row { position, side, question, prediction, count, id };
        let text = json::format(&row, &open(number));
        prop_assert_eq!(read_row(Form::Json, &text, Defaults::default()), Ok(Some(row)));
    }

    #[test]
    fn what_is_written_as_a_task_asks_the_same(
        (position, side) in any_position(),
        question in any_question(),
        prediction in prop::option::of(-64..=64_i32),
    ) {
        let row = Row { position, side, question, prediction, count: None, id: None };
        if let Some(text) = format_row(Form::Tasks, &row, &open(1)) {
            let read = read_row(Form::Tasks, &text, Defaults::default()).unwrap().unwrap();
            prop_assert_eq!((read.position, read.side, read.question), (position, side, question));
        }
    }

    #[test]
    fn what_is_proved_is_written_as_knowledge_that_claims_it(
        (position, side) in any_position(),
        question in any_question(),
    ) {
        let Question::Claim(claim) = question else { return Ok(()) };
        let row = Row { position, side, question, prediction: None, count: None, id: None };
        let (lower, upper) = (claim.lower().discs(), claim.upper().discs());
        let text = format_row(Form::Knowledge, &row, &decided(Outcome::Proved, lower, upper));
        let read = read_row(Form::Knowledge, &text.unwrap(), Defaults::default()).unwrap().unwrap();
        prop_assert_eq!((read.position, read.question), (position, question));
    }

    #[test]
    fn what_is_proved_is_written_in_obf_so_that_it_claims_it(
        (position, side) in any_position(),
        question in any_question(),
    ) {
        let Question::Claim(claim) = question else { return Ok(()) };
        let row = Row { position, side, question, prediction: None, count: None, id: None };
        let (lower, upper) = (claim.lower().discs(), claim.upper().discs());
        let text = format_row(Form::Obf, &row, &decided(Outcome::Proved, lower, upper)).unwrap();
        let read = read_row(Form::Obf, &text, Defaults::default()).unwrap().unwrap();
        prop_assert_eq!((read.position, read.side, read.question), (position, side, question));
    }

    #[test]
    fn no_text_makes_a_form_panic(line in "[-XO;,:<>={}\"a-z0-9 \u{e9}]{0,90}") {
        for form in Form::ALL {
            drop(read_row(form, &line, Defaults::default()));
        }
    }
}
