//! `outflank train`: train the evaluation's weights, and measure how good they are.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, Subcommand};
use outflank_engine::evaluation::{File, Weights};
use outflank_kernel::Isa;
use outflank_training::plot::{Chart, Series};
use outflank_training::{
    CostPlan, CurvePoint, Plan, Progress, RefitPlan, TrainingError, curve, is_work_file,
    measure_costs, refit, report, train,
};

use crate::exit::{Exit, Failure, OrExit};
use crate::{files, output};

/// Train the weights of the evaluation, from nothing but the rules.
#[derive(Debug, Args)]
pub(crate) struct Train {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Train all stages and write a weights file.
    ///
    /// The same numbers give the same file, bit for bit. What is finished is kept in the work folder:
    /// the same command goes on where an earlier one was stopped, in whatever way.
    All(All),
    /// Fit a weights file again to positions from the trees of searches, and write another.
    ///
    /// `all` does so at its end. The costs of proofs stay as they were measured with the weights before:
    /// `costs` measures them again. The same numbers and weights give the same file, bit for bit; the
    /// same command goes on where an earlier one was stopped.
    Trees(Trees),
    /// Measure what proofs cost by the weights of a file, and write another with that.
    ///
    /// `all` does so at its end. The search compares moves by it. The same numbers and weights give the
    /// same file, bit for bit; the same command goes on where an earlier one was stopped.
    Costs(Costs),
    /// Compare the predictions of weights with exact values of games that training never sees.
    Report(Report),
    /// Show how the error falls with the number of labels, by the folder of a training.
    Curve(Curve),
}

/// What every training needs.
#[derive(Debug, Args)]
struct Work {
    /// The seed of all games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The folder for what is finished; it is made if it is missing.
    #[arg(long, value_name = "DIR")]
    work: PathBuf,
    /// The weights file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Plies that values are searched, an even number [default: 4].
    #[arg(long, value_name = "N")]
    plies: Option<u32>,
    /// Searches whose trees give positions for the second fit, 1000 each for a stage at most; in `all`
    /// 0 leaves it out [default: 2500].
    #[arg(long, value_name = "N")]
    trees: Option<usize>,
    /// Games for each of twelve numbers of empty squares where shallow and deep searches are compared;
    /// 0 leaves that out: what the weights say of it, if they do, stays [default: 4000].
    #[arg(long, value_name = "N")]
    selectivity: Option<usize>,
}

#[derive(Debug, Args)]
struct All {
    #[command(flatten)]
    work: Work,
    /// Multiply all numbers of games.
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = scale)]
    scale: f64,
    /// The most empty squares to train for, 10 to 56 [default: 56].
    #[arg(long, value_name = "N")]
    empties: Option<u32>,
    /// Games with exact values of 9 and 10 empty squares [default: 4000000].
    #[arg(long, value_name = "N")]
    base: Option<usize>,
    /// Games with searched values for each two numbers of empty squares more [default: 3000000].
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// Games with exact values that correct 11–12, 13–14, … empty squares [default:
    /// 1000000,300000,100000,20000,4000].
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    corrections: Option<Vec<usize>>,
    /// Searches in whose trees the costs of proofs are measured; 0 leaves that out, and the search then
    /// has nothing to compare moves by [default: 400].
    #[arg(long, value_name = "N")]
    costs: Option<usize>,
}

#[derive(Debug, Args)]
struct Trees {
    /// The weights file to begin with.
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    #[command(flatten)]
    work: Work,
}

#[derive(Debug, Args)]
struct Costs {
    /// The weights file.
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// The seed of all games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Searches in whose trees proofs are counted.
    #[arg(long, value_name = "N", default_value_t = CostPlan::default().searches)]
    searches: usize,
    /// The folder for what is finished; it is made if it is missing.
    #[arg(long, value_name = "DIR")]
    work: PathBuf,
    /// The weights file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct Report {
    /// The weights file [default: the weights that are part of the program].
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// The seed of the games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many games for which number of empty squares [default: 10:20000,12:20000,14:5000,16:2000,18:500].
    #[arg(
        long,
        value_name = "EMPTIES:GAMES,…",
        value_delimiter = ',',
        value_parser = set,
        hide_default_value = true,
        default_value = "10:20000,12:20000,14:5000,16:2000,18:500"
    )]
    sets: Vec<(u32, usize)>,
    /// Draw the errors.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Curve {
    /// The work folder of the training.
    #[arg(long, value_name = "DIR")]
    work: PathBuf,
    /// For how many empty squares; their stage must have searched labels.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(11..=56))]
    empties: u32,
    /// Games whose exact values the fits are compared with.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    games: usize,
    /// Draw the curve.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn scale(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number.is_finite() && number > 0.0);
    number.ok_or_else(|| "expected a number above 0, such as 0.01".to_owned())
}

/// Reads `EMPTIES:GAMES`.
fn set(text: &str) -> Result<(u32, usize), String> {
    text.split_once(':')
        .and_then(|(empties, games)| Some((empties.parse().ok()?, games.parse().ok()?)))
        .filter(|&(empties, games)| (1..=59).contains(&empties) && games > 0)
        .ok_or_else(|| {
            "expected EMPTIES:GAMES, such as 14:5000, with 1 to 59 empties and a game at least"
                .to_owned()
        })
}

/// Does what is asked.
pub(crate) fn run(train: &Train, quiet: bool) -> Result<Exit, Failure> {
    let isa = Isa::chosen().or_exit(Exit::BadInput)?;
    let progress = if quiet { Progress::hidden() } else { Progress::new(output::note) };
    match &train.action {
        Action::All(all) => run_all(all, isa, &progress),
        Action::Trees(trees) => run_trees(trees, isa, &progress),
        Action::Costs(costs) => run_costs(costs, isa, &progress),
        Action::Report(report) => run_report(report, isa, &progress),
        Action::Curve(curve) => run_curve(curve, isa, &progress),
    }
}

fn run_all(all: &All, isa: Isa, progress: &Progress) -> Result<Exit, Failure> {
    let All { work, .. } = all;
    let default = Plan::default();
    let plan = Plan {
        seed: work.seed,
        empties: all.empties.unwrap_or(default.empties),
        base: all.base.unwrap_or(default.base),
        games: all.games.unwrap_or(default.games),
        plies: work.plies.unwrap_or(default.plies),
        corrections: all.corrections.clone().unwrap_or(default.corrections),
        trees: work.trees.unwrap_or(default.trees),
        selectivity: work.selectivity.unwrap_or(default.selectivity),
        costs: all.costs.unwrap_or(default.costs),
    };
    check(&work.work, &work.out)?;
    let trained = train(&plan.scaled(all.scale), isa, &work.work, progress);
    let file = trained.map_err(|error| match error {
        // The numbers are others than those that were given.
        TrainingError::Plan(_) if all.scale != 1.0 => {
            let scaled = format!("with all numbers of games multiplied by --scale {}", all.scale);
            Failure::new(Exit::BadInput, anyhow!(error).context(scaled))
        }
        error => failure(error),
    })?;
    finish(&file, &work.out)
}

fn run_trees(asked: &Trees, isa: Isa, progress: &Progress) -> Result<Exit, Failure> {
    let Trees { weights, work } = asked;
    let default = RefitPlan::default();
    let plan = RefitPlan {
        seed: work.seed,
        trees: work.trees.unwrap_or(default.trees),
        plies: work.plies.unwrap_or(default.plies),
        selectivity: work.selectivity.unwrap_or(default.selectivity),
    };
    check(&work.work, &work.out)?;
    let first = read(weights)?;
    let file = refit(&first, &plan, isa, &work.work, progress).map_err(failure)?;
    finish(&file, &work.out)
}

fn run_costs(asked: &Costs, isa: Isa, progress: &Progress) -> Result<Exit, Failure> {
    let Costs { weights, seed, searches, work, out } = asked;
    check(work, out)?;
    let plan = CostPlan { seed: *seed, searches: *searches };
    let file = measure_costs(read(weights)?, &plan, isa, work, progress).map_err(failure)?;
    finish(&file, out)
}

/// Refuses paths at which nothing can be kept or written.
fn check(work: &Path, out: &Path) -> Result<(), Failure> {
    files::check_folder("--work", work)?;
    if work == out {
        let error = anyhow!("--out {}: is the work folder, expected a file", out.display());
        return Err(error).or_exit(Exit::BadInput);
    }
    files::check_output("--out", out)?;
    spare(work, "--out", out)
}

/// Refuses the path of an output, given by `option`, that would take the place of what the training keeps in the folder
/// `work`.
fn spare(work: &Path, option: &str, path: &Path) -> Result<(), Failure> {
    if is_work_file(work, path) {
        let error = anyhow!(
            "{option} {}: is a file that the training keeps in its work folder, expected another",
            path.display()
        );
        return Err(error).or_exit(Exit::BadInput);
    }
    Ok(())
}

/// Writes the trained weights and says so.
fn finish(file: &File, path: &Path) -> Result<Exit, Failure> {
    let content = file.encode();
    files::write(path, &content)?;
    let (path, id) = (path.display(), file.id());
    output::line(&format!("{path}: {} bytes, weights {id:016x}", content.len()))?;
    Ok(Exit::Done)
}

fn run_report(asked: &Report, isa: Isa, progress: &Progress) -> Result<Exit, Failure> {
    check_drawing(asked.svg.as_deref())?;
    let weights = match &asked.weights {
        None => Weights::embedded().or_exit(Exit::BadInput)?,
        Some(path) => &Weights::new(&read(path)?),
    };
    output::line(&format!("weights {:016x}", weights.id()))?;
    output::line(weights.provenance().trim_end())?;
    output::line("empties positions    MAE   RMSE   bias")?;
    let (mut absolute, mut square) = (Vec::new(), Vec::new());
    for &(empties, games) in &asked.sets {
        let accuracy =
            report(weights, isa, asked.seed, empties, games, progress).map_err(failure)?;
        output::line(&accuracy.to_string())?;
        absolute.push((f64::from(empties), accuracy.mean_absolute));
        square.push((f64::from(empties), accuracy.root_mean_square));
    }
    let chart = Chart {
        title: "Error against exact values that training never saw".to_owned(),
        across: "empty squares".to_owned(),
        up: "discs".to_owned(),
        logarithmic: false,
        series: vec![series("root mean square", square), series("mean absolute", absolute)],
    };
    draw(&chart, asked.svg.as_deref())
}

fn run_curve(asked: &Curve, isa: Isa, progress: &Progress) -> Result<Exit, Failure> {
    let Curve { work, empties, games, svg } = asked;
    files::check_existing_folder("--work", work)?;
    check_drawing(svg.as_deref())?;
    svg.as_deref().map_or(Ok(()), |svg| spare(work, "--svg", svg))?;
    let points = curve(work, isa, *empties, *games, progress).map_err(failure)?;
    output::line("  labels  alone  with the neighbouring stage as prior")?;
    for &CurvePoint { labels, alone, with_prior } in &points {
        output::line(&format!("{labels:>8} {alone:>6.2} {with_prior:>6.2}"))?;
    }
    let line = |error: fn(&CurvePoint) -> f64| {
        points.iter().map(|point| (point.labels as f64, error(point))).collect()
    };
    let chart = Chart {
        title: format!("Error by number of searched labels, {empties} empty squares"),
        across: "labels".to_owned(),
        up: "discs".to_owned(),
        logarithmic: true,
        series: vec![
            series("without a prior", line(|point| point.alone)),
            series("neighbouring stage as prior", line(|point| point.with_prior)),
        ],
    };
    draw(&chart, svg.as_deref())
}

fn series(name: &str, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), points }
}

fn check_drawing(path: Option<&Path>) -> Result<(), Failure> {
    path.map_or(Ok(()), |path| files::check_output("--svg", path))
}

fn draw(chart: &Chart, path: Option<&Path>) -> Result<Exit, Failure> {
    if let Some(path) = path {
        files::write(path, chart.svg().as_bytes())?;
    }
    Ok(Exit::Done)
}

fn read(path: &Path) -> Result<File, Failure> {
    let what = || format!("reading {}", path.display());
    let content = fs::read(path).with_context(what).or_exit(Exit::BadInput)?;
    File::decode(&content).with_context(what).or_exit(Exit::BadInput)
}

fn failure(error: TrainingError) -> Failure {
    let exit = match error {
        TrainingError::Plan(_)
        | TrainingError::TooFew { .. }
        | TrainingError::OtherPlan { .. }
        | TrainingError::NotTrained { .. }
        | TrainingError::Damaged { .. }
        | TrainingError::InUse { .. } => Exit::BadInput,
        // As of --out, the place is a wrong one.
        TrainingError::Io { ref source, .. } if is_about_the_place(source.kind()) => Exit::BadInput,
        _ => Exit::Failed,
    };
    Failure::new(exit, error)
}

/// Returns whether such an error is to be expected wherever this user has no file, or may not write one.
fn is_about_the_place(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotFound
            | ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It was said to be a failure of the program, where of --out it is bad input.
    #[test]
    fn a_work_folder_that_may_not_be_written_is_bad_input() {
        for (kind, expected) in [
            (ErrorKind::PermissionDenied, Exit::BadInput),
            (ErrorKind::ReadOnlyFilesystem, Exit::BadInput),
            (ErrorKind::NotADirectory, Exit::BadInput),
            (ErrorKind::StorageFull, Exit::Failed),
        ] {
            let path = PathBuf::from("work/lock");
            let error = TrainingError::Io { action: "writing", path, source: kind.into() };
            let said = format!("{:?}", failure(error));
            assert!(said.contains(&format!("exit: {expected:?}")), "{said}");
        }
    }
}
