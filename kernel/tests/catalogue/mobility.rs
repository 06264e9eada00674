//! Legal moves.

use outflank_kernel::mobility::{VARIANTS, scalar};

use crate::run::{check, each_position, runnable};

#[test]
fn moves() {
    let variants = runnable("mobility", VARIANTS);
    each_position(0.1, |player, opponent| {
        let expected = scalar::moves(player, opponent);
        check(&variants, &expected, (player, opponent), |moves| moves(player, opponent));
    });
}
