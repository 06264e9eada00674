//! What to train, with what effort, and how that is told from other plans.

use std::fmt::Write as _;

use outflank_engine::evaluation::patterns::FINGERPRINT;
use outflank_engine::evaluation::stage_of;

use crate::TrainingError;
use crate::costs::CostPlan;
use crate::selectivity::{FEWEST_EMPTIES, FEWEST_GAMES};
use crate::train::{BASE, FIRST, GENERATOR, LAST, SEARCH};

/// What to train, with what effort.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The seed of all games.
    pub seed: u64,
    /// The most empty squares to train for, 10 to 56.
    pub empties: u32,
    /// Games for the base, nine and ten empty squares; fewer empty squares get a quarter each.
    pub base: usize,
    /// Games for each further stage.
    pub games: usize,
    /// Plies that labels are searched, even, at least 2; the first searched stage takes 2.
    pub plies: u32,
    /// Games with exact labels that correct the stages of 11–12, 13–14, … empty squares.
    pub corrections: Vec<usize>,
    /// Searches whose trees give positions for a second fit; each gives 1000 for a stage at most. 0
    /// leaves the second fit out.
    pub trees: usize,
    /// Games for each number of empty squares where shallow and deep searches are compared; 0 leaves
    /// that out.
    pub selectivity: usize,
    /// Searches in whose trees the costs of proofs are measured; 0 leaves that out, and the search
    /// then has nothing to compare moves by.
    pub costs: usize,
}

impl Default for Plan {
    /// The effort that the measurements recommend: somewhat more than an hour on two cores.
    fn default() -> Self {
        Self {
            seed: 1,
            empties: 56,
            base: 4_000_000,
            games: 3_000_000,
            plies: 4,
            corrections: vec![1_000_000, 300_000, 100_000, 20_000, 4_000],
            trees: 2_500,
            selectivity: 4_000,
            costs: CostPlan::default().searches,
        }
    }
}

impl Plan {
    /// Returns the same plan with all numbers of games multiplied by `scale`.
    #[must_use]
    pub fn scaled(mut self, scale: f64) -> Self {
        let scaled = |games: usize| (games as f64 * scale).ceil() as usize;
        self.base = scaled(self.base);
        self.games = scaled(self.games);
        self.corrections = self.corrections.into_iter().map(scaled).collect();
        self.trees = scaled(self.trees);
        self.selectivity = scaled(self.selectivity);
        self.costs = scaled(self.costs);
        self
    }

    /// Returns the plan as text, one fact a line.
    pub(crate) fn text(&self) -> String {
        let Self { seed, empties, base, games, plies, corrections, trees, selectivity, costs } =
            self;
        let mut text = format!(
            "generator {GENERATOR}, patterns {FINGERPRINT:016x}\nsearch {SEARCH}\nseed {seed}\n\
             empties {FEWEST}..{empties}\nbase {base} games\ngames {games}, plies {plies}\n\
             corrections {corrections:?} games\nselectivity {selectivity} games\n",
            FEWEST = 2 * FIRST - 1
        );
        if *trees > 0 {
            writeln!(text, "trees of {trees} searches").expect("a string takes all");
        }
        if *costs > 0 {
            writeln!(text, "costs in the trees of {costs} searches").expect("a string takes all");
        }
        text
    }

    /// Refuses what cannot be carried out.
    pub(crate) fn check(&self) -> Result<(), TrainingError> {
        let Self { empties, base, games, plies, trees, selectivity, costs, .. } = *self;
        if !(2 * BASE..=2 * LAST).contains(&empties) {
            return wrong(format!("most empty squares {empties}, expected 10 to 56"));
        }
        check_plies(plies)?;
        check_number("base", base, 1)?;
        check_number("games", games, usize::from(stage_of(empties) > BASE))?;
        self.corrections.iter().try_for_each(|&games| check_number("corrections", games, 0))?;
        check_number("trees", trees, 0)?;
        check_selectivity(selectivity, 2 * stage_of(empties))?;
        check_number("costs", costs, 0)
    }
}

/// The most games or searches of one kind: there is no memory for more.
const MOST: usize = 1 << 30;

/// Refuses a number of games or searches that is not from `fewest` to [`MOST`].
pub(crate) fn check_number(what: &str, found: usize, fewest: usize) -> Result<(), TrainingError> {
    match found {
        _ if found < fewest => wrong(format!("{what} {found}, expected at least {fewest}")),
        _ if found > MOST => wrong(format!("{what} {found}, expected at most {MOST}")),
        _ => Ok(()),
    }
}

/// Refuses numbers of plies by which values cannot be searched.
pub(crate) fn check_plies(plies: u32) -> Result<(), TrainingError> {
    if plies == 0 || !plies.is_multiple_of(2) {
        return wrong(format!("plies {plies}, expected an even number of at least 2"));
    }
    Ok(())
}

/// Refuses to compare shallow and deep searches of too few games, or by weights for so few empty
/// squares, at most `empties`, that nothing can be fitted.
pub(crate) fn check_selectivity(games: usize, empties: u32) -> Result<(), TrainingError> {
    if games == 0 {
        return Ok(());
    }
    check_number("selectivity", games, FEWEST_GAMES)?;
    if empties < FEWEST_EMPTIES {
        return wrong(format!(
            "selectivity {games} with weights for at most {empties} empty squares, \
             expected 0 or weights for {FEWEST_EMPTIES}"
        ));
    }
    Ok(())
}

fn wrong(what: String) -> Result<(), TrainingError> {
    Err(TrainingError::Plan(what))
}
