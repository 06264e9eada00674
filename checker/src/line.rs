//! The lines of a proof, read strictly: one spelling only.
//!
//! What is read is written again and compared byte for byte, so that no blank, order of fields,
//! leading zero or escape can differ from what a writer must write.

use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Side};
use crate::printable::{printable, shortened};
use crate::rules::{self, Position};

/// The name of the format.
const FORMAT: &str = "outflank-proof";

/// The version of the format that is read here.
const VERSION: u32 = 1;

/// One line of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The first line.
    Head,
    /// A position that is proved.
    Root(Root),
    /// Who found the claims that name it.
    Origin(u64, Origin),
    /// A claim.
    Row(Row),
    /// The last line.
    End(End),
}

/// A position and what is proved of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its place among the roots, from 1.
    pub number: u64,
    /// The position, in any orientation.
    pub position: Position,
    /// The value is at least this.
    pub lower: i32,
    /// The value is at most this.
    pub upper: i32,
}

/// Where searched claims come from. The texts are only passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The engine's build.
    pub build: String,
    /// The evaluation weights of the engine.
    pub weights: String,
    /// The worker's name.
    pub worker: String,
    /// The machine it ran on.
    pub host: String,
    /// The run of the coordinator that accepted the claim.
    pub run: String,
}

/// A claim and why it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its place among the rows, from 1.
    pub number: u64,
    /// What is claimed.
    pub claim: Claim,
    /// Why.
    pub reason: Reason,
}

/// Why a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// At least: this move is good enough.
    Move(u32),
    /// At most: no move is better.
    All,
    /// A worker has searched it.
    Search {
        /// The number of the worker's origin line.
        origin: u64,
        /// Positions searched; 0 if the claim came along with another search.
        nodes: u64,
    },
}

/// What the last line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Roots.
    pub roots: u64,
    /// Rows.
    pub rows: u64,
    /// Rows that were found by a search.
    pub leaves: u64,
}

/// Why a line is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It begins like no line.
    #[error(
        "found {found:?}, expected one of {{\"format\", {{\"root\", {{\"origin\", {{\"row\", {{\"end\""
    )]
    Unknown {
        /// The first characters.
        found: String,
    },
    /// It is not the JSON object that it begins like.
    #[error("{0}")]
    Json(String),
    /// It is another spelling of the line.
    #[error("column {column}: found another spelling than the canonical one")]
    Spelling {
        /// The first byte that differs, from 1.
        column: usize,
    },
    /// A field has an impossible value.
    #[error("{field}: found {found:?}, expected {expected}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// Its value.
        found: String,
        /// What would be possible.
        expected: &'static str,
    },
    /// A value is none of the board.
    #[error("{field}: found {found}, expected an even number from -{squares} to {squares}")]
    Value {
        /// The field's name.
        field: &'static str,
        /// Its value.
        found: i32,
        /// The number of the board's squares.
        squares: i32,
    },
    /// The file is of another version or kind.
    #[error("found {format:?} version {version}, expected {FORMAT:?} version {VERSION}")]
    Version {
        /// The name of the format.
        format: String,
        /// Its version.
        version: u32,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadText {
    format: String,
    version: u32,
    producer: String,
    hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RootText<'a> {
    root: u64,
    position: &'a str,
    lower: i32,
    upper: i32,
    hash: &'a str,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OriginText<'a> {
    origin: u64,
    build: String,
    weights: String,
    worker: String,
    host: String,
    run: String,
    hash: &'a str,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowText<'a> {
    row: u64,
    position: &'a str,
    claim: &'a str,
    value: i32,
    by: &'a str,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    square: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    hash: &'a str,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndText<'a> {
    end: bool,
    roots: u64,
    rows: u64,
    leaves: u64,
    hash: &'a str,
}

impl Line {
    /// Reads a line, which has no line feed any more.
    ///
    /// # Errors
    /// If it is not a line of a proof in its canonical spelling.
    pub fn parse(text: &str) -> Result<Self, LineError> {
        if text.starts_with("{\"row\":") {
            row(text).map(Self::Row)
        } else if text.starts_with("{\"origin\":") {
            origin(text)
        } else if text.starts_with("{\"root\":") {
            root(text).map(Self::Root)
        } else if text.starts_with("{\"end\":") {
            end(text).map(Self::End)
        } else if text.starts_with("{\"format\":") {
            head(text)
        } else {
            Err(LineError::Unknown { found: text.chars().take(20).collect() })
        }
    }
}

/// Reads the JSON object `text`, which must be spelled as it would be written.
fn strict<'a, T: Serialize + Deserialize<'a>>(text: &'a str) -> Result<T, LineError> {
    let object: T = serde_json::from_str(text).map_err(|error| json(&error))?;
    let canonical = serde_json::to_string(&object).map_err(|error| json(&error))?;
    if canonical == text {
        return Ok(object);
    }
    let equal = canonical.bytes().zip(text.bytes()).take_while(|(one, other)| one == other);
    Err(LineError::Spelling { column: equal.count() + 1 })
}

/// Returns what is wrong with a JSON object; messages quote names and values from it.
fn json(error: &serde_json::Error) -> LineError {
    LineError::Json(printable(&error.to_string()))
}

fn head(text: &str) -> Result<Line, LineError> {
    // The version decides how the line is spelled: it is looked at first.
    #[derive(Deserialize)]
    struct Version {
        format: String,
        version: u32,
    }
    let Version { format, version } = serde_json::from_str(text).map_err(|error| json(&error))?;
    if (format.as_str(), version) != (FORMAT, VERSION) {
        let format = shortened(&format);
        return Err(LineError::Version { format, version });
    }
    strict::<HeadText>(text).map(|_| Line::Head)
}

fn root(text: &str) -> Result<Root, LineError> {
    let RootText { root, position, lower, upper, .. } = strict(text)?;
    let position = board(position)?;
    // Where an end says nothing, it says so on every board in the same way.
    if lower != -64 {
        score("lower", lower, position)?;
    }
    if upper != 64 {
        score("upper", upper, position)?;
    }
    if lower > upper || (lower, upper) == (-64, 64) {
        let found = format!("{lower}..{upper}");
        let expected = "ordered ends that say something";
        return Err(LineError::Field { field: "lower, upper", found, expected });
    }
    Ok(Root { number: root, position, lower, upper })
}

fn origin(text: &str) -> Result<Line, LineError> {
    let OriginText { origin, build, weights, worker, host, run, .. } = strict(text)?;
    Ok(Line::Origin(origin, Origin { build, weights, worker, host, run }))
}

fn row(text: &str) -> Result<Row, LineError> {
    let row: RowText<'_> = strict(text)?;
    let side = match row.claim {
        "<=" => Side::AtMost,
        ">=" => Side::AtLeast,
        found => return Err(field("claim", found, "<= or >=")),
    };
    let position = board(row.position)?;
    score("value", row.value, position)?;
    let claim = Claim { position, side, value: row.value };
    let reason = match (row.by, row.square, row.origin, row.nodes) {
        ("move", Some(name), None, None) => Reason::Move(
            rules::square_number(name).ok_or_else(|| field("move", name, "a square, a1 to h8"))?,
        ),
        ("all", None, None, None) => Reason::All,
        ("search", None, Some(origin), Some(nodes)) => Reason::Search { origin, nodes },
        (by, ..) => {
            let expected = "move with a move, all, or search with origin and nodes";
            return Err(field("by", by, expected));
        }
    };
    Ok(Row { number: row.row, claim, reason })
}

fn end(text: &str) -> Result<End, LineError> {
    let EndText { end, roots, rows, leaves, .. } = strict(text)?;
    if !end {
        return Err(field("end", "false", "true"));
    }
    Ok(End { roots, rows, leaves })
}

fn board(text: &str) -> Result<Position, LineError> {
    let expected = "64 of X, O, - and +, then \" X\", where + (walls) leave a board";
    Position::from_text(text).ok_or_else(|| field("position", text, expected))
}

/// Checks that `found` can be the value of a position on the board of `position`.
fn score(field: &'static str, found: i32, position: Position) -> Result<(), LineError> {
    let squares = position.squares();
    let is_score = found % 2 == 0 && (-squares..=squares).contains(&found);
    if is_score { Ok(()) } else { Err(LineError::Value { field, found, squares }) }
}

fn field(field: &'static str, found: &str, expected: &'static str) -> LineError {
    LineError::Field { field, found: shortened(found), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "{\"row\":7,\"position\":\"\
        ---------------------------OX------XO--------------------------- X\",\
        \"claim\":\">=\",\"value\":-2,\"by\":\"move\",\"move\":\"d3\",\"hash\":\"0123456789abcdef\"}";

    fn error(text: &str) -> String {
        Line::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_row_has_one_spelling() {
        let Line::Row(row) = Line::parse(ROW).unwrap() else { panic!("a row") };
        assert_eq!((row.number, row.claim.value, row.reason), (7, -2, Reason::Move(19)));
        let spellings = [
            (":7,", ": 7,"),
            (":7,", ":7.0,"),
            (":7,", ":07,"),
            ("\"d3\"", "\"\\u0064\\u0033\""),
            (",\"hash\"", ",\"nodes\":null,\"hash\""),
            ("\"value\":-2,\"by\":\"move\"", "\"by\":\"move\",\"value\":-2"),
            ("\"row\":7", "\"row\":7,\"row\":7"),
            ("\"row\":7", "\"row\":7,\"other\":7"),
            ("def\"}", "def\"} "),
        ];
        for (found, other) in spellings {
            let text = ROW.replacen(found, other, 1);
            assert_ne!(text, ROW);
            assert!(Line::parse(&text).is_err(), "{text}");
        }
        assert_eq!(
            error(&ROW.replace("d3\",", "d3\" ,")),
            "column 137: found another spelling than the canonical one"
        );
    }

    #[test]
    fn impossible_fields_are_named() {
        assert!(error(&ROW.replace("-2", "-3")).starts_with("value: found -3, expected an even"));
        for (value, is_read) in [(-66, false), (-64, true), (64, true), (66, false)] {
            let row = ROW.replace("-2", &value.to_string());
            assert_eq!(Line::parse(&row).is_ok(), is_read, "{value}");
        }
        assert!(error(&ROW.replace("d3", "d9")).starts_with("move: found \"d9\""));
        assert!(error(&ROW.replace(">=", "==")).starts_with("claim: found \"==\""));
        assert!(error(&ROW.replace("OX", "QX")).starts_with("position: found"));
        assert!(error(&ROW.replace("\"by\":\"move\"", "\"by\":\"all\"")).starts_with("by: found"));
        assert!(error("hello").starts_with("found \"hello\""));
        let root = |lower: i32, upper: i32| {
            let (begin, _) = ROW.split_once(",\"claim\"").expect("a row has a claim");
            let begin = begin.replace("\"row\"", "\"root\"");
            Line::parse(&format!("{begin},\"lower\":{lower},\"upper\":{upper},\"hash\":\"\"}}"))
        };
        assert!(matches!(root(2, 2), Ok(Line::Root(Root { lower: 2, upper: 2, .. }))));
        for (lower, upper) in [(4, 2), (-64, 64)] {
            let found = root(lower, upper).unwrap_err().to_string();
            let expected = format!("lower, upper: found \"{lower}..{upper}\", expected ordered");
            assert!(found.starts_with(&expected), "{found}");
        }
        let end = "{\"end\":false,\"roots\":1,\"rows\":1,\"leaves\":1,\"hash\":\"\"}";
        assert_eq!(error(end), "end: found \"false\", expected true");
        let head = "{\"format\":\"outflank-proof\",\"version\":2,\"new\":1}";
        assert!(error(head).contains("version 2, expected \"outflank-proof\" version 1"));
        let head = "{\"format\":\"another\",\"version\":1,\"producer\":\"\",\"hash\":\"\"}";
        assert!(error(head).starts_with("found \"another\" version 1, expected"));
    }
}
