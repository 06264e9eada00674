//! `cargo xtask instructions`: the instructions of each variant, counted by single steps.
//!
//! Virtual machines seldom have hardware counters, and emulators lack AVX-512; the trap flag works
//! everywhere. `outflank bench kernels --pass VARIANT` makes one pass over the recorded positions
//! between two calls of `sched_yield`. From the first on, the program goes on step by step. Its loop
//! runs at one height of the stack, and the variants that it calls run below: what is counted are the
//! steps below, from the first instruction of a call to its return.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use clap::Args;
use nix::libc::{SYS_sched_yield, user_regs_struct};
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

/// Fewer calls than this are no loop.
const FEWEST_CALLS: u32 = 20;

/// Count the instructions of every kernel variant by single steps and store them for `outflank
/// bench kernels`.
#[derive(Debug, Args)]
pub(crate) struct Instructions {
    /// The command, built in release mode.
    #[arg(long, value_name = "FILE", default_value = "target/release/outflank")]
    program: PathBuf,
    /// The file to write.
    #[arg(long, value_name = "FILE", default_value = "src/bench/kernels/instructions.tsv")]
    out: PathBuf,
}

/// Counts all variants and writes the file.
pub(crate) fn run(arguments: &Instructions) -> anyhow::Result<()> {
    let mut lines = format!("# counted by `cargo xtask instructions`, {}\n", compiler()?);
    for (family, variant) in variants(arguments)? {
        let count = count(arguments, &family, &variant)
            .with_context(|| format!("counting {family} {variant}"))?;
        eprintln!("{family} {variant} {count:.1}");
        writeln!(lines, "{family}\t{variant}\t{count:.1}")?;
    }
    let out = &arguments.out;
    fs::write(out, lines).with_context(|| format!("writing {}", out.display()))
}

/// Returns the compiler's name and version.
fn compiler() -> anyhow::Result<String> {
    let output = Command::new("rustc").arg("--version").output().context("starting rustc")?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Returns family and name of every variant that the command measures, in order.
fn variants(arguments: &Instructions) -> anyhow::Result<BTreeSet<(String, String)>> {
    let output = Command::new(&arguments.program)
        .args(["bench", "kernels", "--rounds", "1", "--json"])
        .output()
        .with_context(|| format!("starting {}", arguments.program.display()))?;
    let text = String::from_utf8(output.stdout)?;
    let field = |line: &str, name: &str| {
        let (_, rest) = line.split_once(&format!("\"{name}\":\""))?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let found: Option<BTreeSet<_>> =
        text.lines().map(|line| Some((field(line, "family")?, field(line, "variant")?))).collect();
    let mut found = found.context("a line without family and variant")?;
    found.retain(|(_, variant)| variant != "reference"); // thousands of steps, of no interest
    ensure!(!found.is_empty(), "the command measures nothing: {text}");
    Ok(found)
}

/// Returns the average number of instructions of a call.
fn count(arguments: &Instructions, family: &str, variant: &str) -> anyhow::Result<f64> {
    let mut child = Command::new(&arguments.program)
        .args(["bench", "kernels", "--family", family, "--pass", variant])
        .stdin(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting {}", arguments.program.display()))?;
    let pid = Pid::from_raw(i32::try_from(child.id())?);
    ptrace::attach(pid).context("attaching to the program")?;
    stopped(pid)?;
    // it waits for a line before the first system call that is looked for
    child.stdin.take().context("the program has no input")?.write_all(b"\n")?;
    let heights = heights(pid)?;
    child.kill()?;
    child.wait()?;
    average(&heights)
}

/// Lets the program run to the end of its first `sched_yield` and returns the height of the stack
/// before each instruction from there to the next one.
fn heights(pid: Pid) -> anyhow::Result<Vec<u64>> {
    ptrace::setoptions(pid, ptrace::Options::PTRACE_O_TRACESYSGOOD)?;
    loop {
        ptrace::syscall(pid, None)?; // to the beginning or the end of a system call
        stopped(pid)?;
        if ptrace::getregs(pid)?.orig_rax == SYS_sched_yield.cast_unsigned() {
            break;
        }
    }
    let mut heights = Vec::new();
    loop {
        let registers = ptrace::getregs(pid)?;
        if registers.rax == SYS_sched_yield.cast_unsigned() && is_system_call(pid, &registers)? {
            return Ok(heights);
        }
        heights.push(registers.rsp);
        ptrace::step(pid, None)?;
        stopped(pid)?;
    }
}

/// Returns whether the next instruction is `syscall`.
fn is_system_call(pid: Pid, registers: &user_regs_struct) -> anyhow::Result<bool> {
    let address = usize::try_from(registers.rip)?;
    let word = ptrace::read(pid, std::ptr::without_provenance_mut(address))?;
    Ok(word & 0xffff == 0x050f)
}

/// Waits until the program stops for the tracer.
fn stopped(pid: Pid) -> anyhow::Result<()> {
    match waitpid(pid, None)? {
        WaitStatus::Stopped(_, Signal::SIGTRAP | Signal::SIGSTOP)
        | WaitStatus::PtraceSyscall(_) => Ok(()),
        other => bail!("the program did not stop for the tracer: {other:?}"),
    }
}

/// Returns the average number of steps of the calls: those below the height of the loop.
///
/// The loop's height is the highest to which the steps come back time and again.
fn average(heights: &[u64]) -> anyhow::Result<f64> {
    let mut returns: BTreeMap<u64, u32> = BTreeMap::new();
    for pair in heights.windows(2).filter(|pair| pair[0] < pair[1]) {
        *returns.entry(pair[1]).or_default() += 1;
    }
    let often = returns.into_iter().rev().find(|(_, count)| *count >= FEWEST_CALLS);
    let (top, _) = often.with_context(|| format!("no calls in {} steps", heights.len()))?;
    let first = heights.iter().position(|height| *height == top).unwrap_or(0);
    let last = heights.iter().rposition(|height| *height == top).unwrap_or(0);
    let calls = heights[first..=last].split(|height| *height >= top).filter(|s| !s.is_empty());
    let (calls, steps) = calls.fold((0, 0), |(calls, steps), s| (calls + 1, steps + s.len()));
    Ok(steps as f64 / f64::from(calls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_below_the_loop_count() {
        // calls of two and four steps, the second with a call of its own
        let calls = [100, 92, 92, 100, 92, 84, 84, 92, 100].repeat(FEWEST_CALLS as usize);
        // the end of one system call, the loop's function, the start of another
        let heights: Vec<_> =
            [80, 120, 112].into_iter().chain(calls).chain([112, 120, 80]).collect();
        assert_eq!(average(&heights).unwrap(), 3.0);
        assert!(average(&[80, 100, 96]).is_err());
    }
}
