//! Logs: on standard error, as much as was asked for.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::arguments::{Arguments, Command};

/// Starts logging for the life of the process.
pub(crate) fn start(arguments: &Arguments) {
    let level = match (arguments.quiet, is_service(&arguments.command), arguments.verbose) {
        (true, ..) => "error",
        (false, false, 0) => "warn",
        (false, true, 0) | (false, false, 1) => "info",
        (false, true, 1) | (false, false, 2) => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .init();
}

/// Returns whether the command runs on its own for a long time, so that its life is logged.
const fn is_service(command: &Command) -> bool {
    matches!(command, Command::Coordinator(_) | Command::Worker(_))
}
