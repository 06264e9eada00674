//! JSON lines: an object a line.
//!
//! Read are `position`, and if they are there `at_least` and `at_most` (the hypothesis), `window`
//! (for rows without one), `score` (a prediction), `count` and `id`. Written are these and `row`,
//! `state`, `lower`, `upper`, `nodes` and `duplicate_of`, which are skipped when they are read.

use outflank_engine::{Score, Window};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::super::question::{Hypothesis, Question};
use super::{Answer, Defaults, Row, RowFault, problem};

/// The name that a row has for its owner: any JSON, kept as it was written, since numbers may be
/// longer than ours.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(Box<RawValue>);

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// The characters that are left at the beginning and at the end of a reason: the end names all keys.
const HEAD: usize = 60;
const TAIL: usize = 180;

/// What a line has to be.
const OBJECT: &str = "expected an object with \"position\"";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    position: String,
    at_least: Option<i32>,
    at_most: Option<i32>,
    window: Option<[i32; 2]>,
    score: Option<i32>,
    count: Option<u64>,
    #[serde(default, deserialize_with = "id")]
    id: Option<Id>,
    #[serde(rename = "row")]
    _row: Option<IgnoredAny>,
    #[serde(rename = "state")]
    _state: Option<IgnoredAny>,
    #[serde(rename = "lower")]
    _lower: Option<IgnoredAny>,
    #[serde(rename = "upper")]
    _upper: Option<IgnoredAny>,
    #[serde(rename = "nodes")]
    _nodes: Option<IgnoredAny>,
    #[serde(rename = "duplicate_of")]
    _duplicate_of: Option<IgnoredAny>,
}

#[derive(Serialize)]
struct Written<'a> {
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<[i32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    state: &'static str,
    lower: i32,
    upper: i32,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<u64>,
}

pub(super) fn read(line: &str, defaults: Defaults) -> Result<Option<Row>, RowFault> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    // The values of all keys in their order would pass for an object.
    if let Some(at) = line.find('[').filter(|&at| line[..at].trim().is_empty()) {
        return Err(RowFault::new(characters(line, at) + 1, format!("found an array, {OBJECT}")));
    }
    let object: Read = serde_json::from_str(line).map_err(|error| {
        let text = error.to_string();
        let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
        let mut reason = without_middle(&in_words(reason));
        if !has_position(line) && !reason.ends_with(OBJECT) {
            reason = format!("{reason}; {OBJECT}");
        }
        RowFault::new(characters(line, error.column().saturating_sub(1)) + 1, reason)
    })?;
    let column = |text: &str| line.find(text).map_or(1, |at| characters(line, at) + 1);
    let problem = problem(&object.position, column(&object.position), defaults.board)?;
    let fault = |key: &str, reason| RowFault::new(column(&format!("\"{key}\"")), reason);
    let prediction = match object.score {
        Some(score) if !(-64..=64).contains(&score) => {
            return Err(fault("score", format!("found the score {score}, expected -64 to 64")));
        }
        score => score,
    };
    Ok(Some(Row {
        position: problem.position,
        side: problem.side,
        question: question(&object, defaults.window, fault)?,
        prediction,
        count: object.count,
        id: object.id,
    }))
}

/// Returns whether a line is an object with a position, of which something else is wrong.
fn has_position(line: &str) -> bool {
    line.trim_start().starts_with('{') && line.contains("\"position\"")
}

/// Returns a reason without the names that our language has for types.
fn in_words(reason: &str) -> String {
    let found = reason.strip_prefix("invalid type: ").or(reason.strip_prefix("invalid value: "));
    let reason = found.map_or_else(|| reason.to_owned(), |found| format!("found {found}"));
    let reason = reason.replacen("found floating point ", "found number ", 1);
    match reason.rsplit_once(", expected ") {
        Some((found, "i32")) => format!("{found}, expected an integer"),
        Some((found, "u64")) => format!("{found}, expected an integer from 0 on"),
        Some((found, name)) if name.starts_with("struct ") => format!("{found}, {OBJECT}"),
        _ => reason,
    }
}

/// Returns a reason without most of the line that it quotes: what was expected stands behind that.
fn without_middle(reason: &str) -> String {
    let place = |number: usize| reason.char_indices().nth(number).map(|(at, _)| at);
    let back = |number: usize| reason.char_indices().nth_back(number).map(|(at, _)| at);
    match (place(HEAD), back(TAIL)) {
        (Some(head), Some(tail)) if head < tail => {
            format!("{}…{}", &reason[..head], &reason[tail..])
        }
        _ => reason.to_owned(),
    }
}

/// Reads an id, which is one even if it is `null`.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Id>, D::Error> {
    Id::deserialize(deserializer).map(Some)
}

/// Returns the number of characters in the first `bytes` bytes of `line`.
fn characters(line: &str, bytes: usize) -> usize {
    line.char_indices().take_while(|&(at, _)| at < bytes).count()
}

fn question(
    object: &Read,
    default: Window,
    fault: impl Fn(&str, String) -> RowFault,
) -> Result<Question, RowFault> {
    let score = |key: &str, discs: i32| {
        let expected = "expected an even number from -64 to 64";
        Score::new(discs).ok_or_else(|| fault(key, format!("found {key} {discs}, {expected}")))
    };
    let lower = object.at_least.map(|discs| score("at_least", discs)).transpose()?;
    let upper = object.at_most.map(|discs| score("at_most", discs)).transpose()?;
    let window = match object.window {
        None => default,
        Some([lower, upper]) => Window::new(score("window", lower)?, score("window", upper)?)
            .ok_or_else(|| {
                let found = format!("found the window [{lower}, {upper}]");
                fault("window", format!("{found}, expected the lower end first"))
            })?,
    };
    let (lower, upper) = (lower.unwrap_or(Score::MIN), upper.unwrap_or(Score::MAX));
    if lower > upper {
        let reason = format!("found at_most {upper}, expected a value not below at_least {lower}");
        return Err(fault("at_most", reason));
    }
    Ok(Hypothesis::new(lower, upper).map_or(Question::Value(window), Question::Claim))
}

pub(super) fn format(row: &Row, answer: &Answer) -> String {
    let (mut at_least, mut at_most, mut window) = (None, None, None);
    match row.question {
        Question::Claim(claim) => {
            at_least = Some(claim.lower()).filter(|&lower| lower > Score::MIN).map(Score::discs);
            at_most = Some(claim.upper()).filter(|&upper| upper < Score::MAX).map(Score::discs);
        }
        Question::Value(Window::FULL) => {}
        Question::Value(asked) => window = Some([asked.lower().discs(), asked.upper().discs()]),
    }
    let object = Written {
        row: answer.number,
        id: row.id.as_ref(),
        position: row.board(),
        at_least,
        at_most,
        window,
        score: row.prediction,
        count: row.count,
        state: answer.state.name(),
        lower: answer.bound.lower().discs(),
        upper: answer.bound.upper().discs(),
        nodes: answer.nodes,
        duplicate_of: answer.duplicate_of,
    };
    serde_json::to_string(&object).expect("the keys are texts and no number is infinite")
}
