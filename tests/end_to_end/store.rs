//! `outflank store`.

use std::fs;
use std::sync::Arc;

use outflank_coordinator::store::{Method, Origin, Provenance, Record, Store};
use outflank_engine::{Bound, Position, Score, Square};
use serde_json::Value;
use tempfile::TempDir;

use crate::cluster::coordinator;
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
    let repaired = run(home.path(), &["store", "repair", "store"]);
    assert!(repaired.stdout[0].starts_with("nothing is damaged"), "{repaired:?}");
    fs::remove_dir_all(home.path().join("store/index")).expect("the store is ours");
    let lost = run(home.path(), &["store", "verify", "store"]);
    lost.assert_fails(3, "store has 1 problem");
    let repaired = run(home.path(), &["store", "repair", "store"]);
    assert!(repaired.stdout[0].starts_with("the log is whole and stays as it is"), "{repaired:?}");
    assert_eq!((repaired.code, repaired.stdout.len()), (Some(0), 1), "nothing is put aside");
    let object =
        |action| run(home.path(), &["store", action, "store", "--json"]).objects().remove(0);
    let (stats, found) = (object("stats"), object("verify"));
    assert_eq!(stats["positions"], found["positions"]);
    let counts = stats["by_empties"].as_array().expect("pairs of empties and positions");
    let sum: u64 = counts.iter().filter_map(|pair| pair[1].as_u64()).sum();
    assert_eq!(stats["positions"], sum);
    assert_eq!((&found["sound"], &found["problems"]), (&true.into(), &0.into()));
    let exported = run(home.path(), &["store", "export", "store"]).objects();
    assert!(exported.len() >= 2, "both positions at least: {exported:?}");
    let values: Vec<&Value> = exported.iter().filter(|o| o["lower"] == o["upper"]).collect();
    assert!(values.iter().any(|object| object["lower"] == 18), "FFO #1: {exported:?}");
}

#[test]
fn a_store_with_quarantined_claims_is_not_passed_over_in_silence() {
    let home = TempDir::new().expect("a temporary folder");
    let folder = home.path().join("store");
    let (store, _) = Store::open(&folder).expect("a new store");
    let origin = Arc::new(Origin { worker: "host/1".to_owned(), ..Origin::default() });
    let claim = Record {
        position: Position::START.canonical(),
        bound: Bound::at_least(Score::MAX),
        best_move: None,
        nodes: 1,
        provenance: Provenance { method: Method::Search, origin },
    };
    store.quarantine(&claim, Bound::exact(Score::DRAW)).expect("the disk works");
    store.append(&[Record { bound: Bound::exact(Score::DRAW), ..claim }]).expect("the disk works");
    drop(store);
    let exported = run(home.path(), &["proof", "export", "start", "--store", "store"]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    assert!(
        exported.stderr[0].contains("claims that contradict others were put aside"),
        "{exported:?}"
    );
    let verify = ["store", "verify", "store"];
    let finished = run(home.path(), &verify);
    finished.assert_fails(5, "its quarantine has 1 pair of claims that contradict each other");
    assert!(finished.stdout[0].contains("1 quarantined, 0 problems"), "{finished:?}");
    fs::rename(folder.join("quarantine"), home.path().join("seen")).expect("it is a folder");
    assert_eq!(run(home.path(), &verify).code, Some(0));
}

#[test]
fn a_repair_says_what_is_missing_and_what_it_did() {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("problems.obf"), file(&[1])).expect("the folder is writable");
    let solve = ["solve", "problems.obf", "--store", "store"];
    assert_eq!(run(home.path(), &solve).code, Some(0));
    fs::remove_file(home.path().join("store/log/000001.log")).expect("the store is ours");
    let repaired = run(home.path(), &["store", "repair", "store"]);
    assert_eq!(repaired.code, Some(0), "{repaired:?}");
    let said = repaired.stdout.join("\n");
    assert!(said.starts_with("store/log/000001.log: found no such file, expected all "), "{said}");
    assert!(said.contains("\n1 damaged place, "), "{said}");
    assert!(
        said.contains(" lost, kept 0 frames with 0 claims (0 without origin), 0 pos"),
        "{said}"
    );
    assert!(said.contains("the old data lies in store/log.aside-1"), "{said}");
    assert_eq!(run(home.path(), &["store", "verify", "store"]).code, Some(0));
}

#[test]
fn what_a_judge_took_back_does_not_come_back_with_a_repair() {
    let home = TempDir::new().expect("a temporary folder");
    let folder = home.path().join("store");
    let (store, _) = Store::open(&folder).expect("a new store");
    let claim = |empties: u32, worker: &str| {
        let mut position = Position::START;
        while position.empties() > empties {
            let square = Square::all(position.moves()).next().expect("the game has just begun");
            position = position.play(square).expect("it is legal");
        }
        let origin = Arc::new(Origin { worker: worker.to_owned(), ..Origin::default() });
        let provenance = Provenance { method: Method::Search, origin };
        let (position, bound) = (position.canonical(), Bound::at_least(Score::DRAW));
        Record { position, bound, best_move: None, nodes: 1, provenance }
    };
    store.append(&[claim(58, "liar"), claim(59, "misled"), claim(57, "honest")]).expect("a disk");
    assert_eq!(store.withdraw("liar").expect("a disk"), 2);
    drop(store);
    let docket = folder.join("docket.jsonl");
    let verdict = r#"{"verdict":{"era":1,"workers":["liar"],"reason":"it was wrong"}}"#;
    let carried_out = r#"{"taken_back":{"era":1}}"#;
    let log = folder.join("log/000001.log");
    let mut bytes = fs::read(&log).expect("it is there");
    *bytes.last_mut().expect("it is long") ^= 1;
    fs::write(&log, &bytes).expect("the store is ours");
    let repair = |docket_says: &str, told: &str, lines: usize| {
        let copy = home.path().join("copy");
        fs::create_dir_all(copy.join("log")).expect("the folder is ours");
        fs::copy(&log, copy.join("log/000001.log")).expect("the folder is ours");
        fs::write(copy.join("docket.jsonl"), docket_says).expect("the folder is ours");
        let repaired = run(home.path(), &["store", "repair", "copy"]);
        assert_eq!(repaired.code, Some(0), "{repaired:?}");
        let said = repaired.stdout.join("\n");
        assert!(said.contains(told), "{said}");
        assert_eq!(run(home.path(), &["store", "export", "copy"]).objects().len(), lines, "{said}");
        fs::remove_dir_all(copy).expect("the folder is ours");
    };
    let known = format!("{verdict}\n{carried_out}\n");
    repair(&known, "2 positions of workers that were found to be wrong, and what may rest", 1);
    fs::remove_file(&docket).ok();
    repair(&format!("{carried_out}\n"), "whose claims were ever taken back is not known", 3);
}

/// A docket that says that a verdict is carried out, beside a log that ends before that: a copy of a store in use.
#[test]
fn a_copy_that_was_taken_while_a_judge_took_back_is_not_believed_to_be_later_than_it_is() {
    let home = TempDir::new().expect("a temporary folder");
    let folder = home.path().join("store");
    let (store, _) = Store::open(&folder).expect("a new store");
    let claim = |position: Position, worker: &str| {
        let origin = Arc::new(Origin { worker: worker.to_owned(), ..Origin::default() });
        let provenance = Provenance { method: Method::Search, origin };
        let bound = Bound::at_least(Score::DRAW);
        Record { position: position.canonical(), bound, best_move: None, nodes: 1, provenance }
    };
    let square = Square::all(Position::START.moves()).next().expect("the game has just begun");
    let after = Position::START.play(square).expect("it is legal");
    store.append(&[claim(after, "liar"), claim(Position::START, "misled")]).expect("a disk");
    drop(store);
    let verdict = r#"{"verdict":{"era":1,"workers":["liar"],"reason":"it was wrong"}}"#;
    let docket = format!("{verdict}\n{}\n", r#"{"taken_back":{"era":1}}"#);
    fs::write(folder.join("docket.jsonl"), docket).expect("the store is ours");
    let repair = || {
        let repaired = run(home.path(), &["store", "repair", "store"]);
        assert_eq!(repaired.code, Some(0), "{repaired:?}");
        repaired.stdout.join("\n")
    };
    let said = repair();
    assert!(!said.contains("wrong"), "with its manifest it is what it was: {said}");
    for part in ["MANIFEST", "LOCK"] {
        fs::remove_file(folder.join(part)).expect("the store is ours");
    }
    fs::remove_dir_all(folder.join("index")).expect("the store is ours");
    let said = repair();
    assert!(said.contains("2 positions of workers that were found to be wrong"), "{said}");
    assert!(said.contains("wrong 1 time: what they claimed is taken back once more"), "{said}");
    assert_eq!(run(home.path(), &["store", "export", "store"]).objects().len(), 0);
    assert_eq!(run(home.path(), &["store", "verify", "store"]).code, Some(0));
}

#[test]
fn a_damaged_docket_is_seen_by_verify_and_mended_by_repair() {
    let home = TempDir::new().expect("a temporary folder");
    let (first, _) = coordinator(home.path(), "127.0.0.1:0", &[]);
    first.kill();
    let docket = home.path().join("store/docket.jsonl");
    let good = "{\"taken_back\":{\"era\":3}}\n";
    fs::write(&docket, [good, "nonsense\n"].concat()).expect("the store is ours");
    let serve = ["coordinator", "--store", "store", "--listen", "127.0.0.1:0"];
    let refused = run(home.path(), &serve);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let found = run(home.path(), &["store", "verify", "store"]);
    found.assert_fails(3, "store has 1 problem");
    assert!(found.stdout[0].starts_with("store/docket.jsonl at offset 25: found "), "{found:?}");
    let repaired = run(home.path(), &["store", "repair", "store"]);
    assert_eq!(repaired.code, Some(0), "{repaired:?}");
    let told = repaired.stdout.join("\n");
    assert!(told.contains("1 line cannot be read, 1 line kept"), "{told}");
    assert!(told.ends_with("the old data lies in store/docket.jsonl.aside-1"), "{told}");
    assert_eq!(fs::read_to_string(&docket).expect("it is there"), good);
    assert_eq!(run(home.path(), &["store", "verify", "store"]).code, Some(0));
    let (second, _) = coordinator(home.path(), "127.0.0.1:0", &[]);
    second.kill();
}

#[test]
fn a_store_takes_over_what_another_has_proved() {
    let home = TempDir::new().expect("a temporary folder");
    let solve = |problem, store| {
        fs::write(home.path().join("one.obf"), file(&[problem])).expect("the folder is writable");
        let solved = run(home.path(), &["solve", "one.obf", "--store", store, "--json"]);
        assert_eq!(solved.code, Some(0), "{solved:?}");
        solved.objects().remove(0)
    };
    let (first, second) = (solve(1, "here"), solve(2, "there"));
    let import = ["store", "import", "here", "there"];
    let imported = run(home.path(), &import);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    assert!(imported.stdout[0].contains(" read: ") && imported.stdout.len() == 1, "{imported:?}");
    for (problem, before) in [(1, first), (2, second)] {
        let after = solve(problem, "here");
        assert_eq!((&after["source"], &after["value"]), (&"store".into(), &before["value"]));
    }
    let again = run(home.path(), &[&import[..], &["--json"]].concat()).objects().remove(0);
    assert_eq!((&again["written"], &again["verdicts"]), (&0.into(), &0.into()), "{again}");
    assert_eq!(run(home.path(), &["store", "verify", "here"]).code, Some(0));
    // The proofs are as good as where they come from.
    let export = ["proof", "export", "one.obf", "--store", "here", "--out", "one.proof"];
    assert_eq!(run(home.path(), &export).code, Some(0));
    assert_eq!(run(home.path(), &["proof", "check", "one.proof", "--all"]).code, Some(0));

    run(home.path(), &["store", "import", "here", "./here"]).assert_fails(2, "are the same store");
    run(home.path(), &["store", "import", "here", "none"]).assert_fails(3, "there is no store at");
    let (there, _) = Store::open(&home.path().join("there")).expect("a store");
    run(home.path(), &import).assert_fails(3, "there is in use by process");
    drop(there);
}

/// The other store has proofs of a worker that was found to be wrong here, and one that contradicts.
#[test]
fn what_comes_from_another_store_is_not_believed_blindly() {
    let home = TempDir::new().expect("a temporary folder");
    let open = |name: &str| Store::open(&home.path().join(name)).expect("a store").0;
    let claim = |bound: Bound, worker: &str| {
        let origin = Arc::new(Origin { worker: worker.to_owned(), ..Origin::default() });
        let provenance = Provenance { method: Method::Search, origin };
        Record {
            position: Position::START.canonical(),
            bound,
            best_move: None,
            nodes: 1,
            provenance,
        }
    };
    open("there").append(&[claim(Bound::at_least(Score::MAX), "liar")]).expect("a disk");
    drop(open("here"));
    let verdict = r#"{"verdict":{"era":1,"workers":["liar"],"reason":"it was wrong"}}"#;
    let docket = format!("{verdict}\n{}\n", r#"{"taken_back":{"era":1}}"#);
    fs::write(home.path().join("here/docket.jsonl"), docket).expect("the store is ours");
    let import = ["store", "import", "here", "there"];
    let imported = run(home.path(), &import);
    let said = imported.stdout.join("\n");
    assert!(said.contains("wrong 1 time: what they claimed is taken back once more"), "{said}");
    assert_eq!(run(home.path(), &["store", "export", "here"]).objects().len(), 1);
    // Whoever solves something takes it back first.
    fs::write(home.path().join("one.obf"), file(&[1])).expect("the folder is writable");
    assert_eq!(run(home.path(), &["solve", "one.obf", "--store", "here"]).code, Some(0));
    let lies = |objects: Vec<Value>| objects.iter().filter(|object| object["lower"] == 64).count();
    assert_eq!(lies(run(home.path(), &["store", "export", "here"]).objects()), 0);

    open("other").append(&[claim(Bound::exact(Score::DRAW), "honest")]).expect("a disk");
    let docket = home.path().join("there/docket.jsonl");
    fs::write(docket, verdict.replace("liar", "another") + "\n").expect("the store is ours");
    let refused = run(home.path(), &["store", "import", "other", "there"]);
    refused.assert_fails(5, "the two stores contradict each other");
    let said = refused.stderr.join("\n");
    assert!(said.contains("by honest and by liar") && said.contains("nothing was taken"), "{said}");
    assert_eq!(run(home.path(), &["store", "export", "other"]).objects().len(), 1);
    assert!(!home.path().join("other/docket.jsonl").exists(), "nothing at all was taken over");
}

/// The new store had nothing that would have told.
#[test]
fn a_store_whose_claims_contradict_each_other_is_taken_over_with_a_warning_or_not_at_all() {
    let home = TempDir::new().expect("a temporary folder");
    let claim = |bound: Bound| {
        let provenance = Provenance { method: Method::Search, origin: Arc::default() };
        let position = Position::START.canonical();
        Record { position, bound, best_move: None, nodes: 1, provenance }
    };
    let first = Square::all(Position::START.moves()).next().expect("there are four");
    let after = Position::START.play(first).expect("it is legal").canonical();
    let elsewhere = Record { position: after, ..claim(Bound::at_least(Score::DRAW)) };
    let append = |name: &str, records: &[Record]| {
        let (store, _) = Store::open(&home.path().join(name)).expect("a store");
        records.iter().for_each(|record| drop(store.append(std::slice::from_ref(record))));
    };
    let (high, low) = (claim(Bound::at_least(Score::MAX)), claim(Bound::at_most(Score::MIN)));
    append("aside", &[high.clone(), low.clone()]);
    let imported = run(home.path(), &["store", "import", "new", "aside"]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    assert!(imported.stderr.join("\n").contains("were put aside in this store"), "{imported:?}");

    // The second frame of another log goes behind the first of this one.
    append("both", &[high]);
    append("donor", std::slice::from_ref(&elsewhere));
    let log = |name: &str| home.path().join(name).join("log/000001.log");
    let first = fs::read(log("donor")).expect("a log").len();
    append("donor", &[low]);
    let second = fs::read(log("donor")).expect("a log").split_off(first);
    let whole = [fs::read(log("both")).expect("a log"), second].concat();
    fs::write(log("both"), whole).expect("the store is ours");
    let refused = run(home.path(), &["store", "import", "new", "both"]);
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.join("\n").contains("nothing was taken over"), "{refused:?}");
}
