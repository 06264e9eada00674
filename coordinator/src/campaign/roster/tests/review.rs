//! Which outcomes are compared with what is proved after proofs were taken back, and when.

use super::*;

/// Returns a roster with a campaign whose rows are decided but for the first.
fn with_decided_rows() -> (TempDir, Roster) {
    let (folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    for ask in &roster.fill(4)[1..] {
        answer(&mut roster, ask, Score::new(4).unwrap());
    }
    (folder, roster)
}

/// Returns the roster that a coordinator has which begins when proofs have been taken back `era` times.
fn restarted(roster: Roster, era: u64) -> Roster {
    let path = roster.folder().to_owned();
    drop(roster);
    let mut roster = Roster::open(&path).unwrap();
    roster.taken_back(era);
    roster
}

fn counts(roster: &Roster, name: &str) -> (u64, u64) {
    let campaign = roster.list(Some(name)).unwrap().remove(0);
    (campaign.proved, campaign.open)
}

fn upheld(_position: Position) -> Bound {
    Bound::at_least(Score::DRAW)
}

fn fallen(_position: Position) -> Bound {
    Bound::UNKNOWN
}

/// Makes the last row of a campaign's list one that cannot be read; returns the list as it was.
fn damage(list: &Path) -> String {
    let whole = fs::read_to_string(list).unwrap();
    fs::write(list, whole.replace(",27,6,", ",27;6,")).unwrap();
    whole
}

#[test]
fn rows_whose_proofs_were_taken_back_are_open_again() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", &format!("{TASKS}{}", &TASKS[TASKS.find('\n').unwrap() + 1..]));
    let asks = roster.fill(4);
    for ask in &asks[1..] {
        answer(&mut roster, ask, Score::new(4).unwrap());
    }
    let one = asks[2].position;

    let path = roster.folder().to_owned();
    drop(roster);
    let mut roster = Roster::open(&path).unwrap();
    assert_eq!(counts(&roster, "one"), (3, 1));
    let first = roster.fill(4);
    roster.taken_back(1);
    review(&mut roster, &|position| {
        if position == one { Bound::UNKNOWN } else { upheld(position) }
    });
    let campaign = roster.list(None).unwrap().remove(0);
    assert_eq!((campaign.proved, campaign.open, campaign.duplicates), (2, 2, 4));
    assert!(
        answer(&mut roster, &first[0], Score::DRAW).is_none(),
        "it may rest on what has fallen"
    );
    let again: Vec<u64> = roster.fill(4).iter().map(|ask| ask.row).collect();
    assert_eq!(again, [0, 2]);
    let mut roster = restarted(roster, 1);
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "one"), (2, 2), "it was reviewed before");
}

/// Somebody else may have asked before the review, so that there is a value again: the same outcome with another bound.
#[test]
fn a_row_that_has_another_value_by_now_is_open_again() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "values", &line(played(1), ""));
    let ask = roster.fill(4).remove(0);
    answer(&mut roster, &ask, Score::new(4).unwrap());
    roster.taken_back(1);
    let now = Score::new(-2).unwrap();
    review(&mut roster, &|_| Bound::exact(now));
    assert_eq!(counts(&roster, "values"), (0, 1));
    let ask = roster.fill(4).remove(0);
    answer(&mut roster, &ask, now);
    let text = export(&roster, "values", Some(Form::Json), Selection::All);
    assert!(text.contains(r#""lower":-2,"upper":-2"#), "{text}");
}

/// The store knows nothing of it, since the rules say what it is worth.
#[test]
fn a_game_that_is_over_is_not_in_doubt() {
    let (_folder, mut roster) = new_roster();
    let over = Position::new(u64::MAX, 0).unwrap();
    import(&mut roster, "over", &line(over, ""));
    for ask in roster.fill(4) {
        answer(&mut roster, &ask, over.final_score());
    }
    let decided = counts(&roster, "over");
    assert_eq!(decided.1, 0);
    roster.taken_back(1);
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "over"), decided);
}

/// The note of the second time went with the review for the first.
#[test]
fn a_review_for_one_time_that_proofs_were_taken_back_does_not_stand_for_the_next() {
    let (_folder, mut roster) = with_decided_rows();
    roster.taken_back(1);
    review(&mut roster, &upheld);
    let mut roster = restarted(roster, 2);
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "one"), (0, 4));
}

/// Whoever has lost the docket counts anew.
#[test]
fn a_campaign_that_was_reviewed_later_than_the_docket_knows_is_in_doubt() {
    let (_folder, mut roster) = with_decided_rows();
    roster.taken_back(7);
    review(&mut roster, &upheld);
    let mut roster = restarted(roster, 0);
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "one"), (0, 4));
}

#[test]
fn a_campaign_whose_review_fails_or_that_cannot_be_opened_stays_in_doubt_and_others_do_not() {
    let (_folder, mut roster) = with_decided_rows();
    let path = roster.folder().to_owned();
    for name in ["good", "closed"] {
        import(&mut roster, name, TASKS);
        for ask in roster.fill(9).iter().filter(|ask| ask.row == 3) {
            answer(&mut roster, ask, Score::new(4).unwrap());
        }
    }
    let whole = damage(&path.join("one/list"));
    fs::rename(path.join("closed/list"), path.join("closed/aside")).unwrap();
    let mut roster = restarted(roster, 1);
    review(&mut roster, &upheld);
    let fault = roster.list(Some("one")).unwrap()[0].fault.clone();
    assert!(
        fault.contains("not compared with what is proved") && fault.contains("list"),
        "{fault}"
    );
    // It would say what may have fallen.
    for limit in [None, Some(1)] {
        let (form, selection) = (None, Selection::Proved);
        let wanted = ExportRequest { name: "one".to_owned(), form, selection, limit };
        let error = roster.export(&wanted).unwrap_err().to_string();
        assert!(error.contains("campaign one cannot be trusted") && error.contains(&fault));
        roster.export(&ExportRequest { name: "good".to_owned(), ..wanted }).unwrap();
    }

    fs::write(path.join("one/list"), whole).unwrap();
    fs::rename(path.join("closed/aside"), path.join("closed/list")).unwrap();
    let mut roster = restarted(roster, 1);
    review(&mut roster, &fallen);
    let after = ["one", "closed", "good"].map(|name| counts(&roster, name));
    assert_eq!(after, [(0, 4), (0, 4), (1, 3)]);
}

/// What was open again in the file was not counted, so that there were fewer open rows than none in the end.
#[test]
fn rows_are_counted_as_they_are_after_a_review_that_failed_and_all_are_reviewed_when_it_goes_on() {
    let (_folder, mut roster) = with_decided_rows();
    let list = roster.folder().join("one/list");
    let whole = damage(&list);
    roster.taken_back(1);
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "one"), (1, 3), "the last row could not be read");
    assert!(roster.fill(4).is_empty(), "it rests");
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "one"), (1, 3), "it still rests");

    fs::write(&list, whole).unwrap();
    let change = Change { name: "one".to_owned(), priority: None, paused: Some(false) };
    roster.change(&change).unwrap();
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "one"), (0, 4));
    let mut asks = roster.fill(4);
    while let Some(ask) = asks.pop() {
        asks.extend(answer(&mut roster, &ask, Score::DRAW));
    }
    assert_eq!(counts(&roster, "one"), (4, 0));
}

#[test]
fn a_campaign_that_rests_is_reviewed_when_proofs_are_taken_back() {
    let (_folder, mut roster) = with_decided_rows();
    let list = roster.folder().join("one/list");
    let whole = damage(&list);
    roster.taken_back(1);
    review(&mut roster, &upheld);
    fs::write(&list, whole).unwrap();
    roster.taken_back(2);
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "one"), (0, 4));
}

/// Whoever wanted something else of the campaigns waited for it all the same.
#[test]
fn a_new_campaign_has_nothing_to_review() {
    let (_folder, mut roster) = new_roster();
    roster.taken_back(3);
    import(&mut roster, "one", TASKS);
    assert!(!roster.is_to_be_reviewed());
    assert_eq!(roster.fill(9).len(), 4);
    assert!(!restarted(roster, 3).is_to_be_reviewed());
}

/// Meanwhile no order was taken, however long the list was.
#[test]
fn a_long_list_is_reviewed_bit_by_bit_and_nothing_of_it_is_asked_or_decided_meanwhile() {
    let (_folder, mut roster) = new_roster();
    let list: String = (0..1000).map(|seed| line(played(seed), "")).collect();
    let rows = import(&mut roster, "one", &list).open;
    let asks = roster.fill(usize::MAX);
    for ask in &asks[1..] {
        answer(&mut roster, ask, Score::DRAW);
    }
    roster.taken_back(1);
    let bound = |_| Bound::exact(Score::DRAW);
    for _ in 0..2 {
        answer(&mut roster, &asks[0], Score::DRAW);
        assert!(roster.fill(4).is_empty());
        roster.review(&bound);
        assert_eq!((counts(&roster, "one"), roster.is_to_be_reviewed()), ((0, 1), true));
    }
    // What was compared for the first time must be compared again for the second.
    roster.taken_back(2);
    review(&mut roster, &fallen);
    assert_eq!(counts(&roster, "one"), (0, rows));
    assert_eq!(roster.fill(usize::MAX).len() as u64, rows);
    // What was asked before may rest on what has fallen, also when it is asked again.
    answer(&mut roster, &asks[0], Score::DRAW);
    assert_eq!(counts(&roster, "one"), (0, rows));
}

#[test]
fn rows_are_still_to_be_reviewed_until_the_review_is_on_disk() {
    let (_folder, mut roster) = with_decided_rows();
    let unreviewed = |roster: &Roster| roster.list(None).unwrap()[0].unreviewed;
    assert_eq!(unreviewed(&roster), 0);
    roster.taken_back(1);
    let mut told = Vec::new();
    while roster.is_to_be_reviewed() {
        told.push(unreviewed(&roster));
        roster.review(&upheld);
    }
    assert_eq!((told.as_slice(), unreviewed(&roster)), ([4, 1].as_slice(), 0));
}
