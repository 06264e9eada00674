//! Counts the move trees of the six standard chess positions with this crate's attacks:
//! `cargo run --release -p sliding --example perft`.
//!
//! The generator is small, not clever: it makes each pseudo-legal move on a copy of the board and
//! asks whether the king can be taken. The sliders are the only pieces that need this crate, so
//! that a change of generator is a change of three calls.
#![allow(clippy::print_stdout, reason = "an example prints what it counts")]

#[path = "perft/chess.rs"]
mod chess;

use std::time::Instant;

fn main() {
    for (fen, depth, expected) in chess::POSITIONS {
        let position = chess::Position::new(fen).expect("the position is written correctly");
        let start = Instant::now();
        let leaves = position.perft(depth);
        let seconds = start.elapsed().as_secs_f64();
        let millions = leaves as f64 / seconds / 1e6;
        println!("{leaves:>10} leaves at depth {depth}, {millions:5.1} million a second  {fen}");
        assert_eq!(leaves, expected, "the known count");
    }
}
