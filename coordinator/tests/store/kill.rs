//! A process that appends is killed again and again: what it was told is on disk stays there.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use outflank_coordinator::store::{Options, Store, verify};

use crate::support::{mix, numbered};

/// Names the store to a child process.
const STORE: &str = "OUTFLANK_TEST_STORE_TO_FILL";
const ROUNDS: u64 = 20;

/// Small sizes, so that segments and manifests change all the time.
fn options() -> Options {
    Options { segment_bytes: 20_000, checkpoint_bytes: 3_000 }
}

/// Appends for ever and prints each number when its record is acknowledged.
fn fill(path: &Path) -> ! {
    let (store, opened) = Store::open_with(path, &options()).unwrap();
    let mut out = std::io::stdout();
    let mut next = opened.records;
    loop {
        let size = mix(next) % 20 + 1;
        let records: Vec<_> = (next..next + size).map(numbered).collect();
        store.append(&records).unwrap();
        next += size;
        writeln!(out, "acknowledged {next}").unwrap();
        out.flush().unwrap();
    }
}

/// Runs a child, kills it after some acknowledgements, and returns the last one that it gave.
fn run_and_kill(path: &Path, acknowledgements: u64) -> u64 {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "kill::acknowledged_records_survive_a_killed_process", "--nocapture"])
        .env(STORE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut last = 0;
    let mut heard = 0;
    let mut listen = |lines: &mut dyn Iterator<Item = std::io::Result<String>>, limit| {
        while heard < limit {
            let Some(Ok(line)) = lines.next() else { return };
            // The harness prints the name of the test on the first line, too.
            if let Some((_, number)) = line.split_once("acknowledged ")
                && let Ok(number) = number.parse::<u64>()
            {
                last = number;
                heard += 1;
            }
        }
    };
    listen(&mut lines, acknowledgements);
    child.kill().unwrap();
    // What was printed before the kill is still in the pipe.
    listen(&mut lines, u64::MAX);
    child.wait().unwrap();
    last
}

#[test]
fn acknowledged_records_survive_a_killed_process() {
    if let Some(path) = env::var_os(STORE) {
        fill(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut total = 0;
    for round in 0..ROUNDS {
        let acknowledged = run_and_kill(folder.path(), mix(round) % 30);
        let (store, opened) = Store::open_with(folder.path(), &options()).unwrap();
        assert!(opened.records >= acknowledged.max(total), "{opened:?}, told {acknowledged}");
        assert_eq!(opened.rebuilt, None, "round {round}");
        for index in 0..opened.records {
            let stored = store.get(numbered(index).position).unwrap();
            assert_eq!(stored.bound, numbered(index).bound);
        }
        total = opened.records;
    }
    assert!(total > ROUNDS);
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound() && found.segments > 1, "{found:?}");
}
