//! `outflank bench kernels`: every variant of every kernel that this CPU can run, side by side.

mod clock;
mod families;
mod instructions;
mod report;
mod runner;

use anyhow::anyhow;
use clap::Args;
use outflank_engine::notation;
use outflank_kernel::Isa;

use crate::exit::{Exit, Failure, OrExit};
use runner::{Runner, Sample, measure};

/// Positions of games with 1 to 20 empty squares.
const POSITIONS: &str = include_str!("../../tests/data/kernels.obf");

/// Measure every variant of every kernel on recorded positions of 1 to 20 empty squares.
///
/// Each variant is called through a pointer, so that figures of one family compare; in the search,
/// where kernels are inlined, they cost less. The variants take turns, and the best of many
/// rounds counts, so that a drift of the machine meets all of them. Throughput: calls that do not
/// depend on each other. Latency: each call waits for the one before it. Cycles are nanoseconds
/// times the clock, which is measured in the same rounds by a chain of multiplications and
/// additions. Instructions are counted by single steps and stored (`cargo xtask instructions`),
/// not measured here.
#[derive(Debug, Args)]
pub(crate) struct Kernels {
    /// Only this family; may be given several times.
    #[arg(long, value_name = "NAME")]
    family: Vec<String>,
    /// How often each variant has its turn.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = rounds)]
    rounds: u32,
    /// Print one JSON object a line for each variant.
    #[arg(long)]
    json: bool,
    /// Measure nothing: wait for a line on standard input, then make one pass with this variant of
    /// the family over a tenth of the positions, between two system calls `sched_yield`: for a
    /// program that counts instructions.
    #[arg(long, value_name = "VARIANT", requires = "family", hide = true)]
    pass: Option<String>,
}

/// Reads a number of rounds.
fn rounds(text: &str) -> Result<u32, String> {
    let rounds = text.parse().ok().filter(|rounds| (1..=100_000).contains(rounds));
    rounds.ok_or_else(|| "expected a number from 1 to 100000".to_owned())
}

/// Measures and prints what is asked for.
pub(crate) fn run(arguments: &Kernels) -> Result<Exit, Failure> {
    let isa = Isa::chosen().or_exit(Exit::BadInput)?;
    let samples = samples().or_exit(Exit::Failed)?;
    let runners = chosen(arguments).or_exit(Exit::BadInput)?;
    if let Some(variant) = &arguments.pass {
        return pass(&runners, variant, &samples).or_exit(Exit::BadInput);
    }
    let measured = measure(&runners, &samples, arguments.rounds);
    report::print(&measured, isa, samples.len(), arguments.json).or_exit(Exit::Failed)?;
    Ok(Exit::Done)
}

/// Returns the variants of the families that are asked for, of all if none is.
fn chosen(arguments: &Kernels) -> anyhow::Result<Vec<Runner>> {
    let mut runners = families::all();
    if arguments.family.is_empty() {
        return Ok(runners);
    }
    let mut families: Vec<_> = runners.iter().map(|runner| runner.family).collect();
    families.dedup();
    if let Some(unknown) = arguments.family.iter().find(|name| !families.contains(&name.as_str())) {
        return Err(anyhow!(
            "--family {unknown}: no such family, there are {}",
            families.join(", ")
        ));
    }
    runners.retain(|runner| arguments.family.iter().any(|family| family == runner.family));
    Ok(runners)
}

/// Makes one pass with a variant between two system calls.
fn pass(runners: &[Runner], variant: &str, samples: &[Sample]) -> anyhow::Result<Exit> {
    let runner = runners
        .iter()
        .find(|runner| runner.entry.name == variant)
        .ok_or_else(|| anyhow!("--pass {variant}: the family has no such variant on this CPU"))?;
    let samples: Vec<_> = samples.iter().step_by(10).copied().collect();
    std::io::stdin().read_line(&mut String::new())?;
    std::thread::yield_now();
    std::hint::black_box((runner.throughput)(&samples));
    std::thread::yield_now();
    Ok(Exit::Done)
}

/// Returns the recorded positions, each with a square to move to.
fn samples() -> anyhow::Result<Vec<Sample>> {
    notation::problems("tests/data/kernels.obf", POSITIONS)
        .map(|problem| Ok(Sample::new(problem?.position)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_one_to_twenty_empty_squares_are_recorded() {
        let mut counts = [0; 21];
        for sample in samples().unwrap() {
            let empty = !(sample.player | sample.opponent);
            counts[empty.count_ones() as usize] += 1;
            assert_eq!(empty >> sample.square & 1, 1, "the square is not empty");
        }
        assert_eq!(counts[1..], [30; 20]);
    }

    #[test]
    fn every_variant_has_its_turn_and_a_positive_time() {
        let samples = samples().unwrap();
        let runners = families::all();
        let measured = measure(&runners, &samples[..10], 1);
        assert_eq!(measured.variants.len(), runners.len());
        for variant in &measured.variants {
            let name = variant.runner.entry.name;
            assert!(variant.throughput > 0.0 && variant.latency > 0.0, "{name}");
        }
        assert!(measured.hertz.is_finite() && measured.hertz > 0.0);
    }

    #[test]
    fn an_unknown_family_is_an_error_that_names_the_families() {
        let arguments = Kernels { family: vec!["flop".into()], rounds: 1, json: false, pass: None };
        let error = chosen(&arguments).err().unwrap().to_string();
        assert!(error.starts_with("--family flop: no such family, there are count, "), "{error}");
        assert!(error.contains(", flip, "), "{error}");
    }
}
