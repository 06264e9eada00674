//! What becomes of a campaign whose list is not as it was imported, and of files that are open or in the way.

use super::*;
use crate::campaign::record::Record;

/// Replaces bytes of the list of the campaign "one".
fn replace(roster: &Roster, from: &str, to: &str) {
    let list = roster.folder().join("one/list");
    let whole = fs::read_to_string(&list).unwrap();
    assert!(whole.contains(from));
    fs::write(list, whole.replace(from, to)).unwrap();
}

fn state(roster: &Roster) -> Campaign {
    roster.list(Some("one")).unwrap().remove(0)
}

fn resume(roster: &mut Roster) {
    let change = Change { name: "one".to_owned(), priority: None, paused: Some(false) };
    assert_eq!(roster.change(&change).unwrap().fault, "");
}

/// The claim was another one, which was refuted: only a whole export would have found out.
#[test]
fn a_question_that_damage_has_made_is_not_asked() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    replace(&roster, ",14,4,-64,0", ",14,4,-64,8");
    let asked: Vec<u64> = roster.fill(9).iter().map(|ask| ask.row).collect();
    compare(&mut roster);
    assert_eq!((asked, roster.fill(9).len()), (vec![0, 1], 0));
    let fault = state(&roster).fault;
    assert!(fault.contains("one/list: found SHA-256"), "{fault}");
    // Nor when it goes on and is as damaged as before.
    resume(&mut roster);
    assert_eq!(roster.fill(9).len(), 2);
    compare(&mut roster);
    assert_eq!(state(&roster).fault, fault);
}

/// As many nodes are predicted as for the question that was imported.
#[test]
fn nothing_is_refuted_or_finished_if_the_list_is_damaged_without_being_seen() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    replace(&roster, ",96,4,", ",97,4,");
    for _ in 0..2 {
        let asks = roster.fill(9);
        answer(&mut roster, &asks[1], Score::new(-2).unwrap());
        assert_eq!((state(&roster).refuted, state(&roster).open), (0, 4));
        assert!(state(&roster).fault.contains("one/list: found SHA-256"));
        resume(&mut roster);
    }
    let mut asks = roster.fill(9);
    for ask in asks.split_off(1) {
        answer(&mut roster, &ask, Score::new(4).unwrap());
    }
    assert_eq!((state(&roster).proved, state(&roster).fault.as_str()), (3, ""));
    while let Some(ask) = asks.pop() {
        asks.extend(answer(&mut roster, &ask, Score::DRAW));
    }
    assert_eq!((state(&roster).proved, state(&roster).open), (3, 1));
    assert!(state(&roster).fault.contains("one/list: found SHA-256"));
}

/// A later release may predict other numbers of nodes.
#[test]
fn a_campaign_goes_on_for_which_other_numbers_of_nodes_were_predicted() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let records = Records::open(&roster.folder().join("one/rows"), 4, true).unwrap();
    for row in 0..4 {
        let record = records.get(row).unwrap();
        records.put(row, &Record { predicted: record.predicted * 1.5, ..record }).unwrap();
    }
    assert!(roster.fill(9).is_empty(), "the list is to be compared first");
    compare(&mut roster);
    let mut asks = roster.fill(9);
    assert_eq!(asks.len(), 4);
    while let Some(ask) = asks.pop() {
        asks.extend(answer(&mut roster, &ask, Score::DRAW));
    }
    assert_eq!((state(&roster).open, state(&roster).fault.as_str()), (0, ""));
}

/// A thousand campaigns took two thousand files, and rested where so many were not to be had.
#[cfg(target_os = "linux")]
#[test]
fn a_list_is_open_only_while_rows_are_handed_out() {
    let (folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let open_lists = || {
        let files = fs::read_dir("/proc/self/fd").unwrap();
        let targets = files.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
        targets.filter(|file| file.starts_with(folder.path()) && file.ends_with("list")).count()
    };
    assert_eq!(open_lists(), 0);
    assert_eq!(roster.fill(3).len(), 3);
    assert_eq!(open_lists(), 1);
    roster.tick(Duration::from_secs(1));
    assert_eq!(open_lists(), 0);
    assert_eq!(roster.fill(9).len(), 1);
}

/// NFS keeps files that an export still reads: a later campaign of that name could not be removed.
#[test]
fn what_is_left_of_a_campaign_that_was_removed_is_not_in_the_way_of_another() {
    let (_folder, mut roster) = new_roster();
    let path = roster.folder().to_owned();
    for left in [".removed-one", ".removed-1-one"] {
        fs::create_dir(path.join(left)).unwrap();
        fs::write(path.join(left).join(".nfs1"), "read").unwrap();
    }
    import(&mut roster, "one", TASKS);
    roster.remove("one", true).unwrap();
    assert_eq!(fs::read_dir(&path).unwrap().count(), 2);
    drop(roster);
    assert_eq!(Roster::open(&path).unwrap().list(None).unwrap(), []);
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
}
