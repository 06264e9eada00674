//! The number of discs turned by the last move.

use outflank_kernel::last_flip::{both, one, scalar};

use crate::run::{check, each_position, runnable};

#[test]
fn last_flips() {
    let (one, both) =
        (runnable("last flip", one::VARIANTS), runnable("last flip both", both::VARIANTS));
    each_position(0.1, |player, opponent| {
        let square = opponent.trailing_zeros() & 63;
        let expected = scalar::last_flip_both(player, square);
        check(&one, &expected.0, (player, square), |last_flip| last_flip(player, square));
        check(&both, &expected, (player, square), |last_flip| last_flip(player, square));
    });
}
