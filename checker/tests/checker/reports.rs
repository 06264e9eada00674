//! What people and programs are told of a proof, whether it is accepted or not.

use outflank_checker::resolve::resolve;
use outflank_checker::rules::Position;
use outflank_checker::sample::Sample;
use outflank_checker::verify::verify;
use serde_json::Value;

use crate::support::{Finished, HEAD, ORIGIN, TWICE, end, resealed, root, run, searched};

const PROOF: &str = include_str!("../data/three.proof");

/// The game is over and all discs are the player's: a root about it needs no row.
const OVER: Position = Position { player: u64::MAX, opponent: 0 };

/// Two discs: the first move wins the whole board.
const WON: Position = Position { player: 0b01, opponent: 0b10 };

fn json(arguments: &[&str], proof: &str) -> Value {
    let Finished { stdout, .. } = run(&[&["-", "--json"], arguments].concat(), proof);
    serde_json::from_str(&stdout).expect("JSON")
}

fn text(arguments: &[&str], proof: &str) -> String {
    run(&[&["-"], arguments].concat(), proof).stdout
}

#[test]
fn nothing_is_said_of_rows_that_were_not_drawn() {
    let none = text(&["--sample", "0"], PROOF);
    assert!(none.contains("nothing is known of them"), "{none}");
    assert!(none.contains("\nexcluded   nothing\n"), "{none}");
    assert!(json(&["--sample", "0"], PROOF)["excluded_95"].is_null());
    let all = text(&["--all"], PROOF);
    assert!(all.contains("\nexcluded   that any of these rows is false\n"), "{all}");
    assert!(!all.contains("not drawn"), "{all}");
    let over = resealed(&[HEAD.to_owned(), root(1, OVER, 64, 64), end(1, 0, 0)]);
    let told = text(&[], &over);
    assert!(told.contains("there are none"), "{told}");
    assert_eq!(json(&[], &over)["excluded_95"], 0.0, "nothing was only searched");
    let twice = Position::from_text(TWICE).expect("a board of 4x6");
    let mut lines = vec![HEAD.to_owned(), root(1, WON, 64, 64), root(2, twice, 24, 64)];
    lines.extend([ORIGIN.to_owned(), searched(1, WON, ">=", 64), searched(2, twice, ">=", 24)]);
    lines.push(end(2, 2, 2));
    let larger = resealed(&lines);
    let told = json(&[], &larger);
    let numbers = ["leaves", "population", "sampled", "not_covered"].map(|name| &told[name]);
    assert_eq!(numbers, [2, 1, 1, 1], "{told}");
    let told = text(&[], &larger);
    let expected =
        "not drawn  1 searched rows with more than 20 empties: nothing is said about them";
    assert!(told.contains(expected), "{told}");
    for too_large in [text(&["--max-empties", "0"], PROOF), text(&["--sample", "0"], &larger)] {
        assert!(too_large.contains("\nexcluded   nothing\n"), "{too_large}");
    }
    let told = json(&["--max-empties", "0"], PROOF);
    assert_eq!(told["population"], 0, "{told}");
    assert!(told["excluded_95"].is_null() && told["excluded_99"].is_null(), "{told}");
}

#[test]
fn a_false_row_is_shown_with_who_claimed_it() {
    let position = Position::from_text(TWICE).expect("a board of 4x6");
    let honest = ORIGIN.replace("\"worker\":\"\"", "\"worker\":\"honest\"");
    let liar = ORIGIN.replace("\"worker\":\"\"", "\"worker\":\"liar\"").replace(":1,", ":2,");
    let rows = [searched(1, position, "<=", 22), searched(2, position, ">=", 22)];
    let rows = [rows[0].replace("\"origin\":1", "\"origin\":2"), rows[1].clone()];
    let lines = [HEAD.to_owned(), root(1, position, 22, 22), honest, liar];
    let proof = resealed(&[&lines[..], &rows[..], &[end(1, 2, 2)]].concat());
    let Finished { code, stdout, stderr } = run(&["-"], &proof);
    assert_eq!(code, Some(6), "{stdout}{stderr}");
    assert!(stderr.contains("line 5, row 1: solved again, "), "{stderr}");
    assert!(stderr.contains(" X <= 22 is false; claimed by liar on"), "{stderr}");
    assert!(stdout.contains("again: 1 false (seed"), "{stdout}");
    assert!(stdout.contains("\nFALSE      line 5, row 1: "), "{stdout}");
    assert!(stdout.contains("\nexcluded   nothing\n"), "{stdout}");
    let json = json(&[], &proof);
    assert_eq!((&json["accepted"], &json["wrong"]), (&false.into(), &1.into()), "{json}");
    assert_eq!(json["wrong_rows"], serde_json::json!([1]));
    assert!(json["excluded_95"].is_null(), "{json}");
}

#[test]
fn roots_are_shown_as_far_as_there_is_room_and_the_others_counted() {
    let proof = |count: usize| {
        let roots = (1..=count).map(|number| root(number, OVER, 62, 64));
        let lines = [HEAD.to_owned()].into_iter().chain(roots).chain([end(count, 0, 0)]);
        resealed(&lines.collect::<Vec<_>>())
    };
    let ten = text(&[], &proof(10));
    assert_eq!(ten.matches("+62..+64  XXX").count(), 10, "{ten}");
    assert!(!ten.contains("have all"), "{ten}");
    let eleven = text(&[], &proof(11));
    assert_eq!(eleven.matches("+62..+64  XXX").count(), 10, "{eleven}");
    assert!(eleven.contains("line 2 and the following have all 11"), "{eleven}");
    let exact = text(&["--sample", "0"], PROOF);
    assert!(exact.contains("     +18  --XXXXX--"), "{exact}");
    let many = json(&[], &proof(1002));
    assert_eq!((&many["roots"], &many["proved_left_out"]), (&1002.into(), &2.into()));
}

#[test]
fn all_rows_are_solved_again_where_that_is_asked_whatever_their_size_and_number() {
    let lines =
        [root(1, WON, -64, 62), ORIGIN.to_owned(), searched(1, WON, "<=", 62), end(1, 1, 1)];
    let large = resealed(&[&[HEAD.to_owned()], &lines[..]].concat());
    assert_eq!(run(&["-", "--sample", "9"], &large).code, Some(0), "it is too large to be drawn");
    assert_eq!(run(&["-", "--sample", "9", "--max-empties", "62"], &large).code, Some(6));
    assert_eq!(run(&["-", "--all"], &large).code, Some(6));
    // One square is left, on which the player turns the disc beside it.
    let mut positions: Vec<Position> = (0..150)
        .map(|number| 0b10 | number << 8)
        .map(|opponent| Position { player: !(opponent | 1), opponent }.canonical())
        .collect();
    positions.sort();
    let roots = (1..).zip(&positions).map(|(number, &position)| root(number, position, -62, 64));
    let rows = (1..).zip(&positions).map(|(row, &position)| searched(row, position, ">=", -62));
    let lines = [HEAD.to_owned()].into_iter().chain(roots).chain([ORIGIN.to_owned()]).chain(rows);
    let many = resealed(&lines.chain([end(150, 150, 150)]).collect::<Vec<_>>());
    assert_eq!(json(&["--all"], &many)["sampled"], 150);
    assert_eq!(json(&[], &many)["sampled"], 100);
}

#[test]
fn a_proof_with_another_seal_than_the_one_announced_is_rejected() {
    let seal = json(&["--sample", "0"], PROOF)["seal"].as_str().expect("a text").to_owned();
    let sealed = |seal: &str| run(&["-", "--sample", "0", "--seal", seal], PROOF);
    assert_eq!(sealed(&seal).code, Some(0));
    assert_eq!(sealed(&seal.to_uppercase()).code, Some(0));
    let other = format!("0123{}", &seal[4..]);
    let Finished { code, stderr, .. } = sealed(&other);
    assert_eq!(code, Some(6), "{stderr}");
    assert!(stderr.contains(&format!("found the seal {seal}, expected {other}")), "{stderr}");
    for nonsense in [&seal[1..], &format!("{seal}0"), &seal.replacen(&seal[..1], "g", 1)] {
        assert_eq!(sealed(nonsense).code, Some(2), "{nonsense}");
    }
}

/// Whoever makes a proof must not know which of its rows will be drawn.
#[test]
fn each_check_chooses_a_seed_of_its_own() {
    let seed = || json(&["--sample", "0"], PROOF)["seed"].as_u64().expect("a number");
    assert_ne!(seed(), seed());
}

#[test]
fn what_is_no_file_cannot_be_checked() {
    for path in [".", "no such file"] {
        assert_eq!(run(&[path], "").code, Some(2), "{path}");
    }
}

#[test]
fn programs_are_told_where_a_proof_is_wrong() {
    let row = PROOF.lines().position(|line| line.starts_with("{\"row\":1,")).expect("a row") + 1;
    let altered = PROOF.replace("{\"row\":1,", "{\"row\":7,");
    let json = json(&[], &altered);
    assert_eq!((&json["accepted"], &json["line"]), (&false.into(), &row.into()), "{json}");
    assert_eq!(json["row"], 1);
    assert!(json["error"].as_str().is_some_and(|error| error.contains("the hash is not that of")));
    assert!(text(&[], &altered).is_empty(), "people read standard error");
}

/// So that a report can be repeated, to the last number.
#[test]
fn the_work_is_the_same_however_many_threads_share_it() {
    let mut sample = Sample::new(usize::MAX, 64, 1);
    verify(PROOF.as_bytes(), &mut sample).expect("it is accepted");
    let leaves = sample.leaves();
    let nodes = [1, 2].map(|threads| resolve(&leaves, threads, |_| ()).nodes);
    assert_eq!(nodes[0], nodes[1]);
}
