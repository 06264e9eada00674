//! Commands as one would type them, for messages that say what to do next.

use std::env;

/// Returns the command line of this process as one would type it.
pub(crate) fn command_line() -> String {
    let words = env::args_os().map(|word| quoted(&word.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the command line of this process without what limits the cost of a position.
pub(crate) fn command_line_without_budget() -> String {
    let words = env::args_os().map(|word| word.to_string_lossy().into_owned());
    without_budget(words).iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Returns the words without `--nodes N` and `--time SECONDS`.
fn without_budget(mut words: impl Iterator<Item = String>) -> Vec<String> {
    let limits = ["--nodes", "--time"];
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if limits.contains(&word.as_str()) {
            words.next();
        } else if !limits.iter().any(|limit| word.starts_with(&format!("{limit}="))) {
            kept.push(word);
        }
    }
    kept
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_without_its_budget_asks_the_same() {
        let words = "outflank solve --time 0.5 list.obf --nodes=7 --json --nodes 9";
        let kept = without_budget(words.split(' ').map(str::to_owned));
        assert_eq!(kept.join(" "), "outflank solve list.obf --json");
    }
}
