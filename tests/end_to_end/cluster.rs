//! A coordinator and workers as processes on loopback, some of which are killed.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Process, outflank, run};
use crate::known_scores::{check, file};
use crate::proof::exported_and_checked;

/// Starts a coordinator on the store in `home` and returns it with the address it prints.
pub(crate) fn coordinator(home: &Path, listen: &str, more: &[&str]) -> (Process, String) {
    let arguments = ["coordinator", "--store", "store", "--listen", listen];
    let process = Process::start(outflank(home, &[&arguments, more].concat()));
    let line = process.line();
    let address = line.strip_prefix("listening on ").expect("the first line is the address");
    (process, address.to_owned())
}

/// Starts a worker of one thread and waits until it has joined.
pub(crate) fn worker(home: &Path, address: &str) -> Process {
    let arguments = ["worker", "--connect", address, "--threads", "1", "--hash", "64M"];
    let process = Process::start(outflank(home, &arguments));
    process.wait_for("connected to the coordinator");
    process
}

fn home_with(numbers: &[usize]) -> TempDir {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("problems.obf"), file(numbers)).expect("the folder is writable");
    home
}

#[test]
fn values_are_right_when_a_worker_and_the_coordinator_are_killed() {
    let numbers = [40, 41, 42];
    let home = home_with(&numbers);
    let (first_coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let doomed = worker(home.path(), &address);
    let survivor = worker(home.path(), &address);

    let arguments = ["solve", "problems.obf", "--json", "--connect", &address];
    let client = Process::start(outflank(home.path(), &arguments));
    check(&client.object(), 40);
    doomed.kill();
    let replacement = worker(home.path(), &address);
    check(&client.object(), 41);
    first_coordinator.kill();
    let (second_coordinator, same) = coordinator(home.path(), &address, &[]);
    assert_eq!(same, address);
    // Client and workers come back by themselves.
    check(&client.object(), 42);
    assert_eq!(client.finish().code, Some(0));

    for (object, number) in run(home.path(), &arguments).objects().iter().zip(numbers) {
        check(object, number);
        assert_eq!(object["source"], "store", "{object}");
    }
    for process in [survivor, replacement, second_coordinator] {
        process.signal("TERM");
        let finished = process.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
}

#[test]
fn a_coordinator_whose_store_is_moved_ends_and_leaves_the_one_in_its_place_alone() {
    let home = home_with(&[1, 2]);
    let solved_by = |address: &str| {
        let worker = worker(home.path(), address);
        let solve = ["solve", "problems.obf", "--json", "--connect", address];
        for (object, number) in run(home.path(), &solve).objects().iter().zip([1, 2]) {
            check(object, number);
        }
        worker.kill();
    };
    let (first, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    solved_by(&address);
    fs::rename(home.path().join("store"), home.path().join("moved")).expect("both are ours");
    let (second, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    // It has nothing to write, and finds it out all the same.
    let finished = first.finish();
    assert_eq!(finished.code, Some(3), "{finished:?}");
    let error = "error: the proof store failed: the store at store was moved, replaced or removed";
    assert!(finished.stderr.last().is_some_and(|line| line.starts_with(error)), "{finished:?}");
    solved_by(&address);
    second.signal("TERM");
    let finished = second.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for store in ["store", "moved"] {
        let found = run(home.path(), &["store", "verify", store, "--json"]).objects().remove(0);
        assert_eq!((&found["sound"], &found["problems"]), (&true.into(), &0.into()), "{store}");
        assert!(found["positions"].as_u64() > Some(1), "{store}: {found}");
    }
}

#[test]
fn the_moves_of_positions_have_the_same_values_on_a_cluster() {
    let home = home_with(&[1, 2, 3]);
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let worker = worker(home.path(), &address);
    let solve = ["solve", "problems.obf", "--moves", "--json"];
    let values = |more: &[&str]| -> Vec<Vec<(Value, Value)>> {
        let objects = run(home.path(), &[&solve, more].concat()).objects();
        let moves = objects.iter().map(|object| object["moves"].as_array().expect("the moves"));
        let of = |one: &Value| (one["move"].clone(), one["value"].clone());
        moves.map(|moves| moves.iter().map(of).collect()).collect()
    };
    let there = values(&["--connect", &address]);
    assert_eq!(there, values(&["--no-store"]));
    assert!(there.len() == 3 && there.iter().flatten().all(|(_, value)| value.is_i64()));
    worker.kill();
    coordinator.kill();
}

#[test]
fn a_client_that_has_lost_its_coordinator_says_so_and_can_be_stopped() {
    let home = home_with(&[1, 58]);
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let worker = worker(home.path(), &address);
    let arguments = ["solve", "problems.obf", "--json", "--connect", &address];
    let client = Process::start(outflank(home.path(), &arguments));
    check(&client.object(), 1);
    coordinator.kill();
    client.wait_for("lost the coordinator, trying again");
    client.signal("INT");
    let finished = client.finish();
    assert_eq!(finished.code, Some(130), "{finished:?}");
    worker.kill();
}

#[test]
fn what_a_cluster_has_solved_gives_a_proof() {
    let home = home_with(&[8, 12]);
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &["--job-nodes", "1000"]);
    let workers = [worker(home.path(), &address), worker(home.path(), &address)];
    let solve = ["solve", "problems.obf", "--json", "--connect", &address];
    let objects = run(home.path(), &solve).objects();
    check(&objects[0], 8);
    check(&objects[1], 12);
    for process in workers.into_iter().chain([coordinator]) {
        process.signal("TERM");
        let finished = process.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
    let report = exported_and_checked(home.path());
    assert_eq!(report["roots"], 2);
    assert!(report["by_all"].as_u64() > Some(0), "it was split: {report}");
}
