//! `outflank proof`: what was solved is exported, checked, altered and rejected.

use std::fs;
use std::path::Path;

use outflank_engine::evaluation::Weights;
use outflank_engine::notation;
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{run, run_with_input};
use crate::known_scores::{ffo, file};

/// Returns a home folder with a file `problems.obf` of these problems.
fn home_with(numbers: &[usize]) -> TempDir {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("problems.obf"), file(numbers)).expect("the folder is writable");
    home
}

/// Exports a proof of `problems.obf` to `a.proof` and returns the report of its check, all of its
/// leaves solved again.
pub(crate) fn exported_and_checked(home: &Path) -> Value {
    let export = ["proof", "export", "problems.obf", "--store", "store", "--out", "a.proof"];
    let finished = run(home, &export);
    assert_eq!((finished.code, finished.stdout.len()), (Some(0), 0), "{finished:?}");
    let check = ["proof", "check", "a.proof", "--all", "--expect", "problems.obf", "--json"];
    let report = run(home, &check).objects().remove(0);
    assert_eq!(report["sampled"], report["leaves"], "{report}");
    assert_eq!((&report["accepted"], &report["wrong"]), (&true.into(), &0.into()), "{report}");
    report
}

#[test]
fn a_solved_position_gives_a_proof_and_an_altered_row_is_named() {
    let home = home_with(&[1, 8]);
    let solve = ["solve", "problems.obf", "--store", "store", "--job-nodes", "1000", "--json"];
    run(home.path(), &solve).objects();
    let report = exported_and_checked(home.path());
    assert_eq!(report["roots"], 2);
    let inferred = report["by_move"].as_u64().zip(report["by_all"].as_u64());
    assert!(inferred.is_some_and(|(one, all)| one > 0 && all > 0), "it was split: {report}");
    assert_eq!(report["excluded_95"], 0.0, "every leaf was solved again: {report}");

    let proof = fs::read_to_string(home.path().join("a.proof")).expect("it was written");
    let origin = proof.lines().find(|line| line.starts_with("{\"origin\":1,")).expect("an origin");
    let origin: Value = serde_json::from_str(origin).expect("JSON");
    let embedded = format!("{:016x}", Weights::embedded().expect("they are whole").id());
    assert_eq!(origin["weights"], embedded.as_str(), "{origin}");

    let values: Vec<i32> = proof.lines().skip(1).take(2).map(upper).collect();
    let known = [1, 8].map(|number| ffo(number).expected_value().expect("a score").discs());
    assert_eq!(values, known);
    let row = proof.lines().find(|line| line.starts_with("{\"row\":9,")).expect("nine rows");
    let (before, after) = row.split_once("\"value\":").expect("a row has a value");
    let (value, rest) = after.split_once(',').expect("the value is not the last field");
    let altered: i32 = value.parse::<i32>().expect("a number") + 2;
    let altered = proof.replace(row, &format!("{before}\"value\":{altered},{rest}"));
    run_with_input(home.path(), &["proof", "check", "-"], &altered).assert_fails(6, "row 9: ");
    let json = run_with_input(home.path(), &["proof", "check", "-", "--json"], &altered);
    let json: Value = serde_json::from_str(&json.stdout[0]).expect("JSON");
    assert_eq!((&json["accepted"], &json["row"]), (&false.into(), &9.into()), "{json}");
    let seal =
        |seal: &str| run(home.path(), &["proof", "check", "a.proof", "--json", "--seal", seal]);
    let other = seal(&"0".repeat(64));
    let json: Value = serde_json::from_str(&other.stdout[0]).expect("JSON");
    assert_eq!((&json["accepted"], &json["sampled"]), (&false.into(), &0.into()), "{json}");
    other.assert_fails(6, "found the seal");
    assert_eq!(seal("00").code, Some(2), "no seal has two digits");
    let own = json["seal"].as_str().expect("a seal").to_uppercase();
    assert_eq!(seal(&own).code, Some(0));
    fs::write(home.path().join("other.obf"), file(&[8, 2])).expect("the folder is writable");
    let other = ["proof", "check", "a.proof", "--expect", "other.obf"];
    run(home.path(), &other).assert_fails(6, "no root is about it (1 of 2");
    let other = ["proof", "check", "a.proof", "--expect", "-"];
    run_with_input(home.path(), &other, &file(&[8, 2]))
        .assert_fails(6, "a.proof, line 2 of standard input: ");
}

/// Returns the upper bound in a line of a root.
fn upper(line: &str) -> i32 {
    let root: Value = serde_json::from_str(line).expect("JSON");
    root["upper"].as_i64().expect("an upper bound") as i32
}

#[test]
fn a_job_can_be_replaced_by_what_its_worker_has_proved_below() {
    let home = home_with(&[1]);
    run(home.path(), &["solve", "problems.obf", "--store", "store", "--json"]).objects();
    assert_eq!(exported_and_checked(home.path())["rows"], 2, "one job: at least and at most");
    let export = ["proof", "export", "problems.obf", "--store", "store", "--max-leaf", "13"];
    let finished = run(home.path(), &export);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let input: String = finished.stdout.iter().map(|line| format!("{line}\n")).collect();
    let check = ["proof", "check", "-", "--json", "--seed", "1"];
    let report = run_with_input(home.path(), &check, &input).objects().remove(0);
    assert!(report["rows"].as_u64() > Some(2), "{report}");
}

/// Whatever has a proof of a campaign can see that its verdicts follow from that.
#[test]
fn every_verdict_of_a_campaign_follows_from_a_proof() {
    let home = TempDir::new().expect("a temporary folder");
    let home = home.path();
    let claims = [(1, 0, 0), (1, 2, 64), (2, 4, 0), (3, 0, 0)].map(|(number, more, beta)| {
        let problem = ffo(number);
        let board = notation::board(problem.position, problem.side);
        let score = problem.expected_value().expect("a score").discs() + more;
        let beta = if beta == 0 { score } else { beta };
        format!("{board};,1,{score},-64,{beta}\n")
    });
    let list = format!("obf,count,score,alpha,beta\n{}", claims.concat());
    fs::write(home.join("list.csv"), list).expect("the folder is writable");
    let succeed = |arguments: &[&str], code| {
        let finished = run(home, &[arguments, &["--store", "store"]].concat());
        assert_eq!(finished.code, Some(code), "{finished:?}");
    };
    succeed(&["campaign", "import", "list", "list.csv"], 0);
    succeed(&["campaign", "run", "list", "--threads", "1", "--hash", "64M"], 7);
    succeed(&["campaign", "export", "list", "--form", "obf", "--out", "list.obf"], 0);
    succeed(&["proof", "export", "list.obf", "--out", "list.proof"], 0);
    let check = ["proof", "check", "list.proof", "--all", "--json", "--expect"];
    let report = run(home, &[&check[..], &["list.obf"]].concat()).objects().remove(0);
    assert_eq!(report["accepted"], true, "{report}");

    let verdicts = fs::read_to_string(home.join("list.obf")).expect("it was written");
    // What is proved of a row may be more than what was asked.
    let has_verdict = |line: &str| line.ends_with(';') && line.matches(';').count() > 1;
    assert!(verdicts.lines().count() == 4 && verdicts.lines().all(has_verdict), "{verdicts}");
    let first = verdicts.lines().next().and_then(|line| line.split_once(';'));
    let (board, _) = first.expect("a board and its verdict");
    let altered = format!("{verdicts}{board}; >= +20;\n");
    fs::write(home.join("altered.obf"), altered).expect("the folder is writable");
    let altered = run(home, &["proof", "check", "list.proof", "--expect", "altered.obf"]);
    altered.assert_fails(6, "to be at least +20, the roots prove ");

    // A list in this form says in a new list what is proved of it, too.
    let claim = format!("{board}; >= +20; % too much\n");
    fs::write(home.join("claim.obf"), &claim).expect("the folder is writable");
    succeed(&["campaign", "import", "claim", "claim.obf"], 0);
    succeed(&["campaign", "run", "claim", "--threads", "1", "--hash", "64M"], 7);
    let refuted = ["campaign", "export", "claim", "--only", "refuted", "--out", "refuted.obf"];
    succeed(&refuted, 0);
    succeed(&["proof", "export", "refuted.obf", "--out", "refuted.proof"], 0);
    let checked = run(home, &["proof", "check", "refuted.proof", "--expect", "refuted.obf"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    succeed(&["campaign", "export", "claim", "--out", "whole.obf"], 0);
    let whole = fs::read_to_string(home.join("whole.obf")).expect("it was written");
    assert_eq!(whole, claim, "the list itself stays as it was");
}

/// A proof was exported in silence that rested on a worker which had been found to be wrong.
#[test]
fn a_verdict_that_is_not_carried_out_is_told_to_who_takes_proofs() {
    let home = home_with(&[1]);
    let home = home.path();
    let solve = ["solve", "problems.obf", "--store", "store", "--threads", "1", "--hash", "64M"];
    assert_eq!(run(home, &solve).code, Some(0));
    let told = |arguments: &[&str]| {
        let finished = run(home, arguments);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stderr.iter().filter(|line| line.contains("found to be wrong")).count()
    };
    let exports = [
        &["proof", "export", "problems.obf", "--store", "store"][..],
        &["store", "export", "store"],
    ];
    assert_eq!(exports.map(told), [0, 0]);
    let verdict = "{\"verdict\":{\"era\":1,\"workers\":[\"liar\"],\"reason\":\"it was wrong\"}}\n";
    let docket = home.join("store/docket.jsonl");
    let before = fs::read_to_string(&docket).unwrap_or_default();
    fs::write(&docket, before + verdict).expect("it is writable");
    assert_eq!(exports.map(told), [1, 1]);
    run(home, &solve);
    assert_eq!(exports.map(told), [0, 0], "it is carried out");
}

/// A store could not be exported whose proofs were sound, for the sake of a warning.
#[test]
fn proofs_are_exported_though_the_docket_cannot_be_read() {
    let home = home_with(&[1]);
    let home = home.path();
    let solve = ["solve", "problems.obf", "--store", "store", "--threads", "1", "--hash", "64M"];
    assert_eq!(run(home, &solve).code, Some(0));
    let docket = home.join("store/docket.jsonl");
    fs::write(&docket, "nonsense\n").expect("it is writable");
    let exports = [
        &["proof", "export", "problems.obf", "--store", "store"][..],
        &["store", "export", "store"],
    ];
    let check = |arguments: &[&str]| {
        let finished = run(home, arguments);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert!(!finished.stdout.is_empty(), "{finished:?}");
        let is_told = |line: &String| line.contains("cannot be read which workers");
        assert_eq!(finished.stderr.iter().filter(|line| is_told(line)).count(), 1, "{finished:?}");
    };
    exports.into_iter().for_each(check);
    // So it is where the file is not even one.
    fs::remove_file(&docket).and_then(|()| fs::create_dir(&docket)).expect("it is writable");
    exports.into_iter().for_each(check);
}

#[test]
fn what_cannot_be_exported_or_checked_is_explained() {
    let home = home_with(&[1]);
    let path = home.path();
    let export = ["proof", "export", "problems.obf", "--store", "store"];
    run(path, &export).assert_fails(3, "store");
    fs::write(path.join("other.obf"), file(&[2])).expect("the folder is writable");
    let solve = ["solve", "other.obf", "--store", "store"];
    assert_eq!(run(path, &solve).code, Some(0));
    run(path, &export).assert_fails(2, "position 1, ");
    run(path, &["proof", "check", "none.proof"]).assert_fails(2, "opening none.proof");
    run(path, &["proof", "check", "."]).assert_fails(2, "opening .");
    run(path, &["proof", "check", "problems.obf"]).assert_fails(6, "problems.obf: line 1: found");
    let empty = run_with_input(path, &["proof", "check", "-"], "");
    empty.assert_fails(6, "the file ends");
    empty.assert_fails(6, "error: standard input: ");
}
