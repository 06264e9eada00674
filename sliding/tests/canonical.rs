//! The canonical forms of the set that the crate is compiled for, against the portable ones.
//!
//! Compiled for the baseline the two are the same code. `.ci/run` compiles the crate for more:
//!
//! ```console
//! $ RUSTFLAGS="-C target-cpu=native" cargo test -p sliding --lib --tests --target-dir target/sets
//! ```

use sliding::Scalar;
use sliding::canonical::{self, Symmetry};

/// Returns eight boards: random, nearly empty and symmetric ones.
fn boards(state: &mut u64) -> [u64; 8] {
    std::array::from_fn(|lane| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        match lane % 4 {
            0 => [0, !0, 0x0000_0018_1800_0000, 0x8142_2418_1824_4281][*state as usize % 4],
            1 => *state & state.rotate_left(20) & state.rotate_left(41),
            _ => *state,
        }
    })
}

#[test]
fn the_free_functions_answer_as_the_portable_code() {
    let (portable, mut state) = (Scalar::new(), 0x0123_4567_89ab_cdef);
    for _ in 0..if cfg!(miri) { 2 } else { 2_000 } {
        let (players, opponents) = (boards(&mut state), boards(&mut state));
        assert_eq!(canonical::smallest8(players), portable.smallest8(players));
        let expected = portable.canonical8(players, opponents);
        assert_eq!(canonical::positions8(players, opponents), expected);
        for (player, opponent) in players.into_iter().zip(opponents) {
            let images = canonical::images(player);
            assert_eq!(images, portable.images(player));
            assert_eq!(images[0], player, "itself first");
            assert_eq!(canonical::smallest(player), portable.smallest(player));
            let expected = portable.canonical(player, opponent);
            assert_eq!(canonical::position(player, opponent), expected);
        }
    }
}
