//! Positions with their values.

use outflank_engine::Position;
use rayon::prelude::*;

use crate::progress::Progress;
use crate::{Random, games};

/// Games that share one stream of random numbers.
const GAMES_PER_STREAM: usize = 1024;

/// What positions are made for; each purpose has games of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Many positions with quick labels.
    Training,
    /// Fewer positions with exact labels, to correct the fit to the quick ones.
    Correction,
    /// Positions that training never sees.
    Test,
    /// Positions that are searched to many depths.
    Selectivity,
    /// Positions whose search trees are sampled.
    Trees,
    /// Positions in whose search trees proofs are counted.
    Costs,
}

/// Positions and their values in units of the evaluation, 1/32 disc, seen by the player to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// The positions, each in its canonical form, all different, in ascending order.
    pub positions: Vec<Position>,
    /// The value of each position.
    pub labels: Vec<i16>,
}

/// Returns the distinct positions of `games` games, canonical and in ascending order. Each game
/// gives at most one, with a number of empty squares drawn from `empties`.
///
/// There are fewer positions than games: some games end before, and early in the game there are not
/// so many positions.
#[must_use]
pub fn positions(
    seed: u64,
    purpose: Purpose,
    empties: &[u32],
    games: usize,
    progress: &Progress,
) -> Vec<Position> {
    let bar = progress.bar("games", games);
    let streams = games.div_ceil(GAMES_PER_STREAM);
    let first = empties.first().copied().unwrap_or(0);
    let played = (0..streams).into_par_iter().flat_map_iter(|stream| {
        let path = [purpose as u64, u64::from(first), empties.len() as u64, stream as u64];
        let mut random = Random::stream(seed, &path);
        let games = GAMES_PER_STREAM.min(games - stream * GAMES_PER_STREAM);
        let played: Vec<Position> = (0..games)
            .filter_map(|_| {
                let empties = empties[random.below(empties.len() as u32) as usize];
                games::position(&mut random, empties).map(Position::canonical)
            })
            .collect();
        bar.inc(games as u64);
        played
    });
    let mut positions: Vec<Position> = played.collect();
    positions.par_sort_unstable();
    positions.dedup();
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_canonical_distinct_and_the_same_again() {
        let make = |purpose| positions(1, purpose, &[11, 12], 3000, &Progress::hidden());
        let found = make(Purpose::Training);
        assert!(found.len() > 2000);
        assert!(found.is_sorted_by(|left, right| left < right));
        assert!(found.iter().all(|position| position.canonical() == *position));
        assert!(found.iter().all(|position| [11, 12].contains(&position.empties())));
        assert_eq!(found, make(Purpose::Training));
        let test = make(Purpose::Test);
        assert!(test.iter().all(|position| found.binary_search(position).is_err()));
    }

    #[test]
    fn early_positions_are_kept_once() {
        let found = positions(1, Purpose::Training, &[58], 5000, &Progress::hidden());
        assert_eq!(found.len(), 3, "after two moves there are three positions but for symmetry");
    }
}
