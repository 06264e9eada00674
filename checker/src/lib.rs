//! Checks proofs of Othello positions, without trusting who made them.
//!
//! A proof is a file of claims, each of which follows from claims further down or was found by a
//! search (`docs/proof-format.md` has the format). The checker reads it once, in bounded memory,
//! verifies every inference with rules of its own, and solves a random sample of the searched
//! claims again with a search of its own. It shares no code with the engine, nor with what writes
//! proofs: a fault there cannot hide here.

#![forbid(unsafe_code)]

pub mod chain;
pub mod claim;
pub mod command;
pub mod demands;
pub mod expect;
pub mod line;
pub mod printable;
pub mod report;
pub mod resolve;
pub mod rules;
pub mod sample;
pub mod solve;
pub mod symmetry;
pub mod verify;
