//! Work on many pieces at once while the weights are unpacked.

use std::thread;

/// Returns the results of `work` for all pieces, in their order, on as many threads as the machine
/// has processors for.
pub(super) fn map<T: Send, R: Send>(pieces: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(pieces.len());
    if threads <= 1 {
        return pieces.into_iter().map(work).collect();
    }
    let portion = pieces.len().div_ceil(threads);
    let mut pieces = pieces.into_iter();
    thread::scope(|scope| {
        let mut portions = Vec::with_capacity(threads);
        while pieces.len() > 0 {
            let pieces: Vec<T> = pieces.by_ref().take(portion).collect();
            portions.push(scope.spawn(|| pieces.into_iter().map(&work).collect::<Vec<R>>()));
        }
        portions
            .into_iter()
            .flat_map(|portion| {
                portion.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        let pieces: Vec<u32> = (0..1000).collect();
        let expected: Vec<_> = pieces.iter().map(|piece| piece * piece).collect();
        assert_eq!(super::map(pieces, |piece| piece * piece), expected);
        assert_eq!(super::map(vec![], |piece: u32| piece), []);
    }
}
