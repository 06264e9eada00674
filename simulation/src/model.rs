//! A synthetic game tree with the rules of Othello.
//!
//! Positions, moves, passes, transpositions and symmetries are real down to a *horizon*, a number of
//! empty squares. There each position gets a value, the engine's evaluation with a normal error of
//! several discs, and each question about it a cost, log-normal around a prediction fitted to real
//! solves. Values above the horizon are the true minimax values of those below, so that everything a
//! coordinator meets in a real tree is there: moves that look best and are not, values that an estimate
//! misses, jobs that take ten times what was predicted, positions reached in many ways.
//!
//! A worker searches its job by a null-window search with move ordering by a look ahead and with a
//! table of its own, which it keeps between jobs. The same search of the root by one worker is what
//! speed-ups are relative to.

mod advisor;
mod crew;
mod ledger;
mod numbered;
mod oracle;
mod roots;
mod search;
mod tree;

pub use advisor::ModelAdvisor;
pub use crew::{Alone, Modelled};
pub use ledger::{Ledger, Shares};
pub use oracle::{Oracle, known_window};
pub use roots::{Kind, roots};
pub use tree::{Model, Shape};
