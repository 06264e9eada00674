//! A cluster in virtual time: the real core of the coordinator, and workers that are simulated.
//!
//! A worker's clock is its node count: a job of so many nodes takes so many divided by the nodes per
//! second. What the nodes are and what is found comes from a [`Crew`]: real engines
//! ([`Engines`]), which makes a deterministic test of the splitting without the noise of a machine, or
//! a [`model`] of a game tree, which makes a cluster of thousands fit into one thread.
//!
//! The same plan and the same crew give the same schedule, event for event.

#![forbid(unsafe_code)]

mod cluster;
mod crew;
mod engines;
mod fit;
mod measures;
pub mod model;
mod pace;
mod random;
mod speed;
mod usefulness;

pub use cluster::{Cluster, Request, simulate};
pub use crew::{Crew, Outlook};
pub use engines::Engines;
pub use fit::{Fit, Sample};
pub use measures::{Measures, Piece};
