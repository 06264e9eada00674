//! Solves the leaves of a sample again.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use crate::claim::{Claim, Side};
use crate::sample::Leaf;
use crate::solve::Solver;

/// The table of each thread has 2 to the power of this many entries, 50 megabytes.
const TABLE_BITS: u32 = 21;

/// What solving a sample again has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// For each leaf, in the same order, whether its claim is true.
    pub is_true: Vec<bool>,
    /// Positions searched.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

/// Solves `leaves` again with `threads` threads; `on_done` hears how many are done.
pub fn resolve(leaves: &[Leaf], threads: usize, on_done: impl Fn(usize) + Sync) -> Resolved {
    let started = Instant::now();
    let (next, done, nodes) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicU64::new(0));
    let work = || {
        let mut solver = Solver::new(TABLE_BITS);
        let mut verdicts = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(leaf) = leaves.get(index) else { break };
            verdicts.push((index, holds(&mut solver, leaf.claim)));
            on_done(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
        nodes.fetch_add(solver.nodes(), Ordering::Relaxed);
        verdicts
    };
    let mut is_true = vec![false; leaves.len()];
    thread::scope(|scope| {
        // This thread works, too: it is there even if the system gives no others.
        let threads = threads.min(leaves.len());
        let others: Vec<_> =
            (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut verdicts = if threads > 0 { work() } else { Vec::new() };
        for other in others {
            verdicts.extend(other.join().expect("the search does not panic"));
        }
        verdicts.into_iter().for_each(|(index, verdict)| is_true[index] = verdict);
    });
    Resolved { is_true, nodes: nodes.into_inner(), time: started.elapsed() }
}

/// Returns whether a claim is true.
#[must_use]
pub fn holds(solver: &mut Solver, claim: Claim) -> bool {
    match claim.side {
        Side::AtLeast => solver.is_at_least(claim.position, claim.value),
        Side::AtMost => !solver.is_at_least(claim.position, claim.value + 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;

    /// 4x4 Othello, which is worth -10.
    fn claim(side: Side, value: i32) -> Claim {
        let walls = 0xffff_c3c3_c3c3_ffff;
        let (player, opponent) = (0x0008_1000_0000 | walls, 0x0010_0800_0000 | walls);
        Claim { position: Position { player, opponent }, side, value }
    }

    #[test]
    fn a_claim_holds_as_far_as_the_value_and_no_further() {
        let mut solver = Solver::new(16);
        for value in (-16..=16).step_by(2) {
            assert_eq!(holds(&mut solver, claim(Side::AtLeast, value)), value <= -10, "{value}");
            assert_eq!(holds(&mut solver, claim(Side::AtMost, value)), value >= -10, "{value}");
        }
    }

    #[test]
    fn what_nobody_has_solved_again_is_not_called_true() {
        let leaf = Leaf { line: 1, row: 1, claim: claim(Side::AtMost, -10), origin: 1 };
        assert_eq!(resolve(&[leaf], 0, |_| ()).is_true, [false]);
        assert_eq!(resolve(&[leaf], 1, |_| ()).is_true, [true]);
    }
}
