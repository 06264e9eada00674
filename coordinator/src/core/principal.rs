//! Seeking the value of a position: both sides of the likely value at once.
//!
//! With two thresholds v and v + 2 around the likely value v, the eldest child is asked for its exact
//! value around −v, and every brother whether it refutes the claim "at most v" (the principal
//! variation split of Marsland and Campbell, without waiting for the eldest). Whatever the answers
//! are, the thresholds move until they meet.

use std::collections::BTreeSet;

use outflank_engine::Window;

use super::bracket::Bracket;
use super::dispatch::includes;
use super::question::{Key, Plan, Principal, State, Wanted};
use super::{Core, Turn};

impl Core {
    /// Returns the value to ask about first.
    pub(super) fn guess(&mut self, key: Key) -> i32 {
        match middle(key.window) {
            Some(value) => value,
            None => self.careful_estimate(key),
        }
    }

    /// Returns how the value of the position of `key` is sought at first.
    pub(super) fn principal(&mut self, key: Key) -> Principal {
        let guess = self.guess(key);
        self.think(key);
        let order = self.ordered_children(key.position);
        Principal { bracket: Bracket::new(guess), order, width: 1, waiting: 0, goals: Vec::new() }
    }

    /// Asks what the bounds of the position leave open, and nothing else.
    pub(super) fn move_principal(&mut self, turn: &mut Turn<'_>, key: Key) {
        let wanted = self.wanted_below(turn, key);
        let Some(State::Expanded { open, .. }) = self.state_mut(key) else { return };
        let stale: Vec<Key> = open.iter().filter(|goal| !wanted.contains(goal)).copied().collect();
        open.retain(|goal| wanted.contains(goal));
        // The last one asked is the first in the queue.
        let needs = self.needs_upheld(key, &wanted);
        for (goal, need) in wanted.into_iter().zip(needs).rev() {
            self.ask_child(turn, key, goal, need);
        }
        for goal in stale {
            self.release(turn, goal, Wanted::Question(key));
        }
    }

    /// Asks one more child that could reach the lower threshold. Returns whether there was one.
    pub(super) fn widen(&mut self, turn: &mut Turn<'_>, key: Key) -> bool {
        let Some(State::Expanded { plan: Plan::Principal(principal), open, .. }) =
            self.state_mut(key)
        else {
            return false;
        };
        principal.width += 1;
        let before = open.len();
        self.move_principal(turn, key);
        matches!(self.state_mut(key), Some(State::Expanded { open, .. }) if open.len() > before)
    }

    /// Returns the questions about the children that the thresholds need, the most urgent first.
    fn wanted_below(&mut self, turn: &Turn<'_>, key: Key) -> Vec<Key> {
        let bound = self.known(turn, key.position).bound;
        let low = bound.lower().max(key.window.lower());
        let high = bound.upper().min(key.window.upper());
        let Some(State::Expanded { plan: Plan::Principal(principal), open, .. }) =
            self.state_mut(key)
        else {
            return Vec::new();
        };
        if open.is_empty() {
            principal.width = 1;
        }
        principal.goals = principal.bracket.aim(low, high);
        let open = open.clone();
        let Principal { bracket, mut order, width, goals, .. } = principal.clone();
        // The move that has proved the lower bound so far is the eldest from now on.
        order.sort_by_key(|&child| self.known(turn, child).bound.upper());
        let (mut wanted, mut waiting) = (Vec::new(), 0);
        for &window in &goals {
            let questions = order.iter().map(|&position| Key { position, window: -window });
            let is_open = |goal: &Key| !self.known(turn, goal.position).bound.answers(goal.window);
            let mut questions: Vec<Key> = questions.filter(is_open).collect();
            if bracket.is_likely(window) {
                waiting = questions.len().saturating_sub(width);
                questions.truncate(width);
            } else {
                waiting = 0;
            }
            for goal in questions {
                join(&mut wanted, &open, goal);
            }
        }
        if let Some(State::Expanded { plan: Plan::Principal(principal), .. }) = self.state_mut(key)
        {
            principal.waiting = waiting;
        }
        wanted
    }

    fn state_mut(&mut self, key: Key) -> Option<&mut State> {
        self.questions.get_mut(&key).map(|question| &mut question.state)
    }
}

/// Adds `goal` to what is wanted: as it is, as part of a question that is open already, or as one
/// question together with its neighbour on the same position.
fn join(wanted: &mut Vec<Key>, open: &BTreeSet<Key>, goal: Key) {
    let serves =
        |other: &&Key| other.position == goal.position && includes(other.window, goal.window);
    if let Some(&other) = open.iter().find(serves) {
        if !wanted.contains(&other) {
            wanted.push(other);
        }
        return;
    }
    let neighbour = wanted.iter_mut().find(|other| {
        other.position == goal.position
            && !open.contains(other)
            && (other.window.lower() == goal.window.upper()
                || other.window.upper() == goal.window.lower())
    });
    match neighbour {
        Some(other) => other.window = hull(other.window, goal.window),
        None => wanted.push(goal),
    }
}

/// Returns the smallest window that includes both.
fn hull(first: Window, second: Window) -> Window {
    let (low, high) = (first.lower().min(second.lower()), first.upper().max(second.upper()));
    Window::new(low, high).expect("both windows have a lower end below an upper end")
}

/// Returns the score inside a window that has only one.
fn middle(window: Window) -> Option<i32> {
    let middle = window.lower().up();
    (middle.up() == window.upper()).then_some(middle.discs())
}
