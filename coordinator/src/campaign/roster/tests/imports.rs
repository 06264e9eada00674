//! What becomes of imports: those that fail leave nothing.

use super::*;

#[test]
fn a_bad_line_is_named_and_leaves_nothing_behind() {
    let (_folder, mut roster) = new_roster();
    let bad = |list: &str| format!("{TASKS}{list}");
    let no_text = [TASKS.as_bytes(), b"\nX\xff"].concat();
    let long = format!("{TASKS}{}", "-".repeat(100_000));
    let cases: [(&[u8], &str); 6] = [
        (&bad("x,1,2,3,4\n").into_bytes(), "list, line 6, column 1: found a board of 1 squares"),
        (&bad("x,1,2,3\n").into_bytes(), "list, line 6, column 1: found 4 fields, expected 5"),
        (&no_text, "list, line 7, column 2: found bytes that are not UTF-8 text"),
        (long.as_bytes(), "list, line 6, column 1: the line goes on, expected at most 65536 bytes"),
        (b"", "list: found no row, expected at least one position"),
        (b"obf,count,score,alpha,beta\n", "list: found no row, expected at least one position"),
    ];
    for (list, expected) in cases {
        for size in [3, 1 << 20] {
            let parts: Vec<&[u8]> = list.chunks(size).collect();
            let error = import_in(&mut roster, &head("bad"), &parts).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
    assert_eq!(fs::read_dir(roster.folder()).unwrap().count(), 0, "nothing is left");
    assert_eq!(roster.list(None).unwrap(), []);
}

/// Without a header it stands before a row.
#[test]
fn a_mark_at_the_beginning_of_a_list_is_no_part_of_its_first_row() {
    let (_folder, mut roster) = new_roster();
    let list = format!("\u{feff}{}", line(played(1), ""));
    import(&mut roster, "marked", &list);
    let ask = roster.fill(9).remove(0);
    assert_eq!(ask.position, played(1));
    assert_eq!(same(&roster, "marked"), list);
}

#[test]
fn an_import_can_be_repeated_but_a_name_is_given_once() {
    let (_folder, mut roster) = new_roster();
    let first = import(&mut roster, "one", TASKS);
    assert_eq!(import(&mut roster, "one", TASKS), first);
    let other = TASKS.replace("6397", "6398");
    let error = import_in(&mut roster, &head("one"), &[other.as_bytes()]).unwrap_err();
    assert!(error.contains("there is a campaign one already"), "{error}");
    let split = ImportHead { split_to: Some(30), ..head("one") };
    assert!(import_in(&mut roster, &split, &[TASKS.as_bytes()]).is_err());
    assert_eq!(same(&roster, "one"), TASKS);
}

#[test]
fn what_is_in_the_place_of_an_unfinished_import_does_not_stop_the_campaigns() {
    let folder = TempDir::new().unwrap();
    let mut roster = Roster::open(folder.path()).unwrap();
    import_in(&mut roster, &head("list"), &[TASKS.as_bytes()]).unwrap();
    drop(roster);
    for name in [".incoming-x", ".removed-y", DOUBT] {
        fs::write(folder.path().join(name), "no folder").unwrap();
    }
    fs::create_dir_all(folder.path().join(".incoming-1-2/scratch")).unwrap();
    let roster = Roster::open(folder.path()).unwrap();
    assert_eq!(roster.list(None).unwrap().len(), 1);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "they are cleared away");
}

#[test]
fn a_list_under_a_name_that_is_taken_is_refused_as_soon_as_it_cannot_be_the_same() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "list", TASKS);
    assert!(roster.rival(&head("other")).unwrap().is_none());
    let others = [
        ImportHead { split_to: Some(20), ..head("list") },
        ImportHead { form: Some(Form::Obf), ..head("list") },
        ImportHead { board: "6x6".parse().unwrap(), ..head("list") },
        ImportHead { window: Window::at_least(Score::DRAW).unwrap(), ..head("list") },
    ];
    for other in others {
        assert!(matches!(roster.rival(&other), Err(CampaignError::Exists { .. })), "{other:?}");
    }
    // Of the same options it may be the same list, until it goes on otherwise.
    let begin = || {
        let rival = roster.rival(&head("list")).unwrap();
        Import::begin(roster.folder(), &head("list")).unwrap().against(rival)
    };
    let (first, rest) = TASKS.as_bytes().split_at(100);
    let mut import = begin();
    import.feed(first).unwrap();
    let other = TASKS.replace(",96,4,", ",97,4,");
    assert!(matches!(import.feed(&other.as_bytes()[100..]), Err(CampaignError::Exists { .. })));
    let mut import = begin();
    import.feed(TASKS.as_bytes()).unwrap();
    assert!(matches!(import.feed(b"\n"), Err(CampaignError::Exists { .. })), "it is longer");
    let mut import = begin();
    import.feed(first).unwrap();
    import.feed(rest).unwrap();
    let imported = import.finish().unwrap();
    assert!(roster.adopt(imported).unwrap().1, "it is the same");
}

/// Returns a list that has come but is no campaign yet, and its folder.
fn incoming(roster: &Roster) -> (Imported, PathBuf) {
    let mut import = Import::begin(roster.folder(), &head("one")).unwrap();
    import.feed(TASKS.as_bytes()).unwrap();
    let imported = import.finish().unwrap();
    let folder = fs::read_dir(roster.folder()).unwrap().next().unwrap().unwrap().path();
    (imported, folder)
}

/// It was on disk, but no running coordinator knew of it: neither could it be imported nor removed.
#[test]
fn an_import_whose_state_cannot_be_written_leaves_nothing_behind() {
    let (_folder, mut roster) = new_roster();
    roster.taken_back(1);
    let (imported, folder) = incoming(&roster);
    fs::create_dir(folder.join("state.json.new")).unwrap();
    let error = roster.adopt(imported).unwrap_err().to_string();
    assert!(error.contains("state.json"), "{error}");
    assert_eq!(roster.list(None).unwrap(), []);
    assert_eq!(fs::read_dir(roster.folder()).unwrap().count(), 0, "nothing is left");
    assert_eq!(import(&mut roster, "one", TASKS).open, 4);
    roster.remove("one", true).unwrap();
}

/// The same.
#[test]
fn an_import_that_cannot_be_opened_is_known_as_what_it_is() {
    let (_folder, mut roster) = new_roster();
    let (imported, folder) = incoming(&roster);
    OpenOptions::new().write(true).open(folder.join("rows")).unwrap().set_len(100).unwrap();
    let error = roster.adopt(imported).unwrap_err().to_string();
    assert!(error.contains("found 100 bytes"), "{error}");
    assert_eq!(roster.list(Some("one")).unwrap()[0].fault, error);
    roster.remove("one", true).unwrap();
    assert_eq!(import(&mut roster, "one", TASKS).open, 4);
}
