//! What must hold whatever has happened.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::Soak;
use super::cluster::Fault;
use super::docket::TakenBack;
use crate::load::process;
use crate::{folder, positions};

/// The number of the proof's searched rows that the checker solves again in each round.
const SAMPLE: &str = "30";

/// Keeps what was seen, and counts.
#[derive(Debug)]
pub(super) struct Judge {
    work: PathBuf,
    positions: String,
    liars: bool,
    /// Whether workers are to share searches, and can be asked about it.
    shared: bool,
    count: usize,
    faults: BTreeMap<Fault, u64>,
    /// The bounds that were on disk at the last kill of the coordinator.
    on_disk: HashMap<String, (i64, i64)>,
    /// What had been taken back then.
    taken_back: TakenBack,
    compared: u64,
    rows: u64,
    /// Kills between a verdict and its end.
    interrupted: u64,
    /// Answers that were not audited and false.
    misled: u64,
    /// Verdicts.
    found_out: u64,
    /// Moves that workers have tried for each other since the last kill of the coordinator in each round.
    errands: u64,
}

impl Judge {
    /// Takes the positions that are asked for.
    pub(super) fn new(arguments: &Soak) -> anyhow::Result<Self> {
        let (first, last) = positions::range(&arguments.positions)?;
        let file =
            fs::read_to_string("tests/data/ffo.obf").context("reading tests/data/ffo.obf")?;
        let problems = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let chosen: Vec<&str> = problems.skip(first - 1).take(last + 1 - first).collect();
        Ok(Self {
            work: arguments.work.clone(),
            positions: chosen.iter().map(|line| format!("{line}\n")).collect(),
            liars: arguments.liars,
            shared: arguments.shared && !arguments.network,
            count: chosen.len(),
            faults: BTreeMap::new(),
            on_disk: HashMap::new(),
            taken_back: TakenBack::default(),
            compared: 0,
            rows: 0,
            interrupted: 0,
            misled: 0,
            found_out: 0,
            errands: 0,
        })
    }

    /// Makes the work folder anew.
    pub(super) fn begin_round(&mut self) -> anyhow::Result<()> {
        folder::make_anew(&self.work)?;
        fs::write(self.work.join("positions.obf"), &self.positions).context("writing positions")?;
        self.on_disk.clear();
        self.taken_back = TakenBack::default();
        Ok(())
    }

    /// Counts a fault.
    pub(super) fn count(&mut self, fault: Fault) {
        *self.faults.entry(fault).or_default() += 1;
    }

    /// Checks that nothing that was on disk is gone, unless proofs were or are being taken back.
    pub(super) fn coordinator_died(&mut self) -> anyhow::Result<()> {
        let now = TakenBack::read(&self.work.join("store/docket.jsonl"))?;
        let before = std::mem::replace(&mut self.taken_back, now);
        if !now.is_settled() {
            self.interrupted += 1;
        }
        if now != before || !now.is_settled() {
            self.on_disk.clear();
        }
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

    /// Checks the answers of a client that is to ask again: those are false at most that it was told not to rely on.
    pub(super) fn asked_again(&mut self, answers: &str) -> anyhow::Result<()> {
        for line in answers.lines() {
            let answer: Value = serde_json::from_str(line).context("reading the answers")?;
            let is_unsure = answer["unaudited"].as_u64() > Some(0) || answer["value"].is_null();
            ensure!(is_unsure || answer["agrees"] == true, "a wrong answer: {line}");
            self.misled += u64::from(answer["agrees"] == false);
        }
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

    /// Counts what the coordinator at `address` has seen.
    pub(super) fn look(&mut self, address: &str) -> anyhow::Result<()> {
        let overview = self.outflank(&["top", "--connect", address, "--json"])?;
        let overview: Value = serde_json::from_str(&overview).context("reading the overview")?;
        self.errands += overview["errands"].as_u64().context("the overview counts errands")?;
        Ok(())
    }

    /// Checks that workers have shared searches if they were to.
    pub(super) fn check_sharing(&self) -> anyhow::Result<()> {
        ensure!(!self.shared || self.errands > 0, "no worker has done an errand for another one");
        Ok(())
    }

    /// Checks the store and its proof.
    pub(super) fn end_round(&mut self) -> anyhow::Result<()> {
        self.verify()?;
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
        if self.shared {
            println!(
                "{} errands done by workers for each other since the last kills",
                self.errands
            );
        }
        if self.liars {
            println!(
                "{} liars found out, {} kills before what they claimed was taken back; {} false answers, none of them \
                 without the remark that it was not audited",
                self.found_out, self.interrupted, self.misled
            );
        }
    }

    /// Checks the store. Where there were liars it may have claims that were put aside.
    fn verify(&mut self) -> anyhow::Result<()> {
        self.found_out += TakenBack::read(&self.work.join("store/docket.jsonl"))?.verdicts;
        let accepted: &[i32] = if self.liars { &[0, 5] } else { &[0] };
        self.run_to(accepted, &process::program(), &["store", "verify", "store"]).map(drop)
    }

    fn outflank(&self, arguments: &[&str]) -> anyhow::Result<String> {
        self.run(&process::program(), arguments)
    }

    /// Runs a program in the work folder to its end, which must be a success.
    fn run(&self, program: &Path, arguments: &[&str]) -> anyhow::Result<String> {
        self.run_to(&[0], program, arguments)
    }

    /// Runs a program in the work folder to its end, with one of these codes.
    fn run_to(
        &self,
        accepted: &[i32],
        program: &Path,
        arguments: &[&str],
    ) -> anyhow::Result<String> {
        let output = Command::new(program).args(arguments).current_dir(&self.work).output();
        let output = output.with_context(|| format!("starting {}", program.display()))?;
        let said = String::from_utf8_lossy(&output.stderr);
        let is_accepted = output.status.code().is_some_and(|code| accepted.contains(&code));
        ensure!(is_accepted, "{arguments:?} ended with {}: {said}", output.status);
        String::from_utf8(output.stdout).context("the output is text")
    }
}
