//! `outflank simulate`: what is repeated is the same, and what it has recorded can be fitted.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::run;
use crate::known_scores::file;

/// Returns the rows without what the clock on the wall has to do with.
fn rows(mut objects: Vec<Value>) -> Vec<Value> {
    for row in &mut objects {
        let rate = row.as_object_mut().and_then(|row| row.remove("decisions_per_second"));
        assert!(rate.is_some_and(|rate| rate.is_number()), "{row}");
    }
    objects
}

#[test]
fn the_same_arguments_give_the_same_schedule() {
    let home = TempDir::new().expect("a temporary folder");
    let home = home.path();
    let asked = ["simulate", "--empties", "24", "--workers", "1,3"];
    let [one, other] = ["one", "other"].map(|name| {
        let [record, svg] = ["jsonl", "svg"].map(|end| format!("{name}.{end}"));
        let more = ["--json", "--record", &record, "--svg", &svg];
        let rows = rows(run(home, &[&asked[..], &more].concat()).objects());
        let read = |path: &str| fs::read_to_string(home.join(path)).expect("it was written");
        (rows, read(&record), read(&svg))
    });
    assert_eq!(one, other);
    let (rows, record, svg) = one;
    let workers: Vec<_> = rows.iter().filter_map(|row| row["workers"].as_u64()).collect();
    assert_eq!(workers, [1, 3]);
    assert!(rows.iter().all(|row| row["jobs"].as_u64() > Some(0)), "{rows:?}");
    assert!(record.lines().count() > 2 && svg.starts_with("<svg"), "{record}");
}

#[test]
fn what_real_engines_take_on_virtual_clocks_can_be_fitted() {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("list.obf"), file(&[1, 2, 3, 4])).expect("the folder is writable");
    // Small jobs, since a fit wants many.
    let small = ["--longest-job", "2000", "--shortest-job", "200", "--record", "real.jsonl"];
    let asked = [&["simulate", "list.obf", "--workers", "1", "--json"], &small[..]].concat();
    let rows = rows(run(home.path(), &asked).objects());
    assert_eq!((rows.len(), &rows[0]["workers"]), (1, &1.into()), "{rows:?}");
    assert!(rows[0]["nodes"].as_u64() > Some(0), "{rows:?}");
    let record = home.path().join("real.jsonl");
    let jobs = fs::read_to_string(&record).expect("it was written");
    fs::write(&record, jobs.replacen('\n', "\n\n", 1)).expect("the folder is writable");
    let model = ["simulate", "--empties", "20", "--workers", "1,3", "--shares"];
    let fitted = run(home.path(), &[&model[..], &["--fit", "real.jsonl"]].concat());
    assert_eq!(fitted.code, Some(0), "{fitted:?}");
    assert!(fitted.stderr.iter().any(|line| line.starts_with("fit to ")), "{fitted:?}");
    assert_eq!(fitted.stdout.len(), 5, "titles, and two rows with their shares: {fitted:?}");
}

/// A row was printed as infinitely fast, and drawn nowhere.
#[test]
fn nothing_is_said_of_workers_that_had_nothing_to_do() {
    let home = TempDir::new().expect("a temporary folder");
    // The coordinator's own look at it is enough to decide this one.
    fs::write(home.path().join("list.obf"), file(&[20])).expect("the folder is writable");
    let asked = ["simulate", "list.obf", "--workers", "1,2", "--hypotheses", "--svg", "x.svg"];
    let told = run(home.path(), &asked);
    assert_eq!((told.code, told.stdout.len()), (Some(0), 3), "{told:?}");
    for row in &told.stdout[1..] {
        let fields: Vec<_> = row.split_whitespace().collect();
        assert_eq!(fields[1..9], ["0.00s", "-", "-", "-", "-", "-", "-", "-"], "{row}");
    }
    let note = "of 1 workers none searched a node: the coordinator's own searches were enough";
    assert_eq!(told.stderr[0], note, "{told:?}");
    let svg = fs::read_to_string(home.path().join("x.svg")).expect("it was written");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let rows = run(home.path(), &[&asked[..], &["--json"]].concat()).objects();
    for share in ["speedup", "efficiency", "overhead", "idle", "needed", "cancelled", "given_up"] {
        assert!(rows[0].get(share).is_some_and(Value::is_null), "{share}: {rows:?}");
    }
}
