//! What is asked of the engine, and what it answers.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "statistics")]
use crate::Statistics;
use crate::{Bound, Hands, Position, Score, SharedHint, Square, Symmetry, Window};

/// One question to the engine.
#[derive(Clone, Debug)]
pub struct Request {
    /// The position to solve.
    pub position: Position,
    /// The window its value is asked in.
    pub window: Window,
    /// The number of nodes after which the search gives up; `None` searches to the end. The line of a value that is
    /// known by then may take as many again.
    pub node_limit: Option<u64>,
    /// The number of threads that search together, 1 to [`Request::MOST_THREADS`]: 0 is taken for 1, and more for the most.
    /// They are fewer if the system gives no more.
    pub threads: usize,
    /// Bounds proved elsewhere that the search may use; the engine trusts them.
    pub known: Vec<(Position, Bound)>,
}

impl Request {
    /// The most threads of a search: of very many the system would not give fewer, but end the process.
    pub const MOST_THREADS: usize = 1024;

    /// Returns the question "what is the exact value of `position`?", for one thread without limit.
    #[must_use]
    pub const fn exact(position: Position) -> Self {
        Self { position, window: Window::FULL, node_limit: None, threads: 1, known: Vec::new() }
    }

    /// Returns how many threads a search has that is to have `threads`.
    pub(crate) fn threads_of(threads: usize) -> usize {
        threads.clamp(1, Self::MOST_THREADS)
    }
}

/// What a running search believes of its position after one of the selective searches that come
/// before the exact one. Nothing of it is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Belief {
    /// The value in discs, as far as it lies in the window.
    pub value: i32,
    /// The best move.
    pub best_move: Option<Square>,
    /// The number of selective searches done.
    pub searches: u32,
    /// Whether the exact search has begun.
    pub is_last: bool,
}

impl Belief {
    /// Returns the belief about the image of the position under `symmetry`.
    #[must_use]
    pub fn turned(self, symmetry: Symmetry) -> Self {
        Self { best_move: self.best_move.map(|square| symmetry.square(square)), ..self }
    }

    fn pack(self) -> u64 {
        let square = self.best_move.map_or(64, Square::index);
        1 << 63
            | (self.value + 128) as u64
            | u64::from(square) << 16
            | u64::from(self.searches) << 24
            | u64::from(self.is_last) << 32
    }

    fn unpack(pack: u64) -> Option<Self> {
        (pack >> 63 == 1).then(|| Self {
            value: (pack & 0xFFFF) as i32 - 128,
            best_move: Square::new((pack >> 16 & 0xFF) as u32),
            searches: (pack >> 24 & 0xFF) as u32,
            is_last: pack >> 32 & 1 == 1,
        })
    }
}

/// Gets the number of nodes so far, every few thousand nodes, on a search thread.
type Watch = Box<dyn Fn(u64) + Send + Sync>;

/// The way to watch and to stop a running search from another thread. Each search needs one of its own: the nodes of
/// another would count towards its limit, and a stop stays.
#[derive(Default)]
pub struct Control {
    stop: AtomicBool,
    nodes: AtomicU64,
    belief: AtomicU64,
    /// Threads that the system did not give.
    missing: AtomicUsize,
    watch: Option<Watch>,
    /// What others could use and have not been told yet; `None` if nobody asks.
    hints: Option<Mutex<Vec<SharedHint>>>,
    /// From so many nodes on, bounds are kept for others; `u64::MAX` if nobody asks.
    dear: Dear,
    /// Those that were not taken yet.
    found: Mutex<Vec<FoundBound>>,
    /// Who tries moves for the search.
    hands: Option<Arc<dyn Hands>>,
    /// Whether nobody does any more.
    is_alone: AtomicBool,
    #[cfg(feature = "statistics")]
    statistics: Mutex<Statistics>,
}

/// A number of nodes; by default one that no search reaches.
struct Dear(u64);

impl Default for Dear {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

/// A bound that a search has found on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundBound {
    /// The position, as the search met it.
    pub position: Position,
    /// What is proved.
    pub bound: Bound,
    /// The nodes behind it.
    pub nodes: u64,
}

/// The most hints, and the most found bounds, that wait until they are asked for; more are dropped.
const MOST_HINTS: usize = 4096;
const MOST_FOUND: usize = 1024;

impl Control {
    /// Returns a control whose search calls `watch` with the nodes so far every few thousand nodes.
    /// The search thread waits until `watch` returns, so that it can be held up: simulations do.
    #[must_use]
    pub fn watched(watch: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self { watch: Some(Box::new(watch)), ..Self::default() }
    }

    /// Asks the search to stop; it does so within a millisecond and answers what it has proved.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the search has been asked to stop, or has run into its limit.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the number of nodes searched so far, a few milliseconds old.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Returns how many of the threads that were asked for the system did not give: the search goes on without them.
    #[must_use]
    pub fn missing_threads(&self) -> usize {
        self.missing.load(Ordering::Relaxed)
    }

    /// Notes that threads are missing.
    pub(crate) fn miss_threads(&self, count: usize) {
        self.missing.store(count, Ordering::Relaxed);
    }

    /// Returns what the search believes, once a selective search has been done.
    #[must_use]
    pub fn belief(&self) -> Option<Belief> {
        Belief::unpack(self.belief.load(Ordering::Relaxed))
    }

    /// Returns the control with the wish for hints: the search keeps the dearest things that its
    /// selective searches come to believe until they are taken, as far as there is room.
    #[must_use]
    pub fn with_hints(self) -> Self {
        Self { hints: Some(Mutex::default()), ..self }
    }

    /// Takes the hints that have come since they were taken last.
    #[must_use]
    pub fn take_hints(&self) -> Vec<SharedHint> {
        let Some(hints) = &self.hints else { return Vec::new() };
        std::mem::take(&mut hints.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the control with the wish for bounds: the search keeps what it proves with so many nodes, or more,
    /// until it is taken, as far as there is room. With `None` nobody wants any.
    #[must_use]
    pub fn with_found(self, nodes: Option<u64>) -> Self {
        Self { dear: nodes.map_or_else(Dear::default, Dear), ..self }
    }

    /// Takes the bounds that have come since they were taken last.
    #[must_use]
    pub fn take_found(&self) -> Vec<FoundBound> {
        std::mem::take(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the control with other engines that try moves for the search. Rehearsals, and searches on smaller boards,
    /// leave them idle.
    #[must_use]
    pub fn with_hands(self, hands: Arc<dyn Hands>) -> Self {
        Self { hands: Some(hands), ..self }
    }

    /// Has the next search with this control leave the other engines idle. It is for between two searches: a second one
    /// that is to be free of what others were told as well.
    pub fn send_hands_home(&self) {
        self.is_alone.store(true, Ordering::Relaxed);
    }

    /// Returns what the threads of the search have counted; complete when it has come to its end. What happens on smaller
    /// boards and in other engines is not counted.
    #[cfg(feature = "statistics")]
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    #[cfg(feature = "statistics")]
    pub(crate) fn add_statistics(&self, statistics: &Statistics) {
        *self.statistics.lock().unwrap_or_else(PoisonError::into_inner) += statistics;
    }

    pub(crate) fn hands(&self) -> Option<&dyn Hands> {
        self.hands.as_deref().filter(|_| !self.is_alone.load(Ordering::Relaxed))
    }

    /// Returns whether somebody wants bounds with so many nodes behind them.
    #[inline(always)]
    pub(crate) fn is_dear(&self, nodes: u64) -> bool {
        nodes >= self.dear.0
    }

    pub(crate) fn found(&self, bound: FoundBound) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.len() < MOST_FOUND {
            found.push(bound);
        }
    }

    /// Returns whether somebody wants hints.
    #[inline(always)]
    pub(crate) fn wants_hints(&self) -> bool {
        self.hints.is_some()
    }

    pub(crate) fn hint(&self, hint: SharedHint) {
        let Some(hints) = &self.hints else { return };
        let mut hints = hints.lock().unwrap_or_else(PoisonError::into_inner);
        if hints.len() < MOST_HINTS {
            hints.push(hint);
        }
    }

    pub(crate) fn believe(&self, belief: Belief) {
        self.belief.store(belief.pack(), Ordering::Relaxed);
    }

    pub(crate) fn count(&self, nodes: u64) -> u64 {
        let nodes = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        if let Some(watch) = &self.watch {
            watch(nodes);
        }
        nodes
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stop, nodes, .. } = self;
        let (stop, nodes) = (stop.load(Ordering::Relaxed), nodes.load(Ordering::Relaxed));
        f.debug_struct("Control")
            .field("stop", &stop)
            .field("nodes", &nodes)
            .finish_non_exhaustive()
    }
}

/// What a search proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What is proved of the position's value. It answers the window if `finished`.
    pub bound: Bound,
    /// The move that proves the lower bound, or the move that seemed best; `None` when the player
    /// has no move.
    pub best_move: Option<Square>,
    /// The moves of the best line found; forced passes are left out. With an exact bound each move
    /// is proved to keep the value, and unless the search was stopped the line goes to the end of
    /// the game.
    pub line: Vec<Square>,
    /// What is proved of the positions after the player's moves, each seen by the opponent, who is
    /// to move there; moves of which nothing is proved are left out. When the player has to pass
    /// there are none.
    pub children: Vec<(Square, Bound)>,
    /// All legal moves, the most promising first.
    pub order: Vec<Square>,
    /// The number of positions searched.
    pub nodes: u64,
    /// Whether the search came to its end, which answers the window. Otherwise it was stopped or ran into its limit, of
    /// which [`Control::is_stopped`] tells, or it was told bounds that contradict what it has proved. What is proved of
    /// the moves may answer the window all the same.
    pub finished: bool,
}

impl Answer {
    /// Returns the answer for the image of the position under `symmetry`.
    #[must_use]
    pub fn turned(self, symmetry: Symmetry) -> Self {
        let turn = |square| symmetry.square(square);
        let child = |(square, bound)| (turn(square), bound);
        Self {
            best_move: self.best_move.map(turn),
            line: self.line.into_iter().map(turn).collect(),
            children: self.children.into_iter().map(child).collect(),
            order: self.order.into_iter().map(turn).collect(),
            ..self
        }
    }
}

/// Returns what the bounds of the positions after the moves prove of `position`.
pub(crate) fn inferred(position: Position, children: &[(Square, Bound)]) -> Bound {
    if position.is_over() {
        return Bound::exact(position.final_score());
    }
    let moves = position.moves().count_ones() as usize;
    let lower = children.iter().map(|&(_, bound)| -bound.upper()).max().unwrap_or(Score::MIN);
    let upper = children.iter().map(|&(_, bound)| -bound.lower()).max();
    let upper = upper.filter(|_| children.len() == moves).unwrap_or(Score::MAX);
    Bound::new(lower, upper).unwrap_or(Bound::UNKNOWN)
}

/// Returns a move that proves the lower bound `lower`: `likely`, unless the bounds of the moves say that it is another.
/// The table may have come to prefer a move that proves less. `None` if the bounds name no move.
pub(crate) fn proving(
    children: &[(Square, Bound)],
    lower: Score,
    likely: Option<Square>,
) -> Option<Square> {
    if lower == Score::MIN {
        return likely; // There is nothing to prove.
    }
    let proves = |&(_, bound): &&(Square, Bound)| -bound.upper() >= lower;
    let proving = children.iter().filter(proves).map(|&(square, _)| square);
    let is_likely = |&square: &Square| Some(square) == likely;
    proving.clone().find(is_likely).or_else(|| proving.clone().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardSize;

    fn bound(lower: i32, upper: i32) -> Bound {
        let [lower, upper] = [lower, upper].map(|discs| Score::new(discs).expect("a score"));
        Bound::new(lower, upper).expect("a bound")
    }

    #[test]
    fn moves_say_how_much_a_position_is_worth_at_most_only_if_all_are_known() {
        let size: BoardSize = "4x4".parse().expect("it is a size");
        let position = size.start();
        let opponents = [bound(-4, 6), bound(2, 8), bound(-2, 0), bound(4, 4)];
        let known: Vec<(Square, Bound)> = Square::all(position.moves()).zip(opponents).collect();
        assert_eq!(known.len(), 4, "the first move has four squares");
        assert_eq!(inferred(position, &known), bound(0, 4));
        assert_eq!(inferred(position, &known[1..]), bound(0, 64), "the first may be worth more");
        assert_eq!(inferred(position, &[]), Bound::UNKNOWN);
    }

    #[test]
    fn a_search_has_one_thread_at_least_and_no_more_than_a_system_can_give() {
        let threads = [0, 1, 1024, 1025, 20_000, usize::MAX].map(Request::threads_of);
        assert_eq!(threads, [1, 1, 1024, 1024, 1024, 1024]);
    }

    #[test]
    fn a_belief_reaches_who_watches() {
        let control = Control::default();
        assert_eq!(control.belief(), None);
        for value in [-64, -3, 0, 64] {
            for best_move in [None, Square::new(0), Square::new(63)] {
                let belief = Belief { value, best_move, searches: 3, is_last: value == 0 };
                control.believe(belief);
                assert_eq!(control.belief(), Some(belief));
            }
        }
    }
}
