//! Checks proofs of Othello positions, without trusting who made them.
//!
//! A proof is a file of claims, each of which follows from claims further down or was found by a
//! search (`docs/proof-format.md` has the format). The checker reads it once, in bounded memory,
//! verifies every inference with rules of its own, and solves a random sample of the searched
//! claims again with a search of its own. It shares no code with the engine, nor with what writes
//! proofs: a fault there cannot hide here.
//!
//! ```
//! use outflank_checker::resolve::resolve;
//! use outflank_checker::sample::Sample;
//! use outflank_checker::verify::verify;
//!
//! let proof = std::fs::read("tests/data/three.proof")?;
//! // A hundred searched rows of at most 20 empty squares; nobody may know the seed before the proof is made.
//! let mut sample = Sample::new(100, 20, 1);
//! let verified = verify(proof.as_slice(), &mut sample)?;
//! let root = &verified.first_roots[0];
//! assert_eq!((verified.roots, root.lower, root.upper), (3, 18, 18));
//! let resolved = resolve(&sample.leaves(), 1, |_done| {});
//! assert!(resolved.is_true.iter().all(|&is_true| is_true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod chain;
pub mod claim;
pub mod command;
mod demands;
mod expect;
pub mod line;
pub mod printable;
mod report;
pub mod resolve;
pub mod rules;
pub mod sample;
pub mod solve;
pub mod symmetry;
pub mod verify;
