//! How many requests there were at once.

use std::collections::VecDeque;

use super::message::SolveId;

/// The most requests that were open at once since the oldest of those that still are has come: the last of
/// a campaign know that they were many, and a request that comes later does not.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    /// Requests, in the order in which they came, and how many were open then; only those after which
    /// there never were as many.
    peaks: VecDeque<(SolveId, usize)>,
}

impl Crowd {
    /// A request has come, later than all others, and now so many are `open`.
    pub(super) fn came(&mut self, solve: SolveId, open: usize) {
        while self.peaks.back().is_some_and(|&(_, before)| before <= open) {
            self.peaks.pop_back();
        }
        self.peaks.push_back((solve, open));
    }

    /// A request is over; `oldest` is the oldest that is still open.
    pub(super) fn left(&mut self, oldest: Option<SolveId>) {
        while self.peaks.front().is_some_and(|&(solve, _)| oldest.is_none_or(|id| solve < id)) {
            self.peaks.pop_front();
        }
    }

    /// Returns the number of requests.
    pub(super) fn most(&self) -> usize {
        self.peaks.front().map_or(0, |&(_, open)| open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_many_remember_them_until_they_are_over() {
        let mut crowd = Crowd::default();
        for number in 1..=5 {
            crowd.came(SolveId(number), number as usize);
        }
        crowd.left(Some(SolveId(5)));
        assert_eq!(crowd.most(), 5, "request 5 has come when there were five");
        crowd.came(SolveId(6), 2);
        assert_eq!(crowd.most(), 5);
        crowd.left(Some(SolveId(6)));
        assert_eq!(crowd.most(), 2);
        crowd.left(None);
        assert_eq!(crowd.most(), 0);
    }

    #[test]
    fn a_larger_crowd_later_is_remembered_longer() {
        let mut crowd = Crowd::default();
        for (number, open) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 1)] {
            crowd.came(SolveId(number), open);
        }
        crowd.left(Some(SolveId(3)));
        assert_eq!(crowd.most(), 3);
        crowd.left(Some(SolveId(5)));
        assert_eq!(crowd.most(), 1);
    }
}
