//! The tasks as a program: each explains itself, and bad arguments are named before anything is built.
//!
//! That there is such a test has cargo build the program with all others; `.ci/run` uses it.

#![forbid(unsafe_code)]

use std::process::{Command, Output};

fn xtask(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command.output().expect("it was built with this test")
}

#[test]
fn every_task_explains_itself() {
    for task in ["bench-variants", "faults", "load", "soak"] {
        let output = xtask(&[task, "--help"]);
        let said = String::from_utf8(output.stdout).expect("text");
        assert!(output.status.success() && said.contains("Usage: cargo xtask"), "{task}: {said}");
    }
}

#[test]
fn bad_arguments_are_named_before_anything_is_built() {
    for (arguments, expected) in [
        (["soak", "--positions", "20"], "--positions 20: expected FIRST-LAST"),
        (["soak", "--positions", "20-x"], "--positions 20-x: expected FIRST-LAST"),
        (["soak", "--positions", "44-20"], "--positions 44-20: expected FIRST-LAST"),
        (["soak", "--workers", "0"], "--workers 0: expected at least one"),
        (["soak", "--minutes", "NaN"], "--minutes NaN: expected 0 to a year"),
        (["soak", "--every", "inf"], "--every inf: expected 0 to 3600 seconds"),
        (["load", "--workers", "0"], "--workers 0: expected at least one"),
        (["load", "--job-seconds", "0"], "--job-seconds 0: expected 0.001 to 3600"),
        (["load", "--seconds", "0"], "0 is not in 1..=86400"),
        (["load", "--seconds", "18446744073709551615"], "is not in 1..=86400"),
        (["load", "--empties", "0"], "0 is not in 1..=60"),
        (["load", "--roots", "0"], "0 is not in 1.."),
        (["faults", "--seeds", "0"], "0 is not in 1.."),
        (["faults", "--first", "18446744073709551615"], "there are no 5000 seeds from there"),
        (["bench-variants", "--rounds", "0"], "0 is not in 1.."),
        (["bench-variants", "--hash", "0"], "0 is not in 1.."),
        (["bench-variants", "--variant", "nope"], "--variant nope: expected one of "),
        (["bench-variants", "--positions", "39-20"], "--positions 39-20: expected FIRST-LAST"),
    ] {
        let output = xtask(&arguments);
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(!output.status.success() && said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn a_folder_of_somebody_else_is_not_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("thesis.txt");
    std::fs::write(&file, "years").expect("written");
    let work = folder.path().to_str().expect("text");
    for task in ["load", "soak"] {
        let output = xtask(&[task, "--work", work, "--program", "no-such-program"]);
        let said = String::from_utf8(output.stderr).expect("text");
        let expected = "has files that no task has made, expected a folder that may be removed";
        assert!(!output.status.success() && said.contains(expected), "{task}: {said}");
    }
    assert!(file.exists());
}
