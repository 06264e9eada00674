//! The hash of positions.

use outflank_kernel::hash::{VARIANTS, scalar};

use crate::run::{check, each_position, runnable};

#[test]
fn hashes() {
    let variants = runnable("hash", VARIANTS);
    each_position(1.0, |player, opponent| {
        let expected = scalar::hash(player, opponent);
        check(&variants, &expected, (player, opponent), |hash| hash(player, opponent));
    });
}
