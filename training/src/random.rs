//! Random numbers that are the same everywhere.

/// A generator of random numbers: SplitMix64 (S. Vigna).
///
/// Each piece of work has a stream of its own, so that the numbers do not depend on which thread
/// does what.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the stream of `seed` for the piece of work that the numbers of `path` name.
    #[must_use]
    pub fn stream(seed: u64, path: &[u64]) -> Self {
        let mut stream = Self(seed);
        for &step in path {
            stream.0 = stream.next() ^ step.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        }
        stream
    }

    /// Returns the next number.
    #[expect(clippy::should_implement_trait, reason = "a generator never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        (((self.next() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// Returns whether an event of the given probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        ((self.next() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_and_repeat() {
        let first = |path: &[u64]| Random::stream(1, path).next();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        assert_ne!(first(&[1, 2]), first(&[2, 1]));
        assert_ne!(first(&[1]), Random::stream(2, &[1]).next());
    }

    #[test]
    fn numbers_keep_their_limits() {
        let mut random = Random::stream(1, &[]);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[random.below(6) as usize] += 1;
        }
        assert!(seen.iter().all(|count| (800..1200).contains(count)), "{seen:?}");
        assert!(!(0..100).any(|_| random.happens(0.0)) && (0..100).all(|_| random.happens(1.0)));
    }
}
