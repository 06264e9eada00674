//! Taking back what a worker claimed, and everything that may rest on it.
//!
//! A worker that was found to be wrong once cannot be believed at all. Its claims fall, and with them
//! each bound of a position above one that falls: that bound may have been inferred from a false one,
//! or searched with it. A search may also have been told of bounds from deep inside the jobs of others: so each bound
//! falls from whose position one of the claims may be reached by moves. Discs never leave the board, so that only
//! squares that are filled in the claim can be filled there. More falls than must, since nobody recorded what a
//! bound rests on; it is simply searched again. The log keeps the claims, so that the case can be looked into later.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use outflank_engine::{Position, Square, Symmetry};

use super::claim::{Entry, Source};
use super::error::StoreError;
use super::files::Files;
use super::frame::{self, FULL_BODY};
use super::index::Index;
use super::origins::Origins;
use super::record::Method;

/// Returns the positions of which nothing is to be believed any more when `worker` is not.
pub(super) fn fallen(
    index: &dyn Index,
    origins: &Origins,
    worker: &str,
) -> Result<HashSet<Position>, StoreError> {
    let guilty: BTreeSet<u32> = (0..origins.count())
        .filter(|&id| origins.get(id).is_some_and(|origin| origin.worker == worker))
        .collect();
    let is_of_guilty = |entry: &Entry| {
        guilty.contains(&entry.lower_from.origin) || guilty.contains(&entry.upper_from.origin)
    };
    let mut fallen = HashSet::new();
    let mut claimed = Vec::new();
    index.visit(&mut |position, entry| {
        if is_of_guilty(&entry) {
            claimed.push(!position.empty());
            fallen.insert(position);
        }
        ControlFlow::Continue(())
    })?;
    let claimed = Filled::new(claimed);
    index.visit(&mut |position, entry| {
        let is_searched = [entry.lower_from, entry.upper_from]
            .into_iter()
            .any(|source| source.method == Method::Search);
        if is_searched && claimed.may_come_from(position) {
            fallen.insert(position);
        }
        ControlFlow::Continue(())
    })?;
    loop {
        let before = fallen.len();
        // By number of empties: what is below comes first, but for passes.
        index.visit(&mut |position, _| {
            if below(position).any(|child| fallen.contains(&child)) {
                fallen.insert(position);
            }
            ControlFlow::Continue(())
        })?;
        if fallen.len() == before {
            return Ok(fallen);
        }
    }
}

/// Returns whether another than `worker` has searched a position that may come from `position`, and that `worker` can
/// have been told of.
pub(super) fn others_have_searched_below(
    index: &dyn Index,
    origins: &Origins,
    position: Position,
    worker: &str,
) -> Result<bool, StoreError> {
    let images = (0..8).filter_map(Symmetry::new).map(|symmetry| symmetry.position(position));
    let filled: Vec<u64> = images.map(|image| !image.empty()).collect();
    let is_of_another = |source: &Source| {
        let is_its = origins.get(source.origin).is_some_and(|origin| origin.worker == worker);
        source.method == Method::Search && !is_its
    };
    let mut found = false;
    index.visit(&mut |below, entry| {
        found = below != position
            && filled.iter().any(|filled| !below.empty() & filled == *filled)
            && [entry.lower_from, entry.upper_from].iter().any(is_of_another);
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// The filled squares of positions, sorted, so that one look at the highest bit parts them.
struct Filled(Vec<u64>);

/// So few are looked at one by one.
const FEW: usize = 8;

impl Filled {
    fn new(mut filled: Vec<u64>) -> Self {
        filled.sort_unstable();
        filled.dedup();
        Self(filled)
    }

    /// Returns whether one of the positions can come from `position`, as far as the filled squares tell.
    fn may_come_from(&self, position: Position) -> bool {
        let images = (0..8).filter_map(Symmetry::new).map(|symmetry| symmetry.position(position));
        images.into_iter().any(|image| includes(&self.0, 1 << 63, !image.empty()))
    }
}

/// Returns whether one of the sorted sets, which agree above `bit`, includes `part`.
fn includes(sets: &[u64], bit: u64, part: u64) -> bool {
    if sets.len() <= FEW || bit == 0 {
        return sets.iter().any(|set| set & part == part);
    }
    let (without, with) = sets.split_at(sets.partition_point(|set| set & bit == 0));
    includes(with, bit >> 1, part) || part & bit == 0 && includes(without, bit >> 1, part)
}

/// Returns the positions one ply below, canonical; a pass is a ply.
fn below(position: Position) -> impl Iterator<Item = Position> {
    let passed = position.must_pass().then(|| position.pass());
    let played = Square::all(position.moves()).filter_map(move |square| position.play(square));
    passed.into_iter().chain(played).map(Position::canonical)
}

/// Writes to the log that everything claimed of `positions` is withdrawn; returns when that is on
/// disk.
pub(super) fn write(files: &mut Files, positions: &HashSet<Position>) -> Result<(), StoreError> {
    let mut sorted: Vec<Position> = positions.iter().copied().collect();
    sorted.sort();
    let mut body = Vec::new();
    for position in sorted {
        frame::push_withdrawal(&mut body, position);
        if body.len() >= FULL_BODY {
            files.log.append(&body)?;
            body.clear();
        }
    }
    if body.is_empty() { Ok(()) } else { files.log.append(&body) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output function of SplitMix64.
    fn mixed(word: u64) -> u64 {
        let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    #[test]
    fn parting_the_sets_finds_what_looking_at_each_of_them_finds() {
        let sets: Vec<u64> = (1..500).map(|seed| mixed(seed) | mixed(seed << 20)).collect();
        let filled = Filled::new(sets.clone());
        let mut found = 0;
        for seed in 500..3000 {
            let part = mixed(seed) & (mixed(seed << 20) | mixed(seed << 40));
            let expected = sets.iter().any(|set| set & part == part);
            found += u32::from(expected);
            assert_eq!(includes(&filled.0, 1 << 63, part), expected, "{part:#x}");
        }
        assert!((250..2250).contains(&found), "{found} of 2500 are included");
    }

    #[test]
    fn what_is_played_from_a_position_may_come_from_it_however_it_is_turned() {
        let mut position = Position::START;
        let mut passed = vec![position.canonical()];
        for _ in 0..12 {
            let square = Square::lowest(position.moves()).expect("no pass comes so early");
            position = position.play(square).expect("it is legal");
            passed.push(position.canonical());
        }
        let last = Filled::new(vec![!position.empty()]);
        assert!(passed.iter().all(|&above| last.may_come_from(above)));
        let first = Filled::new(vec![!passed[0].empty()]);
        assert!(!passed[1..].iter().any(|&below| first.may_come_from(below)));
    }
}
