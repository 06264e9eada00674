//! The table and the JSON lines.

use outflank_kernel::{Isa, symmetry};
use serde::Serialize;

use super::instructions;
use super::runner::{Measured, Measurement, Runner};
use crate::output;

/// One variant, as it is printed; times in nanoseconds a call.
#[derive(Debug, Serialize)]
struct Row<'a> {
    family: &'a str,
    variant: &'a str,
    techniques: &'a str,
    needs: &'a [&'a str],
    /// The levels on which the engine enters it.
    engine: Vec<&'static str>,
    /// Whether the engine enters it on this CPU.
    current: bool,
    throughput_ns: f64,
    throughput_cycles: f64,
    latency_ns: f64,
    latency_cycles: f64,
    instructions: Option<f64>,
}

/// Prints all variants, the families in the order of the catalogue, the fastest variant first.
pub(super) fn print(
    measured: &Measurement<'_>,
    isa: Isa,
    positions: usize,
    json: bool,
) -> anyhow::Result<()> {
    let mut rows: Vec<_> =
        measured.variants.iter().map(|variant| row(variant, measured.hertz, isa)).collect();
    for family in rows.chunk_by_mut(|a, b| a.family == b.family) {
        family.sort_by(|a, b| a.throughput_ns.total_cmp(&b.throughput_ns));
    }
    if json {
        return rows.iter().try_for_each(|row| output::line(&serde_json::to_string(row)?));
    }
    head(measured.hertz, positions, isa)?;
    for family in rows.chunk_by(|a, b| a.family == b.family) {
        print_family(family)?;
    }
    Ok(())
}

fn row<'a>(measured: &Measured<'a>, hertz: f64, isa: Isa) -> Row<'a> {
    let runner = measured.runner;
    let rounded = |number: f64| (number * 100.0).round() / 100.0;
    Row {
        family: runner.family,
        variant: runner.entry.name,
        techniques: runner.entry.techniques,
        needs: runner.entry.needs,
        engine: runner.chosen.iter().map(|level| level.name()).collect(),
        current: is_current(runner, isa),
        throughput_ns: rounded(measured.throughput * 1e9),
        throughput_cycles: rounded(measured.throughput * hertz),
        latency_ns: rounded(measured.latency * 1e9),
        latency_cycles: rounded(measured.latency * hertz),
        instructions: instructions::of(runner.family, runner.entry.name),
    }
}

/// Returns whether the engine enters it on a CPU with this set: a canonical form, which is called through a
/// pointer, may be beyond the level's.
fn is_current(runner: &Runner, isa: Isa) -> bool {
    if runner.family != "symmetry" {
        return runner.chosen.contains(&isa.level());
    }
    symmetry::engine_variant(isa).is_some_and(|variant| variant.entry().name == runner.entry.name)
}

fn head(hertz: f64, positions: usize, isa: Isa) -> anyhow::Result<()> {
    output::line(&format!(
        "{positions} positions of 1 to 20 empty squares; clock about {:.2} GHz; the engine uses {}, this CPU has {}",
        hertz / 1e9,
        isa.level().name(),
        Isa::detect(),
    ))?;
    output::line(
        "a call through a pointer; * the engine's choice on this CPU, also that of the levels named",
    )?;
    for line in instructions::provenance() {
        output::line(&format!("instructions: {line}"))?;
    }
    Ok(())
}

fn print_family(rows: &[Row<'_>]) -> anyhow::Result<()> {
    let family = rows.first().map_or("", |row| row.family);
    output::line(&format!(
        "\n{family:<28} {:<12} {:>9} {:>7} {:>9} {:>7} {:>7}  engine on",
        "rows", "thr. ns", "cycles", "lat. ns", "cycles", "instr."
    ))?;
    for row in rows {
        let mark = if row.current { '*' } else { ' ' };
        let instructions =
            row.instructions.map_or_else(|| "-".to_owned(), |count| format!("{count:.1}"));
        let line = format!(
            "{mark} {:<26} {:<12} {:>9.2} {:>7.1} {:>9.2} {:>7.1} {instructions:>7}  {}",
            row.variant,
            row.techniques,
            row.throughput_ns,
            row.throughput_cycles,
            row.latency_ns,
            row.latency_cycles,
            row.engine.join(", "),
        );
        output::line(line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::families;
    use super::*;

    /// It was the level's choice that had the mark, where the engine enters the one that needs GFNI.
    #[test]
    fn the_canonical_form_that_the_engine_calls_has_the_mark() {
        let mut runners = families::all();
        runners.retain(|runner| runner.family == "symmetry");
        for isa in Isa::available() {
            let marked = runners.iter().filter(|runner| is_current(runner, isa));
            let marked: Vec<_> = marked.map(|runner| runner.entry.name).collect();
            let called = symmetry::engine_variant(isa).expect("each level has one").entry().name;
            assert_eq!(marked, [called], "{isa}");
        }
    }
}
