//! What must hold whatever has happened.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::cluster::Fault;
use crate::load::process;
use crate::{folder, positions};

/// The number of the proof's searched rows that the checker solves again in each round.
const SAMPLE: &str = "30";

/// Keeps what was seen, and counts.
#[derive(Debug)]
pub(super) struct Judge {
    work: PathBuf,
    positions: String,
    count: usize,
    faults: BTreeMap<Fault, u64>,
    /// The bounds that were on disk at the last kill of the coordinator.
    on_disk: HashMap<String, (i64, i64)>,
    compared: u64,
    rows: u64,
}

impl Judge {
    /// Takes the positions with these numbers.
    pub(super) fn new(work: &Path, numbers: &str) -> anyhow::Result<Self> {
        let (first, last) = positions::range(numbers)?;
        let file =
            fs::read_to_string("tests/data/ffo.obf").context("reading tests/data/ffo.obf")?;
        let problems = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let chosen: Vec<&str> = problems.skip(first - 1).take(last + 1 - first).collect();
        Ok(Self {
            work: work.to_owned(),
            positions: chosen.iter().map(|line| format!("{line}\n")).collect(),
            count: chosen.len(),
            faults: BTreeMap::new(),
            on_disk: HashMap::new(),
            compared: 0,
            rows: 0,
        })
    }

    /// Makes the work folder anew.
    pub(super) fn begin_round(&mut self) -> anyhow::Result<()> {
        folder::make_anew(&self.work)?;
        fs::write(self.work.join("positions.obf"), &self.positions).context("writing positions")?;
        self.on_disk.clear();
        Ok(())
    }

    /// Counts a fault.
    pub(super) fn count(&mut self, fault: Fault) {
        *self.faults.entry(fault).or_default() += 1;
    }

    /// Checks that nothing that was on disk is gone.
    pub(super) fn coordinator_died(&mut self) -> anyhow::Result<()> {
        let export = self.outflank(&["store", "export", "store"])?;
        let mut now = HashMap::new();
        for line in export.lines() {
            let row: Value = serde_json::from_str(line).context("reading the export")?;
            let bound = row["lower"].as_i64().zip(row["upper"].as_i64());
            let position = row["position"].as_str().context("a row without a position")?;
            now.insert(position.to_owned(), bound.context("a row without a bound")?);
        }
        for (position, &(lower, upper)) in &self.on_disk {
            let held = now.get(position).is_some_and(|&held| held.0 >= lower && held.1 <= upper);
            ensure!(held, "{position}: {lower}..{upper} was on disk and is gone");
        }
        self.compared += self.on_disk.len() as u64;
        self.on_disk = now;
        Ok(())
    }

    /// Checks the client's answers against the known values.
    pub(super) fn answers(&self, answers: &str) -> anyhow::Result<()> {
        let mut count = 0;
        for line in answers.lines() {
            let answer: Value = serde_json::from_str(line).context("reading the answers")?;
            let is_right = answer["agrees"] == true && answer["value"] == answer["expected"];
            ensure!(is_right, "a wrong answer: {line}");
            count += 1;
        }
        ensure!(count == self.count, "{count} answers, expected {}", self.count);
        Ok(())
    }

    /// Checks the store and its proof.
    pub(super) fn end_round(&mut self) -> anyhow::Result<()> {
        self.outflank(&["store", "verify", "store"])?;
        self.outflank(&["proof", "export", "positions.obf", "--store", "store", "--out", "proof"])?;
        let checker = process::program().with_file_name("outflank-check");
        let report = self.run(&checker, &["proof", "--sample", SAMPLE, "--json"])?;
        let report: Value =
            serde_json::from_str(&report).context("reading the checker's report")?;
        self.rows += report["rows"].as_u64().context("the report counts rows")?;
        Ok(())
    }

    /// Prints what was survived.
    pub(super) fn print(&self, rounds: u32, time: Duration) {
        let all: u64 = self.faults.values().sum();
        println!(
            "{rounds} rounds of {} positions in {:.0} s, {all} faults survived: all values right",
            self.count,
            time.as_secs_f64()
        );
        for (fault, count) in &self.faults {
            println!("  {count:>6} {fault:?}");
        }
        println!(
            "{} bounds compared after kills, none lost; {} rows of proofs accepted by outflank-check",
            self.compared, self.rows
        );
    }

    fn outflank(&self, arguments: &[&str]) -> anyhow::Result<String> {
        self.run(&process::program(), arguments)
    }

    /// Runs a program in the work folder to its end, which must be a success.
    fn run(&self, program: &Path, arguments: &[&str]) -> anyhow::Result<String> {
        let output = Command::new(program).args(arguments).current_dir(&self.work).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?} ended with {}: {said}", output.status);
        String::from_utf8(output.stdout).context("the output is text")
    }
}
