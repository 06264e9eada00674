//! Games that are over: their positions have a value and no move.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use crate::harness::run;
use crate::known_scores::ffo;

/// The shortest game that wins all discs, 13 to 0; an empty square counts for the winner.
const GAME: &str = "f5d6c5f4e7f6g5e6e3";
const BOARD: &str = "--------------------X------XXX----XXXXX----XXX------X----------- O";

/// Returns a home folder with a list of a position, that game, and its last position.
fn home_with_list() -> TempDir {
    let home = TempDir::new().expect("a temporary folder");
    let list = format!("{}\n{GAME}\n{BOARD}; % over\n", ffo(1));
    fs::write(home.path().join("list.obf"), list).expect("the folder is writable");
    home
}

#[test]
fn their_value_is_their_score() {
    let home = home_with_list();
    let finished = run(home.path(), &["solve", GAME, "--no-store"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let expected = ["to move    white, 51 empties", "value      -64", "best move  -", "line"];
    assert_eq!(finished.stdout[..4], expected);
    assert_eq!(
        finished.stdout.last().map(String::as_str),
        Some("source     rules (0 jobs done, 0 bounds reused)")
    );
    for more in [&["--json"][..], &["--json", "--moves"], &["--json", "--window", "0..2"]] {
        let solve = [&["solve", "list.obf", "--threads", "1", "--hash", "16M"], more].concat();
        let objects = run(home.path(), &solve).objects();
        assert_eq!(objects.len(), 3);
        for over in &objects[1..] {
            let part =
                ["position", "value", "best_move", "nodes", "source"].map(|field| &over[field]);
            assert_eq!(json!(part), json!([BOARD, -64, null, 0, "rules"]), "{over}");
        }
    }
    run(home.path(), &["simulate", GAME]).assert_fails(2, "every game is over");
    let finished = run(home.path(), &["solve", "list.obf"]);
    assert!(finished.stdout[3].contains(" -64 "), "{finished:?}");
    assert!(finished.stdout[4].starts_with("3 positions, "), "{finished:?}");
}

#[test]
fn a_campaign_solves_them_and_their_proof_is_accepted() {
    let home = home_with_list();
    let campaign = |verb: &[&str]| {
        let line = [&["campaign"], verb, &["--store", "store"]].concat();
        let finished = run(home.path(), &line);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished
    };
    campaign(&["import", "list", "list.obf"]);
    campaign(&["run", "list", "--threads", "1", "--hash", "16M"]);
    // No scored move can follow a game that is over: its row comes out as it went in.
    let list = fs::read_to_string(home.path().join("list.obf")).expect("it is there");
    assert_eq!(campaign(&["export", "list"]).stdout.join("\n") + "\n", list);
    let rows = campaign(&["export", "list", "--form", "jsonl"]).objects();
    for over in &rows[1..] {
        assert_eq!(
            json!([over["state"], over["lower"], over["upper"]]),
            json!(["solved", -64, -64])
        );
    }
    let export = ["proof", "export", "list.obf", "--store", "store", "--out", "proof"];
    assert_eq!(run(home.path(), &export).code, Some(0));
    let check = ["proof", "check", "proof", "--expect", "list.obf"];
    fs::write(home.path().join("list.obf"), format!("{}\n{BOARD}\n", ffo(1))).expect("it is ours");
    let checked = run(home.path(), &check);
    assert_eq!(checked.code, Some(0), "{checked:?}");
}
