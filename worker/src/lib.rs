//! The worker: takes jobs from a coordinator, runs the engine, reports proved bounds.
//!
//! [`run()`] holds one connection to a coordinator and makes it again, for ever, when it is lost. Jobs
//! run on threads of their own, never on the runtime's. A report is kept until the coordinator has
//! acknowledged it, and sent again after a reconnection, so that nothing that was proved is lost
//! while the worker lives.
//!
//! The worker knows nothing of goals or splitting: it answers one question at a time for each of its threads. Where
//! several workers share the search of one, its engine has the others try moves, or tries moves for them.

#![forbid(unsafe_code)]

mod error;
mod gauges;
mod interim;
mod jobs;
mod member;
mod options;
mod outbox;
mod run;
mod session;
mod solver;
mod speech;
mod worker;

pub use error::WorkerError;
pub use gauges::{Gauges, Reading};
pub use options::{Coordinator, Options};
pub use run::{run, run_with};
pub use solver::Solver;
