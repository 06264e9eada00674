//! The reference: each symmetry moves every square by its coordinates.

/// Returns the board under symmetry `symmetry` (0–7): bit 0 mirrors left-right, bit 1 top-bottom,
/// bit 2 transposes, in that order.
#[must_use]
pub fn transform(board: u64, symmetry: u32) -> u64 {
    (0..64).filter(|square| board >> square & 1 != 0).fold(0, |image, square| {
        let (mut x, mut y) = (square % 8, square / 8);
        if symmetry & 1 != 0 {
            x = 7 - x;
        }
        if symmetry & 2 != 0 {
            y = 7 - y;
        }
        if symmetry & 4 != 0 {
            (x, y) = (y, x);
        }
        image | 1 << (8 * y + x)
    })
}

/// Returns the smallest of the eight symmetric positions, compared as (player, opponent).
#[must_use]
pub fn canonical(player: u64, opponent: u64) -> (u64, u64) {
    (0..8)
        .map(|symmetry| (transform(player, symmetry), transform(opponent, symmetry)))
        .min()
        .unwrap_or((player, opponent))
}

/// Returns the smallest of the eight images of a board.
#[must_use]
pub fn smallest(board: u64) -> u64 {
    (0..8).fold(board, |least, symmetry| least.min(transform(board, symmetry)))
}
