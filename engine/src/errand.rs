//! Moves that a search has other engines try: what is asked, and the way to those who answer.

use crate::evaluation::LIMIT;
use crate::search::level::Level;
use crate::{Control, Position, Square};

/// A move somewhere in a search, for another engine to try: is it worth more than `alpha` to the player of `position`,
/// and if so, how much, up to `beta`?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errand {
    position: Position,
    square: Square,
    alpha: i32,
    beta: i32,
    level: Level,
    estimate: i32,
}

impl Errand {
    /// The step of the selectivity ladder at which nothing is cut by probability: what comes back is proved.
    pub const PROOF: u32 = Level::EXACT.step();

    /// Returns the errand to try the move to `square` in the window from `alpha` to `beta`, in discs. `step` is that
    /// of the selectivity ladder, of which the highest is [`Errand::PROOF`]; `estimate` is what the move is expected to be
    /// worth, in 32nds of a disc.
    ///
    /// `None` if no search asks that: the move is not legal, the board is a small one, the window is empty or leaves the
    /// board, there is no such step, or the estimate is beyond what evaluations say.
    #[must_use]
    pub fn new(
        position: Position,
        square: Square,
        (alpha, beta): (i32, i32),
        step: u32,
        estimate: i32,
    ) -> Option<Self> {
        let is_possible = position.walls() == 0
            && position.play(square).is_some()
            && (-65..beta).contains(&alpha)
            && beta <= 65
            && (-LIMIT..=LIMIT).contains(&estimate);
        let level = Level::at(step).filter(|_| is_possible)?;
        Some(Self { position, square, alpha, beta, level, estimate })
    }

    /// Returns the position before the move.
    #[must_use]
    pub const fn position(self) -> Position {
        self.position
    }

    /// Returns the square of the move.
    #[must_use]
    pub const fn square(self) -> Square {
        self.square
    }

    /// Returns the lower and the upper end of the window.
    #[must_use]
    pub const fn window(self) -> (i32, i32) {
        (self.alpha, self.beta)
    }

    /// Returns the step of the selectivity ladder.
    #[must_use]
    pub const fn step(self) -> u32 {
        self.level.step()
    }

    /// Returns what the move is expected to be worth, in 32nds of a disc.
    #[must_use]
    pub const fn estimate(self) -> i32 {
        self.estimate
    }

    pub(crate) const fn level(self) -> Level {
        self.level
    }
}

/// Other engines, which try moves for a search: one move at a time each. They may come and go, and serve several
/// searches in turn, those of other engines' errands among them.
///
/// # Who calls what
///
/// For each number below [`count`](Self::count) the search has a thread which does nothing but this, until the search
/// is over:
///
/// 1. [`attend`](Self::attend), in which it waits until an engine may come;
/// 2. once there are moves to try, [`engage`](Self::engage), in which it waits for one;
/// 3. [`run`](Self::run), once for each move, in which it waits for the answer;
/// 4. [`release`](Self::release); then again from the first.
///
/// A search on one thread calls [`serve`](Self::serve) besides, where it has nothing to do but to wait for those threads.
///
/// Whoever waits in one of these functions is told by a closure whether that is still wanted. It has to be asked after
/// each of the calls that wake up, and now and then besides, some ten milliseconds, since not all that ends a wait wakes
/// it: [`rouse`](Self::rouse) is for all who wait, [`recall`](Self::recall) for those in `run` and `engage`, and
/// [`nudge`](Self::nudge) for the one in `serve`. All functions may be called from several threads at once, for different
/// numbers.
pub trait Hands: Send + Sync {
    /// Returns how many there may be at once.
    fn count(&self) -> usize;

    /// Returns the fewest empty squares of a position of which a move is worth the way.
    fn least_empties(&self) -> u32;

    /// Waits until number `hand` may have an engine soon, or the search `is_over`; returns which of both, `true` for the
    /// engine. Nothing is made ready for engines that are not there.
    fn attend(&self, hand: usize, is_over: &dyn Fn() -> bool) -> bool {
        let _ = hand;
        !is_over()
    }

    /// Has all who wait here look again: a search is over.
    fn rouse(&self) {}

    /// Has those who wait for an [answer](Self::run) look again: somebody's errand has become pointless.
    fn recall(&self) {}

    /// Tries moves for the engines with the numbers `hands`, and for those who try moves for them, while the only thread
    /// of the search waits for what they do; `run` does an errand. Returns when the search `is_over` with waiting;
    /// `false`, at once, if nobody can use that.
    fn serve(
        &self,
        hands: &[usize],
        run: &dyn Fn(&Errand, &Control) -> Option<i32>,
        is_over: &dyn Fn() -> bool,
    ) -> bool {
        let _ = (hands, run, is_over);
        false
    }

    /// Has whoever [serves](Self::serve) look again: something has come back.
    fn nudge(&self) {}

    /// Waits for an engine, which is number `hand` until it is [released](Self::release); `false` if there is none while it
    /// `is_wanted`. It is wanted as long as there are moves to try.
    fn engage(&self, hand: usize, is_wanted: &dyn Fn() -> bool) -> bool;

    /// Lets the engine go that is number `hand`: there are no moves to try, or it was lost.
    fn release(&self, hand: usize);

    /// Has engine number `hand` do an errand, and returns what [`Engine::run_errand`](crate::Engine::run_errand) does
    /// there; `None` if it is lost on the way, or `is_pointless` before it is done. Where it is `None` although it was not
    /// pointless, that number is not asked to try the same move for the same again.
    fn run(&self, hand: usize, errand: &Errand, is_pointless: &dyn Fn() -> bool) -> Option<i32>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_search_can_ask_is_an_errand() {
        let start = Position::START;
        let legal = Square::lowest(start.moves()).expect("there are moves");
        let corner = Square::new(0).expect("a square");
        let errand =
            |square, window, level, estimate| Errand::new(start, square, window, level, estimate);
        let good = errand(legal, (-1, 1), Errand::PROOF, -LIMIT).expect("it can be asked");
        assert_eq!((good.position(), good.square(), good.window()), (start, legal, (-1, 1)));
        assert_eq!((good.step(), good.estimate()), (Errand::PROOF, -LIMIT));
        assert!(errand(legal, (-65, 65), 0, 0).is_some());
        assert!(errand(corner, (-1, 1), 0, 0).is_none(), "no legal move");
        for window in [(0, 0), (1, -1), (-66, 0), (0, 66), (i32::MAX, i32::MIN)] {
            assert!(errand(legal, window, 0, 0).is_none(), "{window:?}");
        }
        assert!(errand(legal, (-1, 1), Errand::PROOF + 1, 0).is_none(), "no level");
        assert!(errand(legal, (-1, 1), 0, LIMIT + 1).is_none());
        assert!(errand(legal, (-1, 1), 0, i32::MIN).is_none());
        let small = crate::BoardSize::new(6, 6).expect("a size").start();
        let square = Square::lowest(small.moves()).expect("there are moves");
        assert!(Errand::new(small, square, (-1, 1), 0, 0).is_none());
    }
}
