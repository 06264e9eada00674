//! The positions that the command line names.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use outflank_engine::BoardSize;
use outflank_engine::notation::{self, NotationError, Problem, excerpt};

use crate::exit::{Exit, Failure, OrExit};

/// Returns the positions that `argument` stands for, on a board of this size: standard input for `-`,
/// a file, or the text itself. There is at least one.
pub(crate) fn read(argument: &OsStr, board: BoardSize) -> Result<Vec<Problem>, Failure> {
    problems(argument, board).or_exit(Exit::BadInput)
}

/// The most bytes that are read, some millions of positions: what never ends, as a device does not, must not take all
/// memory.
const MOST_BYTES: u64 = 1 << 30;

fn problems(argument: &OsStr, board: BoardSize) -> anyhow::Result<Vec<Problem>> {
    if argument == "-" {
        let bytes = whole("standard input", io::stdin(), MOST_BYTES)?;
        return Ok(parse("standard input", &text("standard input", bytes, "positions")?, board)?);
    }
    let (path, name) = (Path::new(argument), argument.to_string_lossy());
    // A board can be no file name in practice, but a file may have any name.
    if is_there(path)? {
        if path.is_dir() {
            bail!("{name} is a folder, expected a file of positions");
        }
        let file = File::open(path).with_context(|| format!("reading {name}"))?;
        let bytes = whole(&name, file, MOST_BYTES)?;
        return Ok(parse(&name, &text(&name, bytes, "positions")?, board)?);
    }
    // What is no text is not found to be a position either.
    parse("the argument", &name, board).map_err(|error| explain(&name, error))
}

/// Returns whether there is something of that name.
///
/// # Errors
/// If that cannot be told, because a folder on the way to it may not be entered, say.
fn is_there(path: &Path) -> anyhow::Result<bool> {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory};
    match path.try_exists() {
        // No file can be called like that.
        Err(error) if matches!(error.kind(), InvalidFilename | InvalidInput | NotADirectory) => {
            Ok(false)
        }
        found => found.with_context(|| format!("reading {}", path.display())),
    }
}

/// Returns all there is to read, unless that is more than `most` bytes.
fn whole(name: &str, reader: impl Read, most: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = reader.take(most + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("reading {name}"))?;
    if bytes.len() as u64 > most {
        bail!(
            "{name} has more than {most} bytes, expected fewer positions: a campaign takes any number"
        );
    }
    Ok(bytes)
}

/// Returns the text of the file `name`.
///
/// # Errors
/// If it is none: the error names the first byte that is not, and what was `expected`.
pub(crate) fn text(name: &str, bytes: Vec<u8>, expected: &str) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count();
        anyhow!("{name}, line {line}: byte {valid} is not UTF-8 text, expected {expected}")
    })
}

fn parse(name: &str, text: &str, board: BoardSize) -> Result<Vec<Problem>, NotationError> {
    notation::problems_on(board, name, text).collect()
}

/// Returns the error for an argument that is no position: perhaps it was meant as something else.
fn explain(argument: &str, error: NotationError) -> anyhow::Error {
    let after_dashes = argument.trim_start_matches('-').chars().next();
    let is_word = after_dashes.is_some_and(|c| c.is_ascii_lowercase() && !"xo".contains(c));
    if argument.starts_with('-') && is_word {
        return anyhow!("{} is no option of solve, see outflank solve --help", excerpt(argument));
    }
    if looks_like_a_file(argument) {
        let argument = excerpt(argument);
        return anyhow!(
            "{argument}: no such file, expected a file, a board, a move list or a game"
        );
    }
    anyhow::Error::new(error).context("no file has that name, and it is no position")
}

fn looks_like_a_file(argument: &str) -> bool {
    // The texts of games have slashes and dots, in dates and the names of servers.
    if argument.contains("(;") {
        return false;
    }
    let is_suffix = |text: &str| text.len() < 5 && text.chars().all(|c| c.is_ascii_alphanumeric());
    let has_suffix = argument.rsplit_once('.').is_some_and(|(_, suffix)| is_suffix(suffix));
    argument.contains('/') || has_suffix && argument.chars().any(|c| !"-.XxOo*0 ".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(argument: &str) -> String {
        format!("{:#}", problems(argument.as_ref(), BoardSize::STANDARD).unwrap_err())
    }

    #[test]
    fn what_is_no_position_is_guessed_at() {
        assert!(message("--jsno").starts_with("--jsno is no option of solve"));
        assert!(message("missing.obf").starts_with("missing.obf: no such file"));
        let game = message("(;GM[Othello]PC[GGS/os]DT[2003.12.15]VE[//1.23]B[f5];)");
        assert!(game.contains("it is no position") && !game.contains("no such file"), "{game}");
        assert!(message("f5d7").contains(": the argument, line 1, column 3: move 2"));
        assert!(message("").contains("found no position"));
        assert!(message("/").ends_with("is a folder, expected a file of positions"));
    }

    #[test]
    fn what_is_long_is_quoted_in_part() {
        let long = "a".repeat(100_000);
        for text in [format!("--{long}"), format!("{long}/{long}"), format!("{long}.obf")] {
            let said = message(&text);
            assert!(said.contains("aaa…") && said.len() < 200, "{said}");
        }
    }

    #[test]
    fn what_does_not_end_is_not_read_for_ever() {
        assert_eq!(whole("x", &b"f5d6"[..], 4).unwrap(), b"f5d6");
        let error = whole("x", io::repeat(0), 4).unwrap_err().to_string();
        assert!(error.starts_with("x has more than 4 bytes, expected fewer positions"), "{error}");
    }

    #[test]
    fn bytes_that_are_no_text_are_located() {
        let error = text("a.obf", b"f5\nd6\xff".to_vec(), "positions").unwrap_err().to_string();
        assert_eq!(error, "a.obf, line 2: byte 5 is not UTF-8 text, expected positions");
    }
}
