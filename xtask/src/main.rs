//! `cargo xtask`: tasks of development that a shell script would do badly.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool talks to its user")]

mod families;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod instructions;
mod load;
mod variants;

use clap::Parser;

/// Tasks of development.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
enum Task {
    BenchVariants(variants::BenchVariants),
    Load(load::Load),
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    Instructions(instructions::Instructions),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::BenchVariants(arguments) => variants::run(&arguments),
        Task::Load(arguments) => load::run(&arguments),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        Task::Instructions(arguments) => instructions::run(&arguments),
    }
}
