//! Positions from the trees of real searches: those that the evaluation puts in order.
//!
//! Positions of random games are searched as the solver searches; each position of such a tree
//! where a move was good enough gives the position after one of its moves, drawn at random: what the
//! evaluation compared there, good moves and bad ones, those that make the opponent pass too.

use std::collections::BTreeMap;

use outflank_engine::evaluation::{Weights, stage_of};
use outflank_engine::{Control, Engine, EngineError, Position, Request, Settings, Square};
use outflank_kernel::Isa;
use rayon::prelude::*;

use crate::progress::Progress;
use crate::samples::Purpose;
use crate::{Random, games, labels};

/// The fewest and the most empty squares of the positions that are searched.
const ROOTS: (u32, u32) = (18, 34);

/// Nodes after which a search ends: those of up to 20 empty squares mostly get to their proof, the
/// others get through some of the selective searches before it.
const NODE_LIMIT: u64 = 4_000_000;

/// The most positions that one search gives for a stage.
pub(crate) const PER_ROOT: usize = 1000;

/// Memory of a search's tables: more than it fills.
const TABLE_BYTES: usize = 32 << 20;

/// Returns distinct positions of the trees of `roots` searches with `weights`, canonical and in
/// ascending order, of the stages from `first` to `last`.
///
/// # Errors
/// If there is no memory for the engines.
pub(crate) fn positions(
    isa: Isa,
    weights: &'static Weights,
    seed: u64,
    (first, last): (u32, u32),
    roots: usize,
    progress: &Progress,
) -> Result<Vec<Position>, EngineError> {
    let bar = progress.bar("search trees", roots);
    let engine = || {
        let engine = Engine::new(&Settings { isa, table_bytes: TABLE_BYTES });
        engine.map(|engine| engine.with_weights(Some(weights)))
    };
    let sampled = (0..roots).into_par_iter().map_init(engine, |engine, root| {
        let mut random = Random::stream(seed, &[Purpose::Trees as u64, root as u64]);
        let found = sample(labels::usable(engine)?, &mut random, (first, last));
        bar.inc(1);
        Ok(found)
    });
    let sampled: Vec<Vec<Position>> = sampled.collect::<Result<_, EngineError>>()?;
    let mut positions = sampled.concat();
    positions.par_sort_unstable();
    positions.dedup();
    Ok(positions)
}

/// Searches one position and returns a part of its tree.
fn sample(engine: &Engine, random: &mut Random, (first, last): (u32, u32)) -> Vec<Position> {
    let empties = ROOTS.0 + random.below(ROOTS.1 - ROOTS.0 + 1);
    let Some(root) = games::position(random, empties) else { return Vec::new() };
    // What other searches left must not change the tree.
    engine.clear();
    let request = Request { node_limit: Some(NODE_LIMIT), ..Request::exact(root) };
    let _answer = engine.solve(&request, &Control::default());
    let mut stages = BTreeMap::<u32, Vec<Position>>::new();
    for node in engine.cut_nodes() {
        let stage = stage_of(node.empties() - 1);
        if (first..=last).contains(&stage) {
            stages.entry(stage).or_default().push(node);
        }
    }
    let children = stages.into_values().flat_map(|nodes| {
        let drawn = draw(random, nodes, PER_ROOT).into_iter();
        drawn.filter_map(|node| child(random, node)).collect::<Vec<_>>()
    });
    children.collect()
}

/// Returns `count` of the positions, or all if they are not so many.
fn draw(random: &mut Random, mut positions: Vec<Position>, count: usize) -> Vec<Position> {
    let count = count.min(positions.len());
    for place in 0..count {
        let rest = (positions.len() - place) as u32;
        positions.swap(place, place + random.below(rest) as usize);
    }
    positions.truncate(count);
    positions
}

/// Returns the position after one of the moves, canonical, unless the game ends there.
fn child(random: &mut Random, node: Position) -> Option<Position> {
    let moves = node.moves();
    let drawn = random.below(moves.count_ones().max(1)) as usize;
    let after = node.play(Square::all(moves).nth(drawn)?)?;
    (!after.is_over()).then(|| after.canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A training that is continued by another search would mix the samples of two.
    #[test]
    fn a_search_that_samples_other_trees_is_another_version() {
        let weights = Box::leak(Box::new(Weights::embedded().unwrap()));
        let stages = (stage_of(10), stage_of(30));
        let found = positions(Isa::detect(), weights, 1, stages, 2, &Progress::hidden()).unwrap();
        let boards = found.iter().flat_map(|position| [position.player(), position.opponent()]);
        let sum = boards.fold(0, |sum: u64, board| sum.rotate_left(5).wrapping_add(board));
        assert_eq!(
            (found.len(), sum),
            (10_397, 639_244_971_487_992_170),
            "raise SEARCH in train.rs, unless only the embedded weights are new"
        );
    }
}
