//! Random numbers that depend on nothing but what they are asked about.

use outflank_engine::Position;

/// A hash of a seed, a position and a number.
pub(crate) fn hash(seed: u64, position: Position, number: u64) -> u64 {
    hash_words(seed, [position.player(), position.opponent(), number])
}

/// A hash of a seed and three words.
pub(crate) fn hash_words(seed: u64, words: [u64; 3]) -> u64 {
    words.into_iter().fold(seed, |hash, word| mix(hash ^ word))
}

/// The output function of SplitMix64 (Steele, Lea, Flood 2014), a bijection that mixes all bits.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Returns a number between 0 and 1 that `bits` stand for.
pub(crate) fn unit(bits: u64) -> f64 {
    ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Returns a number of the standard normal distribution that `bits` stand for (Box and Muller).
pub(crate) fn normal(bits: u64) -> f64 {
    let (radius, angle) = (unit(bits), unit(mix(bits)));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}
