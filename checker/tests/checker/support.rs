//! What the tests make proofs with: a generator of numbers, and a forger's hash chain.

use std::io::Write;
use std::process::{Command, Stdio};

use outflank_checker::chain;
use outflank_checker::resolve::resolve;
use outflank_checker::rules::Position;
use outflank_checker::sample::Sample;
use outflank_checker::verify::{CheckError, Verified, verify};
use sha2::{Digest, Sha256};

/// The first line of a proof, without its hash.
pub(crate) const HEAD: &str =
    "{\"format\":\"outflank-proof\",\"version\":1,\"producer\":\"forger\"";

/// An origin without a word, without its hash.
pub(crate) const ORIGIN: &str =
    "{\"origin\":1,\"build\":\"\",\"weights\":\"\",\"worker\":\"\",\"host\":\"\",\"run\":\"\"";

/// Worth +24 on a board of 24 squares. Positions below it are reached with either colour to move.
pub(crate) const TWICE: &str = "+++++++++++++++++------++-OOO--++---X--++-OXO--+++++++++++++++++ X";

/// A small generator (an LCG with its upper bits), so that a failure can be repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }

    pub(crate) fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// Verifies a proof and solves nothing again.
pub(crate) fn check(proof: &[u8]) -> Result<Verified, CheckError> {
    verify(proof, &mut Sample::new(0, 64, 0))
}

/// Returns whether a proof is accepted when all its leaves are solved again.
pub(crate) fn is_accepted(proof: &str) -> bool {
    let mut sample = Sample::new(usize::MAX, 64, 0);
    let is_verified = verify(proof.as_bytes(), &mut sample).is_ok();
    is_verified && resolve(&sample.leaves(), 1, |_| ()).is_true.iter().all(|is_true| *is_true)
}

/// Returns the line and the row that a rejection names.
pub(crate) fn named(outcome: Result<Verified, CheckError>) -> Option<(u64, Option<u64>)> {
    match outcome {
        Ok(_) => None,
        Err(CheckError::Rejected { line, row, .. }) => Some((line, row)),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the text between `before` and the next `after` in `line`.
pub(crate) fn field<'a>(line: &'a str, before: &str, after: char) -> Option<&'a str> {
    line.split_once(before)?.1.split(after).next()
}

/// Returns a root, without its hash.
pub(crate) fn root(number: usize, position: Position, lower: i32, upper: i32) -> String {
    format!("{{\"root\":{number},\"position\":\"{position}\",\"lower\":{lower},\"upper\":{upper}")
}

/// Returns a searched row about the canonical form of `position`, without its hash.
pub(crate) fn searched(number: usize, position: Position, claim: &str, value: i32) -> String {
    let position = position.canonical();
    format!(
        "{{\"row\":{number},\"position\":\"{position}\",\"claim\":\"{claim}\",\"value\":{value},\
         \"by\":\"search\",\"origin\":1,\"nodes\":1"
    )
}

/// Returns the last line, without its hash.
pub(crate) fn end(roots: usize, rows: usize, leaves: usize) -> String {
    format!("{{\"end\":true,\"roots\":{roots},\"rows\":{rows},\"leaves\":{leaves}")
}

/// Returns the proof with all hashes made anew, as a careful forger would; the lines may have no
/// hash yet.
pub(crate) fn resealed(lines: &[String]) -> String {
    let mut state = [0_u8; 32];
    let seal = |(index, line): (usize, &String)| {
        let content = line.split(",\"hash\":").next().expect("a line has a text");
        state = Sha256::new().chain_update(state).chain_update(content).finalize().into();
        let digits = if index + 1 == lines.len() { chain::FULL } else { chain::SHORT };
        let hash: String = state.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{content},\"hash\":\"{}\"}}\n", &hash[..digits])
    };
    lines.iter().enumerate().map(seal).collect()
}

/// What `outflank-check` has ended with and written.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `outflank-check` with `proof` as its standard input.
pub(crate) fn run(arguments: &[&str], proof: &str) -> Finished {
    let mut child = Command::new(env!("CARGO_BIN_EXE_outflank-check"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was built");
    let mut input = child.stdin.take().expect("it is a pipe");
    // Who is not interested in the proof does not read it.
    drop(input.write_all(proof.as_bytes()));
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it writes text");
    Finished {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
