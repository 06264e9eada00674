//! What is said of the work that is left.

use super::*;

fn state(roster: &Roster, name: &str) -> Campaign {
    roster.list(Some(name)).unwrap().remove(0)
}

/// It was said to be as good as done: 0 nodes, 0 s, for minutes.
#[test]
fn a_row_that_takes_longer_than_predicted_will_probably_take_as_much_again() {
    let (_folder, mut roster) = new_roster();
    let predicted = import(&mut roster, "one", &line(played(1), "")).predicted_nodes_left;
    let ask = roster.fill(1).remove(0);
    let left = |roster: &Roster, times: f64| {
        ask.nodes.store((times * predicted) as u64, Ordering::Relaxed);
        state(roster, "one").predicted_nodes_left / predicted
    };
    for (times, expected) in [(0.0, 1.0), (0.25, 0.75), (1.0, 1.0), (100.0, 100.0)] {
        let left = left(&roster, times);
        assert!((left - expected).abs() < 0.1, "{left} left after {times}");
    }
}

#[test]
fn rows_that_take_longer_than_predicted_let_expect_more_of_those_that_wait() {
    let (_folder, mut roster) = new_roster();
    let list: String = (0..20).map(|seed| line(played(seed), "")).collect();
    let predicted = import(&mut roster, "many", &list).predicted_nodes_left;
    let asks = roster.fill(2);
    assert!((state(&roster, "many").predicted_nodes_left / predicted - 1.0).abs() < 1e-6);
    for ask in &asks {
        ask.nodes.store(100 * predicted as u64, Ordering::Relaxed);
    }
    let left = state(&roster, "many").predicted_nodes_left / predicted;
    assert!(left > 1_000.0, "{left} times what was predicted for all");
}

/// It waits until the list is compared with what was imported, and takes no more nodes.
#[test]
fn a_row_that_is_decided_leaves_nothing() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", &line(played(1), ""));
    let ask = roster.fill(1).remove(0);
    roster.answered(ask.life, ask.row, Bound::exact(Score::DRAW), 1_000_000);
    let campaign = state(&roster, "one");
    assert_eq!((campaign.open, campaign.active, campaign.predicted_nodes_left), (1, 1, 0.0));
}

/// Of two workers on one job, the leader told of more in its signs of life than in its report.
#[test]
fn nodes_do_not_become_fewer_when_a_row_ends() {
    let (_folder, mut roster) = new_roster();
    import(&mut roster, "one", &line(played(1), ""));
    let ask = roster.fill(1).remove(0);
    ask.nodes.store(470, Ordering::Relaxed);
    assert_eq!(state(&roster, "one").nodes, 470);
    roster.answered(ask.life, ask.row, Bound::exact(Score::DRAW), 461);
    compare(&mut roster);
    let campaign = state(&roster, "one");
    assert_eq!((campaign.solved, campaign.nodes), (1, 470));
}

/// There was no telling how long it took, all the time.
#[test]
fn what_the_store_answers_is_reckoned_by_rows_a_second() {
    let (_folder, mut roster) = new_roster();
    let list: String = (0..40).map(|seed| line(played(seed), "")).collect();
    import(&mut roster, "stored", &list);
    roster.tick(Duration::ZERO);
    assert_eq!(state(&roster, "stored").seconds_left, None);
    for ask in roster.fill(10) {
        roster.answered(ask.life, ask.row, Bound::exact(Score::DRAW), 0);
    }
    roster.tick(Duration::from_secs(2));
    assert_eq!(state(&roster, "stored").seconds_left, Some(30 / 5));
}

#[test]
fn a_row_that_the_store_answers_now_and_then_does_not_let_the_others_seem_short() {
    let (_folder, mut roster) = new_roster();
    let list: String = (0..10).map(|seed| line(played(seed), "")).collect();
    import(&mut roster, "mixed", &list);
    roster.tick(Duration::ZERO);
    let asks = roster.fill(4);
    asks[1..].iter().for_each(|ask| ask.nodes.store(10, Ordering::Relaxed));
    roster.answered(asks[0].life, asks[0].row, Bound::exact(Score::DRAW), 0);
    roster.tick(Duration::from_secs(30));
    let campaign = state(&roster, "mixed");
    let by_nodes = campaign.predicted_nodes_left / campaign.nodes_per_second;
    let share = campaign.seconds_left.unwrap() as f64 / by_nodes;
    assert!((0.7..0.8).contains(&share), "3 of 4 are searched: {share}");
}
