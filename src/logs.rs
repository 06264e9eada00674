//! Logs: on standard error, as much as was asked for; what is said beside a message is logfmt.

use std::env;
use std::ffi::OsString;
use std::fmt::{Debug, Result};
use std::io::{self, IsTerminal};

use tracing::field::Field;
use tracing_subscriber::filter::{LevelFilter, ParseError, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::prelude::*;

use crate::arguments::{Arguments, Command};

/// Starts logging for the life of the process.
pub(crate) fn start(arguments: &Arguments) {
    let usual = match (arguments.quiet, is_service(&arguments.command), arguments.verbose) {
        (true, ..) => LevelFilter::ERROR,
        (false, false, 0) => LevelFilter::WARN,
        (false, true, 0) | (false, false, 1) => LevelFilter::INFO,
        (false, true, 1) | (false, false, 2) => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let text = env::var_os("RUST_LOG").unwrap_or_default();
    let asked = asked(&text.to_string_lossy());
    let usual = || targets(usual);
    let filter =
        asked.as_ref().map_or_else(|_| usual(), |asked| asked.clone().unwrap_or_else(usual));
    let colours = has_colours(io::stderr().is_terminal(), |name| env::var_os(name));
    let lines =
        fmt::layer().fmt_fields(debug_fn(write_field)).with_ansi(colours).with_writer(io::stderr);
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
    if let Err(error) = asked {
        let expected = "a level, or TARGET=LEVEL with commas between several";
        tracing::warn!(found = ?text, cause = %error, expected, "RUST_LOG cannot be read and is ignored");
    }
}

/// Returns what this value of `RUST_LOG` asks for. A blank one is one that is not set, as of all variables here; read
/// as a list of targets it would silence everything.
fn asked(text: &str) -> std::result::Result<Option<Targets>, ParseError> {
    if text.trim().is_empty() { Ok(None) } else { text.parse().map(Some) }
}

/// Writes a message, or what is said beside it as ` name=value`.
fn write_field(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> Result {
    let text = format!("{value:?}");
    match field.name() {
        "message" => text.chars().try_for_each(|character| match character {
            // It comes from elsewhere and would steer the terminal.
            _ if character.is_control() && character != '\n' => {
                write!(writer, "{}", character.escape_default())
            }
            _ => writer.write_char(character),
        }),
        // Of crates that log otherwise: where they do it.
        name if name.starts_with("log.") => Ok(()),
        name if writer.has_ansi_escapes() => {
            write!(writer, " \x1b[3m{name}\x1b[0m\x1b[2m=\x1b[0m{}", one_word(text))
        }
        name => write!(writer, " {name}={}", one_word(text)),
    }
}

/// Returns a value as one word: in quotes, unless it is one, or in quotes already.
fn one_word(text: String) -> String {
    let has = |is_wanted: fn(char) -> bool| text.contains(is_wanted);
    let is_word = !text.is_empty() && !has(|one| one.is_whitespace() || one == '"');
    if (is_word || is_quoted(&text)) && !has(char::is_control) { text } else { format!("{text:?}") }
}

/// Returns whether a text is in quotes as a whole: none of those inside ends it.
fn is_quoted(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return false;
    };
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character == '"' || character == '\\' && characters.next().is_none() {
            return false;
        }
    }
    true
}

/// Returns whether the log has colours: on a terminal that knows them, unless the user has set
/// `NO_COLOR` (no-color.org), which the progress and the help obey by themselves.
fn has_colours(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_unwanted = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = variable("TERM").is_some_and(|value| value == "dumb");
    is_terminal && !is_unwanted && !is_dumb
}

/// Returns what is logged at `level`: of other crates, such as that of the connections, less, unless
/// everything is wanted.
fn targets(level: LevelFilter) -> Targets {
    let others = if level == LevelFilter::DEBUG { LevelFilter::INFO } else { level };
    Targets::new().with_default(others).with_target("outflank", level)
}

/// Returns whether the command runs on its own for a long time, so that its life is logged.
const fn is_service(command: &Command) -> bool {
    matches!(command, Command::Coordinator(_) | Command::Worker(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_whose_users_want_them() {
        let colours = |is_terminal, set: &[(&str, &str)]| {
            has_colours(is_terminal, |name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            })
        };
        assert!(colours(true, &[("TERM", "xterm"), ("NO_COLOR", "")]));
        assert!(!colours(true, &[("NO_COLOR", "1")]));
        assert!(!colours(true, &[("TERM", "dumb")]));
        assert!(!colours(false, &[]));
    }

    #[test]
    fn a_blank_variable_silences_nothing() {
        for blank in ["", " "] {
            assert_eq!(asked(blank).expect("nothing is asked"), None);
        }
        let warnings = Targets::new().with_default(LevelFilter::WARN);
        assert_eq!(asked("warn").expect("a level"), Some(warnings));
        assert!(asked("garbage===").is_err());
    }

    #[test]
    fn a_value_is_one_word() {
        let cases = [
            ("store/proofs", "store/proofs"),
            ("Denied (os error 13)", "\"Denied (os error 13)\""),
            ("\"in quotes\"", "\"in quotes\""),
            ("a\"b", "\"a\\\"b\""),
            ("\"a\\\"b\"", "\"a\\\"b\""),
            ("\"a\" level=error \"b\"", "\"\\\"a\\\" level=error \\\"b\\\"\""),
            ("\"a\\\"", "\"\\\"a\\\\\\\"\""),
            ("\"", "\"\\\"\""),
            ("\"\x1b[2J\"", "\"\\\"\\u{1b}[2J\\\"\""),
            ("", "\"\""),
        ];
        for (text, expected) in cases {
            assert_eq!(one_word(text.to_owned()), expected);
        }
    }

    #[test]
    fn frames_of_connections_are_logged_only_with_everything() {
        let logs = |level, target| targets(level).would_enable(target, &tracing::Level::DEBUG);
        assert!(logs(LevelFilter::DEBUG, "outflank_worker::session"));
        assert!(!logs(LevelFilter::DEBUG, "h2::codec"));
        assert!(logs(LevelFilter::TRACE, "h2::codec"));
        assert!(!logs(LevelFilter::INFO, "outflank_worker::session"));
    }
}
