mod check;
mod damage;
mod imports;
mod outlook;
mod review;
mod turns;

use std::fs::OpenOptions;
use std::sync::atomic::Ordering;

use outflank_engine::{BoardSize, Score, Square, brute_force};
use outflank_proto::campaign::Selection;
use tempfile::TempDir;

use super::*;
use crate::campaign::record::Records;
use crate::campaign::{ExportError, Import};

/// Published rows of 50 empties: both kinds of windows, and the one row with a full one.
const TASKS: &str = "\
obf,count,score,alpha,beta
------------O------OOX-----XOX----XXOO----XO-O------------------ X;,6397,0,-64,64
------------------OOXX-----OXX----XXOO----XO-O------------------ X;,96,4,-64,0
--------------------XX----OXXO----XXO----OOOOO------------------ X;,14,4,-64,0
-------------------OXX-----XXX---OOOOO----XO-O------------------ X;,27,6,-64,0
";

fn head(name: &str) -> ImportHead {
    ImportHead {
        name: name.to_owned(),
        source: "list".to_owned(),
        form: None,
        priority: 100,
        split_to: None,
        window: Window::FULL,
        board: BoardSize::STANDARD,
        paused: false,
    }
}

fn import_in(roster: &mut Roster, head: &ImportHead, parts: &[&[u8]]) -> Result<Campaign, String> {
    let text = |error: CampaignError| error.to_string();
    let mut import = Import::begin(roster.folder(), head).map_err(text)?;
    for part in parts {
        import.feed(part).map_err(text)?;
    }
    roster.adopt(import.finish().map_err(text)?).map(|(campaign, _)| campaign).map_err(text)
}

fn import(roster: &mut Roster, name: &str, list: &str) -> Campaign {
    import_in(roster, &head(name), &[list.as_bytes()]).unwrap()
}

fn export(roster: &Roster, name: &str, form: Option<Form>, selection: Selection) -> String {
    let wanted = ExportRequest { name: name.to_owned(), form, selection, limit: None };
    let mut bytes = Vec::new();
    match roster.export(&wanted).unwrap().run(&|_, _| None, &mut bytes) {
        Ok(_) => String::from_utf8(bytes).unwrap(),
        Err(ExportError::Campaign(error)) => panic!("{error}"),
        Err(ExportError::Output(error)) => panic!("{error}"),
    }
}

fn same(roster: &Roster, name: &str) -> String {
    export(roster, name, None, Selection::All)
}

fn new_roster() -> (TempDir, Roster) {
    let folder = tempfile::tempdir().unwrap();
    let roster = Roster::open(&folder.path().join("campaigns")).unwrap();
    (folder, roster)
}

/// Answers a question as a search in its window would, and has the list compared where it is to be.
fn answer(roster: &mut Roster, ask: &Ask, value: Score) -> Option<Ask> {
    let next = give(roster, ask, value);
    compare(roster);
    next
}

/// Compares whatever lists are to be compared.
fn compare(roster: &mut Roster) {
    while roster.check_list().is_some() {}
}

/// Answers a question as a search in its window would.
fn give(roster: &mut Roster, ask: &Ask, value: Score) -> Option<Ask> {
    let bound = match ask.window {
        window if value >= window.upper() => Bound::at_least(window.upper()),
        window if value <= window.lower() => Bound::at_most(window.lower()),
        _ => Bound::exact(value),
    };
    roster.answered(ask.life, ask.row, bound, 10)
}

/// Reviews whatever is in doubt.
fn review(roster: &mut Roster, proved: Proved<'_>) {
    while roster.is_to_be_reviewed() {
        roster.review(proved);
    }
}

/// Returns a position with seven empties.
fn played(seed: u64) -> Position {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    loop {
        let mut position = Position::START;
        while position.empties() > 7 && position.moves() != 0 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            position = position.play(moves[(state >> 33) as usize % moves.len()]).unwrap();
        }
        if position.moves() != 0 {
            return position;
        }
    }
}

fn line(position: Position, rest: &str) -> String {
    let board = outflank_engine::notation::board(position, outflank_engine::notation::Side::Black);
    format!("{board};{rest}\n")
}

#[test]
fn the_published_list_comes_out_byte_for_byte_however_it_came_in() {
    let endings = TASKS.replace('\n', "\r\n");
    let marked = format!("\u{feff}{TASKS}");
    let repeated = format!("{TASKS}\n\n{TASKS}");
    let twice_marked = format!("{marked}{marked}");
    let (_folder, mut roster) = new_roster();
    for (number, list) in [TASKS, TASKS.trim_end(), &endings, &marked, &repeated, &twice_marked]
        .into_iter()
        .enumerate()
    {
        for size in [1, 7, 100_000] {
            let name = format!("list-{number}-{size}");
            let parts: Vec<&[u8]> = list.as_bytes().chunks(size).collect();
            let campaign = import_in(&mut roster, &head(&name), &parts).unwrap();
            assert_eq!((campaign.form, campaign.tasks()), (Form::Tasks, 4), "{name}");
            assert_eq!(same(&roster, &name), list, "{name}");
        }
    }
}

#[test]
fn the_published_list_comes_out_byte_for_byte_when_rows_are_decided() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "e50", TASKS);
    let asks = roster.fill(100);
    assert_eq!(asks.len(), 4);
    // What is said of a question on its way is not counted besides what it takes in the end.
    asks[0].nodes.store(7, Ordering::Relaxed);
    let none = answer(&mut roster, &asks[1], Score::new(4).unwrap());
    assert!(none.is_none(), "at least 0 is one question");
    answer(&mut roster, &asks[2], Score::new(-2).unwrap());
    let second = answer(&mut roster, &asks[0], Score::DRAW).expect("exactly 0 is two questions");
    assert_eq!((second.row, second.window), (0, Window::at_least(Score::new(2).unwrap()).unwrap()));
    assert_eq!(roster.list(Some("e50")).unwrap()[0].nodes, 30);
    assert_eq!(same(&roster, "e50"), TASKS);
    answer(&mut roster, &second, Score::DRAW);
    let campaign = roster.list(Some("e50")).unwrap().remove(0);
    assert_eq!((campaign.proved, campaign.refuted, campaign.open), (2, 1, 1));
    assert_eq!((campaign.active, campaign.nodes), (1, 40));
    asks[3].nodes.store(5, Ordering::Relaxed);
    assert_eq!(roster.list(None).unwrap()[0].nodes, 45, "as many as the one in hand has taken");
    assert_eq!(same(&roster, "e50"), TASKS);

    let rows = |selection| export(&roster, "e50", None, selection);
    let lines: Vec<&str> = TASKS.lines().collect();
    let list = |chosen: &[usize]| -> String {
        [0].iter().chain(chosen).map(|&line| format!("{}\n", lines[line])).collect()
    };
    assert_eq!(rows(Selection::Proved), list(&[1, 2]));
    assert_eq!(rows(Selection::Refuted), list(&[3]));
    assert_eq!(rows(Selection::Open), list(&[4]));
    let knowledge = export(&roster, "e50", Some(Form::Knowledge), Selection::All);
    let bounds: Vec<&str> =
        knowledge.lines().filter_map(|line| line.split_once(";,")).map(|s| s.1).collect();
    assert_eq!(bounds, ["50,100,0,0,-20", "50,100,0,64,-10", "50,100,-64,-2,-10"]);
    let json = export(&roster, "e50", Some(Form::Json), Selection::All);
    let states: Vec<_> = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["state"].clone())
        .collect();
    assert_eq!(states, ["proved", "proved", "refuted", "open"]);

    // What came out goes in again and asks the same.
    import(&mut roster, "again", &json);
    assert_eq!(export(&roster, "again", Some(Form::Tasks), Selection::All), TASKS);
}

#[test]
fn rows_that_ask_the_same_up_to_symmetry_are_solved_once_and_all_are_answered() {
    let position = played(3);
    let flipped = Position::new(position.player().swap_bytes(), position.opponent().swap_bytes());
    let value = brute_force::value(position);
    let list = [line(position, ""), line(flipped.unwrap(), ""), line(played(4), "")];
    let list = list.concat();
    let (_folder, mut roster) = new_roster();
    let campaign = import(&mut roster, "twice", &list);
    assert_eq!((campaign.rows, campaign.duplicates, campaign.open), (3, 1, 2));
    let asks = roster.fill(100);
    assert_eq!(asks.len(), 2);
    answer(&mut roster, &asks[0], value);
    let json = export(&roster, "twice", Some(Form::Json), Selection::Solved);
    let rows: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["duplicate_of"], 1);
    for row in rows {
        assert_eq!((&row["lower"], &row["upper"]), (&value.discs().into(), &value.discs().into()));
    }
}

#[test]
fn the_same_position_with_another_question_is_another_task() {
    let board = &TASKS.lines().nth(2).unwrap()[..67];
    let list = format!("obf,count,score,alpha,beta\n{board},1,4,-64,0\n{board},1,4,-64,2\n");
    let (_folder, mut roster) = new_roster();
    assert_eq!(import(&mut roster, "two", &list).duplicates, 0);
}

#[test]
fn greater_priority_comes_first_and_equals_take_turns() {
    let (_folder, mut roster) = new_roster();
    let list: String = (0..40).map(|seed| line(played(seed), "")).collect();
    for (name, priority) in [("low", 1), ("one", 5), ("two", 5), ("rests", 9)] {
        let head = ImportHead { priority, paused: name == "rests", ..head(name) };
        import_in(&mut roster, &head, &[list.as_bytes()]).unwrap();
    }
    let active = |roster: &Roster| -> Vec<(String, u64)> {
        let campaigns = roster.list(None).unwrap().into_iter();
        campaigns.map(|campaign| (campaign.name, campaign.active)).collect()
    };
    let counts = |counts: [u64; 4]| -> Vec<(String, u64)> {
        let names = ["low", "one", "rests", "two"].map(str::to_owned);
        names.into_iter().zip(counts).collect()
    };
    let asks = roster.fill(8);
    assert_eq!(active(&roster), counts([0, 4, 0, 4]));
    assert!(asks.iter().all(|ask| ask.terms.priority == 5));
    let resume = Change { name: "rests".to_owned(), paused: Some(false), priority: None };
    roster.change(&resume).unwrap();
    assert_eq!(roster.fill(8).len(), 8, "it does not wait for rows of smaller priority");
    assert_eq!(active(&roster), counts([0, 4, 8, 4]));
    assert_eq!(roster.fill(8).len(), 0);
}

#[test]
fn a_paused_campaign_gives_up_its_rows_and_asks_them_again() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let first = roster.fill(2);
    let change = |paused| Change { name: "one".to_owned(), paused: Some(paused), priority: None };
    roster.change(&change(true)).unwrap();
    assert!(!roster.lives().contains(&first[0].life));
    assert!(roster.fill(2).is_empty());
    assert!(answer(&mut roster, &first[0], Score::DRAW).is_none(), "it is of an earlier life");
    assert_eq!(roster.list(None).unwrap()[0].open, 4);
    roster.change(&change(false)).unwrap();
    let again = roster.fill(2);
    let rows = |asks: &[Ask]| asks.iter().map(|ask| (ask.row, ask.window)).collect::<Vec<_>>();
    assert_eq!(rows(&again), rows(&first));
}

#[test]
fn a_row_whose_outcome_cannot_be_written_stays_open_and_is_asked_again() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "e50", TASKS);
    let open_rows = |roster: &mut Roster, writable: bool| {
        let path = roster.folder().join("e50").join("rows");
        let records = &mut roster.campaigns.get_mut("e50").unwrap().ledger.records;
        *records = Records::open(&path, 4, writable).unwrap();
    };
    let state = |roster: &Roster| roster.list(Some("e50")).unwrap()[0].clone();
    let decide = |roster: &mut Roster, ask: &Ask| {
        let mut next = answer(roster, ask, Score::DRAW);
        while let Some(ask) = next {
            next = answer(roster, &ask, Score::DRAW);
        }
    };
    let ask = roster.fill(1).remove(0);
    open_rows(&mut roster, false);
    decide(&mut roster, &ask);
    let campaign = state(&roster);
    assert_eq!((campaign.open, campaign.active, campaign.proved), (4, 0, 0), "{campaign:?}");
    let fault = &campaign.fault;
    assert!(fault.contains("rows: Bad file descriptor"), "it says why it rests: {fault}");
    assert!(roster.fill(1).is_empty(), "it rests");
    open_rows(&mut roster, true);
    let change = Change { name: "e50".to_owned(), priority: None, paused: Some(false) };
    assert_eq!(roster.change(&change).unwrap().fault, "");
    let again = roster.fill(1).remove(0);
    assert_eq!(again.row, ask.row);
    decide(&mut roster, &again);
    let campaign = state(&roster);
    assert_eq!((campaign.open, campaign.proved), (3, 1), "{campaign:?}");
}

#[test]
fn disputed_rows_rest_and_failed_ones_are_asked_again() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let asks = roster.fill(4);
    roster.failed(asks[0].life, 0, true);
    roster.failed(asks[0].life, 1, false);
    let again: Vec<u64> = roster.fill(4).iter().map(|ask| ask.row).collect();
    assert_eq!(again, [1]);
    assert_eq!(roster.list(None).unwrap()[0].disputed, 1);
}

#[test]
fn campaigns_are_there_after_a_restart_whatever_had_begun() {
    let (_folder, mut roster) = new_roster();
    let path = roster.folder().to_owned();
    import(&mut roster, "one", TASKS);
    import_in(&mut roster, &ImportHead { paused: true, ..head("two") }, &[TASKS.as_bytes()])
        .unwrap();
    let asks = roster.fill(4);
    answer(&mut roster, &asks[1], Score::new(4).unwrap());
    answer(&mut roster, &asks[3], Score::new(-8).unwrap());
    let before = roster.list(None).unwrap();
    drop(roster);
    // What a process leaves behind that dies while it imports or removes.
    fs::create_dir(path.join(format!("{UNFINISHED}1-1"))).unwrap();
    fs::create_dir(path.join(format!("{REMOVED}old"))).unwrap();

    let mut roster = Roster::open(&path).unwrap();
    let after = roster.list(None).unwrap();
    let expected: Vec<Campaign> = before
        .into_iter()
        .map(|campaign| Campaign {
            active: 0,
            predicted_nodes_left: after
                .iter()
                .find(|other| other.name == campaign.name)
                .map_or(0.0, |other| other.predicted_nodes_left),
            ..campaign
        })
        .collect();
    assert_eq!(after, expected);
    assert_eq!(fs::read_dir(&path).unwrap().count(), 2);
    let rows: Vec<u64> = roster.fill(10).iter().map(|ask| ask.row).collect();
    assert_eq!(rows, [0, 2], "the others are decided, and the other campaign rests");
}

#[test]
fn a_damaged_campaign_rests_and_does_not_stop_the_others() {
    let (_folder, mut roster) = new_roster();
    let path = roster.folder().to_owned();
    import(&mut roster, "good", TASKS);
    import(&mut roster, "short", TASKS);
    import(&mut roster, "turned", TASKS);
    drop(roster);
    let rows = path.join("short").join("rows");
    OpenOptions::new().write(true).open(rows).unwrap().set_len(100).unwrap();
    let rows = path.join("turned").join("rows");
    let mut bytes = fs::read(&rows).unwrap();
    bytes[40] ^= 1;
    fs::write(&rows, bytes).unwrap();

    let mut roster = Roster::open(&path).unwrap();
    let campaigns = roster.list(None).unwrap();
    let faults: Vec<bool> = campaigns.iter().map(|campaign| !campaign.fault.is_empty()).collect();
    assert_eq!(faults, [false, true, true], "{campaigns:?}");
    assert!(campaigns[1].fault.contains("found 100 bytes, expected 32 bytes for each of 4 rows"));
    assert!(campaigns[2].fault.contains("found a bad record of row 2"), "{campaigns:?}");
    assert_eq!((roster.fill(100).len(), roster.count()), (4, 3));
    let taken = |error: &CampaignError| matches!(error, CampaignError::Exists { .. });
    assert!(roster.rival(&head("short")).is_err_and(|error| taken(&error)), "its name is taken");
    let error = import_in(&mut roster, &head("short"), &[TASKS.as_bytes()]).unwrap_err();
    assert!(error.contains("there is a campaign short already"), "{error}");
    let error = roster.remove("short", false).unwrap_err().to_string();
    assert!(error.contains("nobody knows whether tasks are open"), "{error}");
    roster.remove("short", true).unwrap();
    assert_eq!(roster.list(None).unwrap().len(), 2);
}

#[test]
fn an_unfinished_campaign_is_removed_only_on_purpose() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let error = roster.remove("one", false).unwrap_err().to_string();
    assert!(error.contains("has 4 open tasks;"), "{error}");
    let error = CampaignError::Unfinished { name: "lone".to_owned(), open: 1 }.to_string();
    assert!(error.contains("has 1 open task;"), "{error}");
    roster.remove("one", true).unwrap();
    let error = roster.remove("one", true).unwrap_err().to_string();
    assert_eq!(error, "there is no campaign one; there are no others");
    assert_eq!(fs::read_dir(roster.folder()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_the_name_of_a_campaign_is_none_and_stays() {
    let folder = TempDir::new().unwrap();
    let others = ["lost+found", ".snapshot", "t23 old", "-x"];
    for name in others {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("notes (mine).txt"), "no folder").unwrap();
    let mut roster = Roster::open(folder.path()).unwrap();
    import(&mut roster, "list", TASKS);
    drop(roster);
    let roster = Roster::open(folder.path()).unwrap();
    let names: Vec<String> =
        roster.list(None).unwrap().into_iter().map(|campaign| campaign.name).collect();
    assert_eq!(names, ["list"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), others.len() + 2);
}

/// With hundreds of names the error did not fit the head of the answer, and was taken for a lost connection.
#[test]
fn who_asks_for_a_campaign_that_there_is_not_is_told_some_of_the_others() {
    let (_folder, mut roster) = new_roster();
    let told = |roster: &Roster| roster.list(Some("other")).unwrap_err().to_string();
    for number in 0..20 {
        import(&mut roster, &format!("list-{number:02}"), TASKS);
    }
    assert!(told(&roster).ends_with("list-18, list-19"), "{}", told(&roster));
    for number in 20..23 {
        import(&mut roster, &format!("list-{number:02}"), TASKS);
    }
    assert!(told(&roster).ends_with("list-18, list-19, and 3 more"), "{}", told(&roster));
}

/// It counted as if it had to be searched from its first move on.
#[test]
fn a_game_that_is_over_takes_no_time() {
    let (_folder, mut roster) = new_roster();
    let over = Position::new(0xff, 0).unwrap();
    assert!(over.is_over());
    assert_eq!(import(&mut roster, "over", &line(over, "")).predicted_nodes_left, 0.0);
}

/// What the store answers takes no nodes, and says nothing of those that the other rows will take.
#[test]
fn a_row_that_took_no_search_leaves_what_is_predicted_of_the_others() {
    let (_folder, mut roster) = new_roster();
    let lists = [1, 2].map(|seed| line(played(seed), ""));
    let second = import(&mut roster, "second", &lists[1]).predicted_nodes_left;
    import(&mut roster, "both", &lists.concat());
    let asks = roster.fill(9);
    let both = asks.iter().find(|ask| ask.position == played(1)).unwrap();
    roster.answered(both.life, both.row, Bound::exact(Score::DRAW), 0);
    let left = roster.list(Some("both")).unwrap()[0].predicted_nodes_left;
    assert_eq!((left, second > 0.0), (second, true));
}

/// Both went by the folder's name in some places, and by the name inside in others.
#[test]
fn a_copy_of_a_campaign_is_refused() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let copy = roster.folder().join("two");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(roster.folder().join("one")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    let path = roster.folder().to_owned();
    drop(roster);
    let campaigns = Roster::open(&path).unwrap().list(None).unwrap();
    let faults = [&campaigns[0].fault, &campaigns[1].fault];
    assert!(faults[0].is_empty() && faults[1].contains("a copy of the campaign one"), "{faults:?}");
}

/// The answers of other questions stood beside those that nobody had asked.
#[test]
fn an_export_fails_if_the_list_was_changed_in_place() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", TASKS);
    let list = roster.folder().join("one/list");
    fs::write(&list, TASKS.replace(",96,4,", ",96,6,")).unwrap();
    let fault = |form, selection, limit| {
        let wanted = ExportRequest { name: "one".to_owned(), form, selection, limit };
        let exported = roster.export(&wanted).unwrap().run(&|_, _| None, &mut Vec::new());
        exported.err().map(|error| format!("{error:?}"))
    };
    for (form, selection) in [(None, Selection::All), (Some(Form::Json), Selection::Open)] {
        let fault = fault(form, selection, None).expect("another list");
        assert!(fault.contains("one/list") && fault.contains("SHA-256"), "{fault}");
    }
    assert_eq!(fault(None, Selection::All, Some(1)), None, "it is not read to its end");
}
