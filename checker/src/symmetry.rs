//! The eight symmetries of the board.

use crate::rules::Position;

/// Returns the eight symmetric forms of `position`, itself among them.
#[must_use]
pub fn all(position: Position) -> [Position; 8] {
    let mirrored = map(position, mirror);
    let both = [position, mirrored];
    let [a, b] = both;
    let [c, d] = both.map(|form| map(form, upend));
    let upright = [a, b, c, d];
    let [e, f, g, h] = upright.map(|form| map(form, transpose));
    [a, b, c, d, e, f, g, h]
}

fn map(position: Position, board: fn(u64) -> u64) -> Position {
    Position { player: board(position.player), opponent: board(position.opponent) }
}

/// Exchanges the first and the last rank, and so on: a rank is a byte.
const fn upend(board: u64) -> u64 {
    board.swap_bytes()
}

/// Exchanges the a-file and the h-file, and so on: reverses the bits of each byte.
const fn mirror(board: u64) -> u64 {
    board.reverse_bits().swap_bytes()
}

/// Exchanges files and ranks: swaps squares across the diagonal from a1 to h8, in blocks of four by
/// four, then two by two, then one.
const fn transpose(board: u64) -> u64 {
    let board = exchange(board, 28, 0x0000_0000_f0f0_f0f0);
    let board = exchange(board, 14, 0x0000_cccc_0000_cccc);
    exchange(board, 7, 0x00aa_00aa_00aa_00aa)
}

/// Exchanges the squares of `mask` with those `distance` bits above.
const fn exchange(board: u64, distance: u32, mask: u64) -> u64 {
    let different = (board ^ board >> distance) & mask;
    board ^ different ^ different << distance
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves each square on its own.
    fn moved(board: u64, to: fn(u32, u32) -> (u32, u32)) -> u64 {
        crate::rules::squares(board).fold(0, |moved, square| {
            let (file, rank) = to(square % 8, square / 8);
            moved | 1 << (8 * rank + file)
        })
    }

    #[test]
    fn each_square_goes_where_it_should() {
        for square in 0..64 {
            let board = 1_u64 << square;
            assert_eq!(upend(board), moved(board, |file, rank| (file, 7 - rank)));
            assert_eq!(mirror(board), moved(board, |file, rank| (7 - file, rank)));
            assert_eq!(transpose(board), moved(board, |file, rank| (rank, file)));
        }
    }

    #[test]
    fn the_forms_are_different_and_have_one_canonical_form() {
        let position = Position { player: 0b10, opponent: 0x0400 };
        let forms = all(position);
        for (index, form) in forms.iter().enumerate() {
            assert_eq!(form.canonical(), position.canonical());
            assert!(forms[..index].iter().all(|other| other != form));
        }
    }
}
