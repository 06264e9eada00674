//! Workers and clients that look for a coordinator: at several addresses, or where a file says.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use tempfile::TempDir;

use crate::cluster::coordinator;
use crate::harness::{Process, outflank, run};
use crate::known_scores::{check, file};

/// What a cluster of one worker with one thread solves in moments.
const SMALL: [&str; 5] = ["solve", "--board", "4x4", "start", "--json"];

/// Starts a worker of one thread.
fn worker(home: &Path, whereabouts: &str) -> Process {
    let arguments = ["worker", "--connect", whereabouts, "--threads", "1", "--hash", "64M"];
    Process::start(outflank(home, &arguments))
}

/// Says in the file `address` where the coordinator is, in one step.
fn publish(home: &Path, address: &str) {
    fs::write(home.join("new"), format!("{address}\n")).expect("the folder is writable");
    fs::rename(home.join("new"), home.join("address")).expect("the folder is writable");
}

/// Returns an address at which nothing listens.
fn free() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound address").to_string()
}

fn home() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

#[test]
fn a_coordinator_that_has_moved_is_found_where_the_file_says() {
    let home = home();
    let home = home.path();
    fs::write(home.join("problems.obf"), file(&[40, 41, 42])).expect("the folder is writable");
    fs::write(home.join("list.obf"), file(&[3, 4])).expect("the folder is writable");
    let to = |verb: &[&str]| run(home, &[verb, &["--connect", "@address"]].concat());
    let start = |verb: &[&str]| {
        Process::start(outflank(home, &[verb, &["--connect", "@address"]].concat()))
    };

    // A worker waits for the file, a client for as long as for a coordinator that does not listen yet.
    let worker = worker(home, "@address");
    let line = worker.line_with("no connection to the coordinator, trying again");
    assert!(line.contains("reading address: No such file"), "{line}");
    let solve = ["solve", "f5", "--quiet"];
    to(&solve).assert_fails(4, "cannot reach the coordinator: reading address: No such file");
    fs::write(home.join("address"), "\n").expect("the folder is writable");
    to(&solve).assert_fails(4, "address is empty, expected the coordinator's address");

    let (first, address) = coordinator(home, "127.0.0.1:0", &[]);
    publish(home, &address);
    let line = worker.line_with("connected to the coordinator");
    assert!(line.contains(&address), "{line}");
    let joined = first.line_with("worker joined");
    let name =
        |line: &str| line.split(' ').find(|part| part.starts_with("name=")).map(str::to_owned);
    assert!(name(&line).is_some() && name(&line) == name(&joined), "who is who? {line} {joined}");
    let import = to(&["campaign", "import", "list", "list.obf", "--paused"]);
    assert_eq!(import.code, Some(0), "{import:?}");
    let waiting = start(&["campaign", "wait", "list", "--json", "-v"]);
    let line = waiting.line_with("connected to the coordinator");
    assert!(line.contains(&address), "{line}");
    let solving = start(&["solve", "problems.obf", "--json"]);
    check(&solving.object(), 40);

    let elsewhere = free();
    first.kill();
    let (second, elsewhere) = coordinator(home, &elsewhere, &[]);
    assert_ne!(elsewhere, address);
    publish(home, &elsewhere);
    let line = worker.line_with("connected to the coordinator");
    assert!(line.contains(&elsewhere), "{line}");
    let line = waiting.line_with("the coordinator has moved");
    assert!(line.contains(&elsewhere), "{line}");
    check(&solving.object(), 41);
    check(&solving.object(), 42);
    assert_eq!(solving.finish().code, Some(0));

    assert_eq!(to(&["campaign", "resume", "list"]).code, Some(0));
    let campaign = &waiting.finish().objects()[0];
    assert_eq!((&campaign["proved"], &campaign["open"]), (&2.into(), &0.into()), "{campaign}");
    for process in [worker, second] {
        process.signal("TERM");
        let finished = process.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
}

#[test]
fn addresses_are_tried_in_turn() {
    let home = home();
    let home = home.path();
    let (one, other) = (free(), free());
    let both = format!("{one},{other}");
    let solve = [&SMALL[..], &["--connect", &both, "--quiet"]].concat();
    let nobody = run(home, &solve);
    nobody.assert_fails(4, &one);
    nobody.assert_fails(4, &other);

    let (first, _) = coordinator(home, &other, &[]);
    let worker = worker(home, &both);
    let line = worker.line_with("connected to the coordinator");
    assert!(line.contains(&other), "{line}");
    assert_eq!(run(home, &solve).objects()[0]["value"], -10);

    first.kill();
    let (second, _) = coordinator(home, &one, &[]);
    let line = worker.line_with("connected to the coordinator");
    assert!(line.contains(&one), "{line}");
    assert_eq!(run(home, &solve).objects()[0]["value"], -10);
    second.kill();
    worker.kill();
}

#[test]
fn an_address_that_takes_connections_and_does_not_answer_is_passed_over() {
    let home = home();
    let home = home.path();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let mute = listener.local_addr().expect("a bound address").to_string();
    thread::spawn(move || listener.incoming().for_each(drop));
    let (coordinator, address) = coordinator(home, "127.0.0.1:0", &[]);
    let both = format!("{mute},{address}");
    let worker = worker(home, &both);
    let line = worker.line_with("connected to the coordinator");
    assert!(line.contains(&address), "{line}");
    let solved = run(home, &[&SMALL[..], &["--connect", &both]].concat());
    assert_eq!(solved.objects()[0]["value"], -10);
    let moved = solved.stderr.iter().find(|line| line.contains("moved"));
    assert_eq!(moved, None, "it was never at the first address");
    run(home, &[&SMALL[..], &["--connect", &mute]].concat()).assert_fails(4, &mute);
    worker.kill();
    coordinator.kill();
}

#[test]
fn whereabouts_that_cannot_be_are_bad_input() {
    let home = home();
    for (given, wrong) in [("@", "\"@\""), ("127.0.0.1:1,", "\"\""), ("a:1,b", "\"b\"")] {
        let message = format!("--connect: {wrong} is no address, expected HOST:PORT, several");
        for command in [&["worker"][..], &["solve", "f5"], &["campaign", "list"], &["top"]] {
            let arguments = [command, &["--connect", given]].concat();
            run(home.path(), &arguments).assert_fails(2, &message);
        }
    }
    // One listens at one address, which no file knows before.
    for listen in ["127.0.0.1:0,127.0.0.1:0", "@address"] {
        let arguments = ["coordinator", "--store", "store", "--listen", listen];
        run(home.path(), &arguments).assert_fails(2, "is no address, expected HOST:PORT");
    }
}
