//! The hash of positions.

use outflank_kernel::hash::{VARIANTS, scalar};

use crate::run::{check, each_position, runnable};

#[test]
fn hashes() {
    let variants = runnable("hash", VARIANTS);
    each_position(|player, opponent| {
        let expected = scalar::hash(player, opponent);
        check(&variants, &expected, (player, opponent), |hash| hash(player, opponent));
    });
}

/// Every value of every byte of both boards: all that the tables and steps are made of, since the
/// hash is linear.
#[test]
fn hashes_of_every_byte() {
    let variants = runnable("hash", VARIANTS);
    for shift in (0..64).step_by(8) {
        for byte in (0..256_u64).step_by(if cfg!(miri) { 51 } else { 1 }) {
            for (player, opponent) in [(byte << shift, 0), (0, byte << shift)] {
                let expected = scalar::hash(player, opponent);
                check(&variants, &expected, (player, opponent), |hash| hash(player, opponent));
            }
        }
    }
}
