//! The command `outflank`: arguments, output, progress and exit codes.
//!
//! It has no logic of its own: positions are solved by the coordinator and its workers, in this
//! process or elsewhere. One file a subcommand.

#![forbid(unsafe_code)]

mod access;
mod arguments;
mod bench;
mod budget;
mod campaign;
mod cluster;
mod coordinator;
mod doubts;
mod exit;
mod files;
mod input;
mod interrupt;
mod logs;
mod machine;
mod memory;
mod metrics;
mod numbers;
mod output;
mod overview;
mod port;
mod progress;
mod proof;
mod runtime;
mod simulate;
mod solve;
mod store;
mod top;
mod train;
mod typed;
mod web;
mod worker;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use exit::{Exit, Failure};

fn main() -> ExitCode {
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(exit) => return exit.into(),
    };
    logs::start(&arguments);
    match run(&arguments) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(),
    }
}

fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Solve(solve) => solve::run(solve, arguments.quiet),
        Command::Coordinator(coordinator) => coordinator::run(coordinator),
        Command::Worker(worker) => worker::run(worker),
        Command::Campaign(campaign) => campaign::run(campaign, arguments.quiet),
        Command::Store(store) => store::run(&store.action, arguments.quiet),
        Command::Proof(proof) => proof::run(&proof.action, arguments.quiet),
        Command::Train(train) => train::run(train, arguments.quiet),
        Command::Bench(bench) => bench::run(bench, arguments.quiet),
        Command::Simulate(asked) => simulate::run(asked),
        Command::Top(asked) => top::run(asked),
    }
}
