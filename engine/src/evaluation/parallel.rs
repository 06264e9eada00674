//! Work on many pieces at once while the weights are unpacked.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Returns the results of `work` for all pieces, in their order, on as many threads as the machine
/// has processors for, or as the system gives.
pub(super) fn map<T: Send, R: Send>(pieces: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(pieces.len());
    let left = Mutex::new(pieces.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work_on = || {
        let mut done = Vec::new();
        while let Some((place, piece)) = next() {
            done.push((place, work(piece)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        // This thread works, too: it is there even if the system gives no others.
        let others: Vec<_> =
            (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, work_on).ok()).collect();
        let mut done = work_on();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
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
