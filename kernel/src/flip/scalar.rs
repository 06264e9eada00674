//! The reference: from the move's square, walk each direction over opponent discs.

/// Returns the discs turned when the player puts a disc on `square` (0–63, empty).
#[must_use]
pub fn flip(player: u64, opponent: u64, square: u32) -> u64 {
    let (file, rank) = ((square % 8) as i32, (square / 8) as i32);
    let mut flipped = 0;
    for (right, up) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let mut line = 0_u64;
        let (mut x, mut y) = (file + right, rank + up);
        while (0..8).contains(&x) && (0..8).contains(&y) {
            let bit = 1_u64 << (8 * y + x);
            if opponent & bit == 0 {
                if player & bit != 0 {
                    flipped |= line;
                }
                break;
            }
            line |= bit;
            (x, y) = (x + right, y + up);
        }
    }
    flipped
}
