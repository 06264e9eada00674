//! Small tables of one thread's own for positions near the leaves.
//!
//! There the shared table would be slow (a cache miss a node) and soon full of trifles. These fit
//! the second-level cache, need no care for other threads, and always replace. The idea is
//! acepck's (Egaroucid 7.3); tables for the very last squares are neural-reversi's.

use super::board::Board;

/// What the table knows of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalEntry {
    player: u64,
    opponent: u64,
    pub(crate) lower: i8,
    pub(crate) upper: i8,
    /// The move that was best, or 64 if there is none.
    pub(crate) best: u8,
}

impl LocalEntry {
    const EMPTY: Self = Self { player: 0, opponent: 0, lower: -64, upper: 64, best: 64 };

    /// Returns the bound that answers the null window of `alpha`, if one does.
    #[inline(always)]
    pub(crate) fn answer(&self, alpha: i32) -> Option<i32> {
        let (lower, upper) = (i32::from(self.lower), i32::from(self.upper));
        if lower > alpha { Some(lower) } else { (upper <= alpha).then_some(upper) }
    }
}

/// A table of so many entries of 24 bytes.
#[derive(Debug)]
pub(crate) struct LocalTable<const ENTRIES: usize>(Box<[LocalEntry]>);

impl<const ENTRIES: usize> LocalTable<ENTRIES> {
    pub(crate) fn new() -> Self {
        Self(vec![LocalEntry::EMPTY; ENTRIES].into_boxed_slice())
    }

    /// Returns what is known of `board`.
    #[inline(always)]
    pub(crate) fn get(&self, hash: u64, board: Board) -> Option<LocalEntry> {
        let entry = self.0[hash as usize % ENTRIES];
        (entry.player == board.player && entry.opponent == board.opponent).then_some(entry)
    }

    /// Keeps the bound that a fail-soft search of `board` in the null window of `alpha` has proved.
    #[inline(always)]
    pub(crate) fn put(&mut self, hash: u64, board: Board, value: i32, alpha: i32, best: u8) {
        let entry = &mut self.0[hash as usize % ENTRIES];
        if entry.player != board.player || entry.opponent != board.opponent {
            *entry =
                LocalEntry { player: board.player, opponent: board.opponent, ..LocalEntry::EMPTY };
        }
        if value > alpha {
            entry.lower = entry.lower.max(value as i8);
        } else {
            entry.upper = entry.upper.min(value as i8);
        }
        entry.best = best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: Board = Board { player: 0b0011, opponent: 0b0100 };

    #[test]
    fn an_entry_is_about_one_board_and_gives_way_to_any_other() {
        let mut table = LocalTable::<4>::new();
        table.put(1, BOARD, 6, 5, 19);
        let found = table.get(5, BOARD).expect("the hash has the same lowest bits");
        assert_eq!((found.lower, found.upper, found.best), (6, 64, 19));
        assert!(table.get(2, BOARD).is_none());
        let others = [Board { player: 0b1011, ..BOARD }, Board { opponent: 0b1100, ..BOARD }];
        for other in others {
            assert!(table.get(1, other).is_none(), "{other:?}");
            table.put(1, BOARD, 6, 5, 19);
            table.put(1, other, -8, -8, 20);
            let found = table.get(1, other).expect("it always replaces");
            assert_eq!((found.lower, found.upper, found.best), (-64, -8, 20), "{other:?}");
            assert!(table.get(1, BOARD).is_none());
        }
    }

    #[test]
    fn bounds_of_one_board_meet_and_answer_the_windows_outside_them() {
        let mut table = LocalTable::<4>::new();
        for (value, alpha) in [(-2, -3), (-6, -7), (4, 5), (8, 8)] {
            table.put(0, BOARD, value, alpha, 64);
        }
        let found = table.get(0, BOARD).expect("it was put");
        assert_eq!((found.lower, found.upper), (-2, 4));
        let answers = [-4, -3, -2, 3, 4, 5].map(|alpha| found.answer(alpha));
        assert_eq!(answers, [Some(-2), Some(-2), None, None, Some(4), Some(4)]);
    }
}
