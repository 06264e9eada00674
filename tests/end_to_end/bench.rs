//! `outflank bench`.

use tempfile::TempDir;

use crate::harness::run;
use crate::known_scores::check;

fn home() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

#[test]
fn ffo_positions_are_solved_checked_and_summed_up() {
    let arguments = ["bench", "ffo", "--positions", "1-5", "--threads", "1", "--hash", "16M"];
    let finished = run(home().path(), &arguments);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let lines = &finished.stdout;
    assert_eq!(lines.len(), 9, "titles, five positions, three lines of totals: {finished:?}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let titles = ["no", "empties", "score", "move", "time", "nodes", "nodes/s", "line"];
    assert_eq!(words(&lines[0]), titles);
    assert_eq!(words(&lines[1])[..4], ["1", "14", "+18", "g8"]);
    assert!(lines[6].ends_with("5 positions, 0 wrong"), "{finished:?}");
    assert!(lines[7].starts_with("1 thread, "), "{finished:?}");
    assert!(lines[8].contains("hash table 16 MiB"), "{finished:?}");
}

#[test]
fn ffo_answers_as_json_and_the_nodes_of_one_thread_are_the_same_again() {
    let arguments = ["bench", "ffo", "--set", "3,1-2", "--threads", "1", "--hash", "16M", "--json"];
    let first = run(home().path(), &arguments).objects();
    let second = run(home().path(), &arguments).objects();
    let (totals, positions) = first.split_last().expect("there are totals");
    for (object, number) in positions.iter().zip(1..) {
        assert_eq!(object["number"], number, "{object}");
        check(object, number);
    }
    let nodes: u64 =
        positions.iter().map(|object| object["nodes"].as_u64().expect("a count")).sum();
    assert_eq!((&totals["positions"], &totals["nodes"]), (&3.into(), &nodes.into()), "{totals}");
    assert_eq!(totals["wrong"], serde_json::json!([]), "{totals}");
    assert!(totals["peak_memory_bytes"].as_u64() > Some(1 << 20), "{totals}");
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first["nodes"], second["nodes"]);
    }
}

#[test]
fn positions_that_do_not_exist_are_refused() {
    for bad in ["80", "0-5", "59-40", "forty"] {
        let finished = run(home().path(), &["bench", "ffo", "--positions", bad]);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        let message = "expected numbers from 1 to 79 such as 40-59 or 1-19,45";
        assert!(finished.stderr.iter().any(|line| line.contains(message)), "{finished:?}");
    }
}
