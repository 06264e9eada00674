//! How many requests there were at once, and whether any asks for a value.

use std::collections::VecDeque;

use outflank_engine::Window;

use super::message::SolveId;

/// The most requests that were open at once since the oldest of those that still are has come: the last of
/// a campaign know that they were many, and a request that comes later does not. And how many of those that are open ask
/// for more than a goal.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    /// Requests, in the order in which they came, and how many were open then; only those after which
    /// there never were as many.
    peaks: VecDeque<(SolveId, usize)>,
    /// The open requests that ask for a value, or for more of one than a goal does.
    values: usize,
}

impl Crowd {
    /// A request has come, later than all others, for an answer in `window`, and now so many are `open`.
    pub(super) fn came(&mut self, solve: SolveId, window: Window, open: usize) {
        self.values += usize::from(!window.is_null());
        // Names are given before requests come, so that two of them may come the other way round.
        let solve = self.peaks.back().map_or(solve, |&(last, _)| solve.max(last));
        while self.peaks.back().is_some_and(|&(_, before)| before <= open) {
            self.peaks.pop_back();
        }
        self.peaks.push_back((solve, open));
    }

    /// A request for an answer in `window` is over; `oldest` is the oldest that is still open.
    pub(super) fn left(&mut self, window: Window, oldest: Option<SolveId>) {
        self.values = self.values.saturating_sub(usize::from(!window.is_null()));
        while self.peaks.front().is_some_and(|&(solve, _)| oldest.is_none_or(|id| solve < id)) {
            self.peaks.pop_front();
        }
    }

    /// Returns the number of requests.
    pub(super) fn most(&self) -> usize {
        self.peaks.front().map_or(0, |&(_, open)| open)
    }

    /// Returns whether all open requests are goals.
    pub(super) fn are_goals(&self) -> bool {
        self.values == 0
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::Score;

    use super::*;

    #[test]
    fn the_last_of_many_remember_them_until_they_are_over() {
        let mut crowd = Crowd::default();
        for number in 1..=5 {
            crowd.came(SolveId(number), Window::FULL, number as usize);
        }
        crowd.left(Window::FULL, Some(SolveId(5)));
        assert_eq!(crowd.most(), 5, "request 5 has come when there were five");
        crowd.came(SolveId(6), Window::FULL, 2);
        assert_eq!(crowd.most(), 5);
        crowd.left(Window::FULL, Some(SolveId(6)));
        assert_eq!(crowd.most(), 2);
        crowd.left(Window::FULL, None);
        assert_eq!(crowd.most(), 0);
    }

    #[test]
    fn a_larger_crowd_later_is_remembered_longer() {
        let mut crowd = Crowd::default();
        for (number, open) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 1)] {
            crowd.came(SolveId(number), Window::FULL, open);
        }
        crowd.left(Window::FULL, Some(SolveId(3)));
        assert_eq!(crowd.most(), 3);
        crowd.left(Window::FULL, Some(SolveId(5)));
        assert_eq!(crowd.most(), 1);
    }

    #[test]
    fn a_crowd_is_one_in_whichever_order_its_requests_have_been_named() {
        let mut crowd = Crowd::default();
        for (number, open) in [(3, 1), (1, 2), (2, 3)] {
            crowd.came(SolveId(number), Window::FULL, open);
        }
        crowd.left(Window::FULL, Some(SolveId(2)));
        crowd.left(Window::FULL, Some(SolveId(3)));
        assert_eq!(crowd.most(), 3, "request 3 is one of three");
        crowd.left(Window::FULL, None);
        assert_eq!(crowd.most(), 0);
    }

    #[test]
    fn requests_are_goals_as_long_as_none_that_is_open_asks_for_more() {
        let goal = Score::new(2).and_then(Window::at_least).expect("a goal");
        let mut crowd = Crowd::default();
        assert!(crowd.are_goals());
        crowd.came(SolveId(1), goal, 1);
        crowd.came(SolveId(2), Window::FULL, 2);
        crowd.came(SolveId(3), goal, 3);
        assert!(!crowd.are_goals());
        crowd.left(goal, Some(SolveId(2)));
        assert!(!crowd.are_goals());
        crowd.left(Window::FULL, Some(SolveId(3)));
        assert!(crowd.are_goals());
    }
}
