//! Tables of a line of eight squares for the variants that look flips up.

/// One disc in each rank of the file A; a multiplication by it adds all ranks up in the highest
/// byte, or copies a byte to all ranks.
pub(crate) const FILE_A: u64 = 0x0101_0101_0101_0101;

/// The squares that would end a run of opponents on either side of the move, by the place of the
/// move and the opponent's six inner squares.
///
/// Empty runs end nothing: the move's neighbours are never in it. Lines shorter than eight lie
/// anywhere in the eight squares: beyond the edge nobody has a disc.
pub(crate) static OUTFLANK: [[u8; 64]; 8] = {
    let mut table = [[0; 64]; 8];
    let mut place = 0;
    while place < 8 {
        let mut pattern = 0;
        while pattern < 64 {
            table[place][pattern] = ends((pattern as u32) << 1, place as u32);
            pattern += 1;
        }
        place += 1;
    }
    table
};

/// The discs between the move and the outflanking discs, by the place of the move and those discs.
pub(crate) static FLIPPED: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut outflank = 0;
        while outflank < 256 {
            table[place][outflank] = between(outflank as u32, place as u32);
            outflank += 1;
        }
        place += 1;
    }
    table
};

/// Returns by how much to rotate outflanking discs to the right so that six bits hold them.
///
/// The move and its neighbours never outflank. The square two above the move becomes bit 0, if
/// there is one; those below the move follow.
#[inline(always)]
pub(crate) const fn rotation(place: usize) -> u32 {
    if place < 6 { place as u32 + 2 } else { 0 }
}

/// Returns the ends of the runs of `opponent` on both sides of `place`.
const fn ends(opponent: u32, place: u32) -> u8 {
    let mut ends = 0;
    let above = opponent >> place >> 1;
    let run = (!above).trailing_zeros();
    if run > 0 {
        ends |= 1 << (place + 1 + run);
    }
    let below = opponent << (31 - place) << 1;
    let run = (!below).leading_zeros();
    if run > 0 {
        ends |= 1 << (place - 1 - run);
    }
    ends as u8
}

/// Returns the squares between `place` and the nearest of `outflank` on each side.
const fn between(outflank: u32, place: u32) -> u8 {
    let above = outflank & !((2 << place) - 1);
    let below = outflank & ((1 << place) - 1);
    let mut between = 0;
    if above != 0 {
        between |= ((1 << above.trailing_zeros()) - 1) & !((2 << place) - 1);
    }
    if below != 0 {
        between |= ((1 << place) - 1) & !(u32::MAX >> below.leading_zeros());
    }
    between as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_on_both_sides_of_the_move() {
        // opponents on the squares 1, 2 and 4, the move at 3
        assert_eq!(OUTFLANK[3][0b0001_0110 >> 1], 0b0010_0001);
        assert_eq!(FLIPPED[3][0b0010_0001], 0b0001_0110);
    }

    #[test]
    fn nothing_next_to_the_move_is_between() {
        assert_eq!(OUTFLANK[0][0b0111_1100 >> 1], 0);
        assert_eq!(FLIPPED[7][0b0100_0000], 0);
    }
}
