//! `cargo xtask`: tasks of development that a shell script would do badly.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool talks to its user")]

mod families;
mod faults;
mod folder;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod instructions;
mod load;
mod positions;
mod random;
mod soak;
mod variants;

use clap::Parser;

/// Tasks of development.
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
enum Task {
    BenchVariants(variants::BenchVariants),
    Faults(faults::Faults),
    Load(load::Load),
    Soak(soak::Soak),
    /// Be a worker that lies, for `soak --liars`.
    #[command(hide = true)]
    Liar(soak::Liar),
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    Instructions(instructions::Instructions),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::BenchVariants(arguments) => variants::run(&arguments),
        Task::Faults(arguments) => faults::run(&arguments),
        Task::Load(arguments) => load::run(&arguments),
        Task::Soak(arguments) => soak::run(&arguments),
        Task::Liar(arguments) => soak::lie(&arguments),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        Task::Instructions(arguments) => instructions::run(&arguments),
    }
}
