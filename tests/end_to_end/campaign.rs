//! `outflank campaign` with real processes, some of which are killed.

use std::fs;
use std::path::Path;
use std::process::Command;

use outflank_engine::notation;
use serde_json::Value;
use tempfile::TempDir;

use crate::cluster::{coordinator, worker};
use crate::harness::{Finished, Process, outflank, run, run_with_input};
use crate::known_scores::ffo;

/// The command as messages name it.
const PROGRAM: &str = env!("CARGO_BIN_EXE_outflank");

/// The problems of the tests and their values.
const NUMBERS: [usize; 9] = [1, 2, 3, 4, 5, 6, 40, 41, 42];

/// Published rows, two of each kind of window.
const PUBLISHED: &str = "\
obf,count,score,alpha,beta
------------O------OOX-----XOX----XXOO----XO-O------------------ X;,6397,0,-64,64
------------------OOXX-----OXX----XXOO----XO-O------------------ X;,96,4,-64,0
";

/// Returns a list with three rows for each problem: claims of which the second does not hold.
fn tasks() -> String {
    let claims = NUMBERS.into_iter().enumerate().flat_map(|(count, number)| {
        let problem = ffo(number);
        let board = notation::board(problem.position, problem.side);
        let value = problem.expected_value().expect("a score").discs();
        let claims = [(value, value), (value + 2, value + 2), (value, 64)];
        claims.map(|(score, beta)| format!("{board};,{count},{score},-64,{beta}\n"))
    });
    format!("obf,count,score,alpha,beta\n{}", claims.collect::<String>())
}

fn home_with(files: &[(&str, &str)]) -> TempDir {
    let home = TempDir::new().expect("a temporary folder");
    for (name, text) in files {
        fs::write(home.path().join(name), text).expect("the folder is writable");
    }
    home
}

fn campaign(home: &Path, arguments: &[&str]) -> Finished {
    run(home, &[&["campaign"], arguments].concat())
}

fn check_rows(rows: &[Value]) {
    assert_eq!(rows.len(), 3 * NUMBERS.len());
    for (rows, number) in rows.chunks(3).zip(NUMBERS) {
        let value = i64::from(ffo(number).expected_value().expect("a score").discs());
        for (row, state) in rows.iter().zip(["proved", "refuted", "proved"]) {
            assert_eq!(row["state"], state, "{row}");
            let bound = row["lower"].as_i64().zip(row["upper"].as_i64()).expect("a bound");
            assert!((bound.0..=bound.1).contains(&value), "{row}");
        }
        assert_eq!(rows[2]["lower"], rows[2]["upper"]);
    }
}

#[test]
fn every_hypothesis_is_decided_although_coordinator_and_worker_are_killed() {
    let list = tasks();
    let home = home_with(&[("list.csv", &list), ("published.csv", PUBLISHED)]);
    let home = home.path();
    let (first, address) = coordinator(home, "127.0.0.1:0", &[]);
    let at = ["--connect", address.as_str()];
    let imported = campaign(home, &[&["import", "ffo", "list.csv"], &at[..]].concat());
    let expected =
        "ffo: 27 rows (tasks), 0 of them the same as others up to symmetry, 27 tasks".to_owned();
    assert_eq!((imported.code, imported.stdout), (Some(0), vec![expected]));
    let doomed = worker(home, &address);
    let survivor = worker(home, &address);
    let waiting = [&["campaign", "wait", "ffo", "--json"], &at[..]].concat();
    let waiting = Process::start(outflank(home, &waiting));
    first.wait_for("hypothesis refuted");
    doomed.kill();
    // What was answered with success is on disk, however soon the power goes.
    let published = ["import", "published", "published.csv", "--paused"];
    assert_eq!(campaign(home, &[&published, &at[..]].concat()).code, Some(0));
    first.kill();
    let (second, same) = coordinator(home, &address, &[]);
    assert_eq!(same, address);

    let finished = waiting.finish();
    assert_eq!(finished.code, Some(7), "refuted rows end it with code 7: {finished:?}");
    let state: Value = serde_json::from_str(&finished.stdout[0]).expect("JSON");
    assert_eq!((&state["proved"], &state["refuted"]), (&18.into(), &9.into()), "{state}");
    assert_eq!((&state["state"], &state["open"]), (&"finished".into(), &0.into()), "{state}");

    let first = &state["refuted_rows"][0];
    assert_eq!(state["refuted_rows"].as_array().map(Vec::len), Some(9), "{state}");
    assert_eq!((&first["row"], &first["at_least"]), (&2.into(), &20.into()), "{state}");

    let export = ["export", "ffo", "--form", "jsonl"];
    check_rows(&campaign(home, &[&export, &at[..]].concat()).objects());
    for (name, list) in [("ffo", list.as_str()), ("published", PUBLISHED)] {
        let export = ["export", name, "--out", "out.csv"];
        assert_eq!(campaign(home, &[&export, &at[..]].concat()).code, Some(0));
        assert_eq!(fs::read_to_string(home.join("out.csv")).expect("it was written"), list);
    }
    let status = campaign(home, &[&["status", "ffo"], &at[..]].concat());
    assert_eq!(status.code, Some(7), "{status:?}");
    let loud: Vec<_> = status.stdout.iter().filter(|line| line.starts_with("REFUTED")).collect();
    assert_eq!(loud.len(), 9, "{status:?}");
    let board = notation::board(ffo(1).position, ffo(1).side);
    let first = format!("row 2: {board}: claimed at least +20, proved ");
    assert!(loud[0].contains(&first) && loud[0].ends_with("+18"), "{loud:?}");
    for process in [survivor, second] {
        process.signal("TERM");
        let finished = process.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
    assert_eq!(run(home, &["store", "verify", "store"]).code, Some(0));
}

#[test]
fn a_campaign_that_cannot_be_read_or_written_is_a_failure_of_the_store() {
    let list = format!("{}\n", ffo(1));
    let home = home_with(&[("list.obf", &list)]);
    let home = home.path();
    for name in ["damaged", "stuck"] {
        assert_eq!(campaign(home, &["import", name, "list.obf", "--store", "store"]).code, Some(0));
    }
    fs::write(home.join("store/campaigns/damaged/rows"), "no rows").expect("it is writable");
    // What the state would be written to before it takes its place.
    fs::create_dir_all(home.join("store/campaigns/stuck/state.json.new/x"))
        .expect("it is writable");
    for (verb, name) in [("export", "damaged"), ("resume", "damaged"), ("pause", "stuck")] {
        let failed = campaign(home, &[verb, name, "--store", "store"]);
        assert_eq!(failed.code, Some(3), "{verb}: {failed:?}");
        let error = failed.stderr.last().expect("the reason");
        assert!(error.starts_with("error: ") && error.contains(name), "{error}");
    }
}

#[test]
fn campaigns_are_kept_and_solved_without_a_cluster() {
    let list: String = [1, 2, 1].map(|number| format!("{}\n", ffo(number))).concat();
    let home = home_with(&[("list.obf", &list)]);
    let home = home.path();
    let at = ["--store", "store"];
    let imported = run_with_input(
        home,
        &[&["campaign", "import", "two", "-", "--paused", "--split-to", "12"], &at[..]].concat(),
        &list,
    );
    let expected = "two: 3 rows (obf), 1 of them the same as others up to symmetry, 2 tasks";
    assert_eq!((imported.code, imported.stdout), (Some(0), vec![expected.to_owned()]));
    let again =
        campaign(home, &[&["import", "two", "list.obf", "--split-to", "12"], &at[..]].concat());
    assert!(again.stdout[0].contains("was imported already"), "{again:?}");
    let resume = format!("{PROGRAM} campaign resume two --store store");
    let kept = format!("two stays as it was: paused; to change that: {resume}");
    assert_eq!((again.code, again.stderr), (Some(0), vec![kept]));

    let line = |arguments: &[&str]| {
        let finished = campaign(home, &[arguments, &at[..]].concat());
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stdout.last().expect("a line").clone()
    };
    assert_eq!(line(&["priority", "two", "7"]), "two: paused, priority 7, 2 tasks open");
    let same = ["import", "two", "list.obf", "--split-to", "12", "--priority", "7", "--paused"];
    assert_eq!(campaign(home, &[&same, &at[..]].concat()).stderr, [""; 0]);
    let other = ["import", "two", "list.obf", "--split-to", "12", "--priority", "9"];
    let other = campaign(home, &[&other, &at[..]].concat());
    let (before, commands) = other.stderr[0].split_once("; to change that: ").expect("commands");
    assert_eq!(before, "two stays as it was: paused, priority 7");
    let changed = typed(home, commands).stdout;
    assert!(changed[1].ends_with("priority 9, 2 tasks open"), "{changed:?}");
    assert_eq!(line(&["pause", "two"]), "two: paused, priority 9, 2 tasks open");
    assert_eq!(line(&["priority", "two", "7"]), "two: paused, priority 7, 2 tasks open");
    // Neither would ever end: nobody else can let it go on, nobody at all works on it.
    let told = |verb: &str| format!("{PROGRAM} campaign {verb} two --store store");
    campaign(home, &[&["run", "two"], &at[..]].concat())
        .assert_fails(2, &format!("two is paused: {} lets it go on", told("resume")));
    campaign(home, &[&["wait", "two"], &at[..]].concat())
        .assert_fails(2, &format!("nobody works on two here: {} does", told("run")));
    let idle = campaign(home, &[&["run"], &at[..]].concat());
    assert!(idle.stdout.last().is_some_and(|line| line.starts_with("left ")), "{idle:?}");
    let passed_over = format!("two is paused and passed over: {} lets it go on", told("resume"));
    assert_eq!((idle.code, idle.stderr), (Some(0), vec![passed_over]));
    assert!(line(&["resume", "two"]).ends_with("priority 7, 2 tasks open"));
    let search = ["--threads", "1", "--hash", "64M", "--json"];
    let solved = campaign(home, &[&["run"], &search[..], &at[..]].concat()).objects();
    assert_eq!((&solved[0]["proved"], &solved[0]["split_to"]), (&2.into(), &12.into()));
    assert_eq!(line(&["status", "two"]).split_whitespace().next(), Some("nodes"));
    let exported = campaign(home, &[&["export", "two"], &at[..]].concat());
    assert_eq!(exported.stdout.join("\n") + "\n", list);
    assert_eq!(line(&["remove", "two"]), "two: removed; what was proved stays in the store");
    campaign(home, &[&["status", "two"], &at[..]].concat())
        .assert_fails(2, "there is no campaign two; there are no others");
}

/// The outcomes were compared with the store only after proofs had been taken back.
#[test]
fn what_is_decided_is_open_again_if_a_repair_finds_that_its_proof_is_lost() {
    let home = home_with(&[("list.obf", &format!("{}\n", ffo(1)))]);
    let home = home.path();
    let done = |arguments: &[&str]| {
        let finished = run(home, arguments);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished
    };
    done(&["campaign", "import", "one", "list.obf", "--store", "store"]);
    done(&["campaign", "run", "--threads", "1", "--hash", "64M", "--store", "store"]);
    let open = || {
        let told = done(&["campaign", "status", "one", "--json", "--store", "store"]);
        told.objects()[0]["open"].clone()
    };
    assert_eq!(open(), 0);
    fs::remove_file(home.join("store/log/000001.log")).expect("the store is ours");
    done(&["store", "repair", "store"]);
    assert_eq!(open(), 1);
}

/// Runs the command at the end of a message as a shell does.
fn typed(home: &Path, message: &str) -> Finished {
    let (_, command) = message.split_once(PROGRAM).expect("the message ends with a command");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{PROGRAM}{command}")]).current_dir(home);
    Process::start(shell).finish()
}

#[test]
fn many_refuted_rows_are_counted_and_found_by_the_commands_that_are_told() {
    let board = notation::board(ffo(1).position, ffo(1).side);
    let row = |claim: &str| format!("{{\"position\":\"{board}\"{claim}}}\n");
    let list = row(",\"at_least\":20,\"id\":1e999").repeat(14) + &row("");
    let home = home_with(&[("list.jsonl", &list)]);
    let home = home.path();
    let at = ["--store", "my proofs"];
    let act = |arguments: &[&str]| campaign(home, &[arguments, &at[..]].concat());
    assert_eq!(act(&["import", "many", "list.jsonl"]).code, Some(0));
    let solved = act(&["run", "--threads", "1", "--hash", "64M"]);
    assert_eq!(solved.code, Some(7), "{solved:?}");
    let counted = solved.stdout.iter().find(|line| line.starts_with("refuted "));
    assert_eq!(counted.map(String::as_str), Some("refuted    1 (14 rows)"));
    let listed = solved.stdout.iter().filter(|line| line.starts_with("REFUTED")).count();
    assert_eq!(listed, 10, "{solved:?}");
    let more = solved.stdout.last().expect("a line");
    assert!(more.trim_start().starts_with("and 4 more: "), "{more}");
    let exported = typed(home, more);
    assert_eq!((exported.code, exported.stdout.len()), (Some(0), 14), "{exported:?}");
    let remark = exported.stderr.last().expect("a line");
    assert!(remark.starts_with("many: 1 of 1 hypotheses are refuted, see "), "{remark}");
    assert_eq!(typed(home, remark).code, Some(7));
}

#[test]
fn every_answer_in_obf_is_read_again() {
    let first = ffo(1);
    let after = first.position.play("g8".parse().expect("a square")).expect("it is legal");
    let after = format!("{} % after g8\n", notation::board(after, first.side.other()));
    let passing = format!("OXXXXXX-{} X # a pass\n", "X".repeat(56));
    let home = home_with(&[("after", &after), ("small", "start %4x4\n"), ("passing", &passing)]);
    let home = home.path();
    let search = ["--store", "store", "--threads", "1", "--hash", "64M"];
    let succeed = |arguments: &[&str]| {
        let finished = run(home, arguments);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stdout
    };
    // The value of the position after g8 is stored with this one's, without a move.
    let board = notation::board(first.position, first.side);
    succeed(&[&["solve", &board], &search[..]].concat());
    for (name, size, value, comment) in [
        ("after", "8x8", ":-18;", " % after g8"),
        ("small", "4x4", ":-10;", " %4x4"),
        ("passing", "8x8", "; PS:+48;", " # a pass"),
    ] {
        let import = ["campaign", "import", "--store", "store", "--board", size];
        succeed(&[&import[..], &[name, name]].concat());
        succeed(&[&["campaign", "run", name], &search[..]].concat());
        let export = ["campaign", "export", "--store", "store", name];
        let answered = succeed(&[&export[..], &["--out", "answered"]].concat());
        assert!(answered.is_empty(), "{answered:?}");
        let answered = fs::read_to_string(home.join("answered")).expect("it was written");
        assert!(answered.ends_with(&format!("{value}{comment}\n")), "{answered}");
        succeed(&[&import[..], &["again", "answered"]].concat());
        let proved = succeed(&[&["campaign", "run", "again", "--json"], &search[..]].concat());
        assert!(proved[0].contains("\"proved\":1"), "{proved:?}");
        succeed(&["campaign", "remove", "again", "--store", "store"]);
        succeed(&[&["solve", "answered", "--board", size], &search[..]].concat());
    }
}

#[test]
fn bad_campaigns_are_named() {
    let bad = PUBLISHED.replace(",4,-64,0", ",4,-64,x");
    let home = home_with(&[("bad.csv", &bad), ("good.csv", PUBLISHED)]);
    let home = home.path();
    let at = ["--store", "store"];
    let fails = |arguments: &[&str], code, message: &str| {
        campaign(home, &[arguments, &at[..]].concat()).assert_fails(code, message);
    };
    // A mistyped folder must not become an empty store.
    for verb in [&["list"][..], &["run"], &["status", "bad"]] {
        fails(verb, 3, "there is no store at store");
    }
    assert!(!home.join("store").exists());
    let place = "bad.csv, line 3, column 78: found the beta \"x\", expected -64 to 64";
    fails(&["import", "bad", "bad.csv"], 2, place);
    fails(&["import", "none", "none.csv"], 2, "opening none.csv: No such file");
    fails(&["import", "folder", "."], 2, ". is a folder, expected a file of positions");
    fails(&["pause", "bad"], 2, "there is no campaign bad; there are no others");
    assert_eq!(campaign(home, &[&["import", "good", "good.csv"], &at[..]].concat()).code, Some(0));
    fails(&["remove", "good"], 2, "campaign good has 2 open tasks; --unfinished removes it");
    fails(
        &["import", "bad", "bad.csv", "--form", "obf"],
        2,
        "bad.csv, line 1, column 1: found the header \"obf,count,score,alpha,beta\", expected a row",
    );
    let taken = "there is a campaign good already, with another list or other options";
    fails(&["import", "good", "bad.csv", "--form", "obf"], 2, taken);
    let unreachable = ["campaign", "list", "--quiet", "--connect", "127.0.0.1:1"];
    run(home, &unreachable).assert_fails(4, "cannot reach the coordinator");
}
