//! What proofs cost: the numbers that the search compares moves by.
//!
//! Positions are searched, and of the many that these searches judge at a glance when they compare
//! moves a sample is kept, each with what was to be proved of it. There it is asked, with empty tables,
//! whether it is so. What this takes and how it comes out is averaged ([`averages`]).

mod averages;

use std::ops::Range;
use std::path::Path;

use indicatif::ProgressBar;
use outflank_engine::evaluation::costs::MEASURED;
use outflank_engine::evaluation::{CostParameters, File, Weights};
use outflank_engine::{Engine, EngineError, Position, Request, Settings, Square};
use outflank_kernel::Isa;
use rayon::prelude::*;

use averages::Sums;

use crate::plan::check_number;
use crate::samples::Purpose;
use crate::train::{GENERATOR, SEARCH};
use crate::work::Work;
use crate::{Progress, Random, TrainingError, games, labels};

/// The numbers of empty squares of the positions that are searched.
const ROOTS: std::ops::RangeInclusive<u32> = 20..=23;

/// Roots further from a draw than this, in discs, are passed over: their trees are small, and hardly
/// anything depends on the order.
const OPEN: i32 = 10;

/// Nodes for finding that out.
const LOOK: u64 = 20_000;

/// Nodes after which the search of a root ends.
const NODE_LIMIT: u64 = 60_000_000;

/// Memory of a search's tables.
const TABLE_BYTES: usize = 64 << 20;

/// Memory of the tables for one question.
const QUESTION_BYTES: usize = 2 << 20;

/// Of the answers to a reply so many are judged, those that leave the fewest replies.
const ANSWERS: usize = 3;

/// Returns the most questions of one search with a number of empty squares: the larger, the dearer.
const fn most(empties: u32) -> usize {
    match empties {
        ..14 => 400,
        14 => 200,
        15 => 120,
        16 => 60,
        _ => 25,
    }
}

/// A question: whether the opponent of the position's player is worth more than so many discs.
type Question = (Position, i32);

/// How to measure what proofs cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostPlan {
    /// The seed of the games that give the positions to search.
    pub seed: u64,
    /// The number of searches in whose trees proofs are counted, at least 1.
    pub searches: usize,
}

impl Default for CostPlan {
    /// A quarter of an hour on one core; more searches hardly change what is found.
    fn default() -> Self {
        Self { seed: 1, searches: 400 }
    }
}

/// Returns the weights of `file` with what proofs cost by them. What is finished is kept in the folder
/// `work`: called again after an interruption, it goes on there.
///
/// # Errors
/// If the plan makes no sense, the folder belongs to another plan or is damaged, a file cannot be read
/// or written, or there is no memory for the engines.
pub fn measure_costs(
    file: File,
    plan: &CostPlan,
    isa: Isa,
    work: &Path,
    progress: &Progress,
) -> Result<File, TrainingError> {
    check_number("searches", plan.searches, 1)?;
    // The searches depend on it, and the weights' number does not tell it.
    let selectivity = file.selectivity().map_or(0, |selectivity| {
        crc32fast::hash(selectivity.parameters().map(f64::to_le_bytes).as_flattened())
    });
    let text = format!(
        "costs of weights {:016x}, selectivity {selectivity:08x}\ngenerator {GENERATOR}\n",
        file.id()
    );
    let work = Work::open(work, &format!("{text}{}", plan.text()))?;
    let found = costs(&file, plan, isa, &work, progress)?;
    Ok(file.with_costs(found, &plan.text()))
}

impl CostPlan {
    /// Returns the plan as text, one fact a line.
    pub(crate) fn text(&self) -> String {
        let Self { seed, searches } = self;
        format!(
            "costs of proofs in the trees of {searches} searches, search {SEARCH}, seed {seed}\n"
        )
    }
}

/// Returns what proofs cost by the weights of `file`.
///
/// The search that is measured compares moves by what the file says of costs already. If that is
/// nothing, a fifth of the searches, which compare by a guess, says something first.
pub(crate) fn costs(
    file: &File,
    plan: &CostPlan,
    isa: Isa,
    work: &Work,
    progress: &Progress,
) -> Result<CostParameters, TrainingError> {
    let too_few =
        || TrainingError::TooFew { count: plan.searches, what: "searches", result: "costs" };
    let known = if file.costs().is_some() {
        file.clone()
    } else {
        let plan = CostPlan { searches: plan.searches.div_ceil(5), ..*plan };
        let guess = file.clone().with_costs(CostParameters::guess(), "");
        let first = measured(&guess, &plan, "first-costs", isa, work, progress)?;
        file.clone().with_costs(first.ok_or_else(too_few)?, "")
    };
    measured(&known, plan, "costs", isa, work, progress)?.ok_or_else(too_few)
}

/// Returns what proofs cost by the weights of `file` in a search that has them, `None` if there are too
/// few searches to say. The parts are kept under `name`.
fn measured(
    file: &File,
    plan: &CostPlan,
    name: &str,
    isa: Isa,
    work: &Work,
    progress: &Progress,
) -> Result<Option<CostParameters>, TrainingError> {
    // An engine keeps its weights to the end of the program.
    let weights = Box::leak(Box::new(Weights::new(file)));
    let measuring = Measuring { plan, isa, weights, bar: progress.bar("costs", plan.searches) };
    let mut total = Sums::new();
    for first in (0..plan.searches).step_by(PORTION) {
        let part = first..plan.searches.min(first + PORTION);
        let sums = || Ok(measuring.sums(part)?.numbers());
        let numbers = work.numbers(&format!("{name}-{first:05}"), Sums::NUMBERS, sums)?;
        total = total.plus(&Sums::of(&numbers));
    }
    progress.say(&format!("costs: {} proofs looked for", total.samples()));
    Ok(total.parameters())
}

/// Searches whose sums are kept together in the work folder.
const PORTION: usize = 20;

/// A measurement that is under way.
struct Measuring<'a> {
    plan: &'a CostPlan,
    isa: Isa,
    weights: &'static Weights,
    bar: ProgressBar,
}

impl Measuring<'_> {
    /// Returns the sums over the trees of some of the searches.
    fn sums(&self, searches: Range<usize>) -> Result<Sums, EngineError> {
        let engine = |table_bytes| {
            let engine = Engine::new(&Settings { isa: self.isa, table_bytes });
            engine.map(|engine| engine.with_weights(Some(self.weights)))
        };
        let engines = || (engine(TABLE_BYTES), engine(QUESTION_BYTES));
        let sampled = searches.into_par_iter().map_init(engines, |(large, small), search| {
            let (large, small) = (labels::usable(large)?, labels::usable(small)?);
            let path = [Purpose::Costs as u64, search as u64];
            let mut sums = Sums::new();
            for (position, bound) in questions(large, &mut Random::stream(self.plan.seed, &path)) {
                if let Some(sample) = small.cost_sample(position, bound) {
                    sums.add(position.empties(), sample);
                }
            }
            self.bar.inc(1);
            Ok(sums)
        });
        let sampled: Vec<Sums> = sampled.collect::<Result<_, EngineError>>()?;
        // Added up in their order, so that the sum does not depend on the number of threads.
        Ok(sampled.iter().fold(Sums::new(), Sums::plus))
    }
}

/// Searches an open position and returns questions that it asked itself.
fn questions(engine: &Engine, random: &mut Random) -> Vec<Question> {
    let root = loop {
        let empties = ROOTS.start() + random.below(ROOTS.end() - ROOTS.start() + 1);
        engine.clear();
        let root = games::position(random, empties);
        let is_open = |root: &Position| engine.believe(*root, LOOK).discs().abs() <= OPEN;
        if let Some(root) = root.filter(is_open) {
            break root;
        }
    };
    engine.clear();
    let asked = engine.questions(&Request { node_limit: Some(NODE_LIMIT), ..Request::exact(root) });
    let mut found = Vec::new();
    for empties in MEASURED {
        let like = |&&(before, _): &&Question| before.empties() == empties + 1;
        let mut candidates: Vec<Question> = asked.iter().filter(like).copied().collect();
        for place in 0..most(empties).min(candidates.len()) {
            let rest = (candidates.len() - place) as u32;
            candidates.swap(place, place + random.below(rest) as usize);
            let (before, bound) = candidates[place];
            found.extend(answered(random, before).map(|position| (position, bound)));
        }
    }
    found
}

/// Returns the position after one of the answers that the search looks at, unless the game ends there.
fn answered(random: &mut Random, before: Position) -> Option<Position> {
    let answers = Square::all(before.moves());
    let mut answers: Vec<Position> = answers.filter_map(|square| before.play(square)).collect();
    answers.sort_by_key(|after| after.moves().count_ones());
    answers.truncate(ANSWERS);
    let drawn = random.below(answers.len().max(1) as u32) as usize;
    answers.get(drawn).copied().filter(|after| !after.is_over())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_judged_position_is_after_one_of_the_answers_with_fewest_replies() {
        let mut random = Random::stream(1, &[]);
        for _ in 0..50 {
            let Some(before) = games::position(&mut random, 14) else { continue };
            let Some(judged) = answered(&mut random, before) else { continue };
            let answers = Square::all(before.moves()).filter_map(|square| before.play(square));
            let replies = |after: &Position| after.moves().count_ones();
            let answers: Vec<Position> = answers.collect();
            assert!(answers.contains(&judged));
            let better = answers.iter().filter(|after| replies(after) < replies(&judged));
            assert!(better.count() < ANSWERS);
        }
    }
}
