//! Proofs as a fuzzer would write them: it chooses positions, what is claimed of them and how it follows, and then spoils
//! some rows. The checker accepts every proof that nothing was done to, and no false root whose leaves are all true.

#![no_main]
#![forbid(unsafe_code)]

use std::cmp::Reverse;
use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use outflank_engine::{Position, Square, brute_force};
use outflank_fuzz::chain::Sealed;
use outflank_fuzz::judge;

/// The most empty squares of a root.
const EMPTIES: usize = 6;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Unstructured::new(bytes);
    let Ok(roots) = (0..1 + bytes.len() % 3).map(|_| root(&mut input)).collect() else { return };
    let proof = Proof::of(roots, &mut input);
    let verdict = judge::judge(&proof.text);
    assert!(proof.is_spoilt || verdict.is_ok(), "{}\n{}", verdict.unwrap_err(), proof.text);
});

/// Returns a position with a few empty squares, and two ends of its value that need not be true.
fn root(input: &mut Unstructured<'_>) -> arbitrary::Result<(Position, [i32; 2])> {
    let empty = <[u8; EMPTIES]>::arbitrary(input)?;
    let empty = empty.iter().fold(0, |empty, square| empty | 1_u64 << (square % 64));
    let discs = u64::arbitrary(input)?;
    let position = Position::new(discs & !empty, !discs & !empty).expect("disjoint");
    let value = brute_force::value(position).discs();
    let [below, above] = [i8::arbitrary(input)? % 8, i8::arbitrary(input)? % 8].map(i32::from);
    let [lower, upper] = [value - 2 * below, value + 2 * above].map(|end| end.clamp(-64, 64));
    Ok((position, [lower.min(upper), lower.max(upper)]))
}

/// What stands before what: more empty squares, then the boards, then "at most" before "at least".
type Place = (Reverse<u32>, Position, bool);

struct Proof {
    text: String,
    /// What is needed, by its place.
    needed: BTreeMap<Place, i32>,
    /// Whether a row is not as it should be, or a claim was needed that the rules refute.
    is_spoilt: bool,
}

impl Proof {
    fn of(roots: Vec<(Position, [i32; 2])>, input: &mut Unstructured<'_>) -> Self {
        let mut proof = Self { text: String::new(), needed: BTreeMap::new(), is_spoilt: false };
        let mut sealed = Sealed::default();
        sealed.push(r#"{"format":"outflank-proof","version":1,"producer":"fuzz""#, false);
        for (index, &(position, [lower, upper])) in roots.iter().enumerate() {
            // A root that says nothing is none.
            proof.is_spoilt |= (lower, upper) == (-64, 64);
            let (number, board) = (index + 1, board(position));
            sealed.push(
                &format!(
                    r#"{{"root":{number},"position":"{board}","lower":{lower},"upper":{upper}"#
                ),
                false,
            );
            proof.need(position, true, lower);
            proof.need(position, false, upper);
        }
        let origin = r#"{"origin":1,"build":"","weights":"","worker":"","host":"","run":"""#;
        sealed.push(origin, false);
        let (mut rows, mut leaves) = (0, 0);
        let mut at_most = None;
        while let Some(((empties, position, is_least), value)) = proof.needed.pop_first() {
            // What is claimed of roots and by leaves need not be true; but no two claims may exclude each other.
            proof.is_spoilt |=
                is_least && at_most.is_some_and(|(other, most)| other == position && most < value);
            at_most = (!is_least).then_some((position, value));
            let row = proof.row(position, is_least, value, input);
            let claim = if row.is_least { ">=" } else { "<=" };
            let (board, reason) = (board(row.position), &row.reason);
            for _ in 0..row.times {
                rows += 1;
                leaves += u64::from(reason.contains("search"));
                let Row { value, .. } = row;
                sealed.push(
                    &format!(
                        r#"{{"row":{rows},"position":"{board}","claim":"{claim}","value":{value},{reason}"#
                    ),
                    false,
                );
            }
            assert!(empties.0 as usize <= EMPTIES);
        }
        // An origin that no row names is an error.
        proof.is_spoilt |= leaves == 0;
        let roots = roots.len();
        sealed.push(
            &format!(r#"{{"end":true,"roots":{roots},"rows":{rows},"leaves":{leaves}"#),
            true,
        );
        proof.text = sealed.text().to_owned();
        proof
    }

    /// Notes that "at least" or "at most" `value` of a position is needed, as far as the rules leave it open.
    fn need(&mut self, position: Position, is_least: bool, value: i32) {
        if position.is_over() {
            let score = position.final_score().discs();
            self.is_spoilt |= if is_least { score < value } else { score > value };
        } else if position.must_pass() {
            self.need(position.pass(), !is_least, -value);
        } else if value != if is_least { -64 } else { 64 } {
            let place = (Reverse(position.empties()), position.canonical(), is_least);
            let needed = self.needed.entry(place).or_insert(value);
            *needed = if is_least { value.max(*needed) } else { value.min(*needed) };
        }
    }

    /// Returns a row for a claim, as the input chooses, and notes what it needs.
    fn row(
        &mut self,
        position: Position,
        is_least: bool,
        value: i32,
        input: &mut Unstructured<'_>,
    ) -> Row {
        let mut choice = || input.arbitrary::<u8>().unwrap_or(0);
        let mut row = Row { position, is_least, value, reason: SEARCH.to_owned(), times: 1 };
        let squares: Vec<Square> = Square::all(position.moves()).collect();
        if choice() % 4 != 0 {
            if is_least {
                let square = squares[usize::from(choice()) % squares.len()];
                row.reason = format!(r#""by":"move","move":"{square}""#);
                self.need(position.play(square).expect("a move"), false, -value);
            } else {
                row.reason = r#""by":"all""#.to_owned();
                for &square in &squares {
                    self.need(position.play(square).expect("a move"), true, -value);
                }
            }
        }
        let is_spoilt = match choice() {
            1 => row.shift(2),
            2 => row.shift(-2),
            3 => row.repeat(0),
            4 => row.repeat(2),
            5 => row.turn_round(),
            6 => row.move_to(choice()),
            7 => row.stand_for(position.pass()),
            8 => row.give("\"by\":\"all\""),
            _ => false,
        };
        self.is_spoilt |= is_spoilt;
        row
    }
}

const SEARCH: &str = r#""by":"search","origin":1,"nodes":0"#;

/// A line of the proof that says something of a position.
struct Row {
    position: Position,
    is_least: bool,
    value: i32,
    reason: String,
    /// How often it is written.
    times: u32,
}

/// What can be done to a row. Each returns `true`.
impl Row {
    fn shift(&mut self, discs: i32) -> bool {
        self.value += discs;
        true
    }

    fn repeat(&mut self, times: u32) -> bool {
        self.times = times;
        true
    }

    fn turn_round(&mut self) -> bool {
        self.is_least = !self.is_least;
        true
    }

    fn move_to(&mut self, square: u8) -> bool {
        let square = Square::new(u32::from(square) % 64).expect("in range");
        self.reason = format!(r#""by":"move","move":"{square}""#);
        true
    }

    fn stand_for(&mut self, position: Position) -> bool {
        self.position = position;
        true
    }

    fn give(&mut self, reason: &str) -> bool {
        reason.clone_into(&mut self.reason);
        true
    }
}

/// Returns the board text of the format, X to move.
fn board(position: Position) -> String {
    let letter = |square: u32| match 1 << square {
        bit if position.player() & bit != 0 => 'X',
        bit if position.opponent() & bit != 0 => 'O',
        _ => '-',
    };
    (0..64).map(letter).chain(" X".chars()).collect()
}
