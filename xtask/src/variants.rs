//! `cargo xtask bench-variants`: the time of the search with each variant of each kernel.
//!
//! A micro-benchmark is not the search. For each variant the solver is built with that variant in
//! place of the engine's choice; then all solvers take turns over the same positions, and the least
//! processor time of each counts. All must visit the same nodes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use outflank_kernel::{Isa, Level};

use crate::families::{self, Family};
use crate::positions;

/// Build the solver with each variant of a kernel family and time it on FFO #20 to #39.
#[derive(Debug, Args)]
pub(crate) struct BenchVariants {
    /// Only this family (flip, last_flip, last_flip_both, mobility, potential, lines, stability,
    /// hash, symmetry, count); may be given several times.
    #[arg(long, value_name = "NAME")]
    family: Vec<String>,
    /// Only these variants, besides the engine's choice; may be given several times.
    #[arg(long, value_name = "NAME")]
    variant: Vec<String>,
    /// How often each solver has its turn.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The positions, as FIRST-LAST of the FFO set.
    #[arg(long, value_name = "FIRST-LAST", default_value = "20-39")]
    positions: String,
    /// The hash table of each solver, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// Take the solvers that the work folder has from an earlier run; build only those that it lacks.
    #[arg(long)]
    reuse: bool,
    /// The folder for the solvers.
    #[arg(long, value_name = "DIR", default_value = "target/variants")]
    work: PathBuf,
}

/// A solver with one variant, and its least processor time.
#[derive(Debug)]
struct Solver {
    family: &'static str,
    variant: &'static str,
    current: bool,
    program: PathBuf,
    seconds: f64,
}

/// Builds, measures and prints.
pub(crate) fn run(arguments: &BenchVariants) -> anyhow::Result<()> {
    let isa = Isa::chosen()?;
    let families = wanted(&arguments.family)?;
    check_variants(&arguments.variant, &families, isa.level())?;
    positions::range(&arguments.positions)?;
    let mut solvers = build(arguments, &families, isa.level())?;
    let mut nodes = None;
    for round in 1..=arguments.rounds {
        for solver in &mut solvers {
            let (seconds, visited) = solve(&solver.program, arguments)?;
            solver.seconds = solver.seconds.min(seconds);
            let expected = nodes.get_or_insert_with(|| visited.clone());
            ensure!(
                visited == *expected,
                "{} {} visits {visited} nodes, the others {expected}",
                solver.family,
                solver.variant
            );
        }
        eprintln!("round {round} of {}", arguments.rounds);
    }
    print(&mut solvers, arguments, isa.name(), &nodes.unwrap_or_default());
    Ok(())
}

/// Returns the families with the names that are asked for, all if none is.
fn wanted(names: &[String]) -> anyhow::Result<Vec<Family>> {
    let mut families = families::all();
    let known: Vec<_> = families.iter().map(|family| family.name).collect();
    for name in names {
        let list = known.join(", ");
        ensure!(known.contains(&name.as_str()), "--family {name}: expected one of {list}");
    }
    families.retain(|family| names.is_empty() || names.iter().any(|name| name == family.name));
    Ok(families)
}

/// Refuses the name of a variant that none of the families has on the CPU's level.
fn check_variants(names: &[String], families: &[Family], level: Level) -> anyhow::Result<()> {
    let known: BTreeSet<_> = families.iter().flat_map(|family| family.on(level)).collect();
    for name in names {
        let list = known.iter().copied().collect::<Vec<_>>().join(", ");
        ensure!(known.contains(name.as_str()), "--variant {name}: expected one of {list}");
    }
    Ok(())
}

/// Builds a solver for each variant that the CPU's level can enter.
fn build(
    arguments: &BenchVariants,
    families: &[Family],
    level: Level,
) -> anyhow::Result<Vec<Solver>> {
    fs::create_dir_all(&arguments.work)
        .with_context(|| format!("making {}", arguments.work.display()))?;
    let (mut solvers, mut choice_built) = (Vec::new(), false);
    for family in families {
        let choice = (family.choice)(level);
        let asked = |variant: &str| {
            variant == choice
                || arguments.variant.is_empty()
                || arguments.variant.iter().any(|asked| asked == variant)
        };
        for variant in family.on(level).filter(|variant| asked(variant)) {
            let current = variant == choice;
            let program = if current {
                arguments.work.join("choice") // the same solver for all families
            } else {
                arguments.work.join(format!("{}-{variant}", family.name))
            };
            let built = if current { &mut choice_built } else { &mut false };
            *built |= arguments.reuse && program.exists();
            if !*built {
                let wish = (!current).then_some((family.variable, variant));
                compile(&arguments.work, wish, &program)?;
                *built = true;
            }
            let family = family.name;
            solvers.push(Solver { family, variant, current, program, seconds: f64::INFINITY });
        }
    }
    Ok(solvers)
}

/// Builds the solver, with a variant in place of the choice if `wish` names its environment variable
/// and itself, as `program`.
fn compile(work: &Path, wish: Option<(&str, &str)>, program: &Path) -> anyhow::Result<()> {
    eprintln!("building {}", program.display());
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "-p", "outflank-engine", "--example", "solve_obf"])
        .arg("--target-dir")
        .arg(work)
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0") // the same code, built faster
        .envs(wish)
        .status()
        .context("starting cargo")?;
    ensure!(status.success(), "{} does not build", program.display());
    let built = work.join("release/examples/solve_obf");
    fs::copy(&built, program).with_context(|| format!("copying {}", built.display()))?;
    Ok(())
}

/// Solves the positions; returns the processor time in seconds and the nodes as they are printed.
fn solve(program: &Path, arguments: &BenchVariants) -> anyhow::Result<(f64, String)> {
    let before = children_seconds()?;
    let output = Command::new(program)
        .args(["tests/data/ffo.obf", "1", &arguments.hash.to_string(), &arguments.positions])
        .output()
        .with_context(|| format!("starting {}", program.display()))?;
    let seconds = children_seconds()? - before;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{} failed: {text}", program.display());
    ensure!(!text.contains("WRONG"), "{} found a wrong value: {text}", program.display());
    let last = text.lines().last().unwrap_or_default();
    let nodes = last.split(", ").find_map(|part| part.strip_suffix(" nodes"));
    Ok((seconds, nodes.context("the solver printed no nodes")?.to_owned()))
}

/// Returns the processor time of all programs that have been waited for.
fn children_seconds() -> anyhow::Result<f64> {
    let time = getrusage(UsageWho::RUSAGE_CHILDREN)?.user_time();
    Ok(time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6)
}

/// Prints a table for each family, the fastest solver first.
fn print(solvers: &mut [Solver], arguments: &BenchVariants, isa: &str, nodes: &str) {
    println!("FFO #{}, one thread, {isa}, {nodes} nodes in each;", arguments.positions);
    println!("least processor time of {} turns.", arguments.rounds);
    for family in solvers.chunk_by_mut(|a, b| a.family == b.family) {
        family.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let name = family[0].family;
        let current = family.iter().find(|solver| solver.current);
        let base = current.map_or(f64::NAN, |solver| solver.seconds);
        println!("\n| {name} | seconds | of the choice |\n| --- | --- | --- |");
        for Solver { variant, current, seconds, .. } in family {
            let mark = if *current { "**" } else { "" };
            println!("| {mark}{variant}{mark} | {seconds:.3} | {:.3} |", *seconds / base);
        }
    }
}
