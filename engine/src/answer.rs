//! What is asked of the engine, and what it answers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::{Bound, Position, Square, Window};

/// One question to the engine.
#[derive(Clone, Debug)]
pub struct Request {
    /// The position to solve.
    pub position: Position,
    /// The window its value is asked in.
    pub window: Window,
    /// The number of nodes after which the search gives up; `None` searches to the end.
    pub node_limit: Option<u64>,
    /// The number of threads that search together, at least 1.
    pub threads: usize,
    /// Bounds proved elsewhere that the search may use; the engine trusts them.
    pub known: Vec<(Position, Bound)>,
}

impl Request {
    /// Returns the question "what is the exact value of `position`?", for one thread without limit.
    #[must_use]
    pub const fn exact(position: Position) -> Self {
        Self { position, window: Window::FULL, node_limit: None, threads: 1, known: Vec::new() }
    }
}

/// The way to watch and to stop a running search from another thread.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    nodes: AtomicU64,
}

impl Control {
    /// Asks the search to stop; it does so within a millisecond and answers what it has proved.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the search has been asked to stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the number of nodes searched so far, a few milliseconds old.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self, nodes: u64) -> u64 {
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
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
    /// Whether the window is answered; otherwise the search was stopped or ran into its limit.
    pub finished: bool,
}
