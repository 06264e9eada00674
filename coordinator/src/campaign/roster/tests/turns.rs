//! Which rows are asked again, whose answers count, and what is left of a change after a restart.

use super::*;

fn change(name: &str, paused: bool) -> Change {
    Change { name: name.to_owned(), paused: Some(paused), priority: None }
}

fn rows(asks: &[Ask]) -> Vec<u64> {
    asks.iter().map(|ask| ask.row).collect()
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
