//! A check in many passes finds what one pass finds, and leaves nothing behind.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use outflank_engine::{Bound, Position, Score};
use proptest::prelude::*;

use crate::store::claim::{Claim, Entry, Source};
use crate::store::compare::Passes;
use crate::store::disk::SystemDisk;
use crate::store::frame::Frame;
use crate::store::index::Index;
use crate::store::layout::Layout;
use crate::store::log::Log;
use crate::store::manifest::{Found, Manifest};
use crate::store::pace::Told;
use crate::store::parts::Sample;
use crate::store::scan::tests::READ;
use crate::store::scan::{Met, Place, Scan};
use crate::store::sled_index::SledIndex;
use crate::store::tests::scattered as position;
use crate::store::tests::tmpfs::Tmpfs;
use crate::store::verify::{Access, check_by};
use crate::store::{Method, Origin, Store, StoreError, Verification, repair};

const ONE_PASS: u64 = u64::MAX;

fn claim(number: u64, lower: i32, upper: i32) -> Claim {
    let score = |discs| Score::new(2 * discs).unwrap();
    Claim {
        position: position(number),
        bound: Bound::new(score(lower), score(upper)).unwrap(),
        best_move: None,
        nodes: number,
        source: Source { method: Method::Search, origin: 0 },
    }
}

/// What a frame withdraws and claims, by the numbers of positions.
type Said = (Vec<u64>, Vec<(u64, i32, i32)>);

/// Returns frames about the positions below `numbers`; one in five takes something back.
fn said(numbers: u64, frames: usize) -> impl Strategy<Value = Vec<Said>> {
    let bound = (0..numbers, -4..4_i32, 0..9_i32);
    let claims =
        prop::collection::vec(bound.prop_map(|(it, low, more)| (it, low, low + more)), 0..9);
    let withdrawn = prop_oneof![
        4 => Just(Vec::new()),
        1 => prop::collection::vec(0..numbers, 1..5),
    ];
    prop::collection::vec((withdrawn, claims), 0..frames)
}

/// Appends these frames to the log of a store that nobody has open.
fn write(layout: &Layout, from: Place, said: &[Said]) {
    let mut log = Log::open(Arc::new(SystemDisk), &layout.log(), from, 600).unwrap();
    for (withdrawn, claims) in said {
        let frame = Frame {
            origins: vec![(0, Origin::default())],
            withdrawn: withdrawn.iter().copied().map(position).collect(),
            claims: claims.iter().map(|&(it, lower, upper)| claim(it, lower, upper)).collect(),
            ..Frame::default()
        };
        log.append(&frame.body()).unwrap();
    }
}

/// Makes a store of `old` frames that its index knows, and of a tail that it does not know.
fn store(path: &Path, old: &[Said], tail: &[Said]) -> Layout {
    let layout = Layout::new(path);
    fs::create_dir_all(layout.log()).unwrap();
    write(&layout, Place { offset: 0, ..Place::START }, old);
    drop(Store::open(path).unwrap());
    let Found::Manifest(Manifest { place, .. }) = Manifest::read(path).unwrap() else {
        panic!("a closed store has a manifest")
    };
    write(&layout, place, tail);
    layout
}

/// Returns what a check finds, the described problems in an order of their own.
fn found(layout: &Layout, access: Access<'_>, claims_a_pass: u64) -> Verification {
    let mut found = check_by(layout, access, claims_a_pass, Told::default()).unwrap();
    assert!(!layout.parts().exists());
    found.described.sort_by_key(ToString::to_string);
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn many_passes_find_what_one_finds(
        old in said(60, 40),
        tail in said(80, 8),
        missing in prop::collection::vec(0..60_u64, 0..9),
        foreign in prop::collection::vec((0..90_u64, -2..3_i32), 0..9),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let layout = store(folder.path(), &old, &tail);
        let index = SledIndex::open(&layout.index()).unwrap();
        for number in missing {
            index.remove_all(&[position(number)]).unwrap();
        }
        for (number, score) in foreign {
            let entry = Entry::first(&claim(number, score, score));
            index.put_all(&[(position(number), entry)]).unwrap();
        }
        drop(index);
        let (scratch, none) = (tempfile::tempdir().unwrap(), folder.path().join("none"));
        let read = |scratch| Access::Read { scratch };
        for access in [Access::Write, read(scratch.path()), read(&none)] {
            let expected = found(&layout, access, ONE_PASS);
            for claims_a_pass in [1, 5, 40] {
                let several = found(&layout, access, claims_a_pass);
                prop_assert_eq!(&several, &expected, "{:?} by {}", access, claims_a_pass);
            }
        }
    }
}

/// Returns frames with so many claims of different positions.
fn many(claims: u64) -> Vec<Said> {
    let claims: Vec<_> = (0..claims).map(|it| (it, -1, 1)).collect();
    claims.chunks(100).map(|claims| (Vec::new(), claims.to_vec())).collect()
}

#[test]
fn neither_log_nor_index_is_read_once_for_every_pass() {
    let folder = tempfile::tempdir().unwrap();
    let layout = store(folder.path(), &many(1000), &[]);
    let mut sample = Sample::default();
    let mut scan = Scan::new(&layout.log(), Place::START).unwrap();
    while let Some(met) = scan.next().unwrap() {
        let Met::Frame(frame) = met else { panic!("{met:?}") };
        sample.add(&frame);
    }
    let mut passes =
        Passes::over_parts(&layout, sample.ranges(100), 10, (Told::default(), 0)).unwrap();
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(layout.log(), &elsewhere).unwrap();
    let mut positions = Vec::new();
    while let Some(merged) = passes.merge_next().unwrap() {
        positions.push(merged.known.len());
    }
    assert_eq!(positions, [100; 10]);
    drop(passes);
    assert!(!layout.parts().exists());
    // Of what is missing in an index that is read once there is one problem.
    fs::rename(&elsewhere, layout.log()).unwrap();
    let index = SledIndex::open(&layout.index()).unwrap();
    let third: Vec<Position> = (0..1000).step_by(3).map(position).collect();
    assert_eq!(index.remove_all(&third).unwrap(), third.len() as u64);
    drop(index);
    let found = found(&layout, Access::Write, 100);
    assert_eq!((found.problems, found.positions), (1, 1000), "{found:?}");
    assert!(found.described[0].to_string().ends_with("334 positions of the log are missing"));
}

/// The log was read once for every pass.
#[test]
fn what_is_read_of_a_log_that_can_only_be_read_grows_as_the_log_does() {
    let scratch = tempfile::tempdir().unwrap();
    for (claims, frames) in [(1000, 10), (2000, 20), (4000, 40)] {
        let folder = tempfile::tempdir().unwrap();
        let layout = store(folder.path(), &many(claims), &[]);
        let before = READ.get();
        let read = Access::Read { scratch: scratch.path() };
        let seen = found(&layout, read, 100);
        assert_eq!((seen.positions, seen.problems), (claims, 0), "{seen:?}");
        assert_eq!(READ.get() - before, 2 * frames, "{claims} claims");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}

/// A folder for what is temporary may be too small, and then it is left alone.
#[test]
fn what_does_not_fit_elsewhere_is_read_many_times() {
    let Some(disk) = Tmpfs::mount(1) else {
        eprintln!("SKIPPED: no tmpfs can be mounted here");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let layout = store(folder.path(), &many(40_000), &[]);
    let expected = found(&layout, Access::Read { scratch: folder.path() }, ONE_PASS);
    let before = READ.get();
    let seen = found(&layout, Access::Read { scratch: disk.path() }, 4000);
    assert_eq!(seen, expected);
    assert_eq!(READ.get() - before, 11 * 400, "for the sample and for each pass");
}

#[test]
fn ranges_are_even_where_several_claim_in_turns_and_there_are_more_claims_than_in_a_sample() {
    let claims = 300_000;
    let mut sample = Sample::default();
    let part = |number| u64::from(number % 2 == 0) << 31 | number;
    for start in (0..claims).step_by(1000) {
        let claims = (start..start + 1000).map(|number| Claim {
            position: Position::new(part(number), 1 << 63).unwrap(),
            ..claim(0, 0, 0)
        });
        sample.add(&Frame { claims: claims.collect(), ..Frame::default() });
    }
    let ranges = sample.ranges(claims / 20);
    let mut held = [0_u64; 20];
    for number in 0..claims {
        held[ranges.of(Position::new(part(number), 1 << 63).unwrap())] += 1;
    }
    assert!(held.iter().all(|held| (13_500..16_500).contains(held)), "{held:?}");
}

#[test]
fn what_a_check_that_was_killed_has_left_goes_at_the_next_check_or_open() {
    let folder = tempfile::tempdir().unwrap();
    let layout = store(folder.path(), &many(300), &[]);
    let expected = found(&layout, Access::Write, ONE_PASS);
    assert!(expected.is_sound(), "{expected:?}");
    let leave = || {
        fs::create_dir(layout.parts()).unwrap();
        fs::write(layout.parts().join("000002"), "what is no frame").unwrap();
    };
    for claims_a_pass in [ONE_PASS, 30] {
        leave();
        assert_eq!(found(&layout, Access::Write, claims_a_pass), expected);
    }
    leave();
    let scratch = tempfile::tempdir().unwrap();
    let read = Access::Read { scratch: scratch.path() };
    let only_read = check_by(&layout, read, 30, Told::default()).unwrap();
    assert!(only_read.is_sound() && layout.parts().exists(), "{only_read:?}");
    drop(Store::open(folder.path()).unwrap());
    assert!(!layout.parts().exists());
}

#[test]
fn a_check_for_which_there_is_no_room_is_an_error_and_leaves_nothing() {
    let Some(disk) = Tmpfs::mount(16) else {
        eprintln!("SKIPPED: no tmpfs can be mounted here");
        return;
    };
    let layout = store(&disk.path().join("store"), &many(40_000), &[]);
    let expected = found(&layout, Access::Write, ONE_PASS);
    let filler = disk.path().join("filler");
    let mut file = OpenOptions::new().create(true).append(true).open(&filler).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    // This is enough for the index, but the claims are more than twice of it.
    file.set_len(file.metadata().unwrap().len() - (1 << 19)).unwrap();
    drop(file);
    let error = check_by(&layout, Access::Write, 4000, Told::default()).unwrap_err();
    assert!(error.is_full_disk() && error.to_string().contains("/parts/"), "{error}");
    assert!(!layout.parts().exists());
    // It says nothing of the log, of which a repair would otherwise make a new one.
    let error = repair::seen(&layout, false, Err(error)).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    fs::remove_file(&filler).unwrap();
    assert_eq!(found(&layout, Access::Write, 4000), expected);
}
