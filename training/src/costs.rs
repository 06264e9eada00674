//! What proofs cost: the numbers that the search compares moves by.
//!
//! Positions are searched, and of the many that these searches judge at a glance when they compare
//! moves a sample is kept, each with what was to be proved of it. There it is asked, with empty tables,
//! whether it is so. The nodes that this takes and how it comes out are averaged for each number of
//! empty squares, of replies, and margin of the evaluation, and over neighbouring ones as far as there
//! are few samples. The average is the arithmetic mean: few replies can take very many nodes, and a
//! geometric mean would not notice.

use std::ops::Range;
use std::path::Path;

use indicatif::ProgressBar;
use outflank_engine::evaluation::costs::{CERTAIN, MARGINS, MEASURED, REPLIES, STEPS, cell};
use outflank_engine::evaluation::{CostParameters, File, Weights};
use outflank_engine::{Effort, Engine, EngineError, Position, Request, Settings, Square};
use outflank_kernel::Isa;
use rayon::prelude::*;

use crate::plan::check_number;
use crate::samples::Purpose;
use crate::train::GENERATOR;
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
    with_costs(file, plan, isa, &work, progress)
}

impl CostPlan {
    /// Returns the plan as text, one fact a line.
    fn text(&self) -> String {
        let Self { seed, searches } = self;
        format!("costs of proofs in the trees of {searches} searches, seed {seed}\n")
    }
}

/// Returns the file with what proofs cost by its weights.
///
/// The search that is measured compares moves by what the file says of costs already. If that is
/// nothing, a fifth of the searches, which compare by a guess, says something first.
pub(crate) fn with_costs(
    file: File,
    plan: &CostPlan,
    isa: Isa,
    work: &Work,
    progress: &Progress,
) -> Result<File, TrainingError> {
    let known = if file.costs().is_some() {
        file.clone()
    } else {
        let plan = CostPlan { searches: plan.searches.div_ceil(5), ..*plan };
        let guess = file.clone().with_costs(CostParameters::guess(), "");
        let costs = measured(&guess, &plan, "first-costs", isa, work, progress)?;
        file.clone().with_costs(costs, "")
    };
    let costs = measured(&known, plan, "costs", isa, work, progress)?;
    Ok(file.with_costs(costs, &plan.text()))
}

/// Returns what proofs cost by the weights of `file` in a search that has them. The parts are kept
/// under `name`.
fn measured(
    file: &File,
    plan: &CostPlan,
    name: &str,
    isa: Isa,
    work: &Work,
    progress: &Progress,
) -> Result<CostParameters, TrainingError> {
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
    let too_few =
        || TrainingError::Plan(format!("{} searches are too few for costs", plan.searches));
    progress.say(&format!("costs: {} proofs looked for", total.samples()));
    total.parameters().ok_or_else(too_few)
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
                if let Some(effort) = small.effort(position, bound) {
                    sums.add(position.empties(), effort);
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

/// What is added up in a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    samples: f64,
    proofs: f64,
    /// Over all samples.
    nodes: f64,
}

impl Sum {
    fn plus(self, weight: f64, other: Self) -> Self {
        Self {
            samples: self.samples + weight * other.samples,
            proofs: self.proofs + weight * other.proofs,
            nodes: self.nodes + weight * other.nodes,
        }
    }
}

/// A sum for each cell.
struct Sums(Vec<Sum>);

/// The cells of one number of empty squares.
const CELLS: usize = REPLIES * MARGINS;

impl Sums {
    /// How many [`numbers`](Self::numbers) there are.
    const NUMBERS: usize = 3 * CostParameters::COUNTS[0];

    fn new() -> Self {
        Self(vec![Sum::default(); CELLS * MEASURED.count()])
    }

    fn add(&mut self, empties: u32, effort: Effort) {
        let Effort { replies, margin, holds, nodes } = effort;
        let one = Sum { samples: 1.0, proofs: f64::from(u8::from(holds)), nodes: nodes as f64 };
        let sum = &mut self.0[cell(empties, replies, margin)];
        *sum = sum.plus(1.0, one);
    }

    /// Returns the sums as numbers in a row.
    fn numbers(&self) -> Vec<f64> {
        self.0.iter().flat_map(|sum| [sum.samples, sum.proofs, sum.nodes]).collect()
    }

    fn of(numbers: &[f64]) -> Self {
        let (rows, _) = numbers.as_chunks();
        let sum = |&[samples, proofs, nodes]: &[f64; 3]| Sum { samples, proofs, nodes };
        Self(rows.iter().map(sum).collect())
    }

    fn samples(&self) -> f64 {
        self.0.iter().map(|sum| sum.samples).sum()
    }

    fn plus(self, other: &Self) -> Self {
        Self(self.0.into_iter().zip(&other.0).map(|(one, &other)| one.plus(1.0, other)).collect())
    }

    /// Returns the averages as they are stored, `None` if there is a number of empty squares without
    /// samples.
    fn parameters(&self) -> Option<CostParameters> {
        let (mut nodes, mut chances, mut means) = (Vec::new(), Vec::new(), Vec::new());
        let stored = |nodes: f64| {
            let most = f64::from(CostParameters::MOST);
            (nodes.log2() * f64::from(STEPS)).round().clamp(0.0, most) as i16
        };
        for sums in self.0.chunks_exact(CELLS) {
            let all = sums.iter().fold(Sum::default(), |all, &sum| all.plus(1.0, sum));
            if all.samples == 0.0 {
                return None;
            }
            means.push(stored(all.nodes / all.samples));
            for (mean, chance) in smooth(sums) {
                nodes.push(stored(mean));
                let most = f64::from(CERTAIN);
                chances.push((chance * most).round().clamp(most / 512.0, most) as i16);
            }
        }
        CostParameters::new(nodes, chances, means)
    }
}

/// The widths of the windows over which neighbours are averaged, in replies and in discs, the widest
/// first: each average is pulled towards the one before.
const WIDTHS: [(f64, f64); 4] = [(4.0, 12.0), (2.0, 6.0), (1.0, 3.0), (0.45, 1.5)];

/// As many samples as an average counts that is not from here.
const PULL: f64 = 20.0;

/// Returns for each cell the average nodes and the average chance.
///
/// Nodes are averaged as multiples of a power of the replies, which they follow roughly, so that a wide
/// window does not flatten them.
fn smooth(sums: &[Sum]) -> Vec<(f64, f64)> {
    let level = |place: usize| ((place / MARGINS) as f64 + 0.5).powf(1.5);
    let mut relative = sums.to_vec();
    for (place, sum) in relative.iter_mut().enumerate() {
        sum.nodes /= level(place);
    }
    let all = relative.iter().fold(Sum::default(), |all, &sum| all.plus(1.0, sum));
    let mean = (all.nodes / all.samples, all.proofs / all.samples);
    let mut averages = vec![mean; sums.len()];
    for (across, along) in WIDTHS {
        averages = (0..sums.len())
            .map(|place| {
                let near = window(&relative, place, across, along);
                let (nodes, chance) = averages[place];
                let samples = near.samples + PULL;
                ((near.nodes + PULL * nodes) / samples, (near.proofs + PULL * chance) / samples)
            })
            .collect();
    }
    for (place, (nodes, _)) in averages.iter_mut().enumerate() {
        *nodes *= level(place);
    }
    averages
}

/// Returns the sums around a cell, weighted by a normal distribution.
fn window(sums: &[Sum], place: usize, across: f64, along: f64) -> Sum {
    let distance = |one: usize, other: usize, width: f64| one.abs_diff(other) as f64 / width;
    let mut near = Sum::default();
    for (other, &sum) in sums.iter().enumerate().filter(|(_, sum)| sum.samples > 0.0) {
        let replies = distance(place / MARGINS, other / MARGINS, across);
        let margins = distance(place % MARGINS, other % MARGINS, along);
        let square = replies * replies + margins * margins;
        if square < 16.0 {
            near = near.plus((-0.5 * square).exp(), sum);
        }
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums as if nodes and chances followed a law that is known.
    fn lawful(samples: f64) -> Vec<Sum> {
        let sum = |place: usize| {
            let (nodes, chance) = law(place);
            Sum { samples, proofs: samples * chance, nodes: samples * nodes }
        };
        (0..CELLS).map(sum).collect()
    }

    fn law(place: usize) -> (f64, f64) {
        let (replies, discs) = ((place / MARGINS) as f64, (place % MARGINS) as f64 - 32.0);
        let nodes = 32.0 * (replies + 0.5).powf(1.5) * (-discs / 16.0).exp2();
        (nodes, 1.0 / (1.0 + (-discs / 4.0).exp()))
    }

    #[test]
    fn a_known_law_is_found_again() {
        for (place, (nodes, chance)) in smooth(&lawful(1000.0)).into_iter().enumerate() {
            let expected = law(place);
            if (8..MARGINS - 8).contains(&(place % MARGINS)) {
                assert!((nodes / expected.0 - 1.0).abs() < 0.08, "{place}: {nodes}");
                assert!((chance - expected.1).abs() < 0.03, "{place}: {chance}");
            }
        }
    }

    #[test]
    fn cells_without_samples_follow_their_neighbours() {
        let mut sums = lawful(100.0);
        for replies in 12..REPLIES {
            sums[replies * MARGINS..(replies + 1) * MARGINS].fill(Sum::default());
        }
        let place = 13 * MARGINS + 32;
        let (nodes, chance) = smooth(&sums)[place];
        assert!((nodes / law(place).0 - 1.0).abs() < 0.25, "{nodes}");
        assert!((chance - law(place).1).abs() < 0.1, "{chance}");
    }

    #[test]
    fn nothing_is_made_of_too_little() {
        assert_eq!(Sums::new().parameters(), None);
    }

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
