//! `cargo xtask faults`: storms of faults in virtual time, on the core and the real store together.
//!
//! The test `storms` of the coordinator has the seeds, the checks and the count; this runs as many of
//! them as asked for, at full speed.

use std::process::Command;

use anyhow::{Context, ensure};
use clap::Args;

/// Run seeded storms of losses, duplicates, reordering, kills, restarts and lies in virtual time.
#[derive(Debug, Args)]
pub(crate) struct Faults {
    /// The number of seeds.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The first seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
}

/// Runs the seeds and prints the faults that were survived.
pub(crate) fn run(arguments: &Faults) -> anyhow::Result<()> {
    let Faults { seeds, first } = *arguments;
    ensure!(
        first.checked_add(seeds).is_some(),
        "--first {first}: there are no {seeds} seeds from there"
    );
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--quiet", "--release", "--locked", "--package", "outflank-coordinator"])
        .args(["--test", "core", "storms", "--", "--nocapture"])
        .env("OUTFLANK_FAULT_SEEDS", seeds.to_string())
        .env("OUTFLANK_FAULT_FIRST", first.to_string())
        .status()
        .context("starting cargo")?;
    ensure!(status.success(), "a seed has failed: {status}");
    Ok(())
}
