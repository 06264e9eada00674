//! Texts whose author is not trusted, made fit for a terminal and a log.

/// The most characters of a text that are printed.
pub const LONGEST: usize = 160;

/// Returns the beginning of `text` without anything that a terminal would obey: control characters,
/// and format characters such as those that turn the direction of writing, are spelled out.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut printed = String::new();
    for character in shortened(text).chars() {
        match character {
            '"' | '\'' | '\\' => printed.push(character),
            _ => printed.extend(character.escape_debug()),
        }
    }
    printed
}

/// Returns the beginning of `text` as it is, for messages that quote it.
#[must_use]
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let text = "w\u{1b}[2K\r\n\u{7f}\u{9b}1A\u{202e}\u{2066}\u{200f}\u{feff}é'\"";
        let spelled = "w\\u{1b}[2K\\r\\n\\u{7f}\\u{9b}1A\\u{202e}\\u{2066}\\u{200f}\\u{feff}é'\"";
        assert_eq!(printable(text), spelled);
        assert_eq!(printable(&"ä".repeat(LONGEST)), "ä".repeat(LONGEST));
        assert_eq!(printable(&"ä".repeat(LONGEST + 1)), "ä".repeat(LONGEST) + "…");
    }
}
