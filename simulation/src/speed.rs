//! How much faster a job is searched on several threads.

/// What each further thread of a job costs all of them: two make a search 1.9 times as fast, four 3.5 times, eight 5.9 times and
/// sixteen 9.1 times, as the engine's threads do on short positions (docs/search.md, "Many threads"); long ones lose less.
const LOST_BY_A_THREAD: f64 = 0.05;

/// Returns how many times as fast a job is searched on so many threads as on one.
pub(crate) fn speed_up(threads: u32) -> f64 {
    let threads = f64::from(threads.max(1));
    threads / (1.0 + LOST_BY_A_THREAD * (threads - 1.0))
}

#[cfg(test)]
mod tests {
    use super::speed_up;

    #[test]
    fn threads_are_as_fast_as_docs_say() {
        for (threads, expected) in [(1, 1.0), (2, 1.9), (4, 3.5), (8, 5.9), (16, 9.1)] {
            let speed_up = speed_up(threads);
            assert!((speed_up - expected).abs() < 0.06, "{threads} threads: {speed_up}");
        }
    }
}
