//! Commands as one would type them, for messages that say what to do next.

use std::env;

/// Returns the command line of this process as one would type it.
pub(crate) fn command_line() -> String {
    let words = env::args_os().map(|word| quoted(&word.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the name by which this program was started, as one would type it.
pub(crate) fn program() -> String {
    let name = env::args_os().next();
    name.map_or_else(|| "outflank".to_owned(), |name| quoted(&name.to_string_lossy()))
}

/// Returns a word of a command line as one would type it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
