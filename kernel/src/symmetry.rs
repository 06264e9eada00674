//! The eight symmetries of a board and the canonical form of a position.
pub mod scalar;
