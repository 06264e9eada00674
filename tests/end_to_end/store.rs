//! `outflank store`.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::run;
use crate::known_scores::file;

#[test]
fn a_store_can_be_counted_checked_repaired_and_exported() {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("problems.obf"), file(&[1, 2])).expect("the folder is writable");
    let solve = ["solve", "problems.obf", "--store", "store"];
    assert_eq!(run(home.path(), &solve).code, Some(0));
    for action in ["stats", "verify", "repair"] {
        let finished = run(home.path(), &["store", action, "store"]);
        assert_eq!(finished.code, Some(0), "{action}: {finished:?}");
        assert!(!finished.stdout.is_empty(), "{action} says something");
    }
    let exported = run(home.path(), &["store", "export", "store"]).objects();
    assert!(exported.len() >= 2, "both positions at least: {exported:?}");
    let values: Vec<&Value> = exported.iter().filter(|o| o["lower"] == o["upper"]).collect();
    assert!(values.iter().any(|object| object["lower"] == 18), "FFO #1: {exported:?}");
}
