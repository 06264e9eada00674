//! The second fit: stages that are fitted already, fitted again to positions from search trees.
//!
//! A search compares positions that no game of the first fit comes to, and there it needs the
//! weights. The trees of searches with the first weights give such positions. They get their labels
//! as the others did: exact values at the base, further up a search whose leaves are evaluated by the
//! stages that are fitted again already. A force towards the first fit keeps what the games taught.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use outflank_engine::Position;
use outflank_engine::evaluation::patterns::FINGERPRINT;
use outflank_engine::evaluation::{File, Weights, stage_of};
use outflank_kernel::Isa;

use crate::plan::{check_number, check_plies, check_selectivity};
use crate::progress::Progress;
use crate::samples::{Purpose, positions};
use crate::stage::{Fitted, fit, mean_residual, problem};
use crate::train::{BASE, GENERATOR, SEARCH, both, kept_selectivity};
use crate::work::Work;
use crate::{Plan, Samples, TrainingError, labels, trees};

/// The last stage that is fitted again, 29 and 30 empty squares: the trees that are sampled have few
/// positions beyond.
const LAST: u32 = stage_of(30);

/// The force towards the first fit.
const RIDGE: f64 = 100.0;

/// Games beside each tree, which keep the stages from forgetting: a tree gives 1000 positions for a
/// stage at most, a game one.
const GAMES_PER_TREE: usize = 500;

/// How to fit the stages of existing weights again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefitPlan {
    /// The seed of the games that give the positions to search.
    pub seed: u64,
    /// The number of searches whose trees are sampled; each gives 1000 positions for a stage at most.
    pub trees: usize,
    /// Plies that labels are searched, even, at least 2; the first searched stage takes 2.
    pub plies: u32,
    /// Games for each number of empty squares where shallow and deep searches are compared; 0, or too few of them to
    /// determine anything, keeps what was measured for the first weights.
    pub selectivity: usize,
}

impl Default for RefitPlan {
    fn default() -> Self {
        let Plan { seed, trees, plies, selectivity, .. } = Plan::default();
        Self { seed, trees, plies, selectivity }
    }
}

impl RefitPlan {
    /// Returns the plan as text, one fact a line.
    fn text(&self, file: &File) -> String {
        let Self { seed, trees, plies, selectivity } = self;
        format!(
            "second fit of weights {:016x}\ngenerator {GENERATOR}, patterns {FINGERPRINT:016x}\n\
             search {SEARCH}\nseed {seed}\ntrees of {trees} searches, plies {plies}\n\
             selectivity {selectivity} games\n",
            file.id()
        )
    }

    fn check(&self, file: &File) -> Result<(), TrainingError> {
        let first = file.first_stage();
        if first > BASE {
            let [fewest, _] = both(first);
            return Err(TrainingError::Plan(format!(
                "weights from {fewest} empty squares on, expected from 9 or fewer"
            )));
        }
        check_number("trees", self.trees, 1)?;
        check_plies(self.plies)?;
        let [_, most] = both(first + file.stages().len() as u32 - 1);
        check_selectivity(self.selectivity, most)
    }
}

/// Returns the weights of `file`, the stages of 9 to 30 empty squares fitted again to positions from
/// search trees. What is finished is kept in the folder `work`: called again after an interruption,
/// it goes on there. The costs of proofs, and without games for it the selectivity, stay as they were measured with
/// the weights before.
///
/// # Errors
/// If the plan makes no sense, the folder belongs to another plan or is damaged, or a file cannot
/// be read or written.
pub fn refit(
    file: &File,
    plan: &RefitPlan,
    isa: Isa,
    work: &Path,
    progress: &Progress,
) -> Result<File, TrainingError> {
    plan.check(file)?;
    let work = &Work::open(work, &plan.text(file))?;
    let &RefitPlan { seed, trees, plies, .. } = plan;
    let refit = Refit { seed, trees, plies, first: file.first_stage(), isa, work, progress };
    let stages = refit.stages(file.stages().iter().map(Fitted::of).collect())?;
    let mut provenance = format!("{}{}", file.provenance(), plan.text(file));
    for (stage, fitted) in (refit.first..).zip(&stages) {
        if !fitted.facts.is_empty() {
            let facts = &fitted.facts;
            writeln!(provenance, "stage {stage}: {facts}").expect("a string takes all");
        }
    }
    let mut selectivity = file.selectivity().cloned();
    // Measured by the weights that are fitted again here: a guess now, better than none. `costs` measures them again.
    let costs = file.costs().cloned();
    let mut file = refit.file(&stages, provenance);
    if let Some(costs) = costs {
        file = file.with_costs(costs, "");
    }
    if plan.selectivity > 0 {
        let found = kept_selectivity(&file, isa, seed, plan.selectivity, work, progress);
        selectivity = progress.if_enough(found)?.or(selectivity);
    }
    Ok(match selectivity {
        Some(selectivity) => file.with_selectivity(selectivity),
        None => file,
    })
}

/// A second fit that is under way.
pub(crate) struct Refit<'a> {
    pub(crate) seed: u64,
    pub(crate) trees: usize,
    pub(crate) plies: u32,
    /// The number of the first stage, at most [`BASE`].
    pub(crate) first: u32,
    pub(crate) isa: Isa,
    pub(crate) work: &'a Work,
    pub(crate) progress: &'a Progress,
}

impl Refit<'_> {
    /// Returns the stages after the second fit.
    pub(crate) fn stages(&self, mut stages: Vec<Fitted>) -> Result<Vec<Fitted>, TrainingError> {
        let last = LAST.min(self.first + stages.len() as u32 - 1);
        let mut positions = self.positions(&stages, last)?;
        for stage in BASE..=last {
            let fitted = self.work.fitted(&format!("stage-{stage:02}-again"), || {
                let trees = || positions.remove(&stage).unwrap_or_default();
                let trees = self.labelled("trees", stage, &stages, trees)?;
                let games = self.labelled("games", stage, &stages, || self.games(stage))?;
                Ok(self.fitted([&trees, &games], &stages[(stage - self.first) as usize]))
            })?;
            let [fewer, more] = both(stage);
            self.progress.say(&format!("{fewer}-{more} empties again: {}", fitted.facts));
            stages[(stage - self.first) as usize] = fitted;
        }
        Ok(stages)
    }

    /// Returns positions of search trees, by stage.
    fn positions(
        &self,
        stages: &[Fitted],
        last: u32,
    ) -> Result<BTreeMap<u32, Vec<Position>>, TrainingError> {
        let positions = self.work.positions("trees", || {
            // An engine keeps its weights to the end of the program.
            let weights = Box::leak(Box::new(Weights::new(&self.file(stages, String::new()))));
            let wanted = (BASE, last);
            Ok(trees::positions(self.isa, weights, self.seed, wanted, self.trees, self.progress)?)
        })?;
        let mut by_stage = BTreeMap::<u32, Vec<Position>>::new();
        for position in positions {
            by_stage.entry(stage_of(position.empties())).or_default().push(position);
        }
        Ok(by_stage)
    }

    /// Returns positions of games that no other step has.
    fn games(&self, stage: u32) -> Vec<Position> {
        let games = GAMES_PER_TREE * self.trees;
        positions(self.seed, Purpose::Trees, &both(stage), games, self.progress)
    }

    /// Returns positions of a stage with their labels.
    fn labelled(
        &self,
        kind: &str,
        stage: u32,
        stages: &[Fitted],
        positions: impl FnOnce() -> Vec<Position>,
    ) -> Result<Samples, TrainingError> {
        self.work.samples(&format!("stage-{stage:02}-again-{kind}"), || {
            let positions = positions();
            let labels = if stage == BASE {
                labels::exact(self.isa, &positions, self.progress)?
            } else {
                let weights = Weights::new(&self.file(stages, String::new()));
                // The leaves must belong to stages that are fitted again.
                let plies = self.plies.min(2 * (stage - BASE));
                labels::searched(self.isa, &weights, &positions, plies, self.progress)
            };
            Ok(Samples { positions, labels })
        })
    }

    /// Returns the second fit of a stage to both kinds of samples. The means of both stay as the
    /// first fit has them: searched labels favour the mover, and where exact values corrected the
    /// first fit, they did so for good.
    fn fitted(&self, kinds: [&Samples; 2], first: &Fitted) -> Fitted {
        let mut all = problem(&Samples::default());
        let mut facts = Vec::from_iter((!first.facts.is_empty()).then(|| first.facts.clone()));
        for (samples, kind) in kinds.into_iter().zip(["trees", "games"]) {
            let mut part = problem(samples);
            let shift = mean_residual(&part, &first.weights);
            for label in &mut part.labels {
                *label -= shift as f32;
            }
            facts.push(format!("{} of {kind}, shift {shift:+.2}", part.labels.len()));
            all.terms.append(&mut part.terms);
            all.labels.append(&mut part.labels);
        }
        let (weights, error) = fit(&all, &first.weights, RIDGE, self.progress);
        let facts = format!("{}, error {error:.2}", facts.join("; "));
        Fitted { weights, shift: first.shift, facts }
    }

    fn file(&self, stages: &[Fitted], provenance: String) -> File {
        let stages = stages.iter().map(Fitted::parameters).collect();
        File::new(self.first, stages, provenance, None).expect("as many stages as before")
    }
}
