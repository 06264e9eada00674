//! Discs turned by a move.
pub mod scalar;
