//! Reading the command line, and saying what is wrong with it.

use std::env;
use std::error::Error as _;
use std::io::{self, Write};
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::builder::Resettable;
use clap::error::{ContextKind, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory, FromArgMatches};

use super::Arguments;
use crate::exit::{self, Exit};
use crate::output;

impl Arguments {
    /// Reads the command line. Where it asks for a help text, or is wrong, that is said, and the exit code returned.
    pub(crate) fn read() -> Result<Self, Exit> {
        let command = with_exit_codes(with_negative_numbers(Self::command()));
        let mut command = without_empty_variables(command);
        let matches = command.try_get_matches_from_mut(env::args_os());
        matches
            .and_then(|mut matches| {
                check_access(&mut command, &matches)?;
                Self::from_arg_matches_mut(&mut matches)
            })
            .map_err(|error| say(&with_expectation(error.format(&mut command))))
    }
}

/// Prints a help text, or what is wrong with the arguments, and returns the exit code.
fn say(error: &clap::Error) -> Exit {
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        // Nobody can be told that standard error is closed.
        _ if error.use_stderr() => Exit::BadInput,
        Ok(()) => Exit::Done,
        Err(failed) if failed.kind() == io::ErrorKind::BrokenPipe => Exit::PipeClosed,
        Err(failed) => {
            output::note(&format!("error: writing standard output: {failed}"));
            Exit::Failed
        }
    }
}

/// Refuses options that say how a coordinator is reached where none is: whoever types them believes
/// that a cluster works. Variables of the environment hold for all commands and may be there.
fn check_access(command: &mut clap::Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let (mut command, mut asked) = (command, matches);
    while let Some((name, inner)) = asked.subcommand() {
        asked = inner;
        let Some(subcommand) = command.find_subcommand_mut(name) else { return Ok(()) };
        command = subcommand;
    }
    let Some(message) = missing_access(command, asked) else { return Ok(()) };
    // With the usage of the subcommand.
    Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, message).format(command))
}

/// Returns what the options of a subcommand, as far as they are about a coordinator, lack.
fn missing_access(command: &clap::Command, asked: &ArgMatches) -> Option<String> {
    // Matches tell an option that was not given from one that does not exist only in debug builds.
    let may_connect = command.get_arguments().any(|argument| argument.get_id() == "connect");
    let is_typed = |id: &&str| asked.value_source(id) == Some(ValueSource::CommandLine);
    if !may_connect {
        return None;
    }
    if is_typed(&"tls_name") && !asked.contains_id("tls_ca") {
        return Some("--tls-name needs --tls-ca <FILE>".to_owned());
    }
    // The variable of the environment only permits what --tls-ca makes needless.
    if is_typed(&"no_tls") && asked.contains_id("tls_ca") {
        return Some("--no-tls excludes --tls-ca <FILE>".to_owned());
    }
    if asked.contains_id("connect") {
        let needs = [("tls_cert", "tls_key"), ("tls_cert", "tls_ca"), ("tls_key", "tls_cert")];
        let is_half = |&(one, other): &(_, _)| asked.contains_id(one) && !asked.contains_id(other);
        let (_, missing) = needs.into_iter().find(is_half)?;
        let option = missing.replace('_', "-");
        return Some(format!(
            "the following required arguments were not provided:\n  --{option} <FILE>"
        ));
    }
    let access = ["token_file", "tls_ca", "tls_cert", "tls_key", "no_tls"];
    let typed = access.into_iter().find(is_typed)?;
    Some(format!("--{} needs --connect <ADDR>", typed.replace('_', "-")))
}

/// Has the help of every command, and of every verb of one, list the exit codes.
fn with_exit_codes(command: clap::Command) -> clap::Command {
    command.after_help(exit::HELP).mut_subcommands(with_exit_codes)
}

/// Lets `-1` be the value of every option: what is wrong with it is better said by the option than by a
/// remark that there is no option of that name.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let allowed = |argument: Arg| match argument.is_positional() {
        false if argument.get_action().takes_values() => argument.allow_negative_numbers(true),
        _ => argument,
    };
    command.mut_args(allowed).mut_subcommands(with_negative_numbers)
}

/// Takes a variable of the environment that is empty for one that is not set, as scripts and unit files mean it.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let kept = |argument: Arg| match argument.get_env().and_then(env::var_os) {
        Some(value) if value.is_empty() => argument.env(Resettable::Reset),
        _ => argument,
    };
    command.mut_args(kept).mut_subcommands(without_empty_variables)
}

/// Says what was expected where a number is wrong, of which the standard library says only what is
/// wrong with it.
fn with_expectation(error: clap::Error) -> clap::Error {
    let Some(expected) = error.source().and_then(expected_number) else { return error };
    let text = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (value, option) = (text(ContextKind::InvalidValue), text(ContextKind::InvalidArg));
    let message = format!(
        "invalid value '{value}' for '{option}': expected {expected}\n\nFor more information, try '--help'.\n"
    );
    clap::Error::raw(error.kind(), message)
}

fn expected_number(found: &(dyn std::error::Error + 'static)) -> Option<String> {
    if found.is::<ParseFloatError>() {
        return Some("a number, such as 2.5".to_owned());
    }
    // A range without an end is shown with the greatest number there is.
    let shown = found.to_string();
    if let Some(range) = shown.strip_suffix(&format!("..{}", u64::MAX)) {
        return Some(format!("a number of at least {}", range.split(' ').next_back()?));
    }
    let expected = match found.downcast_ref::<ParseIntError>()?.kind() {
        IntErrorKind::PosOverflow => "a smaller number",
        IntErrorKind::NegOverflow => "a greater number",
        IntErrorKind::Zero => "a whole number of at least 1",
        _ => "a whole number, such as 1000",
    };
    Some(expected.to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::Command;

    #[test]
    fn a_wrong_number_is_named_with_what_was_expected() {
        let solve = &["solve", "start"][..];
        for (command, option, value, expected) in [
            (solve, "--nodes", "x", "'--nodes <N>': expected a whole number, such as"),
            (solve, "--threads", "2.5", "'--threads <N>': expected a whole number, such as"),
            (
                solve,
                "--nodes",
                "99999999999999999999999",
                "'--nodes <N>': expected a smaller number",
            ),
            (solve, "--threads", "2000", "'--threads <N>': 2000 is not in 1..=1024"),
            (&["proof", "check", "-"], "--threads", "0", "expected a whole number of at least 1"),
        ] {
            let line = [&["outflank"], command, &[option, value]].concat();
            let error = with_expectation(Arguments::try_parse_from(line).unwrap_err());
            let text = error.to_string();
            assert!(text.contains(expected) && text.contains(value), "{text}");
            assert_eq!(error.exit_code(), 2);
        }
    }

    #[test]
    fn boards_and_windows_may_begin_with_a_minus() {
        let board = format!("{} X", "-".repeat(64));
        let line = ["outflank", "solve", &board, "--window", "-64..0", "--json"];
        let arguments = Arguments::try_parse_from(line).unwrap();
        let Command::Solve(solve) = arguments.command else { panic!("{arguments:?}") };
        assert_eq!((solve.position, solve.json), (board.into(), true));
    }
}
