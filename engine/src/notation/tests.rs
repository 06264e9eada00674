use proptest::prelude::*;

use super::*;

const START: &str = "---------------------------OX------XO--------------------------- X";

fn read(text: &str) -> Result<Problem, NotationError> {
    let mut all: Vec<_> = problems("test.obf", text).collect();
    assert_eq!(all.len(), 1, "{text:?} is one position");
    all.remove(0)
}

fn message(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

fn score(discs: i32) -> Score {
    Score::new(discs).unwrap()
}

#[test]
fn the_start_position_is_read_in_every_spelling() {
    let with_zeros = START.replace('O', "0").replace('X', "*").replace('-', ".");
    let in_rows: String = START
        .chars()
        .enumerate()
        .flat_map(|(i, c)| [Some(c), (i % 8 == 7).then_some(' ')])
        .flatten()
        .collect();
    for text in [START, &START.replace(' ', ""), &START.to_lowercase(), &with_zeros, &in_rows] {
        let problem = read(text).unwrap();
        assert_eq!((problem.position, problem.side), (Position::START, Side::Black), "{text}");
    }
}

#[test]
fn move_lists_are_played_from_the_start_position() {
    let problem = read("F5d6 C3").unwrap();
    let squares: Vec<Square> = ["f5", "d6", "c3"].map(|text| text.parse().unwrap()).to_vec();
    let played =
        squares.iter().fold(Position::START, |position, &square| position.play(square).unwrap());
    assert_eq!((problem.position, problem.side), (played, Side::White));
    assert_eq!(moves(&squares), "f5 d6 c3");
}

#[test]
fn moves_may_be_parted_and_numbered() {
    let expected = read("f5d6c3").unwrap().position;
    for text in [
        "f5-d6-c3",
        "F5, D6, C3",
        "1. f5 2. d6 3. c3",
        "1.f5d6 2... c3",
        "1. f5 d6, 2. c3,",
        "f5 - d6 -c3",
    ] {
        assert_eq!(read(text).unwrap().position, expected, "{text}");
    }
    for text in ["1 f5", "1. f5; D6:+2", "1. f9", "f5---d6", "f5;d6", "1."] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn a_board_that_begins_with_a_nought_and_a_dot_is_no_numbered_game() {
    let board = "0..0000X.000000X00XX000X00X000XX000000XX...0000X....0..X........";
    let expected = read(&format!("{} X", board.replace('0', "O").replace('.', "-")));
    assert!(expected.is_ok(), "{expected:?}");
    for text in [format!("{board} X"), format!("{board}X;"), format!(" {board} x;")] {
        assert_eq!(read(&text), expected, "{text}");
        assert!(!takes_no_scores(&text), "{text}");
    }
    assert!(read(&format!("{board} X; >= 2;")).is_ok(), "bounds may follow it");
    for text in ["0. f5", "01. f5", "1. f5 0. d6"] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn a_pass_may_be_written_or_left_out() {
    let (line, after) = line_to_a_pass();
    let text: String = line.iter().map(ToString::to_string).collect();
    for pass in ["", "--", "ps", "PASS", " pa "] {
        let problem = read(&format!("{text}{pass}{after}")).unwrap();
        assert_eq!(problem.position, read(&format!("{text}{after}")).unwrap().position, "{pass:?}");
    }
    assert!(message(&format!("{text}--{after}--")).contains("is illegal for"), "pass without need");
}

/// Returns the moves to a position whose player has to pass, and a move after the pass.
fn line_to_a_pass() -> (Vec<Square>, Square) {
    (0_u64..)
        .find_map(|seed| {
            let (mut position, mut line) = (Position::START, Vec::new());
            let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            while position.moves() != 0 {
                random = random.rotate_left(7).wrapping_mul(0x2545_f491_4f6c_dd1d);
                let moves: Vec<Square> = Square::all(position.moves()).collect();
                let square = moves[(random >> 32) as usize % moves.len()];
                position = position.play(square)?;
                line.push(square);
            }
            // After the move there must be no second pass, or the test above would spell it.
            let after = Square::all(position.pass().moves())
                .find(|&square| position.pass().play(square).is_some_and(|p| p.moves() != 0))?;
            Some((line, after))
        })
        .expect("random games have passes")
}

#[test]
fn a_side_without_a_move_is_no_error_while_the_opponent_has_one() {
    let (line, _) = line_to_a_pass();
    let text: String = line.iter().map(ToString::to_string).collect();
    assert!(read(&text).unwrap().position.must_pass());
}

#[test]
fn obf_lines_carry_scores_of_moves() {
    let problem = read(&format!("{START}; F5:+0; c4:-2 ;D3:2; % comment")).unwrap();
    let scores: Vec<i32> = problem.expected.iter().map(|&(_, score)| score.discs()).collect();
    assert_eq!(scores, [0, -2, 2]);
    assert_eq!(problem.expected_value(), Some(score(2)));
    assert_eq!(problem.to_string(), format!("{START}; F5:+0; C4:-2; D3:+2;"));
}

#[test]
fn obf_lines_carry_the_score_of_a_pass() {
    let (line, _) = line_to_a_pass();
    let passing = read(&moves(&line)).unwrap();
    let board = board(passing.position, passing.side);
    for pass in ["PS", "ps", "pa", "--", "pass"] {
        let problem = read(&format!("{board}; {pass}:-4;")).unwrap();
        assert_eq!(problem.expected, [(None, score(-4))], "{pass}");
        assert_eq!(problem.to_string(), format!("{board}; PS:-4;"));
    }
    let found = message(&format!("{board}; A1:+2"));
    assert!(found.contains("score is given for A1, which is illegal, expected a pass"), "{found}");
    let found = message(&format!("{START}; PS:+2"));
    assert!(found.contains("score is given for PS, which is illegal, expected one of"), "{found}");
}

#[test]
fn files_skip_comments_and_blank_lines_and_number_the_rest() {
    let text = format!("\u{feff}# header\r\n\r\n{START}\r\n% x\nf5\n  zz");
    let read: Vec<_> = problems("a.obf", &text).collect();
    assert_eq!(read.len(), 3);
    assert_eq!(read[0].as_ref().unwrap().side, Side::Black);
    assert_eq!(read[1].as_ref().unwrap().side, Side::White);
    let place = &read[2].as_ref().unwrap_err().place;
    assert_eq!((place.name.as_str(), place.line, place.column), ("a.obf", 6, 3));
}

#[test]
fn every_fault_names_its_place_and_what_was_expected() {
    let board = &START[..64];
    let over = format!("{} X", "X".repeat(63) + "-");
    let cases = [
        ("", "line 1, column 1: found no position"),
        ("# nothing\n", "found no position, expected a board, a move list or a game"),
        (&board[..60], "column 1: found a board of 60 squares, expected 64 squares"),
        (&format!("{} X", &board[1..]), "column 1: found a board of 63 squares"),
        (&format!("{board}-- X"), "column 1: found a board of 66 squares"),
        (
            &format!("{} X", "-".repeat(1000)),
            "column 1: found a board of 1000 squares, expected 64",
        ),
        (&"-".repeat(1000), "column 1: found a board of 1000 squares, expected 64"),
        (
            &format!("--q{}", "-".repeat(1000)),
            "column 3: found 'q' on the board, expected X (black)",
        ),
        (&format!("--q{} X", &board[3..]), "column 3: found 'q' on the board, expected X (black)"),
        (board, "column 65: the side to move is missing after the 64 squares, expected X or O"),
        (&format!("{board} q"), "column 66: found 'q' as the side to move, expected X or O"),
        (&format!("{board}-"), "column 65: found '-' as the side to move, expected X or O"),
        (&format!("{board} black"), "column 66: found 'b' as the side to move, expected X or O"),
        (&format!("{START} G8:+18"), "column 68: found 'G' after the side to move, expected ; or"),
        (&format!("{START} O8:+18 F4:-2"), "column 68: found 'O' after the side to move"),
        (&format!("{board}--q X"), "column 67: found 'q' on the board, expected X (black)"),
        ("f5d6f5", "column 5: move 3: f5 is illegal for black, expected one of c3 "),
        ("f5 d9", "column 4: move 2: found \"d9\", expected a square such as f5"),
        ("f5--", "move 2: -- is illegal for white, expected one of f4 d6 f6"),
        (&format!("{START}; F5"), "column 69: found \"F5\", expected a move and its score"),
        (&format!("{START}; zz:+2"), "found \"zz:+2\", expected a move and its score"),
        (&format!("{START}; A1:+2"), "a score is given for A1, which is illegal, expected one of"),
        (&format!("{START}; F5:+3"), "column 72: found the score \"+3\", expected an even number"),
        (&format!("{START}; F5:+66"), "found the score \"+66\", expected an even number"),
        (&format!("{START}; >= 3"), "column 72: found the score \"3\", expected an even number"),
        (&format!("{START}; >= "), "found the score \"\", expected an even number"),
        (
            &format!("{START}; >= 4; <= +2"),
            "column 75: the value is given as +4..=+64 and as -64..=+2, expected what can be true",
        ),
        (
            &format!("{START}; F5:+2; <= 0"),
            "column 1: the value is given as +2 and as -64..=+0, expected what can be true together",
        ),
        (
            &format!("{START}; F5:+2; D3:-4; F5:+4"),
            "column 83: two scores are given for F5, +2 and +4",
        ),
        (&format!("{over}; PS:+64"), "a score is given for PS, which is illegal, expected no move"),
    ];
    for (text, expected) in cases {
        let found = message(text);
        assert!(found.contains(expected), "{text:?} gave {found:?}");
        assert!(found.starts_with("test.obf, line 1, column "), "{found:?}");
    }
}

#[test]
fn what_is_long_is_quoted_in_part() {
    let long = "é".repeat(100_000);
    for text in [format!("{START}; {long}"), format!("{START}; F5:{long}")] {
        let found = message(&text);
        let quoted = format!("\"{}…\", expected", "é".repeat(60));
        assert!(found.contains(&quoted) && found.len() < 300, "{found:?}");
    }
    assert_eq!(excerpt(&long[..120]), long[..120]);
}

#[test]
fn a_game_that_is_over_is_a_position() {
    // The shortest game in which the loser has no discs left.
    let text = "f5 d6 c5 f4 e7 f6 g5 e6 e3";
    let lines = format!("{text}\n{}- O", "X".repeat(63));
    let read: Vec<Problem> = problems("test", &lines).map(Result::unwrap).collect();
    assert!(read.iter().all(|problem| problem.position.is_over()));
    assert_eq!((read[0].side, read[0].position.final_score()), (Side::White, Score::MIN));
    assert_eq!(problems("test", &read[0].to_string()).next().unwrap().unwrap(), read[0]);
    assert!(message(&format!("{text} d7")).contains("expected no move, the game is over"));
}

fn any_problem() -> impl Strategy<Value = Problem> {
    let side = prop_oneof![Just(Side::Black), Just(Side::White)];
    (any::<[u64; 3]>(), side, any::<Vec<i8>>(), any::<[u8; 2]>()).prop_filter_map(
        "the game is over",
        |([discs, colour, more], side, scores, [below, above])| {
            let occupied = discs | more;
            let position = Position::new(occupied & colour, occupied & !colour)?;
            let scores = scores.into_iter().map(|discs| Score::floor(i32::from(discs)));
            let moves = Square::all(position.moves()).map(Some);
            let pass = position.must_pass().then_some(None);
            let expected: Vec<_> = moves.chain(pass).zip(scores).collect();
            let value = expected.iter().map(|&(_, score)| score).max().unwrap_or(Score::DRAW);
            let end = |discs: i32| Score::floor(discs.clamp(-64, 64));
            let lower = end(value.discs() - i32::from(below));
            let bound = Bound::new(lower, end(value.discs() + i32::from(above)))?;
            Some(Problem { position, side, expected, bound })
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(problem in any_problem()) {
        prop_assert_eq!(read(&problem.to_string()), Ok(problem.clone()));
        let bare = Problem { expected: Vec::new(), bound: Bound::UNKNOWN, ..problem };
        let written = board(bare.position, bare.side);
        prop_assert_eq!(read(&written), Ok(bare.clone()));
        let otherwise = written.replace('O', "0").replace('X', "*").replace('-', ".");
        prop_assert_eq!(read(&otherwise), Ok(bare));
    }

    #[test]
    fn any_text_gives_positions_or_an_error(text in any::<String>()) {
        prop_assert!(problems("text", &text).count() >= 1);
    }

    #[test]
    fn nearly_right_text_gives_positions_or_an_error(text in "([-XOxo0.a-h1-8;:+<>= \n#é]|F5|--){0,90}") {
        prop_assert!(problems("text", &text).count() >= 1);
    }
}

fn read_on(size: &str, text: &str) -> Result<Problem, NotationError> {
    let size = size.parse().expect("a size");
    problems_on(size, "text", text).next().expect("problems or an error")
}

#[test]
fn small_boards_are_read_by_their_squares_or_with_their_walls() {
    let start = read_on("4x4", "start").unwrap();
    let walled = format!("{}++-----OX--XO-----++{} X", "+".repeat(16), "+".repeat(18));
    assert!(read(&walled).is_err(), "a wall too many in some rows");
    assert_eq!(read(&start.to_string()), Ok(start.clone()));
    assert_eq!(read_on("4x4", &start.to_string()), Ok(start.clone()));
    assert_eq!(read_on("4x4", "-----OX--XO----- X"), Ok(start.clone()));
    assert_eq!(read_on("4x4", "---- -OX- -XO- ---- X"), Ok(start.clone()));
    let after = read_on("6x6", "d3c5").unwrap();
    assert_eq!((after.position.empties(), after.side), (30, Side::Black));
    assert_eq!(read_on("8x8", "start").unwrap().position, Position::START);
}

#[test]
fn what_is_wrong_with_a_small_board_is_told() {
    let message = |size, text: &str| read_on(size, text).unwrap_err().to_string();
    assert!(message("6x6", "-----OX--XO----- X").contains("16 squares, expected 36 squares"));
    assert!(message("6x6", &"-".repeat(36)).contains("missing after the 36 squares"));
    let four = read_on("4x4", "start").unwrap().to_string();
    assert!(message("6x6", &four).contains("around a board of 4x4, expected one of 6x6"));
    let gap = four.replacen('+', "-", 1);
    assert!(message("8x8", &gap).contains("found walls (+) that are not"));
    assert!(message("6x6", "d3a1").contains("a1 is illegal for white"));
}

/// Returns a game of GGF with these moves, each with the letter of its player.
fn game(moves: &str) -> String {
    let board = "-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
    format!("1 (;GM[Othello]PC[GGS/os]PB[one]PW[two]TI[05:00//02:00]TY[8]BO[8 {board}]{moves};)")
}

#[test]
fn a_game_is_played_from_its_board() {
    let moves = "B[F5//0.01]W[d6/-1.50/2.3]B[c3]";
    let (played, expected) = (read(&game(moves)).unwrap(), read("f5d6c3").unwrap());
    assert_eq!((played.position, played.side), (expected.position, expected.side));
    let problem = read(game("").trim_start_matches("1 ")).unwrap();
    assert_eq!((problem.position, problem.side), (Position::START, Side::Black));
    let other = format!("(;BO[8 {}]B[d1];)", START.replace('-', "O").replacen('O', "-", 4));
    assert_eq!(read(&other).unwrap().side, Side::White);
}

#[test]
fn a_pass_in_a_game_may_be_written_or_left_out() {
    let (line, after) = line_to_a_pass();
    let letter = |number: usize| if number.is_multiple_of(2) { 'B' } else { 'W' };
    let moves: String =
        line.iter().enumerate().map(|(n, square)| format!("{}[{square}]", letter(n))).collect();
    let (passing, other) = (letter(line.len()), letter(line.len() + 1));
    let text: String = line.iter().map(ToString::to_string).collect();
    let expected = read(&format!("{text}{after}")).unwrap();
    for pass in [String::new(), format!("{passing}[PA]"), format!("{passing}[pass//1.2]")] {
        let played = read(&game(&format!("{moves}{pass}{other}[{after}]"))).unwrap();
        assert_eq!((played.position, played.side), (expected.position, expected.side), "{pass}");
    }
}

#[test]
fn what_is_wrong_with_a_game_is_named_with_its_place() {
    let whole = game("B[f5]W[d6]");
    for (text, expected) in [
        (game("B[f5]W[a1]"), "move 2: a1 is illegal for white, expected one of"),
        (game("B[f5]B[d6]"), "move 2: found a move of black, expected one of white"),
        (game("B[f5]W[z9]"), "move 2: found \"z9\", expected a square"),
        (game("B[f5]W[PA]"), "move 2: PA is illegal for white"),
        (game("B[f5]w[d6]"), "found \"w[d6];)\" in a game, expected a property such as"),
        (game("B[f5]W[d6"), "found \"W[d6;)\" in a game"),
        (whole.replace(";)", ""), "found \"\" in a game, expected a property"),
        (whole.replace(" *]", "]"), "the side to move is missing"),
        (whole.replace("BO[8", "BO[10"), "found a game on a board of \"10\" columns, expected 8"),
        (whole.replace("BO[8", "OB[8"), "the game has no board before its first move"),
        ("(;GM[Othello];)".to_owned(), "the game has no board before its first move"),
        (whole.replace("1 (", "2 (") + "(;BO[8];)", "found \"(;BO[8];)\" after the game"),
    ] {
        let message = message(&text);
        assert!(message.contains(expected), "{message}");
    }
    let place = read(&whole.replace("d6", "a1")).unwrap_err().place;
    assert_eq!(place.column - 1, whole.find("d6").unwrap());
}

proptest! {
    #[test]
    fn no_text_of_a_game_is_too_odd_to_be_read(text in "[;()\\[\\]A-Z0-9 a-h*/éO-]{0,60}") {
        drop(problems("test", &format!("(;{text}")).collect::<Vec<_>>());
        drop(problems("test", &game(&text)).collect::<Vec<_>>());
    }
}
