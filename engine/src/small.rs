//! The search on boards smaller than 8x8: a path of its own, so that the search of the usual board
//! carries nothing of it.
//!
//! A small board lies in the middle of the 64 squares. To the kernels a wall is a square that stays
//! empty: no row of discs goes on behind it, so that flips are right as they are, and moves are once
//! the walls are masked out. The search is alpha-beta in null windows with the shared table of
//! proved bounds, where positions stand with their walls, so that those of different boards never
//! meet.
//!
//! | empties | module | what it does |
//! | --- | --- | --- |
//! | 1–6 | [`shallow`] | squares of odd quadrants first, no table |
//! | 7– | [`deep`] | table, cut-offs by the children's bounds, moves ordered |
//! | 13– | [`look`] | orders the moves of `deep` by a look a few plies ahead |
//! | root | [`root`] | windows, bounds of every move, the line, limits |

mod deep;
mod entries;
mod look;
mod root;
mod searcher;
mod shallow;

pub(crate) use entries::SmallSet;
pub(crate) use look::estimate;
pub(crate) use root::solve;
