//! A real proof, altered in thousands of ways: every one is rejected and named.
//!
//! `data/three.proof` is what `outflank proof export` wrote about FForum's positions 1, 3 and 8,
//! solved in jobs of about 1,000 nodes.

use outflank_checker::resolve::resolve;
use outflank_checker::sample::Sample;
use outflank_checker::verify::{CheckError, verify, verify_within};

use crate::support::{Random, check, field, named, resealed};

const PROOF: &str = include_str!("../data/three.proof");

/// Returns the number of the row in line number `line`, if that is a row.
fn row_in(line: u64) -> Option<u64> {
    let text = PROOF.lines().nth(line as usize - 1)?.strip_prefix("{\"row\":")?;
    text.split(',').next()?.parse().ok()
}

#[test]
fn the_proof_is_accepted_and_all_its_leaves_are_true() {
    let mut sample = Sample::new(1000, 64, 1);
    let verified = verify(PROOF.as_bytes(), &mut sample).unwrap();
    let values: Vec<_> = verified.first_roots.iter().map(|root| (root.lower, root.upper)).collect();
    assert_eq!(values, [(18, 18), (2, 2), (8, 8)]);
    assert_eq!(verified.origins.len(), 3);
    assert!(verified.by_move > 30 && verified.by_all > 10 && verified.leaves > 90, "{verified:?}");
    let leaves = sample.leaves();
    assert_eq!(leaves.len() as u64, verified.leaves);
    assert_eq!(resolve(&leaves, 2, |_| ()).is_true, vec![true; leaves.len()]);
}

#[test]
fn memory_for_one_claim_is_enough() {
    let mut sample = Sample::new(0, 64, 1);
    let verified = verify_within(1, PROOF.as_bytes(), &mut sample).unwrap();
    assert_eq!(verified, check(PROOF.as_bytes()).unwrap());
}

#[test]
fn every_altered_byte_is_found_in_its_line() {
    let mut random = Random(1);
    let bytes = PROOF.as_bytes();
    let mut rows = 0;
    for _ in 0..4000 {
        let at = random.below(bytes.len());
        let mut altered = bytes.to_vec();
        match random.below(4) {
            0 => altered[at] ^= 1 << random.below(8),
            1 => altered[at] = *random.one_of(b"0123456789abcdefXO- \n\",:{}<>="),
            2 => altered.insert(at, *random.one_of(b" \t\n\r0-X\"")),
            _ => drop(altered.remove(at)),
        }
        if altered == bytes {
            continue;
        }
        // Where equal bytes stand side by side, the first that differs is the altered one.
        let first = altered.iter().zip(bytes).take_while(|(one, other)| one == other).count();
        let line = 1 + bytes[..first].iter().filter(|&&byte| byte == b'\n').count() as u64;
        let found = named(check(&altered)).expect("it is not accepted");
        assert_eq!(found.0, line, "byte {at}");
        if let Some(row) = row_in(line) {
            assert_eq!(found.1, Some(row), "line {line}, byte {at}");
            rows += 1;
        }
    }
    assert!(rows > 3000, "{rows} rows were altered");
}

#[test]
fn lines_that_are_missing_doubled_or_exchanged_are_found() {
    let lines: Vec<&str> = PROOF.lines().collect();
    let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    for index in 0..lines.len() {
        let line = index as u64 + 1;
        let mut missing = lines.clone();
        missing.remove(index);
        assert_eq!(named(check(text(&missing).as_bytes())).map(|found| found.0), Some(line));
        let mut doubled = lines.clone();
        doubled.insert(index, lines[index]);
        assert_eq!(named(check(text(&doubled).as_bytes())).map(|found| found.0), Some(line + 1));
        let mut exchanged = lines.clone();
        exchanged.swap(index, lines.len() - 1 - index);
        let found = named(check(text(&exchanged).as_bytes()));
        assert_eq!(found.is_none(), exchanged == lines);
        let cut = text(&lines[..index]);
        assert_eq!(named(check(cut.as_bytes())).map(|found| found.0), Some(line), "cut before");
    }
    let longer = format!("{PROOF}\n");
    assert_eq!(named(check(longer.as_bytes())).map(|found| found.0), Some(lines.len() as u64 + 1));
}

#[test]
fn a_proof_sealed_anew_is_the_same() {
    let lines: Vec<String> = PROOF.lines().map(str::to_owned).collect();
    assert_eq!(resealed(&lines), PROOF);
}

/// Changes what a row or a root says; returns `None` where the change does not fit the line.
fn forged(line: &str, random: &mut Random) -> Option<String> {
    let other_value = |name: &str, random: &mut Random| {
        let old = field(line, name, ',')?;
        let value: i32 = old.parse().ok()?;
        let new = value + random.one_of(&[-8, -4, -2, 2, 4, 8]);
        Some(line.replace(&format!("{name}{old},"), &format!("{name}{new},")))
    };
    match random.below(7) {
        0 => other_value("\"value\":", random),
        1 => other_value("\"lower\":", random).or_else(|| other_value("\"upper\":", random)),
        2 => {
            let old = field(line, "\"move\":\"", '"')?;
            let new = outflank_checker::rules::square_name(random.below(64) as u32);
            Some(line.replace(&format!("\"{old}\""), &format!("\"{new}\"")))
        }
        3 if line.contains("\">=\"") => Some(line.replace("\">=\"", "\"<=\"")),
        3 => Some(line.replace("\"<=\"", "\">=\"")),
        4 => {
            let old = field(line, "\"position\":\"", '"')?;
            let mut board: Vec<u8> = old.bytes().collect();
            board[random.below(64)] = *random.one_of(b"XO-");
            Some(line.replace(old, &String::from_utf8(board).ok()?))
        }
        5 => {
            // A claim that is made up instead of being derived: only solving it again tells.
            let end = line.find("\"by\":\"all\"").or_else(|| line.find("\"by\":\"move\""))?;
            Some(format!("{}\"by\":\"search\",\"origin\":1,\"nodes\":9,\"hash\":", &line[..end]))
        }
        _ => {
            let end = line.find("\"by\":\"search\"")?;
            Some(format!("{}\"by\":\"all\",\"hash\":", &line[..end]))
        }
    }
}

#[test]
fn forgeries_that_are_sealed_anew_are_found_by_the_rules() {
    let mut random = Random(2);
    let lines: Vec<String> = PROOF.lines().map(str::to_owned).collect();
    let (mut tried, mut accepted) = (0, 0);
    while tried < 3000 {
        let index = 1 + random.below(lines.len() - 2);
        let Some(line) = forged(&lines[index], &mut random).filter(|line| *line != lines[index])
        else {
            continue;
        };
        tried += 1;
        let mut altered = lines.clone();
        altered[index] = line;
        match check(resealed(&altered).as_bytes()) {
            Ok(verified) => {
                // A different proof, not a false one: the same roots, and leaves that can be
                // solved again. Only the choice of the move may differ.
                accepted += 1;
                assert_eq!(verified.first_roots, check(PROOF.as_bytes()).unwrap().first_roots);
                assert!(lines[index].contains("\"by\":\"move\""), "{}", altered[index]);
            }
            Err(CheckError::Rejected { row, fault, .. }) => {
                let is_row = lines[index].starts_with("{\"row\"");
                assert!(row.is_some() || !is_row, "{fault} in {}", altered[index]);
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(accepted < 30, "{accepted} other proofs");
}

#[test]
fn a_false_leaf_is_found_by_solving_it_again() {
    // Every searched row of one root, and that root, moved by two discs: the rules find nothing
    // wrong as long as all the rows fit together, so the value must be shown false by a search.
    let head = PROOF.lines().next().expect("a head");
    let origin =
        "{\"origin\":1,\"build\":\"\",\"weights\":\"\",\"worker\":\"\",\"host\":\"\",\"run\":\"\"";
    let root = PROOF.lines().nth(1).expect("a root").replace("18", "20");
    let position = field(&root, "\"position\":\"", '"').expect("a position");
    let position = outflank_checker::rules::Position::from_text(position).expect("a board");
    let row = |number: u32, claim: &str| {
        let position = position.canonical();
        format!(
            "{{\"row\":{number},\"position\":\"{position}\",\"claim\":\"{claim}\",\"value\":20,\
             \"by\":\"search\",\"origin\":1,\"nodes\":1,\"hash\":"
        )
    };
    let end = "{\"end\":true,\"roots\":1,\"rows\":2,\"leaves\":2,\"hash\":".to_owned();
    let lines =
        [head.to_owned(), root, format!("{origin},\"hash\":"), row(1, "<="), row(2, ">="), end];
    let mut sample = Sample::new(10, 20, 0);
    verify(resealed(&lines).as_bytes(), &mut sample).expect("the rules find nothing wrong");
    let leaves = sample.leaves();
    let resolved = resolve(&leaves, 1, |_| ());
    assert_eq!(leaves.iter().map(|leaf| leaf.row).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(resolved.is_true, [true, false], "the value is 18");
}
