//! Trains the evaluation weights from nothing but the rules of the game.
//!
//! Random and greedy games give positions ([`games`]); searches give their values ([`labels`]): exact ones for few
//! empty squares, for more a search of a few plies whose leaves are evaluated with the stages that are already
//! trained. Least squares give the weights ([`regression`]), stage by stage from the end of the game backwards
//! ([`train`](mod@train)). Last, it is measured what proofs cost (`costs`). The whole is a function of a seed: the
//! same seed and plan give the same file, bit for bit, on any number of threads.
#![forbid(unsafe_code)]

mod costs;
mod curve;
mod error;
pub mod games;
pub mod labels;
mod plan;
pub mod plot;
pub mod progress;
mod random;
mod refit;
pub mod regression;
pub mod report;
pub mod samples;
mod selectivity;
mod stage;
pub mod train;
mod trees;
mod work;

pub use costs::{CostPlan, measure_costs};
pub use curve::{CurvePoint, curve};
pub use error::TrainingError;
pub use plan::Plan;
pub use progress::Progress;
pub use random::Random;
pub use refit::{RefitPlan, refit};
pub use report::{Accuracy, report};
pub use samples::Samples;
pub use selectivity::selectivity;
pub use train::train;
pub use work::is_work_file;
