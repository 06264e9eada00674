//! Boards smaller than 8x8, through the whole stack.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::cluster::{coordinator, worker};
use crate::harness::{Process, outflank, run, run_with_input};
use crate::proof::exported_and_checked;

/// The start positions of 4x4, 4x5 and 4x6 with their walls, as `--json` and proofs write them.
const STARTS: &str = "\
++++++++++++++++++----++++-OX-++++-XO-++++----++++++++++++++++++ X
++++++++++++++++++----++++-OX-++++-XO-++++----++++----++++++++++ X
++++++++++----++++----++++-OX-++++-XO-++++----++++----++++++++++ X
";

fn home() -> TempDir {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("problems.obf"), STARTS).expect("the folder is writable");
    home
}

#[test]
fn small_boards_are_solved_from_the_start_while_processes_are_killed() {
    let home = home();
    let (first_coordinator, address) =
        coordinator(home.path(), "127.0.0.1:0", &["--job-nodes", "1000"]);
    let doomed = worker(home.path(), &address);
    let survivor = worker(home.path(), &address);
    let solve = ["solve", "problems.obf", "--json", "--connect", &address];
    let client = Process::start(outflank(home.path(), &solve));
    let mut values = vec![client.object()["value"].clone()];
    doomed.kill();
    let replacement = worker(home.path(), &address);
    values.push(client.object()["value"].clone());
    first_coordinator.kill();
    let (second_coordinator, _) = coordinator(home.path(), &address, &["--job-nodes", "1000"]);
    values.push(client.object()["value"].clone());
    assert_eq!(values, [-10, 16, 16]);
    assert_eq!(client.finish().code, Some(0));
    for process in [survivor, replacement, second_coordinator] {
        process.signal("TERM");
        let finished = process.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
    let report = exported_and_checked(home.path());
    assert_eq!(report["roots"], 3);
    let inferred = report["by_move"].as_u64().zip(report["by_all"].as_u64());
    assert!(inferred.is_some_and(|(one, all)| one > 10 && all > 10), "it was split: {report}");
}

#[test]
fn one_store_holds_several_boards_and_each_is_asked_by_its_size() {
    let home = TempDir::new().expect("a temporary folder");
    let solve = |board: &str, position: &str| -> Value {
        let arguments = ["solve", "--board", board, position, "--store", "store", "--json"];
        run(home.path(), &arguments).objects().remove(0)
    };
    for (board, value) in [("4x4", -10), ("4x5", 16), ("6x4", 16)] {
        let found = solve(board, "start");
        assert_eq!((&found["value"], &found["source"]), (&value.into(), &"search".into()));
        assert_eq!(solve(board, "start")["source"], "store", "{board}");
    }
    assert_eq!(solve("4x6", "start")["source"], "store", "6x4 lying on its side");
    let text = run(home.path(), &["solve", "--board", "4x4", "d3", "--store", "store"]);
    assert_eq!(text.stdout[0], "to move    white, 11 empties on 4x4", "{text:?}");
    let export = ["proof", "export", "--board", "4x5", "start", "--store", "store"];
    let finished = run(home.path(), &export);
    let proof: String = finished.stdout.iter().map(|line| format!("{line}\n")).collect();
    assert!(proof.contains(",\"lower\":16,\"upper\":16,"), "{proof}");
    let check = ["proof", "check", "-", "--sample", "1000", "--json"];
    let report = run_with_input(home.path(), &check, &proof).objects().remove(0);
    assert_eq!((&report["accepted"], &report["wrong"]), (&true.into(), &0.into()), "{report}");
}

#[test]
fn small_boards_are_tasks_of_a_campaign() {
    let home = home();
    let home = home.path();
    let at = ["--store", "store"];
    let campaign = |arguments: &[&str]| run(home, &[&["campaign"], arguments, &at[..]].concat());
    let imported = campaign(&["import", "small", "problems.obf", "--split-to", "12"]);
    let expected = "small: 3 rows (obf), 0 of them the same as others up to symmetry, 3 tasks";
    assert_eq!(imported.stdout, [expected], "{imported:?}");
    assert_eq!(campaign(&["run", "small"]).code, Some(0));
    let rows = campaign(&["export", "small", "--form", "jsonl"]).objects();
    let values: Vec<&Value> = rows.iter().map(|row| &row["lower"]).collect();
    assert_eq!(values, [-10, 16, 16]);
    assert!(rows.iter().all(|row| row["lower"] == row["upper"]), "{rows:?}");
}

#[test]
fn what_is_no_small_board_is_explained() {
    let home = home();
    let path = home.path();
    let fails = |arguments: &[&str], message: &str| run(path, arguments).assert_fails(2, message);
    fails(&["solve", "--board", "6x6", "-----OX--XO----- X"], "16 squares, expected 36 squares");
    fails(&["solve", "--board", "6x6", "problems.obf"], "a board of 4x4, expected one of 6x6");
    fails(&["solve", "--board", "4x4", "d3a1"], "move 2: a1 is illegal for white");
    let odd = run(path, &["solve", "--board", "5x5", "start"]);
    assert_eq!(odd.code, Some(2), "{odd:?}");
    assert!(odd.stderr.join(" ").contains("is not a board size"), "{odd:?}");
}
