//! What the coordinator has promised, and whether its store keeps it.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, ensure};
use outflank_engine::{Bound, FoundBound, Position, Score};
use outflank_proto::message::Report;
use serde_json::Value;

use super::process;

/// What workers have said.
#[derive(Debug, Default)]
pub(super) struct Promises {
    /// The bounds of acknowledged reports: they are on disk, whatever happens.
    acknowledged: Mutex<HashMap<Position, Bound>>,
    reports: AtomicU64,
    /// The bounds from inside jobs, of which nothing is promised.
    found: Mutex<HashMap<Position, Bound>>,
    messages: AtomicU64,
    sent: AtomicU64,
}

impl Promises {
    /// Notes a report that was acknowledged.
    pub(super) fn acknowledged(&self, report: &Report) {
        self.reports.fetch_add(1, Ordering::Relaxed);
        let after = |&(square, bound)| Some((report.position.play(square)?, bound));
        let children = report.children.iter().filter_map(after);
        let mut acknowledged = self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
        for (position, bound) in children.chain([(report.position, report.bound)]) {
            add(&mut acknowledged, position, bound);
        }
    }

    /// Notes bounds that a worker tells of.
    pub(super) fn found(&self, bounds: &[FoundBound]) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.sent.fetch_add(bounds.len() as u64, Ordering::Relaxed);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for bound in bounds {
            add(&mut found, bound.position, bound.bound);
        }
    }

    /// Returns how many messages from inside jobs there were, and how many bounds in them.
    pub(super) fn sent(&self) -> (u64, u64) {
        (self.messages.load(Ordering::Relaxed), self.sent.load(Ordering::Relaxed))
    }

    /// Compares the store in the folder `work`, whose coordinator is dead, with what was promised, and prints that.
    pub(super) fn check(&self, work: &Path) -> anyhow::Result<()> {
        let kept = exported(work)?;
        let acknowledged = self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |(position, bound): (&Position, &Bound)| {
            kept.get(position).is_some_and(|held| held.implies(*bound))
        };
        for promised in acknowledged.iter() {
            ensure!(holds(promised), "{promised:?} was acknowledged and is not in the store");
        }
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let there = found.iter().filter(|&found| holds(found)).count();
        println!(
            "store         {} reports acknowledged: all of their {} bounds are there; {there} of the bounds of {} \
             positions inside jobs are",
            self.reports.load(Ordering::Relaxed),
            acknowledged.len(),
            found.len(),
        );
        ensure!(
            found.is_empty() || there > 0,
            "nothing that was found inside jobs is in the store"
        );
        Ok(())
    }
}

/// Merges a bound that is worth keeping.
fn add(bounds: &mut HashMap<Position, Bound>, position: Position, bound: Bound) {
    if bound != Bound::UNKNOWN && !position.is_over() {
        let held = bounds.entry(position.canonical()).or_insert(bound);
        *held = held.merge(bound).unwrap_or(bound);
    }
}

/// Returns all bounds of the store in the folder `work`.
fn exported(work: &Path) -> anyhow::Result<HashMap<Position, Bound>> {
    let export = Command::new(process::program())
        .args(["store", "export"])
        .arg(work.join("store"))
        .output()
        .context("exporting the store")?;
    let said = String::from_utf8_lossy(&export.stderr);
    ensure!(export.status.success(), "exporting the store: {}: {said}", export.status);
    let lines = String::from_utf8(export.stdout).context("the export is text")?;
    lines.lines().map(|line| read(line).with_context(|| format!("the row {line}"))).collect()
}

fn read(line: &str) -> Option<(Position, Bound)> {
    let row: Value = serde_json::from_str(line).ok()?;
    let score = |name: &str| Score::new(i32::try_from(row[name].as_i64()?).ok()?);
    let squares = row["position"].as_str()?.bytes().enumerate().take(64);
    let of = |disc: u8| squares.clone().filter(move |&(_, byte)| byte == disc || byte == b'+');
    let bits = |disc| of(disc).map(|(square, _)| 1_u64 << square).sum();
    let position = Position::new(bits(b'X'), bits(b'O'))?;
    Some((position, Bound::new(score("lower")?, score("upper")?)?))
}
