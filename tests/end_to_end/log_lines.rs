//! The lines of the log that an operator acts on: each says what happened, where, and what was expected.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::cluster::{coordinator, worker};
use crate::harness::{Process, outflank, outflank_at, run};
use crate::watch::until;

fn assert_says(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "{part:?} is missing: {line}");
    }
    // Text for people, not what a program prints of its insides.
    for inside in [": Error", "Some(", "Custom {", "source:"] {
        assert!(!line.contains(inside), "{inside:?} is no word: {line}");
    }
}

#[test]
fn a_lost_connection_is_named_on_both_sides() {
    let home = TempDir::new().expect("a temporary folder");
    let (first, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let doomed = worker(home.path(), &address);
    let joined = first.line_with("worker joined");
    assert_says(&joined, &["INFO", "worker=1", "host=", "threads=1"]);
    let name = joined.split("name=\"").nth(1).and_then(|rest| rest.split('"').next());
    let name = name.expect("the process is named as verdicts name it");
    assert!(name.contains('/'), "{joined}");
    doomed.kill();
    let ended = first.line_with("connection to a worker ended");
    assert_says(&ended, &["WARN", "worker=1", &format!("name=\"{name}\""), "code=", "cause=\""]);

    let survivor = worker(home.path(), &address);
    first.kill();
    let lost = survivor.line_with("trying again");
    let parts = ["WARN", "no connection to the coordinator", &address, "cause=\"", "seconds=0."];
    assert_says(&lost, &parts);
}

#[test]
fn what_is_wrong_with_a_store_is_named_with_its_place() {
    let home = TempDir::new().expect("a temporary folder");
    let store = home.path().join("store");
    fs::write(home.path().join("problems.obf"), crate::known_scores::file(&[1]))
        .expect("it is ours");
    let solve = ["solve", "problems.obf", "--store", "store"];
    assert_eq!(run(home.path(), &solve).code, Some(0));

    fs::remove_dir_all(store.join("index")).expect("it is ours");
    let (first, _) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let line = first.line_with("the index was made again");
    assert_says(&line, &["WARN", "store=store", "reason=\"there is no index\""]);
    first.kill();

    let told = store.join("told.jsonl");
    let mut text = fs::read_to_string(&told).expect("a coordinator has begun with the store");
    text.push_str("nonsense\n");
    let number = text.lines().count();
    fs::write(&told, text).expect("it is ours");
    let (second, _) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let line = second.line_with("cannot be read");
    let parts = [
        "WARN",
        "path=store/told.jsonl",
        &format!("line={number}"),
        "expected a note of what a worker was told",
        "refused only for its second lie",
    ];
    assert_says(&line, &parts);
    second.kill();

    let verdict = r#"{"verdict":{"era":1,"workers":["n1/7f","n2/8a"],"reason":"they lied"}}"#;
    fs::write(store.join("docket.jsonl"), format!("{verdict}\n")).expect("it is ours");
    let (third, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let line = third.line_with("are refused");
    assert_says(&line, &["WARN", r#"workers="n1/7f and n2/8a""#, r#"reason="they lied""#]);
    let view = run(home.path(), &["top", "--connect", &address]).stdout.join("\n");
    assert!(
        !view.contains("LOOK INTO"),
        "it was said at the start, and when it was found out: {view}"
    );
    third.kill();

    fs::write(store.join("docket.jsonl"), "nonsense\n").expect("it is ours");
    let refused = run(home.path(), &["coordinator", "--store", "store", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let line = refused.stderr.last().expect("it says why");
    let parts = [
        "error: ",
        "damage at offset 0 of store/docket.jsonl",
        "found nonsense, expected a line about an audit or a verdict",
    ];
    assert_says(line, &parts);
}

/// Starts a coordinator that may have only so many files open; returns it with where it serves and is watched.
fn coordinator_of_few_files(home: &TempDir, files: u32) -> (Process, String, String) {
    let script = format!(
        "ulimit -n {files}; exec \"$0\" coordinator --store store --listen 127.0.0.1:0 --web 127.0.0.1:0"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_outflank")]).current_dir(home.path());
    let coordinator = Process::start(command);
    let after = |line: String, text| line.strip_prefix(text).expect("it says where").to_owned();
    let address = after(coordinator.line(), "listening on ");
    let page = after(coordinator.line(), "to watch: http://");
    (coordinator, address, page.trim_end_matches('/').to_owned())
}

#[test]
fn a_coordinator_that_gets_no_more_open_files_says_so_and_goes_on_when_there_are_some() {
    let home = TempDir::new().expect("a temporary folder");
    let (coordinator, address, _) = coordinator_of_few_files(&home, 40);
    let few = coordinator.line_with("few workers and clients can connect");
    assert_says(&few, &["WARN", "open_files=40", "expected a hard limit"]);
    let mut line = few;
    while !line.contains("serving") {
        line = coordinator.line_with("");
        assert!(!line.contains("campaigns"), "there are none: {line}");
    }
    let idle: Vec<_> = (0..100).map(|_| TcpStream::connect(&address).expect("it waits")).collect();
    let none = coordinator.line_with("no more connections can be accepted");
    assert_says(&none, &["WARN", "open_files=40"]);
    drop(idle);
    let top = run(home.path(), &["top", "--connect", &address, "--json"]);
    assert_eq!(top.objects()[0]["workers"], serde_json::json!([]));
    coordinator.signal("TERM");
    let finished = coordinator.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let again = finished.stderr.iter().filter(|line| line.contains("can be accepted")).count();
    assert_eq!(again, 0, "it is said once: {finished:?}");
}

#[test]
fn those_who_watch_leave_files_for_others() {
    let home = TempDir::new().expect("a temporary folder");
    let (coordinator, address, page) = coordinator_of_few_files(&home, 160);
    let _idle: Vec<_> = (0..200).map(|_| TcpStream::connect(&page).expect("it waits")).collect();
    let top = run(home.path(), &["top", "--connect", &address, "--json"]);
    assert_eq!(top.code, Some(0), "{top:?}");
    coordinator.signal("TERM");
    let finished = coordinator.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

#[test]
fn connections_leave_files_for_those_who_watch() {
    let home = TempDir::new().expect("a temporary folder");
    let (coordinator, address, page) = coordinator_of_few_files(&home, 160);
    let _idle: Vec<_> = (0..200).map(|_| TcpStream::connect(&address).expect("it waits")).collect();
    let none = coordinator.line_with("no more connections can be accepted");
    assert_says(&none, &["WARN", "open_files=160"]);
    let mut watcher = TcpStream::connect(page).expect("somebody listens");
    let asked = "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    watcher.write_all(asked.as_bytes()).expect("it is read");
    let mut answer = String::new();
    watcher.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn a_coordinator_tells_when_it_serves_is_told_to_stop_and_has_stopped() {
    let home = TempDir::new().expect("a temporary folder");
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let address = format!("address={address}");
    assert_says(&coordinator.line_with("serving"), &["INFO", &address, "store=store"]);
    let stuck = worker(home.path(), address.trim_start_matches("address="));
    coordinator.wait_for("worker joined");
    stuck.signal("STOP"); // It is waited for, and nothing is heard meanwhile.
    coordinator.signal("TERM");
    assert_says(&coordinator.line_with("told to stop"), &["INFO", "workers=1"]);
    let finished = coordinator.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let last = finished.stderr.last().expect("it says that it has stopped");
    assert_says(last, &["INFO", "stopped", &address, "store=store"]);
    let stood_still = finished.stderr.iter().any(|line| line.contains("stood still"));
    assert!(!stood_still, "it did not: {finished:?}");
    stuck.kill();
}

/// The log of a worker that was drained was that of one that was killed.
#[test]
fn a_worker_tells_that_it_is_told_to_stop_and_what_it_has_handed_over() {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("problem.obf"), crate::known_scores::file(&[58]))
        .expect("it is ours");
    let whole = ["--job-nodes", "1000000000000"];
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &whole);
    let worker = worker(home.path(), &address);
    let solve = ["solve", "problem.obf", "--connect", &address];
    let client = Process::start(outflank(home.path(), &solve));
    let look = || run(home.path(), &["top", "--connect", &address, "--json"]).objects();
    let has_told = |nodes: &Value| nodes.as_u64().is_some_and(|nodes| nodes > 0);
    until(look, |seen| has_told(&seen[0]["workers"][0]["running"][0]["nodes"]));
    worker.signal("TERM");
    assert_says(&worker.line_with("told to stop"), &["INFO", "jobs=1", "reports=0"]);
    let finished = worker.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let last = finished.stderr.last().expect("it says that it has stopped");
    assert_says(last, &["INFO", "stopped", "reports=1", "unacknowledged=0"]);
    client.kill();
    coordinator.kill();
}

/// Returns a copy of the program in `home` whose weights are damaged.
fn with_damaged_weights(home: &Path) -> PathBuf {
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/engine/data/weights.bin");
    let weights = fs::read(weights).expect("they are in the repository");
    let mut program = fs::read(env!("CARGO_BIN_EXE_outflank")).expect("it was built");
    let (begin, length) = (&weights[..64], 64);
    let place = program.windows(length).position(|bytes| bytes == begin).expect("they are in it");
    program[place + weights.len() / 2] ^= 1;
    fs::write(home.join("damaged"), program).expect("the folder is writable");
    // By another process: until it runs a program, one that this one begins beside would hold the file open for
    // writing, and such a file cannot be run.
    let mut install = Command::new("install");
    let status = install.args(["-m", "755", "damaged", "outflank"]).current_dir(home).status();
    assert!(status.expect("install exists").success());
    home.join("outflank")
}

/// A coordinator said nothing.
#[test]
fn whatever_estimates_without_weights_says_why() {
    let home = TempDir::new().expect("a temporary folder");
    let program = with_damaged_weights(home.path());
    let search = ["--threads", "1", "--hash", "16M"];
    let commands: [&[&str]; 4] = [
        &["bench", "ffo", "--positions", "1"],
        &["solve", "f5", "--no-store"],
        &["worker", "--connect", "127.0.0.1:1"],
        &["coordinator", "--listen", "127.0.0.1:0", "--store", "store"],
    ];
    for command in commands {
        let more = if command[0] == "coordinator" { &[][..] } else { &search };
        let process = Process::start(outflank_at(&program, home.path(), &[command, more].concat()));
        let line = process.line_with("the weights cannot be used");
        assert_says(&line, &["WARN", "error=\"weights file has checksum "]);
    }
}
