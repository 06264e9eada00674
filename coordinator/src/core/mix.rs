//! Hashes of what is asked and claimed, the same on every machine: names, and draws that everybody can make again.

use outflank_engine::{Position, Score};

/// The output function of SplitMix64 (Steele, Lea, Flood 2014), a bijection that mixes all bits.
pub(super) fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Returns bits that follow from `seed`, from a position and from two scores of it, such as the ends of a window.
pub(super) fn mixed_with(seed: u64, position: Position, lower: Score, upper: Score) -> u64 {
    let ends = (lower.discs() + 64) << 8 | (upper.discs() + 64);
    let words = [position.player(), position.opponent(), ends as u64];
    words.into_iter().fold(seed, |hash, word| mix(hash ^ word))
}
