//! Discs turned by a move.

use outflank_kernel::flip::{VARIANTS, scalar};

use crate::run::{check, each_position, runnable};

#[test]
fn flips_on_every_empty_square() {
    let variants = runnable("flip", VARIANTS);
    each_position(0.1, |player, opponent| {
        for square in (0..64).filter(|square| (player | opponent) >> square & 1 == 0) {
            let expected = scalar::flip(player, opponent, square);
            let input = (player, opponent, square);
            check(&variants, &expected, input, |flip| flip(player, opponent, square));
        }
    });
}
