//! Which positions a proof is expected to prove.

use std::fs;

use serde_json::Value;

use crate::support::{Finished, run};

const PROOF: &str = include_str!("../data/three.proof");

/// FForum's positions 1, 3 and 8, which the proof is about, and 2, which it is not.
const ONE: &str =
    "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; % FFO #1";
const TWO: &str =
    "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X; A4:+10; % FFO #2";

fn expecting(text: impl AsRef<[u8]>, arguments: &[&str]) -> Finished {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("expected.obf");
    fs::write(&file, text).expect("the folder is writable");
    let file = file.to_str().expect("it is text");
    run(&[&["-", "--sample", "1", "--expect", file], arguments].concat(), PROOF)
}

#[test]
fn a_proof_of_something_else_is_rejected_and_the_position_named() {
    let met = expecting(ONE, &[]);
    assert_eq!(met.code, Some(0), "{met:?}");
    assert!(met.stdout.contains("1 of 1 positions are proved as expected"), "{met:?}");
    let missing = expecting(format!("{ONE}\n{TWO}\n"), &[]);
    assert_eq!(missing.code, Some(6), "{missing:?}");
    assert!(missing.stderr.contains("expected.obf: expected -XXXXXX-"), "{missing:?}");
    assert!(missing.stderr.contains("+10, no root is about it (1 of 2"), "{missing:?}");
    assert!(missing.stdout.contains("expected   1 of 2 positions are proved"), "{missing:?}");
    assert!(missing.stdout.contains("\nNOT PROVED expected -XXXXXX-"), "{missing:?}");
    let weaker = expecting(ONE.replace("G8:+18", ">= 20"), &["--json"]);
    assert_eq!(weaker.code, Some(6), "{weaker:?}");
    assert!(weaker.stderr.contains("at least +20, the roots prove +18"), "{weaker:?}");
    let json: Value = serde_json::from_str(&weaker.stdout).expect("JSON");
    assert_eq!((&json["accepted"], &json["expected"]), (&false.into(), &1.into()), "{json}");
    assert_eq!(json["unmet_lines"], serde_json::json!([1]));
}

#[test]
fn what_cannot_be_expected_is_bad_input() {
    let bad = expecting("f5d6", &[]);
    assert_eq!(bad.code, Some(2), "{bad:?}");
    assert!(bad.stderr.contains("expected.obf, line 1: found \"f5d6\""), "{bad:?}");
    let no_text = expecting([ONE.as_bytes(), b"\n\n\xff"].concat(), &[]);
    assert_eq!(no_text.code, Some(2), "{no_text:?}");
    let place = format!("line 3: byte {} is not UTF-8 text, expected positions", ONE.len() + 2);
    assert!(no_text.stderr.contains(&place), "{no_text:?}");
    assert_eq!(run(&["-", "--expect", "-"], PROOF).code, Some(2));
    assert_eq!(run(&["-", "--expect", "no such file"], PROOF).code, Some(2));
}

#[test]
fn programs_are_told_the_roots() {
    let json: Value = serde_json::from_str(&run(&["-", "--json"], PROOF).stdout).expect("JSON");
    assert_eq!((&json["roots"], &json["proved_left_out"]), (&3.into(), &0.into()), "{json}");
    let values: Vec<_> = [0, 1, 2].map(|root| json["proved"][root]["lower"].as_i64()).into();
    assert_eq!(values, [Some(18), Some(2), Some(8)]);
    assert!(json["proved"][0]["position"].as_str().is_some_and(|text| ONE.starts_with(text)));
}
