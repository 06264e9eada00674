//! `outflank-check`: checks a proof. It is `outflank proof check` without the rest of Outflank, for
//! those who want to read all of the code that they trust.

#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use outflank_checker::command::{self, Check, EXIT_CODES, Failure};

/// Checks a proof of Othello positions: verifies every inference and solves a random sample of the
/// searched rows again.
#[derive(Debug, Parser)]
#[command(name = "outflank-check", version, after_help = EXIT_CODES)]
struct Arguments {
    #[command(flatten)]
    check: Check,
}

fn main() -> ExitCode {
    match command::run(&Arguments::parse().check, &mut io::stdout().lock(), false) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    }
}

/// Prints the failure and its causes on one line of standard error.
fn report(failure: &Failure) -> ExitCode {
    let mut text = failure.to_string();
    let mut cause = failure.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    // Nobody can be told that standard error is closed.
    drop(writeln!(io::stderr(), "error: {}", text.replace(['\n', '\r'], " ")));
    failure.exit_code().into()
}
