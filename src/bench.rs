//! `outflank bench`: measures this machine on work whose results are known. One file a benchmark.

mod ffo;
mod kernels;
mod usage;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};

/// Measure this machine on work whose results are known.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Ffo(ffo::Ffo),
    Kernels(kernels::Kernels),
}

/// Does what is asked.
pub(crate) fn run(bench: &Bench, quiet: bool) -> Result<Exit, Failure> {
    match &bench.action {
        Action::Ffo(ffo) => ffo::run(ffo, quiet),
        Action::Kernels(kernels) => kernels::run(kernels),
    }
}
