//! A random sample of the searched claims, drawn while they pass by.
//!
//! Each leaf gets a rank: a hash of the seed and its row's number. The leaves with the smallest
//! ranks are the sample, so that every set of leaves is equally likely, memory holds no more than
//! the sample, and the same seed draws the same rows on every machine.

use std::collections::BinaryHeap;

use sha2::{Digest, Sha256};

use crate::claim::Claim;

/// A claim that was found by a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its line in the file.
    pub line: u64,
    /// Its row.
    pub row: u64,
    /// The claim.
    pub claim: Claim,
    /// The number of its origin.
    pub origin: u64,
}

impl Leaf {
    /// Returns the number of empty squares.
    #[must_use]
    pub const fn empties(&self) -> usize {
        self.claim.position.empties() as usize
    }
}

/// Draws leaves that are small enough.
#[derive(Debug)]
pub struct Sample {
    size: usize,
    max_empties: usize,
    seed: u64,
    /// The leaves drawn so far, the largest rank on top.
    drawn: BinaryHeap<Ranked>,
    by_empties: [u64; 65],
}

#[derive(Debug, PartialEq, Eq)]
struct Ranked {
    rank: (u64, u64),
    leaf: Leaf,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Sample {
    /// Returns an empty sample, to become `size` of the leaves with at most `max_empties` empty
    /// squares; more than 64 are as good as 64.
    #[must_use]
    pub fn new(size: usize, max_empties: usize, seed: u64) -> Self {
        let max_empties = max_empties.min(64);
        Self { size, max_empties, seed, drawn: BinaryHeap::new(), by_empties: [0; 65] }
    }

    /// Counts a leaf and perhaps draws it.
    pub fn offer(&mut self, leaf: Leaf) {
        self.by_empties[leaf.empties()] += 1;
        if self.size == 0 || leaf.empties() > self.max_empties {
            return;
        }
        let rank = (rank(self.seed, leaf.row), leaf.row);
        if self.drawn.len() < self.size {
            self.drawn.push(Ranked { rank, leaf });
        } else if let Some(mut last) = self.drawn.peek_mut()
            && rank < last.rank
        {
            *last = Ranked { rank, leaf };
        }
    }

    /// Returns the leaves drawn, the largest positions first: one that is started last would be
    /// waited for longest.
    #[must_use]
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut leaves: Vec<Leaf> = self.drawn.iter().map(|ranked| ranked.leaf).collect();
        leaves.sort_by_key(|leaf| (std::cmp::Reverse(leaf.empties()), leaf.row));
        leaves
    }

    /// Returns the number of leaves offered, by their number of empty squares.
    #[must_use]
    pub const fn by_empties(&self) -> &[u64; 65] {
        &self.by_empties
    }

    /// Returns the number of leaves that could be drawn.
    #[must_use]
    pub fn population(&self) -> u64 {
        self.by_empties.iter().take(self.max_empties + 1).sum()
    }

    /// Returns the greatest number of empty squares of a leaf that can be drawn.
    #[must_use]
    pub const fn max_empties(&self) -> usize {
        self.max_empties
    }

    /// Returns the seed.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }
}

/// Returns a number that looks random and depends only on `seed` and `row`.
fn rank(seed: u64, row: u64) -> u64 {
    let hash = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(row.to_le_bytes());
    let hash: [u8; 32] = hash.finalize().into();
    hash[..8].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Side;
    use crate::rules::Position;

    fn leaf(row: u64, empties: u32) -> Leaf {
        let position = Position { player: u64::MAX << empties, opponent: 0 };
        Leaf { line: row, row, claim: Claim { position, side: Side::AtLeast, value: 0 }, origin: 1 }
    }

    fn drawn(seed: u64, rows: u64, size: usize) -> Vec<u64> {
        let mut sample = Sample::new(size, 20, seed);
        (1..=rows).for_each(|row| sample.offer(leaf(row, 10)));
        sample.leaves().iter().map(|leaf| leaf.row).collect()
    }

    #[test]
    fn the_seed_decides_and_every_row_is_equally_likely() {
        // Computed with other software: python3, hashlib.
        assert_eq!(drawn(1, 100, 10), [5, 23, 34, 57, 58, 73, 75, 80, 88, 90]);
        assert_ne!(drawn(1, 100, 10), drawn(2, 100, 10));
        assert_eq!(drawn(3, 5, 10), [1, 2, 3, 4, 5]);
        assert!(drawn(3, 5, 0).is_empty());
        let mut counts = [0_u32; 100];
        for row in (0..2000).flat_map(|seed| drawn(seed, 100, 10)) {
            counts[row as usize - 1] += 1;
        }
        // 200 expected; the deviation is 13.4, so that 6 deviations are 80.
        assert!(counts.iter().all(|count| (120..280).contains(count)), "{counts:?}");
    }

    #[test]
    fn large_leaves_are_counted_but_not_drawn() {
        let mut sample = Sample::new(10, 20, 0);
        (1..=30).for_each(|row| sample.offer(leaf(row, row as u32)));
        assert_eq!((sample.population(), sample.by_empties().iter().sum::<u64>()), (20, 30));
        let empties: Vec<usize> = sample.leaves().iter().map(Leaf::empties).collect();
        assert!(empties.len() == 10 && empties.is_sorted_by(|one, other| one > other));
        assert!(empties[0] <= 20);
        let mut sample = Sample::new(30, 20, 0);
        (1..=30).for_each(|row| sample.offer(leaf(row, row as u32)));
        assert!(sample.leaves().iter().map(Leaf::empties).eq((1..=20).rev()));
        let mut sample = Sample::new(10, usize::MAX, 0);
        sample.offer(leaf(1, 9));
        assert_eq!(sample.population(), 1);
    }
}
