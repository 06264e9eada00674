//! Logs: on standard error, as much as was asked for.

use std::env;
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
    let asked = env::var("RUST_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    let filter = asked.unwrap_or_else(|| Targets::new().with_default(usual));
    let lines = fmt::layer().with_ansi(io::stderr().is_terminal()).with_writer(io::stderr);
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}

/// Returns whether the command runs on its own for a long time, so that its life is logged.
const fn is_service(command: &Command) -> bool {
    matches!(command, Command::Coordinator(_) | Command::Worker(_))
}
