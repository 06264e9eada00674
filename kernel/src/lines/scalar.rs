//! The reference: for each square and each line through it, look at all squares of the line.

/// Returns the squares whose row, column, diagonal and antidiagonal are full.
#[must_use]
pub fn full_lines(discs: u64) -> [u64; 4] {
    let occupied = |x: i32, y: i32| discs >> (8 * y + x) & 1 != 0;
    let full = |(right, up): (i32, i32)| {
        (0..64)
            .filter(|square| {
                let (x, y) = (square % 8, square / 8);
                (-7..=7)
                    .map(|step| (x + step * right, y + step * up))
                    .filter(|(x, y)| (0..8).contains(x) && (0..8).contains(y))
                    .all(|(x, y)| occupied(x, y))
            })
            .fold(0, |squares, square| squares | 1 << square)
    };
    [(1, 0), (0, 1), (1, 1), (-1, 1)].map(full)
}
