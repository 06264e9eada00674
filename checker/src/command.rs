//! The command: the same for `outflank-check` and `outflank proof check`.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use clap::{Args, value_parser};

use crate::expect::{ExpectError, Expectations, Unmet};
use crate::line::Root;
use crate::report::Report;
use crate::resolve::resolve;
use crate::sample::{Leaf, Sample};
use crate::verify::{CheckError, Listener, verify};

/// The arguments.
#[derive(Clone, Debug, Args)]
pub struct Check {
    /// The proof, or - for standard input.
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,
    /// Solve N of the searched rows again; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub sample: usize,
    /// Solve every searched row again, whatever its size: what is accepted then is true, unless the
    /// checker is wrong.
    #[arg(long, conflicts_with_all = ["sample", "max_empties", "seed"])]
    pub all: bool,
    /// Draw only rows with at most this many empty squares. Each more makes a row about three
    /// times as expensive: with 20 it takes some seconds.
    #[arg(long, value_name = "E", default_value_t = 20, value_parser = value_parser!(u8).range(..=64))]
    pub max_empties: u8,
    /// Draw the rows that this number decides on, to repeat a check [default: chosen at random, and
    /// printed]. Who knows it before the proof is made can keep false rows out of the sample.
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// The number of threads [default: all processors].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Reject every proof whose last line has another hash than this, of 64 hexadecimal digits.
    #[arg(long, value_name = "HASH", value_parser = seal)]
    pub seal: Option<String>,
    /// Reject every proof that does not prove what FILE expects: each line has a position as in OBF, 64
    /// squares and the side to move, then the scores of moves, of which the best is the value
    /// (; MOVE:SCORE), or bounds (; >= SCORE or ; <= SCORE), or nothing: then the value must be proved,
    /// whatever it is.
    #[arg(long, value_name = "FILE|-")]
    pub expect: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Reads a seal; capital letters are as good as small ones.
fn seal(text: &str) -> Result<String, &'static str> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { Ok(text.to_ascii_lowercase()) } else { Err("expected 64 hexadecimal digits") }
}

/// Why a check did not end well.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The proof cannot be opened.
    #[error("opening {path}")]
    Open {
        /// Its path.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The proof cannot be read, or is rejected.
    #[error("{path}: {error}", error = reason(error))]
    Check {
        /// Its path.
        path: String,
        /// Why.
        error: CheckError,
    },
    /// Searched rows are false.
    #[error("{path}, {first} ({wrong} of {sampled} solved again are false)")]
    FalseRows {
        /// Its path.
        path: String,
        /// The first of them and its origin.
        first: String,
        /// How many.
        wrong: usize,
        /// The size of the sample.
        sampled: usize,
    },
    /// The proof is another than the one that was announced.
    #[error("{path}: found the seal {found}, expected {expected}")]
    Seal {
        /// Its path.
        path: String,
        /// The seal of the proof.
        found: String,
        /// The seal that was asked for.
        expected: String,
    },
    /// What is expected cannot be read.
    #[error("reading {path}")]
    Expect {
        /// Its path.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// What is expected is no text.
    #[error("{path}, line {line}: byte {byte} is not UTF-8 text, expected positions")]
    NoText {
        /// Its path.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The number of the bytes before the first that is none of a text.
        byte: usize,
    },
    /// What is expected is none.
    #[error("{path}, {error}")]
    Expectation {
        /// Its path.
        path: String,
        /// Why.
        error: ExpectError,
    },
    /// The proof and what is expected of it are both standard input.
    #[error("standard input is the proof or what is expected of it, not both")]
    OneInput,
    /// The proof is one of something else.
    #[error(
        "{path}, line {line} of {expectations}: {words} ({unmet} of {count} expectations are not met)"
    )]
    Unproved {
        /// Its path.
        path: String,
        /// The path of what is expected.
        expectations: String,
        /// The line of the first expectation that is not met.
        line: usize,
        /// What was expected there, and what is proved.
        words: String,
        /// How many are not met.
        unmet: usize,
        /// How many there are.
        count: usize,
    },
    /// The operating system has no random number.
    #[error("choosing a seed")]
    Seed(#[source] io::Error),
    /// The report cannot be printed.
    #[error("writing standard output")]
    Output(#[source] io::Error),
}

/// The exit codes of a check.
pub const EXIT_CODES: &str = "\
Exit codes of a check:
    0  accepted
    1  the proof cannot be read to its end, or the report cannot be written
    2  bad usage, or the proof or what is expected of it cannot be opened or is none
    6  rejected: the message names the line and the row, or the position that is not proved";

impl Failure {
    /// Returns the exit code.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Open { .. }
            | Self::Expect { .. }
            | Self::NoText { .. }
            | Self::Expectation { .. }
            | Self::OneInput => 2,
            Self::Check { error: CheckError::Rejected { .. }, .. }
            | Self::FalseRows { .. }
            | Self::Unproved { .. }
            | Self::Seal { .. } => 6,
            Self::Check { .. } | Self::Seed(_) | Self::Output(_) => 1,
        }
    }
}

/// Checks the proof and prints the report to `out`, and its progress to a terminal unless it is to be `quiet`.
///
/// # Errors
/// Unless the proof is accepted and the report printed.
pub fn run(check: &Check, out: &mut impl Write, quiet: bool) -> Result<(), Failure> {
    let path = name(&check.file);
    let report = match check_file(check, &path, quiet) {
        Ok(report) => report,
        Err(failure) => {
            if let (true, Failure::Check { error, .. }) = (check.json, &failure) {
                print(out, &rejected(error))?;
            }
            return Err(failure);
        }
    };
    let judged = judge(check, path, &report);
    let text = match check.json {
        true => report.json(judged.is_ok()).map_err(io::Error::from),
        false => Ok(report.text()),
    };
    print(out, text.map_err(Failure::Output)?.trim_end())?;
    judged
}

/// Reads, verifies and samples.
fn check_file(check: &Check, path: &str, quiet: bool) -> Result<Report, Failure> {
    let input = open(check).map_err(|source| Failure::Open { path: path.to_owned(), source })?;
    let mut audience = Audience { sample: sample(check)?, expectations: expectations(check)? };
    let started = Instant::now();
    let verified = verify(input, &mut audience)
        .map_err(|error| Failure::Check { path: path.to_owned(), error })?;
    let verifying = started.elapsed();
    let Audience { sample, expectations } = audience;
    // A proof of something else is not worth the work.
    let is_another = check.seal.as_ref().is_some_and(|seal| *seal != verified.seal)
        || expectations.as_ref().is_some_and(|expected| expected.unmet().next().is_some());
    let leaves = if is_another { Vec::new() } else { sample.leaves() };
    let count = leaves.len();
    let is_shown = !quiet && io::stderr().is_terminal();
    let show = |done: usize| {
        if is_shown {
            let end = if done == count { '\n' } else { '\r' };
            // Nobody can be told that standard error is closed.
            drop(write!(io::stderr(), "{done} of {count} rows solved again{end}"));
        }
    };
    let resolved = resolve(&leaves, threads(check), show);
    let report =
        Report::new(verified, &sample, leaves, resolved, verifying).with_expectations(expectations);
    Ok(if check.seed.is_some() { report.with_given_seed() } else { report })
}

/// Who hears what the proof says.
struct Audience {
    sample: Sample,
    expectations: Option<Expectations>,
}

impl Listener for Audience {
    fn root(&mut self, root: &Root) {
        if let Some(expectations) = &mut self.expectations {
            expectations.note(root);
        }
    }

    fn leaf(&mut self, leaf: Leaf) {
        self.sample.offer(leaf);
    }
}

fn is_standard_input(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Returns what messages call a file.
fn name(file: &Path) -> String {
    if is_standard_input(file) { "standard input".to_owned() } else { file.display().to_string() }
}

/// Reads what is expected, if anything is.
fn expectations(check: &Check) -> Result<Option<Expectations>, Failure> {
    let Some(file) = &check.expect else { return Ok(None) };
    let bytes = match is_standard_input(file) {
        true if is_standard_input(&check.file) => return Err(Failure::OneInput),
        true => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        }
        false => fs::read(file),
    };
    let path = || name(file);
    let bytes = bytes.map_err(|source| Failure::Expect { path: path(), source })?;
    let text = str::from_utf8(&bytes).map_err(|error| {
        let byte = error.valid_up_to();
        let line = 1 + bytes[..byte].iter().filter(|&&byte| byte == b'\n').count();
        Failure::NoText { path: path(), line, byte }
    })?;
    let read = Expectations::parse(text);
    read.map(Some).map_err(|error| Failure::Expectation { path: path(), error })
}

/// Returns the empty sample that is asked for.
fn sample(check: &Check) -> Result<Sample, Failure> {
    let seed = check.seed.map_or_else(random_seed, Ok).map_err(Failure::Seed)?;
    Ok(match check.all {
        true => Sample::new(usize::MAX, 64, seed),
        false => Sample::new(check.sample, check.max_empties.into(), seed),
    })
}

fn open(check: &Check) -> io::Result<Box<dyn BufRead>> {
    if is_standard_input(&check.file) {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(&check.file)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

/// Returns a number that nobody can know before: who makes a proof must not know the sample. Programs that read JSON
/// numbers as floating-point ones read it right, too.
fn random_seed() -> io::Result<u64> {
    let mut bytes = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes) >> 11)
}

fn threads(check: &Check) -> usize {
    let all = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    check.threads.map_or_else(all, NonZeroUsize::get)
}

/// Returns the failure that the findings amount to, if any.
fn judge(check: &Check, path: String, report: &Report) -> Result<(), Failure> {
    let wrong = report.wrong().count();
    if let Some(first) = report.wrong().min_by_key(|leaf| leaf.row) {
        let (first, sampled) = (report.describe(first), report.sampled());
        return Err(Failure::FalseRows { path, first, wrong, sampled });
    }
    if let Some(expected) = check.seal.as_ref().filter(|expected| *expected != report.seal()) {
        let (found, expected) = (report.seal().to_owned(), expected.clone());
        return Err(Failure::Seal { path, found, expected });
    }
    let Some(Unmet { line, words }) = report.unmet().next() else { return Ok(()) };
    let expectations = check.expect.as_deref().map_or_else(String::new, name);
    let (unmet, count) = (report.unmet().count(), report.expected());
    Err(Failure::Unproved { path, expectations, line, words, unmet, count })
}

/// Returns the JSON object of a proof that is not accepted.
fn rejected(error: &CheckError) -> String {
    let (line, row) = match error {
        CheckError::Rejected { line, row, .. } => (Some(*line), *row),
        CheckError::Reading(_) | CheckError::Aside { .. } => (None, None),
    };
    let reason = reason(error);
    serde_json::json!({ "accepted": false, "line": line, "row": row, "error": reason }).to_string()
}

/// Returns the error with its causes.
fn reason(error: &CheckError) -> String {
    match error {
        CheckError::Reading(cause) | CheckError::Aside { cause, .. } => format!("{error}: {cause}"),
        CheckError::Rejected { .. } => error.to_string(),
    }
}

fn print(out: &mut impl Write, text: &str) -> Result<(), Failure> {
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(Failure::Output)
}
