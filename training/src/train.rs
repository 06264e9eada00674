//! The whole training: stage by stage from the end of the game backwards.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use outflank_engine::evaluation::{File, PARAMETERS, Selectivity, Weights, stage_of};
use outflank_kernel::Isa;

use crate::costs::{CostPlan, costs};
use crate::progress::Progress;
use crate::refit::Refit;
use crate::samples::{Purpose, positions};
use crate::stage::{Fitted, fit, mean_residual, problem};
use crate::work::Work;
use crate::{Plan, Samples, TrainingError, labels, selectivity};

/// The version of the generator, the labels and the fit: a change in them is another training.
pub(crate) const GENERATOR: u32 = 1;

/// The version of the engine's search: another one samples other trees and finds other costs, and so is another training.
///
/// Raised by hand when searches of the same position with the same weights come to other nodes than before; a test in
/// `trees.rs` says when that is.
pub(crate) const SEARCH: u32 = 1;

/// The first stage that is fitted: nine and ten empty squares, with exact labels.
pub(crate) const BASE: u32 = stage_of(10);
/// The last stage of the game that is fitted: five and six empty squares.
pub(crate) const FIRST: u32 = stage_of(5);
/// The stage of the most empty squares for which there are weights to fit, 55 and 56.
pub(crate) const LAST: u32 = stage_of(56);

/// Forces towards the prior: of the base, which has none; of a stage towards its neighbour; of the
/// exact correction towards the fit to searched labels.
pub(crate) const RIDGE_BASE: f64 = 10.0;
pub(crate) const RIDGE_STAGE: f64 = 30.0;
const RIDGE_CORRECTION: f64 = 150.0;

/// Trains the weights that `plan` describes. What is finished is kept in the folder `work`: called
/// again after an interruption, training goes on there.
///
/// # Errors
/// If the plan makes no sense, the folder belongs to another plan or is damaged, or a file cannot
/// be read or written.
pub fn train(
    plan: &Plan,
    isa: Isa,
    work: &Path,
    progress: &Progress,
) -> Result<File, TrainingError> {
    plan.check()?;
    let work = Work::open(work, &plan.text())?;
    let mut training = Training { plan, isa, work, progress, stages: Vec::new() };
    training.base()?;
    for stage in BASE + 1..=stage_of(plan.empties) {
        training.searched(stage)?;
    }
    if plan.trees > 0 {
        training.again()?;
    }
    let mut file = training.file();
    if plan.selectivity > 0 {
        let (seed, games, work) = (plan.seed, plan.selectivity, &training.work);
        let found = kept_selectivity(&file, isa, seed, games, work, progress);
        if let Some(found) = progress.if_enough(found)? {
            file = file.with_selectivity(found);
        }
    }
    if plan.costs > 0 {
        let plan = CostPlan { seed: plan.seed, searches: plan.costs };
        let found = costs(&file, &plan, isa, &training.work, progress);
        if let Some(found) = progress.if_enough(found)? {
            file = file.with_costs(found, &plan.text());
        }
    }
    Ok(file)
}

/// Returns what shallow and deep searches with the weights of `file` say, which is kept.
pub(crate) fn kept_selectivity(
    file: &File,
    isa: Isa,
    seed: u64,
    games: usize,
    work: &Work,
    progress: &Progress,
) -> Result<Selectivity, TrainingError> {
    let parameters = work.numbers("selectivity", Selectivity::PARAMETERS, || {
        let found = selectivity(&Weights::new(file), isa, seed, games, progress)?;
        Ok(found.parameters().to_vec())
    })?;
    let found = Selectivity::of(parameters.first_chunk().expect("as many numbers as asked for"));
    progress.say(&format!("selectivity: {found:?}"));
    Ok(found)
}

/// A training that is under way.
struct Training<'a> {
    plan: &'a Plan,
    isa: Isa,
    work: Work,
    progress: &'a Progress,
    /// The stages that are fitted, from [`FIRST`] on.
    stages: Vec<Fitted>,
}

impl Training<'_> {
    /// Fits the stages with exact labels: the base, then the later stages of the game.
    fn base(&mut self) -> Result<(), TrainingError> {
        let mut prior = vec![0.0; PARAMETERS];
        let (mut games, mut ridge) = (self.plan.base, RIDGE_BASE);
        for stage in (FIRST..=BASE).rev() {
            let fitted = self.work.fitted(&format!("stage-{stage:02}"), || {
                let samples = self.exact(stage, (Purpose::Training, "exact"), games)?;
                let (weights, error) = fit(&problem(&samples), &prior, ridge, self.progress);
                let facts = format!("{} exact, error {error:.2}", samples.labels.len());
                Ok(Fitted { weights, shift: 0.0, facts })
            })?;
            self.say(stage, &fitted);
            prior.clone_from(&fitted.weights);
            self.stages.insert(0, fitted);
            (games, ridge) = (self.plan.base / 4, RIDGE_STAGE);
        }
        Ok(())
    }

    /// Fits a stage to labels that are searched with the stages before, and corrects it.
    fn searched(&mut self, stage: u32) -> Result<(), TrainingError> {
        let fitted = self.work.fitted(&format!("stage-{stage:02}"), || {
            let begin = Instant::now();
            // The leaves must belong to stages that are there.
            let plies = self.plan.plies.min(2 * (stage - BASE));
            let samples = self.labelled(stage, plies)?;
            let labelled = begin.elapsed();
            let prior = &self.stages.last().expect("the base is fitted").weights;
            let (weights, error) = fit(&problem(&samples), prior, RIDGE_STAGE, self.progress);
            let seconds = (labelled.as_secs(), (begin.elapsed() - labelled).as_secs());
            self.progress.say(&format!("  labels took {} s, the fit {} s", seconds.0, seconds.1));
            let count = samples.labels.len();
            let facts = format!("{count} of {plies} plies, error {error:.2}");
            drop(samples);
            self.corrected(stage, Fitted { weights, shift: 0.0, facts })
        })?;
        self.say(stage, &fitted);
        self.stages.push(fitted);
        Ok(())
    }

    /// Fits the stages again to positions from the trees of searches.
    fn again(&mut self) -> Result<(), TrainingError> {
        let &mut Self { plan: &Plan { seed, trees, plies, .. }, isa, progress, .. } = self;
        let work = &self.work;
        let refit = Refit { seed, trees, plies, first: FIRST, isa, work, progress };
        self.stages = refit.stages(std::mem::take(&mut self.stages))?;
        Ok(())
    }

    /// Returns the fit, corrected by exact labels, or shifted as far as the last correction did.
    fn corrected(&self, stage: u32, mut fitted: Fitted) -> Result<Fitted, TrainingError> {
        let last_shift = self.stages.last().map_or(0.0, |before| before.shift);
        let games = self.plan.corrections.get((stage - BASE - 1) as usize).copied().unwrap_or(0);
        if games == 0 {
            fitted.add_constant(last_shift);
            fitted.shift = last_shift;
            write!(fitted.facts, "; shifted by {last_shift:+.2}").expect("a string takes all");
            return Ok(fitted);
        }
        let problem = problem(&self.exact(stage, (Purpose::Correction, "correction"), games)?);
        fitted.shift = mean_residual(&problem, &fitted.weights);
        fitted.add_constant(fitted.shift);
        let (weights, error) = fit(&problem, &fitted.weights, RIDGE_CORRECTION, self.progress);
        let (count, shift) = (problem.labels.len(), fitted.shift);
        write!(fitted.facts, "; {count} exact, shift {shift:+.2}, error {error:.2}")
            .expect("a string takes all");
        Ok(Fitted { weights, ..fitted })
    }

    /// Returns positions of a stage with exact values, which are kept under `name`.
    fn exact(
        &self,
        stage: u32,
        (purpose, name): (Purpose, &str),
        games: usize,
    ) -> Result<Samples, TrainingError> {
        self.work.samples(&format!("stage-{stage:02}-{name}"), || {
            let positions = positions(self.plan.seed, purpose, &both(stage), games, self.progress);
            let labels = labels::exact(self.isa, &positions, self.progress)?;
            Ok(Samples { positions, labels })
        })
    }

    /// Returns positions of a stage with values searched by the stages before.
    fn labelled(&self, stage: u32, plies: u32) -> Result<Samples, TrainingError> {
        self.work.samples(&format!("stage-{stage:02}-searched"), || {
            let (seed, games) = (self.plan.seed, self.plan.games);
            let positions = positions(seed, Purpose::Training, &both(stage), games, self.progress);
            let weights = Weights::new(&self.file());
            let labels = labels::searched(self.isa, &weights, &positions, plies, self.progress);
            Ok(Samples { positions, labels })
        })
    }

    /// Returns the file of the stages that are fitted.
    fn file(&self) -> File {
        let mut provenance = self.plan.text();
        for (stage, fitted) in (FIRST..).zip(&self.stages) {
            writeln!(provenance, "stage {stage}: {}", fitted.facts).expect("a string takes all");
        }
        let stages = self.stages.iter().map(Fitted::parameters).collect();
        File::new(FIRST, stages, provenance, None).expect("the base is fitted")
    }

    fn say(&self, stage: u32, fitted: &Fitted) {
        let [fewer, more] = both(stage);
        self.progress.say(&format!("{fewer}-{more} empties: {}", fitted.facts));
    }
}

/// The numbers of empty squares of a stage.
pub(crate) const fn both(stage: u32) -> [u32; 2] {
    [2 * stage - 1, 2 * stage]
}
