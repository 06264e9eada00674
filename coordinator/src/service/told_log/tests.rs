use std::fs;
use std::path::Path;

use outflank_engine::{Bound, Position, Score, Square};
use tempfile::TempDir;

use super::{Content, Note, ToldLog};
use crate::core::{Memory, ProcessId};
use crate::service::convert::process;

/// Returns positions, each after another first moves.
fn positions(count: usize) -> Vec<Position> {
    let mut found = vec![Position::START];
    for next in 0.. {
        if found.len() >= count {
            break;
        }
        let position: Position = found[next];
        let after = Square::all(position.moves()).filter_map(|square| position.play(square));
        for after in after.map(Position::canonical) {
            if !found.contains(&after) {
                found.push(after);
            }
        }
    }
    found.truncate(count);
    found
}

fn draw() -> Bound {
    Bound::exact(Score::DRAW)
}

fn told(name: &str, positions: &[Position]) -> Note {
    let bounds = positions.iter().map(|&position| (position, draw())).collect();
    Note { worker: name.to_owned(), bounds, and_more: false }
}

fn open(path: &Path) -> (ToldLog, Memory) {
    ToldLog::open(Some(path), true, |_, _| true).unwrap()
}

/// Returns how many bounds a process was told, as far as that is remembered.
fn count(memory: &Memory, name: &str) -> usize {
    let of: ProcessId = process(name);
    memory.told.iter().filter(|(told, _)| *told == of).map(|(_, bounds)| bounds.len()).sum()
}

/// Returns a folder with a file in which two workers were told something by a coordinator that was killed.
fn killed() -> (TempDir, Vec<Position>) {
    let (folder, positions) = (tempfile::tempdir().unwrap(), positions(6));
    let path = folder.path().join("told.jsonl");
    let (mut file, memory) = ToldLog::open(Some(&path), false, |_, _| true).unwrap();
    assert_eq!(memory, Memory::default(), "a new store has told nobody anything");
    file.note(&[told("one/1", &positions[..3]), told("two/2", &positions[3..5])]).unwrap();
    file.note(&[Note { and_more: true, ..told("one/1", &positions[5..]) }]).unwrap();
    (folder, positions)
}

#[test]
fn what_workers_were_told_outlives_a_coordinator_that_is_killed_again_and_again() {
    let (folder, _) = killed();
    let path = folder.path().join("told.jsonl");
    for _ in 0..3 {
        let (_, memory) = open(&path);
        assert_eq!((count(&memory, "one/1"), count(&memory, "two/2")), (4, 2));
        assert_eq!((memory.told_more, memory.has_gaps), (vec![process("one/1")], false));
    }
}

#[test]
fn a_file_cut_anywhere_says_what_is_left() {
    let (folder, _) = killed();
    let path = folder.path().join("told.jsonl");
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap();
    let mut counts = Vec::new();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let (_, memory) = open(&path);
        // What is noted is said only when its line is complete; without the first line nobody knows how old the file is.
        assert_eq!(memory.has_gaps, cut <= first, "cut at {cut}");
        counts.push(count(&memory, "one/1") + count(&memory, "two/2"));
    }
    assert!(counts.is_sorted() && counts.last() == Some(&6), "{counts:?}");
}

#[test]
fn a_line_that_cannot_be_read_is_a_gap() {
    let (folder, _) = killed();
    let path = folder.path().join("told.jsonl");
    let whole = fs::read(&path).unwrap();
    for bad in ["nonsense", r#"{"told":{"worker":"x","bounds":[[1,1,0,2]]}}"#] {
        fs::write(&path, [bad.as_bytes(), b"\n", &whole].concat()).unwrap();
        assert!(open(&path).1.has_gaps);
        assert!(open(&path).1.has_gaps, "and stays one");
    }
}

#[test]
fn what_the_system_may_have_lost_when_it_died_is_a_gap() {
    let (folder, _) = killed();
    let path = folder.path().join("told.jsonl");
    let of_another_life = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        let (_, rest) = text.split_once('\n').unwrap();
        fs::write(path, format!("{{\"boot\":\"another\"}}\n{rest}")).unwrap();
    };
    let (mut file, _) = open(&path);
    file.close().unwrap();
    of_another_life(&path);
    let (_, memory) = open(&path);
    assert!(!memory.has_gaps, "the coordinator had ended in order");
    of_another_life(&path);
    let (_, memory) = open(&path);
    assert_eq!((memory.has_gaps, count(&memory, "two/2")), (true, 2));
}

#[test]
fn a_store_without_the_file_may_have_told_anybody_anything() {
    let folder = tempfile::tempdir().unwrap();
    assert!(open(&folder.path().join("told.jsonl")).1.has_gaps);
    assert!(open(&folder.path().join("told.jsonl")).1.has_gaps);
    assert!(ToldLog::open(None, true, |_, _| true).unwrap().1.has_gaps);
    assert!(!ToldLog::open(None, false, |_, _| true).unwrap().1.has_gaps);
}

#[test]
fn what_is_not_held_is_forgotten_and_of_too_much_the_oldest() {
    let (folder, positions) = killed();
    let path = folder.path().join("told.jsonl");
    open(&path).0.close().unwrap();
    let (_, memory) =
        ToldLog::open(Some(&path), true, |position, _| position != positions[3]).unwrap();
    assert_eq!((count(&memory, "one/1"), count(&memory, "two/2")), (4, 1));
    assert_eq!(memory.told_more, [process("one/1")], "the coordinator had ended in order");
    let mut content = Content::read(&path, &fs::read(&path).unwrap());
    content.trim(4);
    let memory = content.into_memory();
    // Worker one was told something last.
    assert_eq!((count(&memory, "one/1"), count(&memory, "two/2")), (4, 0));
    assert_eq!(memory.told_more, [process("one/1"), process("two/2")]);
}

#[test]
fn who_was_told_what_never_reached_the_store_was_told_more_than_is_known() {
    let (folder, positions) = killed();
    let path = folder.path().join("told.jsonl");
    let is_held = |position, _| position != positions[3];
    for _ in 0..2 {
        let (_, memory) = ToldLog::open(Some(&path), true, is_held).unwrap();
        assert_eq!((count(&memory, "one/1"), count(&memory, "two/2")), (4, 1));
        let more = vec![process("one/1"), process("two/2")];
        assert_eq!((memory.told_more, memory.has_gaps), (more, false), "and stays so");
    }
}

#[test]
fn what_was_taken_back_is_not_missed_when_the_coordinator_is_killed() {
    let (folder, positions) = killed();
    let path = folder.path().join("told.jsonl");
    let is_held = |position, _| position != positions[3];
    let (mut file, _) = open(&path);
    file.taken_back(is_held).unwrap();
    file.note(&[told("two/2", &positions[5..])]).unwrap();
    let (_, memory) = ToldLog::open(Some(&path), true, is_held).unwrap();
    assert_eq!((count(&memory, "one/1"), count(&memory, "two/2")), (4, 2));
    assert_eq!(memory.told_more, [process("one/1")]);
}

#[test]
fn who_was_told_something_longest_ago_comes_first() {
    let (folder, positions) = (tempfile::tempdir().unwrap(), positions(2));
    let path = folder.path().join("told.jsonl");
    let (mut file, _) = open(&path);
    for name in ["one/1", "two/2"] {
        file.note(&[told(name, &positions[..1])]).unwrap();
    }
    let names = |memory: &Memory| memory.told.iter().map(|(process, _)| *process).collect();
    let (mut file, memory) = open(&path);
    let order: Vec<ProcessId> = names(&memory);
    assert_eq!(order, [process("one/1"), process("two/2")]);
    file.note(&[told("one/1", &positions[1..])]).unwrap();
    let order: Vec<ProcessId> = names(&open(&path).1);
    assert_eq!(order, [process("two/2"), process("one/1")]);
}

#[test]
fn what_a_worker_was_told_last_of_a_position_counts() {
    let (folder, positions) = (tempfile::tempdir().unwrap(), positions(1));
    let path = folder.path().join("told.jsonl");
    let (mut file, _) = open(&path);
    let bounds = [Bound::at_least(Score::DRAW), draw()];
    for bound in bounds {
        let bounds = vec![(positions[0], bound)];
        file.note(&[Note { worker: "one/1".to_owned(), bounds, and_more: false }]).unwrap();
    }
    assert_eq!(open(&path).1.told, [(process("one/1"), vec![(positions[0], draw())])]);
}

#[test]
fn a_file_that_grows_is_written_anew_and_says_the_same() {
    let (folder, positions) = killed();
    let path = folder.path().join("told.jsonl");
    let (mut file, before) = open(&path);
    file.most_grown = 1000;
    let mut longest = 0;
    for _ in 0..100 {
        file.note(&[told("one/1", &positions[..3]), told("two/2", &positions[3..5])]).unwrap();
        longest = longest.max(fs::metadata(&path).unwrap().len());
    }
    assert!(longest < 3000, "{longest} bytes");
    assert!(file.grown <= 1000, "it is not written anew with every note from then on");
    let (_, memory) = open(&path);
    assert_eq!((memory.has_gaps, &memory.told_more), (false, &before.told_more));
    assert_eq!((count(&memory, "one/1"), count(&memory, "two/2")), (4, 2));
}

#[test]
fn a_line_that_cannot_be_read_may_have_said_anything() {
    let (folder, _) = killed();
    let path = folder.path().join("told.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    fs::write(&path, format!("{first}\nnonsense\n{rest}")).unwrap();
    let (_, memory) = open(&path);
    assert!(memory.has_gaps && memory.told.is_empty(), "{memory:?}");
}

#[test]
fn who_is_told_something_after_the_end_was_noted_is_not_forgotten() {
    let (folder, positions) = killed();
    let path = folder.path().join("told.jsonl");
    let (mut file, _) = open(&path);
    file.close().unwrap();
    file.note(&[told("three/3", &positions[..1])]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let (_, rest) = text.split_once('\n').unwrap();
    // The system has died since, and may have lost what was not synced.
    fs::write(&path, format!("{{\"boot\":\"another life\"}}\n{rest}")).unwrap();
    let (_, memory) = open(&path);
    assert!(memory.has_gaps, "{memory:?}");
    assert_eq!(count(&memory, "three/3"), 1);
}
