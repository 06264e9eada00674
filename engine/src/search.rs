//! The search, from the root down to the last empty square.
//!
//! | empties | module | what it does |
//! | --- | --- | --- |
//! | 1–4 | [`last`] | unrolled, squares ordered by parity |
//! | 5 | [`shallow`] | parity order, stability cut-off, no table |
//! | 6–10 | [`middle`] | mobility order, a small table of the thread's own |
//! | 11–13 | [`plain`] | mobility order, the shared table; where the window is far from what is expected |
//! | 11– | [`deep`] | full order, the shared table, cut-offs by the children's bounds, splitting |
//! | any | [`principal`] | windows wider than a null window, on the principal variation |
//! | 12– | [`cost`] | which of the promising moves will take the smallest tree |
//! | 12– | [`probe`] | what earlier searches left of the positions that such comparisons look at |
//! | any | [`midgame`] | a fixed number of plies, leaves evaluated: for orders, and for cuts by probability |
//! | 15– | [`ahead`] | begins with idle threads what comes next on the principal variation |
//! | 13– | [`selective`] | to the end with cuts by probability: finds the moves that the exact search tries first |
//! | any | [`cost_sample`] | how many nodes one question takes, for training |
//! | 12– | [`witness`] | keeps some of the questions that comparisons of costs ask, for training |
//! | any | [`crew`] | the threads of one search and the work they share |
//! | any | [`hands`] | other engines that try moves for a search |
//! | any | [`split_point`] | a position whose remaining moves several threads search |
//! | any | [`tally`] | what a thread counts; with the feature `statistics` what becomes of the nodes |
//! | any | [`turns`] | threads that take turns, to rehearse a search on many |
//! | root | [`root`] | bounds of every move, the line, limits |
//!
//! Scores are plain `i32` in discs here; a null window is asked by its lower end `alpha`: "is the
//! value above `alpha`?" Answers are fail-soft: at most `alpha` means an upper bound, more than
//! `alpha` a lower bound.

mod ahead;
pub(crate) mod board;
mod cost;
pub(crate) mod cost_sample;
pub(crate) mod crew;
mod deep;
mod entries;
#[cfg(test)]
mod fixture;
pub(crate) mod hands;
mod last;
pub(crate) mod level;
mod local_table;
mod middle;
mod midgame;
mod order;
mod plain;
mod principal;
mod probe;
mod replies;
pub(crate) mod root;
mod root_moves;
pub(crate) mod searcher;
mod selective;
mod shallow;
mod split_point;
mod stability;
#[cfg(feature = "statistics")]
pub(crate) mod statistics;
mod tally;
pub(crate) mod turns;
pub(crate) mod witness;

pub(crate) use entries::SearchSet;
