//! `outflank solve` in one process.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use outflank_engine::notation::{self, Problem};
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Process, outflank, run, run_with_input};
use crate::known_scores::{check, check_answer, ffo, file};

/// Returns a home folder with a file `problems.obf` of these problems.
fn home_with(numbers: &[usize]) -> TempDir {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("problems.obf"), file(numbers)).expect("the folder is writable");
    home
}

#[test]
fn a_file_of_positions_may_have_a_name_that_is_no_text() {
    let home = home_with(&[]);
    let name = OsStr::from_bytes(b"list-\xff.obf");
    fs::write(home.path().join(name), file(&[1])).expect("the folder is writable");
    let solve: &[&str] = &["solve", "--store", "store", "--json"];
    for command in [solve, &["proof", "export", "--store", "store"]] {
        let mut command = outflank(home.path(), command);
        command.arg(name);
        let finished = Process::start(command).finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
}

#[test]
fn a_board_is_solved() {
    let home = home_with(&[]);
    let board = ffo(1).to_string();
    let board = board.split(';').next().expect("a board comes first");
    let finished = run(home.path(), &["solve", board, "--no-store"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(
        finished.stdout[..3],
        ["to move    black, 14 empties", "value      +18", "best move  g8"]
    );
    for (line, title) in finished.stdout[3..].iter().zip(["line", "nodes", "time", "source"]) {
        assert!(line.starts_with(title), "{line:?} is not the {title}");
    }
    assert!(!home.path().join("data").exists(), "nothing is kept");
}

/// Easy positions are searched side by side, the others alone, and each is shown in its place.
#[test]
fn a_list_of_easy_and_other_positions_is_answered_in_its_order() {
    let numbers = [1, 20, 2, 35, 3, 4];
    let home = home_with(&numbers);
    let finished = run(
        home.path(),
        &["solve", "problems.obf", "--store", "store", "--threads", "2", "--json"],
    );
    let answers = finished.objects();
    assert_eq!(answers.len(), numbers.len(), "{finished:?}");
    for (answer, number) in answers.iter().zip(numbers) {
        check(answer, number);
    }
}

#[test]
fn a_file_gives_a_line_for_each_position_and_totals() {
    let home = home_with(&[1, 2, 3]);
    let finished = run(home.path(), &["solve", "problems.obf", "--threads", "2", "--hash", "16M"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(finished.stdout.len(), 5, "titles, three lines, totals: {finished:?}");
    assert!(finished.stdout[1..4].iter().all(|line| line.contains('✓')), "{finished:?}");
    assert!(finished.stdout[4].starts_with("3 positions, "), "{finished:?}");
    assert!(finished.stdout[4].ends_with("0 disagree"), "{finished:?}");
}

#[test]
fn the_second_time_the_answers_come_from_the_store() {
    let numbers = [1, 2, 3, 4, 5];
    let home = home_with(&numbers);
    let arguments = ["solve", "problems.obf", "--json"];
    let first = run(home.path(), &arguments).objects();
    let second = run(home.path(), &arguments).objects();
    assert!(home.path().join("data/outflank/store").is_dir(), "the default store");
    for ((first, second), number) in first.iter().zip(&second).zip(numbers) {
        check(first, number);
        assert_eq!(first["source"], "search");
        for field in ["lower", "upper", "best_move"] {
            assert_eq!(first[field], second[field], "{field}");
        }
        check(second, number);
        assert_eq!(second["source"], "store");
        assert!(second["reused"].as_u64() > Some(0), "{second}");
    }
    assert_eq!((first.len(), second.len()), (5, 5));
}

#[test]
fn standard_input_is_read() {
    let home = home_with(&[]);
    let objects =
        run_with_input(home.path(), &["solve", "-", "--json", "--no-store"], &file(&[6, 7]))
            .objects();
    check(&objects[0], 6);
    check(&objects[1], 7);
}

#[test]
fn every_move_has_the_value_of_the_position_after_it() {
    let numbers = [1, 2];
    let home = home_with(&numbers);
    let arguments = ["solve", "problems.obf", "--moves", "--json", "--no-store"];
    for (object, number) in run(home.path(), &arguments).objects().iter().zip(numbers) {
        check_answer(object, number);
        let Problem { position, side, .. } = ffo(number);
        let moves = object["moves"].as_array().expect("the moves");
        assert_eq!(moves.len() as u32, position.moves().count_ones(), "{object}");
        let board_after = |one: &Value| {
            let square = one["move"].as_str().expect("a move").parse().expect("a square");
            let after = position.play(square).expect("the move is legal");
            format!("{}\n", notation::board(after, side.other()))
        };
        let boards: String = moves.iter().map(board_after).collect();
        let alone = ["solve", "-", "--json", "--no-store"];
        let alone = run_with_input(home.path(), &alone, &boards).objects();
        let values: Vec<_> = moves.iter().map(|one| one["value"].as_i64()).collect();
        let after: Vec<_> = alone.iter().map(|one| one["value"].as_i64().map(|v| -v)).collect();
        assert_eq!(values, after, "{object}");
        assert!(values.is_sorted_by(|first, second| first >= second), "the best first: {object}");
    }
}

#[test]
fn what_follows_from_every_move_is_kept() {
    let home = home_with(&[1]);
    let solve = ["solve", "problems.obf", "--json", "--store", "store"];
    run(home.path(), &[&solve[..], &["--moves"]].concat()).objects();
    let again = run(home.path(), &solve).objects().remove(0);
    check(&again, 1);
    assert_eq!((&again["source"], &again["jobs"]), (&"store".into(), &0.into()), "{again}");
    let export = ["proof", "export", "problems.obf", "--store", "store"];
    assert_eq!(run(home.path(), &export).code, Some(0));
}

#[test]
fn scores_that_nothing_was_found_of_are_not_marked() {
    let home = home_with(&[]);
    // Large enough not to be solved while this process waits for a processor.
    let wrong = file(&[50]).replace("+10", "-20");
    let solve = ["solve", "-", "--no-store", "--time", "1e-9"];
    let finished = run_with_input(home.path(), &solve, &wrong);
    assert_eq!(finished.code, Some(8), "{finished:?}");
    assert!(finished.stdout.contains(&"expected   -20".to_owned()), "{finished:?}");
    let json = run_with_input(home.path(), &[&solve[..], &["--json"]].concat(), &wrong);
    let object: Value = serde_json::from_str(&json.stdout[0]).expect("JSON");
    assert_eq!(object.get("agrees"), None, "{object}");
}

#[test]
fn every_move_is_asked_in_the_window() {
    let home = home_with(&[1]);
    let arguments =
        ["solve", "problems.obf", "--moves", "--json", "--no-store", "--window", "16..18"];
    let object = run(home.path(), &arguments).objects().remove(0);
    assert_eq!((&object["best_move"], &object["lower"]), (&"g8".into(), &18.into()), "{object}");
    for one in object["moves"].as_array().expect("the moves") {
        let end = if one["move"] == "g8" { one["lower"] == 18 } else { one["upper"] == 16 };
        let is_below = one["upper"].as_i64() <= Some(16);
        assert!(end || is_below, "only g8 is worth 18: {object}");
    }
}

#[test]
fn a_player_who_must_pass_has_no_best_move() {
    let home = home_with(&[]);
    // White alone can move: to h1, down the last file.
    let board = format!("OOOOOOO-{}O X", "X".repeat(55));
    let solve = |more: &[&str]| {
        let arguments = [&["solve", board.as_str(), "--no-store"], more].concat();
        let finished = run(home.path(), &arguments);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stdout
    };
    let found = solve(&[]);
    assert_eq!(found[1..4], ["value      +34", "best move  pass", "line       h1"]);
    assert_eq!(solve(&["--moves"]).last().map(String::as_str), Some("pass       +34          h1"));
    let json: Value = serde_json::from_str(&solve(&["--json"])[0]).expect("JSON");
    assert!(json["best_move"].is_null(), "{json}");
}

#[test]
fn a_window_is_answered_from_one_side() {
    let home = home_with(&[1]);
    let ask = |window: &str| {
        let arguments = ["solve", "problems.obf", "--json", "--no-store", "--window", window];
        run(home.path(), &arguments).objects().remove(0)
    };
    let (above, below) = (ask("16..18"), ask("18..20"));
    assert_eq!(above["lower"], 18, "the value is +18: {above}");
    assert_eq!(below["upper"], 18, "the value is +18: {below}");
}

#[test]
fn a_score_that_disagrees_is_reported() {
    let home = home_with(&[]);
    let wrong = ffo(1).to_string().replace("G8:+18", "G8:+20");
    fs::write(home.path().join("wrong.obf"), wrong).expect("the folder is writable");
    let finished = run(home.path(), &["solve", "wrong.obf", "--json", "--no-store"]);
    finished.assert_fails(5, "1 of 1 answers disagree with the given scores");
    assert!(finished.stdout[0].contains("\"agrees\":false"), "{finished:?}");
}

/// The second problem has 34 empties: it is not solved while a test runs.
const ENDLESS: [usize; 2] = [1, 58];

#[test]
fn a_spent_budget_leaves_what_is_proved_and_a_large_one_changes_nothing() {
    let home = home_with(&ENDLESS);
    for budget in [["--nodes", "1000000"], ["--time", "0.5"]] {
        let arguments = ["solve", "problems.obf", "--json", "--quiet", budget[0], budget[1]];
        let finished = run(home.path(), &arguments);
        assert_eq!(finished.code, Some(8), "{finished:?}");
        let last: Value = serde_json::from_str(finished.stdout.last().expect("two")).expect("JSON");
        assert!(last["lower"].as_i64() < last["upper"].as_i64(), "{last}");
        let said = finished.stderr.join("\n");
        assert!(said.contains("the budget was spent"), "{finished:?}");
        // The same budget would be spent again.
        assert!(said.ends_with("outflank solve problems.obf --json --quiet"), "{finished:?}");
    }
    let home = home_with(&[1]);
    let arguments = ["solve", "problems.obf", "--json", "--nodes", "1000000000", "--time", "1000"];
    check(&run(home.path(), &arguments).objects()[0], 1);
}

#[test]
fn a_spent_budget_shows_the_move_that_reaches_what_is_proved() {
    let home = home_with(&ENDLESS[1..]);
    let question = ["solve", "problems.obf", "--json", "--window=-64..-60"];
    assert!(run(home.path(), &question).objects()[0]["lower"].as_i64() >= Some(-60));
    let finished = run(home.path(), &["solve", "problems.obf", "--json", "--time", "0.5"]);
    assert_eq!(finished.code, Some(8), "{finished:?}");
    let partial: Value = serde_json::from_str(&finished.stdout[0]).expect("JSON");
    assert!(
        partial["lower"].as_i64() >= Some(-60) && partial["best_move"].is_string(),
        "{partial}"
    );
}

#[test]
fn ctrl_c_stops_cleanly_and_says_how_to_go_on() {
    let home = home_with(&ENDLESS);
    let process = Process::start(outflank(home.path(), &["solve", "problems.obf", "--json"]));
    check(&process.object(), 1);
    process.signal("INT");
    let finished = process.finish();
    assert_eq!(finished.code, Some(130), "{finished:?}");
    let text = finished.stderr.join("\n");
    assert!(text.contains("interrupted"), "{text}");
    assert!(text.contains("solve problems.obf --json"), "the command to go on: {text}");
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn what_was_proved_before_a_kill_is_there_afterwards() {
    let home = home_with(&ENDLESS);
    let process = Process::start(outflank(home.path(), &["solve", "problems.obf", "--json"]));
    check(&process.object(), 1);
    process.kill();
    fs::write(home.path().join("problems.obf"), file(&[1, 8])).expect("the folder is writable");
    let objects = run(home.path(), &["solve", "problems.obf", "--json"]).objects();
    check(&objects[0], 1);
    check(&objects[1], 8);
    assert_eq!(objects[0]["source"], "store", "{objects:?}");
}

#[test]
fn a_store_in_use_is_refused() {
    let home = home_with(&ENDLESS);
    let process = Process::start(outflank(home.path(), &["solve", "problems.obf", "--json"]));
    check(&process.object(), 1);
    let refused = run(home.path(), &["solve", "problems.obf"]);
    refused
        .assert_fails(3, "; wait until that has ended, or give another store (--store), or none");
    let refused = run(home.path(), &["campaign", "list"]);
    refused.assert_fails(3, "; if that is a coordinator, ask it (--connect), otherwise wait until");
    process.kill();
}
