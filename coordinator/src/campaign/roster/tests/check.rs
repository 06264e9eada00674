//! What goes on, and what waits, while a long list is compared with what was imported.

use super::*;
use crate::campaign::record::Record;

const LOSS: i32 = -2;

/// Returns a roster with the campaigns "one" and "two", whose lists are compared a few bytes at a time.
fn with_long_lists() -> (TempDir, Roster) {
    let (folder, mut roster) = new_roster();
    for name in ["one", "two"] {
        import(&mut roster, name, TASKS);
    }
    compare_little_at_once(&mut roster);
    (folder, roster)
}

fn compare_little_at_once(roster: &mut Roster) {
    for campaign in roster.campaigns.values_mut() {
        campaign.ledger.compared_at_once = 50;
    }
}

/// Returns the questions of a campaign.
fn of<'a>(roster: &Roster, asks: &'a [Ask], name: &str) -> Vec<&'a Ask> {
    let life = roster.campaigns[name].life;
    asks.iter().filter(|ask| ask.life == life).collect()
}

fn refute(roster: &mut Roster, ask: &Ask) {
    assert!(give(roster, ask, Score::new(LOSS).unwrap()).is_none());
}

fn prove(roster: &mut Roster, ask: &Ask) {
    let mut next = give(roster, ask, Score::DRAW);
    while let Some(ask) = next {
        next = give(roster, &ask, Score::DRAW);
    }
}

/// Returns how many rows of a campaign are proved, refuted, open and in hand.
fn counts(roster: &Roster, name: &str) -> [u64; 4] {
    let Campaign { proved, refuted, open, active, .. } = roster.list(Some(name)).unwrap().remove(0);
    [proved, refuted, open, active]
}

fn fault(roster: &Roster, name: &str) -> String {
    roster.list(Some(name)).unwrap().remove(0).fault
}

/// Damage that takes as many nodes as the question that was imported.
fn damage(roster: &Roster, name: &str) {
    let list = roster.folder().join(name).join("list");
    fs::write(list, TASKS.replace(",27,6,", ",28,6,")).unwrap();
}

/// Nobody got an answer until all of it was compared.
#[test]
fn a_long_list_is_compared_bit_by_bit_and_nothing_is_said_to_be_refuted_before() {
    let (_folder, mut roster) = with_long_lists();
    let asks = roster.fill(2);
    let (one, two) = (of(&roster, &asks, "one")[0], of(&roster, &asks, "two")[0]);
    assert_eq!((one.row, two.row), (0, 0));
    refute(&mut roster, one);
    let bits = TASKS.len().div_ceil(50);
    for _ in 1..bits {
        assert_eq!(roster.check_list(), Some(false));
        assert_eq!(counts(&roster, "one"), [0, 0, 4, 1]);
    }
    assert_eq!(same(&roster, "one"), TASKS, "it is exported meanwhile");
    prove(&mut roster, two);
    let asks = roster.fill(4);
    assert_eq!(of(&roster, &asks, "two").len(), asks.len(), "no row of the list is read");
    assert_eq!((asks.len(), counts(&roster, "two")), (3, [1, 0, 3, 3]));
    assert_eq!(roster.check_list(), Some(true));
    assert_eq!((counts(&roster, "one"), roster.check_list()), ([0, 1, 3, 0], None));
    // It is compared once for all that are refuted, and again for the last one.
    let asks = roster.fill(99);
    let asks = of(&roster, &asks, "one");
    refute(&mut roster, asks[0]);
    assert_eq!((counts(&roster, "one"), roster.check_list()), ([0, 2, 2, 2], None));
    prove(&mut roster, asks[1]);
    prove(&mut roster, asks[2]);
    assert_eq!(counts(&roster, "one"), [1, 2, 1, 1]);
    compare(&mut roster);
    assert_eq!((counts(&roster, "one"), fault(&roster, "one")), ([2, 2, 0, 0], String::new()));
}

/// As if they were being searched, they would take the places of others.
#[test]
fn rows_that_wait_for_their_list_do_not_take_the_places_of_others() {
    let (_folder, mut roster) = with_long_lists();
    let asks = roster.fill(4);
    for ask in of(&roster, &asks, "one") {
        refute(&mut roster, ask);
    }
    assert_eq!(counts(&roster, "one"), [0, 0, 4, 2]);
    let asks = roster.fill(4);
    assert_eq!(of(&roster, &asks, "two").len(), 2);
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [0, 2, 2, 0]);
}

#[test]
fn a_row_that_needs_no_list_is_decided_while_others_wait_for_it() {
    let (_folder, mut roster) = with_long_lists();
    let asks = roster.fill(8);
    let asks = of(&roster, &asks, "one");
    for ask in &asks[..2] {
        refute(&mut roster, ask);
    }
    roster.check_list();
    prove(&mut roster, asks[2]);
    roster.failed(asks[3].life, asks[3].row, false);
    assert_eq!(counts(&roster, "one"), [1, 0, 3, 2]);
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [1, 2, 1, 0]);
    let last = &roster.fill(9)[0];
    prove(&mut roster, last);
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [2, 2, 0, 0]);
}

#[test]
fn nothing_that_waits_for_a_list_is_decided_if_that_is_damaged_and_all_of_it_is_asked_again() {
    let (_folder, mut roster) = with_long_lists();
    damage(&roster, "one");
    let asks = roster.fill(8);
    let asks = of(&roster, &asks, "one");
    prove(&mut roster, asks[1]);
    refute(&mut roster, asks[0]);
    refute(&mut roster, asks[2]);
    while roster.check_list() == Some(false) {
        assert_eq!(fault(&roster, "one"), "");
    }
    assert_eq!(counts(&roster, "one"), [1, 0, 3, 1]);
    assert!(fault(&roster, "one").contains("one/list: found SHA-256"), "{}", fault(&roster, "one"));
    // The last row is held as well, and others are not held up.
    assert!(roster.fill(9).is_empty());
    let asks = roster.fill(8);
    for ask in of(&roster, &asks, "two") {
        prove(&mut roster, ask);
    }
    fs::write(roster.folder().join("one/list"), TASKS).unwrap();
    let resume = Change { name: "one".to_owned(), priority: None, paused: Some(false) };
    roster.change(&resume).unwrap();
    let asks = roster.fill(99);
    let asks = of(&roster, &asks, "one");
    assert_eq!(asks.iter().map(|ask| ask.row).collect::<Vec<_>>(), [0, 2, 3]);
    for ask in asks {
        refute(&mut roster, ask);
    }
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [1, 3, 0, 0]);
}

#[test]
fn a_list_that_is_damaged_is_found_before_its_last_row_is_decided() {
    let (_folder, mut roster) = with_long_lists();
    let asks = roster.fill(8);
    let asks = of(&roster, &asks, "one");
    for ask in &asks[..3] {
        prove(&mut roster, ask);
    }
    assert_eq!(roster.check_list(), None);
    prove(&mut roster, asks[3]);
    roster.check_list();
    assert_eq!(counts(&roster, "one"), [3, 0, 1, 1]);
    damage(&roster, "one");
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [3, 0, 1, 0]);
    assert!(fault(&roster, "one").contains("SHA-256"));
}

#[test]
fn a_campaign_that_is_changed_meanwhile_asks_again_what_waits_for_its_list() {
    let (_folder, mut roster) = with_long_lists();
    let asks = roster.fill(8);
    let ask = of(&roster, &asks, "one")[1];
    refute(&mut roster, ask);
    roster.check_list();
    let change = |paused| Change { name: "one".to_owned(), priority: None, paused: Some(paused) };
    roster.change(&change(true)).unwrap();
    assert_eq!((roster.check_list(), counts(&roster, "one")), (None, [0, 0, 4, 0]));
    roster.change(&change(false)).unwrap();
    let asks = roster.fill(99);
    assert_eq!(of(&roster, &asks, "one").len(), 4);
    let ask = of(&roster, &asks, "one")[1];
    refute(&mut roster, ask);
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [0, 1, 3, 3]);
}

/// What waits may rest on what has fallen.
#[test]
fn nothing_that_waits_for_a_list_is_decided_when_proofs_are_taken_back() {
    let (_folder, mut roster) = with_long_lists();
    let asks = roster.fill(8);
    for name in ["one", "two"] {
        let ask = of(&roster, &asks, name)[0];
        refute(&mut roster, ask);
    }
    roster.check_list();
    roster.taken_back(1);
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [0, 0, 4, 4]);
    review(&mut roster, &|_| Bound::UNKNOWN);
    compare(&mut roster);
    for name in ["one", "two"] {
        assert_eq!(counts(&roster, name), [0, 0, 4, 0]);
    }
    assert_eq!(roster.fill(99).len(), 8);
}

/// A small campaign would wait for minutes.
#[test]
fn a_short_list_does_not_wait_for_a_long_one() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "long", &format!("{TASKS}{}", "\n".repeat(1000)));
    import(&mut roster, "short", TASKS);
    compare_little_at_once(&mut roster);
    let asks = roster.fill(8);
    let ask = of(&roster, &asks, "long")[0];
    refute(&mut roster, ask);
    roster.check_list();
    let ask = of(&roster, &asks, "short")[0];
    refute(&mut roster, ask);
    while roster.check_list() == Some(false) {}
    let refuted = ["long", "short"].map(|name| counts(&roster, name)[1]);
    assert_eq!(refuted, [0, 1]);
}

/// Makes other numbers of nodes predicted for all rows of the campaign "one", as by another release.
fn predict_otherwise(roster: &Roster) {
    let records = Records::open(&roster.folder().join("one/rows"), 4, true).unwrap();
    for row in 0..4 {
        let record = records.get(row).unwrap();
        records.put(row, &Record { predicted: record.predicted * 1.5, ..record }).unwrap();
    }
}

#[test]
fn a_campaign_whose_rows_are_predicted_otherwise_waits_until_its_list_is_compared_and_others_do_not()
 {
    let (_folder, mut roster) = with_long_lists();
    predict_otherwise(&roster);
    let asks = roster.fill(8);
    assert_eq!((of(&roster, &asks, "one").len(), asks.len()), (0, 4));
    assert_eq!(roster.check_list(), Some(false));
    assert!(roster.fill(8).is_empty());
    compare(&mut roster);
    let asks = roster.fill(8);
    assert_eq!((of(&roster, &asks, "one").len(), roster.check_list()), (4, None));
    // That no row is predicted as it was says nothing about what is refuted later.
    refute(&mut roster, &asks[0]);
    assert_eq!((counts(&roster, "one"), roster.check_list()), ([0, 0, 4, 4], Some(false)));
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [0, 1, 3, 3]);
}

#[test]
fn the_damage_that_a_prediction_has_hinted_at_is_found() {
    let (_folder, mut roster) = with_long_lists();
    let list = roster.folder().join("one/list");
    fs::write(&list, TASKS.replace(",14,4,-64,0", ",14,4,-64,8")).unwrap();
    let asks = roster.fill(99);
    let rows: Vec<u64> = of(&roster, &asks, "one").iter().map(|ask| ask.row).collect();
    assert_eq!(rows, [0, 1]);
    compare(&mut roster);
    assert!(fault(&roster, "one").contains("one/list: found SHA-256"));
    assert!(roster.fill(99).is_empty());
}

#[test]
fn damage_that_has_come_since_a_claim_was_refuted_is_found_when_a_row_is_predicted_otherwise() {
    let (_folder, mut roster) = with_long_lists();
    let asks = roster.fill(2);
    let ask = of(&roster, &asks, "one")[0];
    refute(&mut roster, ask);
    compare(&mut roster);
    assert_eq!(counts(&roster, "one"), [0, 1, 3, 0]);
    let list = roster.folder().join("one/list");
    fs::write(&list, TASKS.replace(",14,4,-64,0", ",14,4,-64,8")).unwrap();
    let asks = roster.fill(99);
    let rows: Vec<u64> = of(&roster, &asks, "one").iter().map(|ask| ask.row).collect();
    assert_eq!(rows, [1]);
    compare(&mut roster);
    assert!(fault(&roster, "one").contains("one/list: found SHA-256"));
}

#[test]
fn a_review_goes_on_with_its_row_when_the_list_is_compared() {
    let (_folder, mut roster) = with_long_lists();
    let asks = roster.fill(8);
    for ask in &of(&roster, &asks, "one")[..3] {
        prove(&mut roster, ask);
    }
    let path = roster.folder().to_owned();
    drop(roster);
    let mut roster = Roster::open(&path).unwrap();
    compare_little_at_once(&mut roster);
    predict_otherwise(&roster);
    roster.taken_back(1);
    let mut bits = 0;
    while roster.is_to_be_reviewed() {
        assert_eq!((counts(&roster, "one"), roster.check_list()), ([3, 0, 1, 0], None));
        roster.review(&|_| Bound::UNKNOWN);
        bits += 1;
        assert!(bits < 99);
        if counts(&roster, "one")[0] == 0 {
            break;
        }
    }
    assert!(bits > TASKS.len() / 50, "{bits}");
    review(&mut roster, &|_| Bound::UNKNOWN);
    assert_eq!(counts(&roster, "one"), [0, 0, 4, 0]);
    assert_eq!(roster.fill(99).len(), 8);
}
