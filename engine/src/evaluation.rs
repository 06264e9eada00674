//! What a position seems to be worth, by the weights of patterns: for ordering and predicting, never
//! for proofs.
//!
//! The evaluation is a sum: one weight for what each of 64 patterns holds, one for the numbers of
//! moves of both sides, and a constant. Each stage of the game has its own weights. They are
//! trained by the crate `outflank-training` from the rules alone.
//!
//! | module | what it has |
//! | --- | --- |
//! | [`patterns`] | the squares of the patterns and the numbering of their weights |
//! | [`features`] | what the patterns of one position hold |
//! | [`set`] | updating features and looking weights up, once for each instruction set |
//! | [`weights`] | the weights, ready for looking up |
//! | [`costs`] | what it takes to prove a position, by its evaluation and its moves |
//! | [`file`](mod@file) | the weights as they are stored and trained |
//!
//! Sources: Logistello's and Edax's pattern evaluations as the public descriptions give them. The
//! pattern set and the two-vector update are our own.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod costs;
mod entropy;
pub mod features;
pub mod file;
mod look_ahead;
#[cfg(target_arch = "aarch64")]
mod neon;
mod parallel;
pub mod patterns;
mod scalar;
mod selectivity;
pub mod set;
#[cfg(test)]
mod tests;
pub mod weights;

pub use costs::{CostParameters, Costs};
pub use features::Features;
pub use file::{File, PARAMETERS, StageParameters, WeightsError};
pub use look_ahead::look_ahead;
pub use selectivity::Selectivity;
pub use set::EvaluationSet;
pub use weights::{Stage, TERMS, Weights, terms};

/// Units of the evaluation in one disc.
pub const UNIT: i32 = 32;

/// The highest value of the evaluation: 64 discs.
pub const LIMIT: i32 = 64 * UNIT;

/// The stage that a number of empty squares belongs to: two numbers, an odd one and the next, share
/// one stage.
#[must_use]
pub const fn stage_of(empties: u32) -> u32 {
    empties.div_ceil(2)
}
