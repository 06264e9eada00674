//! Canonical positions.

use outflank_kernel::symmetry::{VARIANTS, scalar};

use crate::run::{check, each_position, runnable};

#[test]
fn canonical_positions() {
    let variants = runnable("symmetry", VARIANTS);
    each_position(0.1, |player, opponent| {
        let expected = scalar::canonical(player, opponent);
        check(&variants, &expected, (player, opponent), |canonical| canonical(player, opponent));
    });
}
