//! Legal moves.
pub mod scalar;
