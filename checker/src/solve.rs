//! The checker's own search: is the value of a position at least this?
//!
//! Every answer is yes or no: all values are even, so that the value is at least t if and only if that
//! of some position after a move is *not* at least 2 − t for the opponent. A table remembers answers,
//! each with its threshold: passes can lead to the same player and opponent with either colour to
//! move, and then the search asks about t once and about 2 − t once.
//! Moves are tried in the order of the replies that they leave (fewest first), with corners
//! preferred and, near the end, squares in regions with an odd number of empty squares.

use crate::rules::{Position, squares};

/// From this number of empty squares on, answers are remembered and moves are sorted.
const SORTED: u32 = 7;

/// The four quarters of the board; a small one lies in the middle.
const QUARTERS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = 0x8080_8080_8080_8080;

/// The more squares, the sooner a move is tried: a corner is worth this many replies.
const CORNER: u32 = 3;

/// A searcher with its table of answers.
#[derive(Debug)]
pub struct Solver {
    table: Vec<Entry>,
    /// The number of the search: entries of others do not count.
    search: u32,
    /// The corners of the board.
    corners: u64,
    nodes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    player: u64,
    opponent: u64,
    search: u32,
    /// What was asked: whether the value is at least this.
    threshold: i8,
    answer: bool,
}

/// A position after a move, and how it is ranked.
#[derive(Clone, Copy, Debug)]
struct Child {
    rank: u32,
    position: Position,
}

impl Solver {
    /// Returns a searcher whose table has 2 to the power of `bits` entries of 24 bytes.
    ///
    /// # Panics
    /// If `bits` is 0 or more than 40.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        assert!((1..=40).contains(&bits), "a table of 2^{bits} entries");
        Self { table: vec![Entry::default(); 1 << bits], search: 0, corners: 0, nodes: 0 }
    }

    /// Returns whether the value of `position` is at least `threshold`, which is even.
    ///
    /// # Panics
    /// Builds with debug assertions panic if `threshold` is odd; the answers of others are wrong then.
    pub fn is_at_least(&mut self, position: Position, threshold: i32) -> bool {
        debug_assert!(threshold % 2 == 0, "threshold {threshold} is odd, expected an even one");
        // No value is beyond these, and entries have room for the thresholds between them only.
        if !(-62..=64).contains(&threshold) {
            return threshold < 0;
        }
        if self.search == u32::MAX {
            self.table.fill(Entry::default());
            self.search = 0;
        }
        self.search += 1;
        self.corners = corners(!position.walls());
        self.reaches(position, threshold)
    }

    /// Returns the number of positions searched so far.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    fn reaches(&mut self, position: Position, threshold: i32) -> bool {
        self.nodes += 1;
        if position.empties() < SORTED {
            return self.reaches_soon(position, threshold);
        }
        let moves = position.moves();
        if moves == 0 {
            return self.reaches_by_pass(position, threshold);
        }
        if let Some(answer) = self.remembered(position, threshold) {
            return answer;
        }
        let answer = self.some_child_fails(position, moves, 2 - threshold);
        self.remember(position, threshold, answer);
        answer
    }

    /// Returns whether, after one of `moves`, the opponent does not reach `threshold`.
    fn some_child_fails(&mut self, position: Position, moves: u64, threshold: i32) -> bool {
        let odd = odd_regions(position.empty());
        let mut children = [Child { rank: 0, position }; 64];
        let mut count = 0;
        for square in squares(moves) {
            let Some(next) = position.play(square) else { continue };
            match self.remembered(next, threshold) {
                Some(true) => {}
                Some(false) => return true,
                None => {
                    children[count] = Child { rank: self.rank(square, next, odd), position: next };
                    count += 1;
                }
            }
        }
        let children = &mut children[..count];
        children.sort_unstable_by_key(|child| child.rank);
        children.iter().any(|child| !self.reaches(child.position, threshold))
    }

    /// The same for few empty squares: no table and no sorting.
    fn reaches_soon(&mut self, position: Position, threshold: i32) -> bool {
        let empty = position.empty();
        let odd = odd_regions(empty);
        let mut has_moved = false;
        for square in squares(empty & odd).chain(squares(empty & !odd)) {
            if let Some(next) = position.play(square) {
                has_moved = true;
                self.nodes += 1;
                if !self.reaches_soon(next, 2 - threshold) {
                    return true;
                }
            }
        }
        !has_moved && self.reaches_by_pass(position, threshold)
    }

    /// Answers for a player who cannot move.
    fn reaches_by_pass(&mut self, position: Position, threshold: i32) -> bool {
        let next = position.pass();
        if next.moves() == 0 {
            return position.final_score() >= threshold;
        }
        !self.reaches(next, 2 - threshold)
    }

    /// Returns the rank of the move to `square` that leads to `next`: the smallest is tried first.
    fn rank(&self, square: u32, next: Position, odd: u64) -> u32 {
        let replies = next.moves();
        let freedom = replies.count_ones() + (replies & self.corners).count_ones();
        let bonus = CORNER * u32::from(self.corners >> square & 1 == 1);
        let parity = u32::from(odd >> square & 1 == 0);
        // Empty squares beside the mover's discs may become replies later.
        let outlook = (next.neighbours() & next.empty()).count_ones();
        4 * (freedom + CORNER - bonus) + outlook + parity
    }

    fn slot(&self, position: Position) -> usize {
        let mixed = position.player.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ position.opponent.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
        (mixed.wrapping_mul(0x1656_67b1_9e37_79f9) >> 20) as usize & (self.table.len() - 1)
    }

    /// Returns the answer to the same question in this search, if the table still has it.
    fn remembered(&self, position: Position, threshold: i32) -> Option<bool> {
        let entry = self.table[self.slot(position)];
        let is_same = (entry.player, entry.opponent) == (position.player, position.opponent)
            && (entry.search, i32::from(entry.threshold)) == (self.search, threshold);
        is_same.then_some(entry.answer)
    }

    fn remember(&mut self, position: Position, threshold: i32, answer: bool) {
        let (Position { player, opponent }, search) = (position, self.search);
        let threshold = threshold as i8; // −62 to 64, as is 2 − threshold
        let slot = self.slot(position);
        self.table[slot] = Entry { player, opponent, search, threshold, answer };
    }
}

/// Returns the squares of the quarters that have an odd number of empty squares: who moves there
/// often moves last there.
fn odd_regions(empty: u64) -> u64 {
    QUARTERS.iter().filter(|&&quarter| (empty & quarter).count_ones() % 2 == 1).sum()
}

/// Returns the squares of a board that have a neighbour in one column and in one row only.
const fn corners(board: u64) -> u64 {
    let beside = (board & !FILE_H) << 1 & (board & !FILE_A) >> 1;
    board & !beside & !(board << 8 & board >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Turn;

    /// Visits the whole tree.
    fn value(position: Position) -> i32 {
        match position.turn() {
            Turn::Over(score) => score,
            Turn::Pass(next) => -value(next),
            Turn::Move(_) => squares(position.moves())
                .filter_map(|square| position.play(square))
                .map(|next| -value(next))
                .max()
                .expect("there is a move"),
        }
    }

    /// Plays random moves until `empties` squares are empty or the game is over.
    fn random_position(seed: u64, empties: u32) -> Position {
        let mut position = Position { player: 0x0008_1000_0000, opponent: 0x0010_0800_0000 };
        let mut state = seed;
        loop {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            position = match position.turn() {
                Turn::Over(_) => return position,
                Turn::Pass(next) => next,
                Turn::Move(_) if position.empties() <= empties => return position,
                Turn::Move(_) => {
                    let count = u64::from(position.moves().count_ones());
                    let choice = squares(position.moves()).nth(((state >> 33) % count) as usize);
                    choice.and_then(|square| position.play(square)).expect("it is legal")
                }
            };
        }
    }

    #[test]
    fn the_answers_are_those_of_the_whole_tree() {
        let mut solver = Solver::new(8); // a small table, so that entries are overwritten
        for seed in 0..200 {
            let position = random_position(seed, 6 + seed as u32 % 3);
            let value = value(position);
            for threshold in [value - 4, value, value + 2, value + 8] {
                let expected = value >= threshold;
                assert_eq!(solver.is_at_least(position, threshold), expected, "{position}");
            }
        }
        assert!(solver.nodes() > 1_000);
    }

    #[test]
    fn an_answer_is_remembered_for_one_question_about_one_position_in_one_search() {
        let mut solver = Solver::new(1);
        let asked = Position { player: 0b0001, opponent: 0b0010 };
        solver.remember(asked, 4, true);
        assert_eq!(solver.remembered(asked, 4), Some(true));
        assert_eq!(solver.remembered(asked, 6), None);
        // Half of the others would lie in the same place of a table of two entries.
        for other in (2..64).map(|square| 1_u64 << square) {
            let more = [
                Position { player: asked.player | other, ..asked },
                Position { opponent: asked.opponent | other, ..asked },
            ];
            assert_eq!(more.map(|position| solver.remembered(position, 4)), [None; 2]);
        }
        solver.search += 1;
        assert_eq!(solver.remembered(asked, 4), None);
        // Numbers come again when there are no more.
        solver.search = 1;
        solver.remember(asked, 4, true);
        solver.search = u32::MAX;
        assert!(!solver.is_at_least(random_position(1, 4), 64));
        assert_eq!((solver.search, solver.remembered(asked, 4)), (1, None));
    }

    #[test]
    fn a_board_can_be_won_and_lost_as_a_whole() {
        let mut solver = Solver::new(8);
        // The last move turns the opponent's last disc; a player without a disc has lost them all.
        let won = Position { player: !0b11, opponent: 0b10 };
        let lost = Position { player: 0, opponent: !0b1 };
        for threshold in (-66..=66).step_by(2) {
            assert_eq!(solver.is_at_least(won, threshold), threshold <= 64, "{threshold}");
            assert_eq!(solver.is_at_least(lost, threshold), threshold <= -64, "{threshold}");
        }
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "threshold 3 is odd")]
    fn an_odd_threshold_is_refused() {
        let _ = Solver::new(8).is_at_least(random_position(1, 4), 3);
    }

    #[test]
    fn corners_are_those_of_the_board() {
        assert_eq!(corners(u64::MAX), 0x8100_0000_0000_0081);
        assert_eq!(corners(0x007e_7e7e_7e7e_7e00), 0x0042_0000_0000_4200);
    }

    /// Published: 4x4 Othello. The others were found by `outflank-engine` first.
    #[test]
    fn small_boards_have_their_values_from_the_start() {
        let boards = [
            (0xffff_c3c3_c3c3_ffff, -10), // 4x4
            (0xffff_8383_8383_ffff, 16),  // 5x4
            (0xffc3_c3c3_c3c3_ffff, 16),  // 4x5
            (0xffff_8181_8181_ffff, 16),  // 6x4
            (0xffc3_c3c3_c3c3_c3ff, 16),  // 4x6
        ];
        let mut solver = Solver::new(16);
        for (walls, value) in boards {
            let (player, opponent) = (0x0008_1000_0000 | walls, 0x0010_0800_0000 | walls);
            let start = Position { player, opponent };
            assert!(Position::from_text(&start.to_string()) == Some(start), "{start}");
            assert!(solver.is_at_least(start, value), "{start}");
            assert!(!solver.is_at_least(start, value + 2), "{start}");
        }
    }
}
