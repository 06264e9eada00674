//! Which rows are asked again, whose answers count, and what is left of a change after a restart.

use std::io::BufWriter;

use super::*;

fn change(name: &str, paused: bool) -> Change {
    Change { name: name.to_owned(), paused: Some(paused), priority: None }
}

fn rows(asks: &[Ask]) -> Vec<u64> {
    asks.iter().map(|ask| ask.row).collect()
}

#[test]
fn an_answer_counts_for_the_campaign_that_has_asked_and_for_no_other() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    import(&mut roster, "two", TASKS);
    let asks = roster.fill(8);
    let lives: BTreeSet<u64> = asks.iter().map(|ask| ask.life).collect();
    let last = asks.iter().max_by_key(|ask| ask.life).unwrap();
    assert_eq!(lives.len(), 2);
    roster.answered(last.life, last.row, Bound::exact(Score::DRAW), 10);
    let open: Vec<u64> = roster.list(None).unwrap().iter().map(|one| one.open).collect();
    assert_eq!(open, [4, 3]);
}

#[test]
fn a_failed_row_is_asked_again_also_after_a_pause_and_beside_a_disputed_one() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let asks = roster.fill(3);
    roster.failed(asks[0].life, 1, true);
    roster.failed(asks[0].life, 0, false);
    assert_eq!(rows(&roster.fill(3)), [0, 3], "the disputed one rests");
    roster.failed(asks[0].life, 0, false);
    roster.change(&change("one", true)).unwrap();
    roster.change(&change("one", false)).unwrap();
    assert_eq!(rows(&roster.fill(4)), [0, 1, 2, 3], "a change is a new beginning");
    assert_eq!(roster.list(None).unwrap()[0].disputed, 0);
}

#[test]
fn a_pause_and_a_priority_are_there_after_a_restart() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let wanted = Change { name: "one".to_owned(), paused: Some(true), priority: Some(7) };
    roster.change(&wanted).unwrap();
    let path = roster.folder().to_owned();
    drop(roster);
    let mut roster = Roster::open(&path).unwrap();
    let campaign = &roster.list(None).unwrap()[0];
    assert_eq!((campaign.paused, campaign.priority), (true, 7));
    assert!(roster.fill(4).is_empty());
}

/// The row that could not be read was left out when the campaign went on, so that it never ended.
#[test]
fn a_campaign_whose_list_cannot_be_read_any_more_says_so_and_asks_nothing() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let list = roster.folder().join("one").join("list");
    let length = fs::metadata(&list).unwrap().len();
    fs::write(&list, vec![b'?'; length as usize]).unwrap();
    for _ in 0..2 {
        assert!(roster.fill(4).is_empty());
        let fault = &roster.list(None).unwrap()[0].fault;
        assert!(fault.contains("expected a row as it was imported"), "{fault}");
    }
    fs::write(&list, TASKS).unwrap();
    roster.change(&change("one", false)).unwrap();
    assert_eq!(rows(&roster.fill(4)), [0, 1, 2, 3]);
}

#[test]
fn a_list_that_is_longer_or_shorter_than_it_was_is_damaged() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let path = roster.folder().to_owned();
    drop(roster);
    for other in [&TASKS[1..], &format!("{TASKS}\n")] {
        fs::write(path.join("one").join("list"), other).unwrap();
        let fault = &Roster::open(&path).unwrap().list(None).unwrap()[0].fault;
        let expected = format!("found {} bytes, expected {} bytes", other.len(), TASKS.len());
        assert!(fault.contains(&expected), "{fault}");
    }
}

#[test]
fn a_campaign_of_another_schema_is_not_read() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let path = roster.folder().to_owned();
    drop(roster);
    let head = path.join("one").join("campaign.json");
    let text = fs::read_to_string(&head).unwrap();
    fs::write(&head, text.replace("\"schema\": 1", "\"schema\": 2")).unwrap();
    let fault = &Roster::open(&path).unwrap().list(None).unwrap()[0].fault;
    assert!(fault.contains("found schema version 2, expected version 1"), "{fault}");
}

#[test]
fn a_change_that_cannot_be_written_changes_nothing() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let ask = roster.fill(1).remove(0);
    fs::create_dir(roster.folder().join("one").join("state.json.new")).unwrap();
    let error = roster.change(&change("one", true)).unwrap_err().to_string();
    assert!(error.contains("state.json"), "{error}");
    assert!(!roster.list(None).unwrap()[0].paused);
    assert!(roster.lives().contains(&ask.life));
    assert_eq!(rows(&roster.fill(2)), [1]);
}

/// What is left in a buffer goes out with that.
#[test]
fn an_export_whose_end_cannot_be_written_fails() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    for selection in [Selection::All, Selection::Open] {
        let wanted = ExportRequest { name: "one".to_owned(), form: None, selection, limit: None };
        let mut full = BufWriter::with_capacity(1 << 20, &mut [][..]);
        let exported = roster.export(&wanted).unwrap().run(&|_, _| None, &mut full);
        assert!(matches!(exported, Err(ExportError::Output(_))), "{exported:?}");
    }
}

#[test]
fn an_export_has_as_many_rows_as_are_wanted_and_of_the_kind_that_is_wanted() {
    let (_folder, mut roster) = new_roster();
    let list = [line(played(1), ""), line(played(2), "")].concat();
    import(&mut roster, "one", TASKS);
    import(&mut roster, "values", &list);
    let export = |roster: &Roster, name: &str, selection, limit| {
        let wanted = ExportRequest { name: name.to_owned(), form: None, selection, limit };
        let mut bytes = Vec::new();
        let rows = roster.export(&wanted).unwrap().run(&|_, _| None, &mut bytes);
        (rows.map_err(|_| "it can be read").unwrap(), String::from_utf8(bytes).unwrap())
    };
    for limit in 1..4 {
        let (rows, text) = export(&roster, "one", Selection::All, Some(limit));
        assert_eq!((rows, text.lines().count() as u64), (limit, limit + 1), "and the header");
    }
    let asks = roster.fill(8);
    for ask in asks.iter().filter(|ask| ask.row == 0) {
        let mut next = Some(ask.clone());
        while let Some(ask) = next {
            next = answer(&mut roster, &ask, Score::DRAW);
        }
    }
    let count = |name, selection| export(&roster, name, selection, None).0;
    assert_eq!((count("one", Selection::Proved), count("one", Selection::Solved)), (1, 0));
    assert_eq!((count("values", Selection::Proved), count("values", Selection::Solved)), (0, 1));
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_the_memory() {
    let (_folder, mut roster) = new_roster();
    let long = "x".repeat(1 << 16);
    let refused = "line 1, column 1: the line goes on, expected at most 65536 bytes";
    // In many parts, of which none ends it, and in one part that does.
    let mut import = Import::begin(roster.folder(), &head("parts")).unwrap();
    import.feed(long.as_bytes()).unwrap();
    let error = import.feed(b"x").unwrap_err().to_string();
    assert!(error.contains(refused), "{error}");
    let whole = format!("{long}x\n");
    let error = import_in(&mut roster, &head("whole"), &[whole.as_bytes()]).unwrap_err();
    assert!(error.contains(refused), "{error}");
}

#[test]
fn rows_of_which_the_opposite_is_proved_now_are_open_again_and_asked() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let mut asks = roster.fill(4);
    while let Some(ask) = asks.pop() {
        asks.extend(answer(&mut roster, &ask, Score::DRAW));
    }
    assert_eq!(roster.list(None).unwrap()[0].proved, 4, "none of them is lost");
    roster.taken_back(1);
    review(&mut roster, &|_| Bound::exact(Score::MIN));
    assert_eq!(roster.list(None).unwrap()[0].open, 4);
    assert_eq!(rows(&roster.fill(4)), [0, 1, 2, 3]);
}

#[test]
fn a_row_whose_answers_contradict_each_other_is_disputed() {
    let (_folder, mut roster) = new_roster();
    let position = played(3);
    let square = Square::lowest(position.moves()).unwrap();
    import(&mut roster, "one", &line(position, &format!(" {square}:+10")));
    let first = &roster.fill(1)[0];
    let ten = Score::new(10).unwrap();
    let next = roster.answered(first.life, 0, Bound::at_least(ten), 1).expect("is it more?");
    assert!(roster.answered(next.life, 0, Bound::at_most(Score::DRAW), 1).is_none());
    let campaign = &roster.list(None).unwrap()[0];
    assert_eq!((campaign.disputed, campaign.open, campaign.active), (1, 1, 0));
    assert!(roster.fill(1).is_empty());
}

/// The rows in hand were given up and asked again, and what had been searched for them was lost.
#[test]
fn a_change_that_changes_nothing_gives_nothing_up() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let ask = roster.fill(1).remove(0);
    let same = Change { name: "one".to_owned(), paused: Some(false), priority: Some(100) };
    roster.change(&same).unwrap();
    assert!(roster.lives().contains(&ask.life));
    roster.failed(ask.life, ask.row, true);
    roster.change(&same).unwrap();
    assert_eq!(rows(&roster.fill(1)), [ask.row], "a disputed row is asked again");
    roster.change(&Change { priority: Some(7), ..same }).unwrap();
    assert_eq!(roster.fill(1)[0].terms.priority, 7);
}

#[test]
fn the_log_is_told_now_and_then_how_far_a_campaign_is() {
    let (_folder, mut roster) = new_roster();
    let list: String = (1..=3).map(|seed| line(played(seed), "")).collect();
    import(&mut roster, "list", &list);
    let decided = |roster: &mut Roster, seconds| {
        let campaign = roster.campaigns.get_mut("list").unwrap();
        campaign.decided_since(Duration::from_secs(seconds))
    };
    assert_eq!(decided(&mut roster, 600), None, "nobody works for it");
    for ask in &roster.fill(2) {
        answer(&mut roster, ask, Score::DRAW);
    }
    let told = [601, 1199, 1200, 1201, 1800].map(|seconds| decided(&mut roster, seconds));
    assert_eq!(told, [None, None, Some(2), None, None]);
    let asks = roster.fill(2);
    assert_eq!(decided(&mut roster, 2400), Some(0), "a row takes its time");
    answer(&mut roster, &asks[0], Score::DRAW);
    assert_eq!(decided(&mut roster, 3000), None, "it is finished");
}
