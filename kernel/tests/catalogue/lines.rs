//! Full lines.

use outflank_kernel::lines::{VARIANTS, scalar};

use crate::run::{check, each_position, runnable};

#[test]
fn full_lines() {
    let variants = runnable("lines", VARIANTS);
    each_position(0.05, |player, opponent| {
        for discs in [player | opponent, !(player & opponent.rotate_left(19))] {
            let expected = scalar::full_lines(discs);
            check(&variants, &expected, discs, |full_lines| full_lines(discs));
        }
    });
}
