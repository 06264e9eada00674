//! Stable discs.

use outflank_kernel::stability::{VARIANTS, scalar};

use crate::run::{check, each_position, runnable};

#[test]
fn stable_discs() {
    let variants = runnable("stability", VARIANTS);
    each_position(0.05, |player, opponent| {
        let expected = scalar::stable(player, opponent);
        check(&variants, &expected, (player, opponent), |stable| stable(player, opponent));
    });
}
