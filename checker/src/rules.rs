//! The rules of Othello, in the plainest form that is still quick enough.
//!
//! A board is a set of squares: bit 0 is a1, bit 1 is b1, bit 63 is h8. On a board smaller than 8x8
//! the squares around it are walls: nobody has a disc there, and no row leads over them.

use std::fmt;

use crate::symmetry;

/// A position, seen by the player to move. The squares that both boards have are walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The discs of the player to move, and the walls.
    pub player: u64,
    /// The discs of the opponent, and the walls.
    pub opponent: u64,
}

/// The fewest columns and rows of a board.
const FEWEST: u32 = 4;

/// The squares where a step to the right can end.
const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
/// The squares where a step to the left can end.
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The eight directions: by how many bits a step moves a disc, and where it can end.
const DIRECTIONS: [(i32, u64); 8] = [
    (1, NOT_A),
    (-1, NOT_H),
    (8, u64::MAX),
    (-8, u64::MAX),
    (9, NOT_A),
    (-9, NOT_H),
    (7, NOT_H),
    (-7, NOT_A),
];

/// Moves all discs of `board` by one step; those that would leave the board are gone.
const fn step(board: u64, (shift, landing): (i32, u64)) -> u64 {
    let moved = if shift > 0 { board << shift } else { board >> -shift };
    moved & landing
}

impl Position {
    /// Returns the number of empty squares.
    #[must_use]
    pub const fn empties(self) -> u32 {
        self.empty().count_ones()
    }

    /// Returns the empty squares.
    #[must_use]
    pub const fn empty(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// Returns the squares that are not on the board.
    #[must_use]
    pub const fn walls(self) -> u64 {
        self.player & self.opponent
    }

    /// Returns the number of the board's squares: no value is larger.
    #[must_use]
    pub const fn squares(self) -> i32 {
        self.walls().count_zeros() as i32
    }

    /// Returns the discs of the player and of the opponent, without walls.
    const fn discs(self) -> (u64, u64) {
        (self.player & !self.opponent, self.opponent & !self.player)
    }

    /// Returns the squares where the player can move: empty ones, from which a row of opponent's
    /// discs leads to one of the player's.
    #[must_use]
    pub fn moves(self) -> u64 {
        let (player, opponent) = self.discs();
        let mut ends = 0;
        for direction in DIRECTIONS {
            let mut row = step(player, direction) & opponent;
            for _ in 0..5 {
                row |= step(row, direction) & opponent;
            }
            ends |= step(row, direction);
        }
        ends & self.empty()
    }

    /// Returns the position after the player has moved to `square` (0 to 63), or `None` if that is
    /// not legal, as no move to another number is.
    #[must_use]
    pub fn play(self, square: u32) -> Option<Self> {
        let disc = 1_u64.checked_shl(square)?;
        if self.empty() & disc == 0 {
            return None;
        }
        let turned = self.turned_by(disc);
        (turned != 0).then_some(Self {
            player: self.opponent & !turned,
            opponent: self.player | turned | disc,
        })
    }

    /// Returns the opponent's discs between `disc` and another disc of the player.
    fn turned_by(self, disc: u64) -> u64 {
        let (player, opponent) = self.discs();
        let mut turned = 0;
        for direction in DIRECTIONS {
            let (mut row, mut next) = (0, step(disc, direction));
            while next & opponent != 0 {
                row |= next;
                next = step(next, direction);
            }
            if next & player != 0 {
                turned |= row;
            }
        }
        turned
    }

    /// Returns the squares beside the opponent's discs.
    #[must_use]
    pub fn neighbours(self) -> u64 {
        let (_, opponent) = self.discs();
        DIRECTIONS.iter().fold(0, |all, &direction| all | step(opponent, direction))
    }

    /// Returns the position with the other player to move.
    #[must_use]
    pub const fn pass(self) -> Self {
        Self { player: self.opponent, opponent: self.player }
    }

    /// Returns the score of a finished game for the player to move: the difference of the discs,
    /// the empty squares counted for the winner.
    #[must_use]
    pub const fn final_score(self) -> i32 {
        let (player, opponent) = self.discs();
        let (player, opponent) = (player.count_ones() as i32, opponent.count_ones() as i32);
        let squares = self.squares();
        if player > opponent {
            squares - 2 * opponent
        } else if player < opponent {
            2 * player - squares
        } else {
            0
        }
    }

    /// Returns what the rules make of the position: somebody's turn, a forced pass, or the end.
    #[must_use]
    pub fn turn(self) -> Turn {
        if self.moves() != 0 {
            Turn::Move(self)
        } else if self.pass().moves() != 0 {
            Turn::Pass(self.pass())
        } else {
            Turn::Over(self.final_score())
        }
    }

    /// Returns the smallest of the eight symmetric positions, compared as (player, opponent).
    #[must_use]
    pub fn canonical(self) -> Self {
        symmetry::all(self).into_iter().min().unwrap_or(self)
    }

    /// Reads 64 characters from a1 to h8 (`X` the player to move, `O` the opponent, `-` empty, `+` a
    /// wall) and ` X`, and nothing else. The walls must leave a board.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let squares = text.strip_suffix(" X").filter(|squares| squares.len() == 64)?;
        let (mut player, mut opponent) = (0, 0);
        for (square, content) in squares.bytes().enumerate() {
            match content {
                b'X' => player |= 1 << square,
                b'O' => opponent |= 1 << square,
                b'-' => {}
                b'+' => (player, opponent) = (player | 1 << square, opponent | 1 << square),
                _ => return None,
            }
        }
        is_board(!(player & opponent)).then_some(Self { player, opponent })
    }
}

/// Returns whether `squares` are a board: 4 to 8 columns and rows in the middle of the 64 squares (of
/// an odd number the spare one may lie on either side), and an even number of squares.
fn is_board(squares: u64) -> bool {
    let columns = (0..8).filter(|file| squares >> file & 0x0101_0101_0101_0101 != 0);
    let rows = (0..8).filter(|rank| squares >> (8 * rank) & 0xff != 0);
    let lengths = [side(columns), side(rows)];
    let [Some(columns), Some(rows)] = lengths else { return false };
    columns * rows == squares.count_ones() && squares.count_ones().is_multiple_of(2)
}

/// Returns the length of a side of a board that takes these places of eight, in ascending order.
fn side(mut places: impl Iterator<Item = u32>) -> Option<u32> {
    let first = places.next()?;
    let last = places.last()?;
    let is_middle = first.abs_diff(7 - last) <= 1;
    let length = last - first + 1;
    (is_middle && length >= FEWEST).then_some(length)
}

/// What can happen in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The player has a move.
    Move(Position),
    /// Only the opponent has a move: the position after the pass.
    Pass(Position),
    /// The game is over, with this score for the player to move.
    Over(i32),
}

/// The form that [`Position::from_text`] reads.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = |square: u32| match (self.player >> square & 1, self.opponent >> square & 1) {
            (1, 1) => '+',
            (1, _) => 'X',
            (_, 1) => 'O',
            _ => '-',
        };
        let squares: String = (0..64).map(content).collect();
        write!(f, "{squares} X")
    }
}

/// Returns the numbers of the squares in `board`, ascending.
pub fn squares(mut board: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = (board != 0).then_some(board.trailing_zeros())?;
        board &= board - 1;
        Some(square)
    })
}

/// Returns the name of a square, such as `a1` for 0.
#[must_use]
pub fn square_name(square: u32) -> String {
    let file = char::from(b'a' + (square % 8) as u8);
    format!("{file}{}", square / 8 + 1)
}

/// Returns the number of the square called `name`, in lower case.
#[must_use]
pub fn square_number(name: &str) -> Option<u32> {
    match name.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Some(u32::from(rank - b'1') * 8 + u32::from(file - b'a'))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Position = Position { player: 0x0000_0008_1000_0000, opponent: 0x0010_0800_0000 };

    /// Counts the games of `plies` plies; a pass counts as one.
    fn perft(position: Position, plies: u32) -> u64 {
        match position.turn() {
            _ if plies == 0 => 1,
            Turn::Over(_) => 1,
            Turn::Pass(next) => perft(next, plies - 1),
            Turn::Move(_) => squares(position.moves())
                .filter_map(|square| position.play(square))
                .map(|next| perft(next, plies - 1))
                .sum(),
        }
    }

    #[test]
    fn the_number_of_games_is_the_published_one() {
        let published = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288];
        for (plies, games) in published.into_iter().enumerate() {
            assert_eq!(perft(START, plies as u32), games, "{plies} plies");
        }
    }

    #[test]
    fn exactly_the_moves_can_be_played() {
        let mut positions = vec![START];
        for _ in 0..5 {
            positions = positions
                .into_iter()
                .flat_map(|position| {
                    let playable = (0..64).filter(move |&square| position.play(square).is_some());
                    let board = playable.clone().map(|square| 1_u64 << square).sum::<u64>();
                    assert_eq!(board, position.moves(), "{position}");
                    playable.filter_map(move |square| position.play(square))
                })
                .collect();
        }
        assert_eq!(positions.len(), 1396);
    }

    #[test]
    fn no_move_leads_off_the_board() {
        for square in [64, 64 + 19, u32::MAX] {
            assert_eq!(START.play(square), None, "{square}");
        }
        assert!(START.play(19).is_some(), "d3, which 83 is modulo 64");
    }

    #[test]
    fn empty_squares_count_for_the_winner() {
        let score = |player, opponent| Position { player, opponent }.final_score();
        assert_eq!(score(0b111, 0b11000), 60);
        assert_eq!(score(0b1, 0b11000), -62);
        assert_eq!(score(0b11, 0b11000), 0);
        assert_eq!(score(u64::MAX, 0), 64);
    }

    #[test]
    fn texts_are_read_back_and_no_others_are_read() {
        let text = START.to_string();
        assert_eq!(Position::from_text(&text), Some(START));
        for bad in ["", " X", &text[1..], &text.replace(" X", " O"), &text.replace('O', "o")] {
            assert_eq!(Position::from_text(bad), None, "{bad}");
        }
        for square in 0..64 {
            assert_eq!(square_number(&square_name(square)), Some(square));
        }
        assert_eq!(["A1", "i1", "a9", "a", "a10"].map(square_number), [None; 5]);
    }

    #[test]
    fn walls_must_leave_a_board() {
        let text = |walls: u64| Position { player: walls, opponent: walls }.to_string();
        let boards: u64 = [0, 0xffff_c3c3_c3c3_ffff, 0xff, 0xff81_8181_8181_81ff]
            .into_iter()
            .map(|walls| u64::from(Position::from_text(&text(walls)).is_some()))
            .sum();
        assert_eq!(boards, 4);
        // No board, three columns, a hole of one and of two squares, not in the middle (far from it, and by one), 5x5, 7x7.
        let others = [
            u64::MAX,
            !0x0000_3838_3838_0000,
            0xff81_8181_8181_81ff | 1 << 27,
            0xff81_8181_8181_81ff | 0b11 << 27,
            0xffff_f0f0_f0f0_ffff,
            !0x0000_1e1e_1e1e_0000,
            !0x003e_3e3e_3e3e_0000,
            !0x007f_7f7f_7f7f_7f7f,
        ];
        for walls in others {
            assert_eq!(Position::from_text(&text(walls)), None, "{walls:#x}");
        }
    }

    #[test]
    fn a_wall_is_neither_a_disc_nor_empty() {
        let text = "++++++++++++++++++XXO-++++XXXX++++OOOO++++O-OO++++++++++++++++++ X";
        let position = Position::from_text(text).expect("a board of 4x4");
        assert_eq!((position.empties(), position.final_score()), (2, -4));
        assert_eq!(squares(position.moves()).map(square_name).collect::<Vec<_>>(), ["f3", "d6"]);
        let next = position.play(21).expect("it is legal");
        assert_eq!(next.walls(), position.walls());
        assert_eq!(next.empties(), 1);
    }
}
