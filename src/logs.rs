//! Logs: on standard error, as much as was asked for.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
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
    let asked = env::var("RUST_LOG").ok().and_then(|text| asked(&text));
    let filter = asked.unwrap_or_else(|| targets(usual));
    let colours = has_colours(io::stderr().is_terminal(), |name| env::var_os(name));
    let lines = fmt::layer().with_ansi(colours).with_writer(io::stderr);
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}

/// Returns what this value of `RUST_LOG` asks for. A blank one is one that is not set, as of all variables here; read
/// as a list of targets it would silence everything.
fn asked(text: &str) -> Option<Targets> {
    if text.trim().is_empty() { None } else { text.parse().ok() }
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
        assert_eq!(["", " "].map(asked), [None, None]);
        assert_eq!(asked("warn"), Some(Targets::new().with_default(LevelFilter::WARN)));
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
