//! How many threads a job gets: slots.
//!
//! Threads that search one position together waste less than jobs that are cut for as many threads. So where there are more
//! threads than requests can be cut up for well, those of each worker are put together into *slots*, one for each job, and the
//! fleet is served like one that has so many workers of one thread. That is so where the fleet is small, where there are very many
//! threads for each request, and where a large fleet searches nothing but goals: each of these goes out to workers that stay with
//! it, who would otherwise have to share it at once.

use std::collections::BTreeMap;

use super::Core;

/// Where a large fleet searches nothing but goals a job has so many threads, if there are as many for each: more would lose more
/// to each other than they save.
const WIDTH_OF_GOALS: usize = 4;

/// The numbers of threads of some workers.
#[derive(Debug, Default)]
pub(super) struct Tally(BTreeMap<u32, usize>);

impl Tally {
    /// Adds a worker with so many threads.
    pub(super) fn enter(&mut self, threads: u32) {
        *self.0.entry(threads).or_default() += 1;
    }

    /// Takes a worker with so many threads out.
    pub(super) fn leave(&mut self, threads: u32) {
        if let Some(workers) = self.0.get_mut(&threads) {
            *workers -= 1;
            if *workers == 0 {
                self.0.remove(&threads);
            }
        }
    }

    /// Returns the number of threads.
    pub(super) fn threads(&self) -> usize {
        self.slots(1)
    }

    /// Returns the most threads of one worker.
    pub(super) fn most(&self) -> u32 {
        self.0.last_key_value().map_or(0, |(&threads, _)| threads)
    }

    /// Returns how many jobs of `width` threads the workers can take.
    pub(super) fn slots(&self, width: u32) -> usize {
        self.0.iter().map(|(&threads, &workers)| workers * slots(threads, width)).sum()
    }
}

/// Returns how many jobs of `width` threads fit on so many threads: one has less where there are fewer, and the last one has
/// what is left over.
pub(super) fn slots(threads: u32, width: u32) -> usize {
    let whole = threads / width.max(1);
    whole.max(threads.min(1)) as usize
}

/// Returns how many of a worker's `free` threads a job gets that is to have `width`.
pub(super) fn of_free(free: u32, width: u32) -> u32 {
    if slots(free, width) > 1 { width.max(1) } else { free }
}

impl Core {
    /// Returns the number of threads for a job where there are enough jobs. A worker that is alone has one for each, as what it
    /// is given whole has all of them anyway.
    pub(super) fn width(&self) -> u32 {
        let requests = self.crowd.most().max(1);
        let widest = self.config.widest_job.min(self.fleet.most_threads()).max(1);
        // The most threads of which each request still gets a job.
        let whole = (2..=widest).rev().find(|&width| self.fleet.slots(width) >= requests);
        let if_small = whole.filter(|&width| self.fleet.slots(width) <= self.config.small_up_to);
        if let Some(width) = if_small.filter(|_| self.fleet.accepting() > 1) {
            return width;
        }
        let threads = self.fleet.threads();
        let shared = match self.are_goals_of_many_threads() {
            true => (threads / self.solves.len().max(1)).min(WIDTH_OF_GOALS),
            false => 1,
        };
        let for_each = threads / requests / self.config.slots_of_each.max(1);
        u32::try_from(for_each.max(shared)).unwrap_or(u32::MAX).clamp(1, widest)
    }

    /// Returns whether a large fleet searches nothing but goals.
    pub(super) fn are_goals_of_many_threads(&self) -> bool {
        self.crowd.are_goals() && self.fleet.threads() > self.config.large_above
    }

    /// Returns the number of threads for each of so many jobs that wait: more if there are not enough.
    pub(super) fn width_for(&self, jobs: usize) -> u32 {
        let width = self.width();
        let mut wider = (width..=self.fleet.most_threads()).rev();
        wider.find(|&wider| self.fleet.free_slots(wider) >= jobs).unwrap_or(width)
    }

    /// Returns the number of jobs that the fleet can work on at once.
    pub(super) fn slots(&self) -> usize {
        self.fleet.slots(self.width())
    }

    /// Returns the number of jobs that could begin now.
    pub(super) fn free_slots(&self) -> usize {
        self.fleet.free_slots(self.width())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_leaves_no_threads_behind_that_are_too_few_for_another() {
        for (free, width, jobs) in
            [(16, 16, 1), (16, 1, 16), (16, 3, 5), (16, 5, 3), (7, 4, 1), (3, 16, 1), (0, 2, 0)]
        {
            assert_eq!(slots(free, width), jobs, "{free} threads, {width} each");
            let (mut left, mut begun) = (free, 0);
            while left > 0 {
                left -= of_free(left, width);
                begun += 1;
            }
            assert_eq!(begun, jobs, "{free} threads, {width} each");
        }
    }

    #[test]
    fn a_tally_counts_threads_and_slots_of_those_that_are_in_it() {
        let mut tally = Tally::default();
        for threads in [16, 16, 4, 1] {
            tally.enter(threads);
        }
        assert_eq!((tally.threads(), tally.slots(8), tally.slots(16)), (37, 6, 4));
        assert_eq!(tally.most(), 16);
        tally.leave(16);
        tally.leave(1);
        assert_eq!((tally.threads(), tally.slots(8)), (20, 3));
    }
}
