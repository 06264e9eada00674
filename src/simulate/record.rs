//! The file of the jobs of a simulation: written by one run, fitted by another.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use outflank_engine::notation::{self, Side};
use outflank_engine::{Bound, Score, Window};
use outflank_simulation::{Fit, Piece, Sample};
use serde::{Deserialize, Serialize};

use super::Simulate;
use crate::exit::{Exit, Failure, OrExit};
use crate::{files, input};

/// One line of the record.
#[derive(Debug, Deserialize, Serialize)]
struct Line {
    workers: usize,
    worker: usize,
    board: String,
    lower: i32,
    upper: i32,
    node_limit: u64,
    begin_micros: u64,
    end_micros: u64,
    nodes: u64,
    finished: bool,
    cancelled: bool,
    proved_lower: i32,
    proved_upper: i32,
}

/// The file of jobs, if one is wanted.
pub(super) struct Record {
    path: PathBuf,
    file: Option<std::io::BufWriter<fs::File>>,
    failed: Option<std::io::Error>,
}

impl Record {
    /// Returns the record that the arguments name, if they do, of which nothing is touched yet.
    ///
    /// # Errors
    /// If no file can be written there, or what is there is to be read.
    pub(super) fn named(asked: &Simulate) -> Result<Self, Failure> {
        let path = asked.record.clone().unwrap_or_default();
        if asked.record.is_some() {
            files::check_place("--record", &path)?;
            let read = [asked.fit.as_deref(), asked.position.as_deref().map(Path::new)];
            let same = |other: &Path| is_same(other, &path);
            if let Some(read) = read.into_iter().flatten().find(|&other| same(other)) {
                let read = read.display();
                let error = anyhow!(
                    "--record {}: is to be read as {read}, expected another file",
                    path.display()
                );
                return Err(error).or_exit(Exit::BadInput);
            }
        }
        Ok(Self { path, file: None, failed: None })
    }

    /// Begins the file anew, once all that is asked was found to be in order.
    pub(super) fn begin(&mut self, asked: &Simulate) -> Result<(), Failure> {
        let create = |path: &PathBuf| {
            fs::File::create(path).with_context(|| format!("creating {}", path.display()))
        };
        let file = asked.record.as_ref().map(create).transpose().or_exit(Exit::BadInput)?;
        self.file = file.map(std::io::BufWriter::new);
        Ok(())
    }

    /// Writes one job.
    pub(super) fn add(&mut self, workers: usize, piece: &Piece) {
        let Some(file) = &mut self.file else { return };
        let line = Line {
            workers,
            worker: piece.worker,
            board: notation::board(piece.job.position, Side::Black),
            lower: piece.job.window.lower().discs(),
            upper: piece.job.window.upper().discs(),
            node_limit: piece.job.node_limit,
            begin_micros: piece.begin,
            end_micros: piece.end,
            nodes: piece.nodes,
            finished: piece.finished,
            cancelled: piece.cancelled,
            proved_lower: piece.bound.lower().discs(),
            proved_upper: piece.bound.upper().discs(),
        };
        let text = serde_json::to_string(&line).map_err(std::io::Error::from);
        if let Err(error) = text.and_then(|text| writeln!(file, "{text}")) {
            self.failed.get_or_insert(error);
        }
    }

    /// Closes the file.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        if let Some(mut file) = self.file.take() {
            let flushed = file.flush();
            self.failed
                .map_or(flushed, Err)
                .with_context(|| format!("writing {}", self.path.display()))?;
        }
        Ok(())
    }
}

/// Returns whether both paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|one| Some(one) == real(other))
}

/// Returns the fit to the goals in a recorded file.
pub(super) fn fit(path: &Path) -> Result<Fit, Failure> {
    let samples = samples(path).or_exit(Exit::BadInput)?;
    let too_few = || anyhow!("{}: too few different goals were answered for a fit", path.display());
    Fit::of(&samples).ok_or_else(too_few).or_exit(Exit::BadInput)
}

/// Returns the goals that were answered.
fn samples(path: &Path) -> anyhow::Result<Vec<Sample>> {
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let text = input::text(&path.to_string_lossy(), bytes, "recorded jobs")?;
    let mut samples = Vec::new();
    for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let place = || format!("{}, line {}: a recorded job", path.display(), index + 1);
        let line: Line = serde_json::from_str(text).with_context(place)?;
        samples.extend(sample(&line).with_context(place)?);
    }
    Ok(samples)
}

/// Returns the goal of a job, if it was one and was answered.
fn sample(line: &Line) -> anyhow::Result<Option<Sample>> {
    let score = |discs| Score::new(discs).with_context(|| format!("{discs} is no score"));
    let window = Window::new(score(line.lower)?, score(line.upper)?).context("an empty window")?;
    let bound = Bound::new(score(line.proved_lower)?, score(line.proved_upper)?);
    let bound = bound.context("an empty bound")?;
    let problem = notation::problems("board", &line.board).next().context("no board")??;
    let (position, nodes) = (problem.position, line.nodes);
    let is_answered = line.finished && window.is_null() && bound.answers(window);
    Ok(is_answered.then_some(Sample { position, window, bound, nodes }))
}
