//! Which squares are filled in many positions, and whether one of them may come from another position.
//!
//! The sets of squares are parted by one square after the other. Each part knows which squares some of its sets have,
//! which ones all have, and how many the largest has. So a part is passed over as a whole where a square is asked for
//! that none of its sets has, and where all of them have more of the other squares than there is room for: a set that
//! is hardly larger than what it has to include has hardly any others. The number of parts that have to be looked at grows
//! about with the root of the number of sets where the positions have nothing to do with each other: 560 for 200,000 sets.
//! In trees of games it is a fraction of that. For the same reason eight times as many sets, turned by all symmetries,
//! that are asked once take half as long as asking in eight ways; where they are many they would take too much memory.

use std::ops::Range;

use outflank_engine::{Position, Symmetry};

use crate::reach::fillings;

/// So few sets are looked at one by one.
const FEW: usize = 16;
/// So many sets tell which square parts them well.
const SAMPLE: usize = 512;
/// So many sets are turned by all symmetries: that takes 90 bytes and some microseconds for each.
const MOST_TURNED: usize = if cfg!(test) { 32 } else { 1 << 18 };

/// The filled squares of positions.
#[derive(Debug, Default)]
pub(super) struct Filled {
    /// Each one stands before those that it is parted into.
    parts: Vec<Part>,
    sets: Vec<u64>,
    /// Whether they have all symmetric ones among them.
    are_turned: bool,
}

#[derive(Debug)]
struct Part {
    /// The squares that some of the sets have.
    some: u64,
    /// The squares that all of the sets have.
    all: u64,
    /// The number of squares of the largest set.
    most: u32,
    /// The index behind the parts that this one is parted into.
    behind: usize,
    /// Where its sets are, unless it is parted further.
    few: Range<usize>,
}

impl Filled {
    /// Takes the filled squares of each of the positions.
    pub(super) fn new(mut sets: Vec<u64>) -> Self {
        let are_turned = sets.len() <= MOST_TURNED;
        if are_turned {
            sets = sets.into_iter().flat_map(turned).collect();
        }
        Self { are_turned, ..Self::parted(sets) }
    }

    fn parted(mut sets: Vec<u64>) -> Self {
        sets.sort_unstable();
        sets.dedup();
        let mut filled = Self::default();
        filled.add(&mut sets);
        filled
    }

    /// Returns whether one of the positions can come from `position`, as far as the filled squares tell.
    pub(super) fn may_come_from(&self, position: Position) -> bool {
        match self.are_turned {
            true => self.includes(!position.empty()),
            false => fillings(position).any(|filled| self.includes(filled)),
        }
    }

    /// Returns whether one of the sets includes `wanted`.
    fn includes(&self, wanted: u64) -> bool {
        let mut at = 0;
        while let Some(part) = self.parts.get(at) {
            let more = || (part.all & !wanted).count_ones();
            if wanted & !part.some != 0 || wanted.count_ones() + more() > part.most {
                at = part.behind;
                continue;
            }
            if self.sets[part.few.clone()].iter().any(|set| set & wanted == wanted) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Adds different sets, as one part.
    fn add(&mut self, sets: &mut [u64]) {
        let (at, first) = (self.parts.len(), self.sets.len());
        let is_parted = sets.len() > FEW;
        if !is_parted {
            self.sets.extend_from_slice(sets);
        }
        let some = sets.iter().fold(0, |some, set| some | set);
        let all = sets.iter().fold(u64::MAX, |all, set| all & set);
        let most = sets.iter().map(|set| set.count_ones()).max().unwrap_or(0);
        self.parts.push(Part { some, all, most, behind: at + 1, few: first..self.sets.len() });
        if is_parted {
            let square = parting(sets, some & !all);
            sets.sort_unstable_by_key(|set| set & square == 0);
            let (with, without) = sets.split_at_mut(sets.partition_point(|set| set & square != 0));
            self.add(with);
            self.add(without);
            self.parts[at].behind = self.parts.len();
        }
    }
}

/// Returns the symmetric sets of squares.
fn turned(squares: u64) -> impl Iterator<Item = u64> {
    let discs = Position::new(squares, 0).expect("none belongs to both sides");
    Symmetry::all().map(move |symmetry| symmetry.position(discs).player())
}

/// Returns the one of `squares` that parts the sets best: about two thirds of them have it. Who asks for a square is
/// spared the sets without it, and more ask for one that more sets have.
fn parting(sets: &[u64], squares: u64) -> u64 {
    let sample = || sets.iter().step_by(sets.len().div_ceil(SAMPLE));
    let bits = (0..64).map(|square| 1 << square).filter(|bit| squares & bit != 0);
    let best = bits.min_by_key(|bit| {
        let with = sample().filter(|&set| set & bit != 0).count();
        (3 * with).abs_diff(2 * sample().len())
    });
    best.expect("different sets differ in some square")
}

#[cfg(test)]
mod tests {
    use outflank_engine::Square;

    use super::*;

    /// The output function of SplitMix64.
    fn mixed(word: u64) -> u64 {
        let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// Asks for 2500 sets; returns how many of them are included.
    fn compared(sets: &[u64], wanted: impl Fn(u64) -> u64) -> u32 {
        let filled = Filled::parted(sets.to_vec());
        let mut found = 0;
        for seed in 0..2500 {
            let wanted = wanted(seed);
            let expected = sets.iter().any(|set| set & wanted == wanted);
            found += u32::from(expected);
            assert_eq!(filled.includes(wanted), expected, "{wanted:#x}");
        }
        found
    }

    #[test]
    fn parting_the_sets_finds_what_looking_at_each_of_them_finds() {
        let sets: Vec<u64> = (1..500).map(|seed| mixed(seed) | mixed(seed << 20)).collect();
        let part = |seed: u64| mixed(seed + 500) & (mixed(seed << 20) | mixed(seed << 40));
        let found = compared(&sets, part);
        assert!((250..2250).contains(&found), "{found} of 2500 are included");
        // As in games: what is asked for has one square less to six more than a set, or misses some and has others.
        let alike: Vec<u64> = (0..3000).map(|seed| played(seed, seed as u32 % 8)).collect();
        let found = compared(&alike, |seed| played(seed * 7 % 5000, seed as u32 % 3));
        assert!((250..2250).contains(&found), "{found} of 2500 are included");
        for few in [&[][..], &[7], &[7, 3]] {
            let filled = Filled::parted(few.to_vec());
            let found = [7, 5, 3, 2, 8].map(|wanted| filled.includes(wanted));
            let expected =
                [7, 5, 3, 2, 8].map(|wanted| few.iter().any(|set| set & wanted == wanted));
            assert_eq!(found, expected, "{few:?}");
        }
    }

    /// Returns 20 squares and so many more, one after the other, as follow from `seed`: many are the same for many
    /// seeds.
    fn played(seed: u64, more: u32) -> u64 {
        let mut squares = 0x0000_0018_1800_0000_u64;
        let mut state = seed % 97;
        while squares.count_ones() < 20 + more {
            state = mixed(state + 1 + if squares.count_ones() > 17 { seed } else { 0 });
            let near = squares << 1 | squares >> 1 | squares << 8 | squares >> 8;
            squares |= 1 << (state >> 58) & near;
        }
        squares
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

    #[test]
    fn sets_that_are_turned_and_sets_that_are_not_are_found_alike() {
        for count in [1, 8, MOST_TURNED as u64, MOST_TURNED as u64 + 1, 400] {
            let sets: Vec<u64> = (0..count).map(|seed| played(seed * 3, seed as u32 % 8)).collect();
            let filled = Filled::new(sets.clone());
            assert_eq!(filled.are_turned, sets.len() <= MOST_TURNED);
            let mut found = 0;
            for (seed, symmetry) in (0..800).zip(Symmetry::all().collect::<Vec<_>>().iter().cycle())
            {
                let squares = played(seed * 7 % 1200, seed as u32 % 3);
                let position = symmetry.position(Position::new(squares, 0).unwrap());
                let is_in = |set: &u64| turned(squares).any(|turned| set & turned == turned);
                let expected = sets.iter().any(is_in);
                found += u32::from(expected);
                assert_eq!(filled.may_come_from(position), expected, "{count}, {squares:#x}");
            }
            assert!((1..800).contains(&found), "{found} of 800 are included in {count}");
        }
    }
}
