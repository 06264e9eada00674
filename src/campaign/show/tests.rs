//! What is said of a campaign.

use super::*;

/// Returns a campaign whose last minute was a busy one.
fn campaign(open: u64) -> Campaign {
    Campaign {
        name: "ffo".to_owned(),
        form: Form::Json,
        priority: 0,
        paused: false,
        split_to: None,
        rows: 9,
        duplicates: 0,
        proved: 9 - open,
        refuted: 0,
        solved: 0,
        open,
        active: open,
        disputed: 0,
        nodes: 1_234_567,
        nodes_per_second: 2_500_000.0,
        predicted_nodes_left: 1e9 * open as f64,
        seconds_left: Some(400 * open),
        fault: String::new(),
        workers: 1,
        unaudited: 0,
        unreviewed: 0,
    }
}

#[test]
fn a_finished_campaign_has_a_number_of_nodes_and_no_rate() {
    let (going, finished) = (paragraph(&campaign(2), 0), paragraph(&campaign(0), 0));
    let nodes = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("nodes "));
        line.map(str::to_owned).expect("nodes are counted")
    };
    assert_eq!(nodes(&going), "nodes      1,234,567 (2.5 M/s)");
    assert_eq!(nodes(&finished), "nodes      1,234,567");
    assert!(going.contains("\nleft ") && !finished.contains("left"), "{finished}");
    assert!(finished.contains("ffo, finished") && !finished.contains("/s"), "{finished}");
    assert_eq!(all_progress(&[campaign(0)]), "", "nor while somebody waits for others");
    assert_eq!(left(&campaign(0)), "", "nor in the table");
}

#[test]
fn who_waits_is_told_why_nothing_moves() {
    let said = |campaign| all_progress(&[campaign]);
    assert!(said(campaign(2)).starts_with("ffo: 7 proved, "), "{}", said(campaign(2)));
    let alone = said(Campaign { workers: 0, ..campaign(2) });
    assert!(alone.starts_with("ffo: no workers, 7 proved, "), "{alone}");
    let resting = said(Campaign { paused: true, ..campaign(2) });
    assert!(resting.starts_with("ffo: paused, 7 proved, "), "{resting}");
}

#[test]
fn what_happened_once_is_counted_in_the_singular() {
    let said = paragraph(&Campaign { disputed: 1, unaudited: 1, ..campaign(2) }, 0);
    assert!(said.contains("\ndisputed   1 row with"), "{said}");
    assert!(said.contains("\nunaudited  1 claim of"), "{said}");
}

#[test]
fn columns_line_up_however_long_a_name_is() {
    let long = Campaign { name: "a".repeat(64), ..campaign(2) };
    let lines = lines(&[campaign(2), long]);
    let ends = ["priority", " 0 ", " 0 "].iter().zip(&lines);
    let ends: Vec<_> =
        ends.map(|(word, line)| line.find(word).map(|at| at + word.trim_end().len())).collect();
    assert_eq!(ends, [Some(64 + 1 + 10 + 1 + 8); 3], "{lines:?}");
}

#[test]
fn refuted_rows_that_are_not_listed_are_counted() {
    let refuted = |refuted, duplicates| Campaign { refuted, duplicates, ..campaign(0) };
    assert_eq!(more(&refuted(10, 0), 10), None);
    assert_eq!(more(&refuted(1, 13), 14), Some("4".to_owned()));
    assert_eq!(more(&refuted(5_000, 0), COUNTED_ROWS), Some("4,990".to_owned()));
    assert_eq!(more(&refuted(5_000, 1), COUNTED_ROWS), Some("at least 4,990".to_owned()));
}

#[test]
fn refuted_rows_are_counted_where_they_are_more_than_the_tasks() {
    let refuted = |refuted, duplicates| Campaign { refuted, duplicates, ..campaign(0) };
    assert_eq!(refuted_tasks(&refuted(4, 3), 5), "4 (5 rows)");
    assert_eq!(refuted_tasks(&refuted(4, 3), 4), "4");
    assert_eq!(refuted_tasks(&refuted(4, 3), 0), "4", "not counted during a review");
    assert_eq!(refuted_tasks(&refuted(900, 300), 1_000), "900 (1,000 rows or more)");
    assert_eq!(refuted_tasks(&refuted(5_000, 0), 1_000), "5,000");
}

#[test]
fn who_watches_sees_what_is_unfinished_or_did_not_end_well() {
    assert!(!is_worth_a_look(&campaign(0)));
    let cases = [
        campaign(2),
        Campaign { refuted: 1, ..campaign(0) },
        Campaign { disputed: 1, ..campaign(0) },
        Campaign { unreviewed: 1, ..campaign(0) },
        Campaign { fault: "damaged".to_owned(), ..campaign(0) },
    ];
    for campaign in cases {
        assert!(is_worth_a_look(&campaign), "{campaign:?}");
    }
    let ended = progress(&Campaign { refuted: 1, ..campaign(0) });
    assert_eq!(ended, "ffo: finished, 9 proved, 1 refuted, 0 solved, 0 open");
    let stopped = Campaign { fault: "the disk is full".to_owned(), ..campaign(2) };
    let worry = worry(&stopped).expect("it has stopped");
    assert_eq!(worry, "LOOK INTO  campaign ffo has stopped: the disk is full");
}

#[test]
fn questions_are_no_hypotheses() {
    let mixed = |open| Campaign { proved: 2, refuted: 1, solved: 6 - open, ..campaign(open) };
    assert_eq!(share_of_refuted(&mixed(0)), "1 of 3 hypotheses");
    assert_eq!(share_of_refuted(&mixed(2)), "1 of 3 decided hypotheses");
}

/// It had a form, a priority and no rows, none of which anybody knew.
#[test]
fn of_a_campaign_that_cannot_be_read_nothing_is_made_up() {
    let fault = "rows: found 7 bytes".to_owned();
    let broken =
        Campaign { rows: 0, proved: 0, nodes: 0, seconds_left: None, fault, ..campaign(0) };
    let said = paragraph(&broken, 0);
    assert_eq!(said, "campaign   ffo, stopped\nlist       unknown\nstopped    rows: found 7 bytes");
    let row = &lines(std::slice::from_ref(&broken))[1];
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["ffo", "stopped", "-", "-", "-", "-", "-", "-", "-"]);
    assert_eq!(progress(&broken), "ffo: stopped, cannot be read");
    let json = value(&broken).expect("it can be written");
    for key in ["form", "priority", "paused"] {
        assert!(json[key].is_null(), "{json}");
    }
}
