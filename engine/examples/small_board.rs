//! Solves a small board from its start position with the engine alone.
//!
//! `cargo run --release -p outflank-engine --example small_board -- 4x6 [TABLE_MIB [MOVES [THRESHOLD]]]`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::time::Instant;

use outflank_engine::{
    BoardSize, Control, Engine, Request, Score, Settings, Square, Window, notation,
};
use outflank_kernel::Isa;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let board: BoardSize = arguments.next().ok_or("name a board such as 4x6")?.parse()?;
    let mebibytes: usize = arguments.next().map_or(Ok(1024), |text| text.parse())?;
    let moves = arguments.next().unwrap_or_default();
    let threshold: Option<i32> = arguments.next().map(|text| text.parse()).transpose()?;
    let engine = Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: mebibytes << 20 })?;
    let mut position = board.start();
    for pair in moves.as_bytes().chunks(2) {
        let square: Square = std::str::from_utf8(pair)?.parse()?;
        position = position.play(square).ok_or("illegal")?;
        if position.must_pass() {
            position = position.pass();
        }
    }
    let window = threshold.and_then(Score::new).and_then(Window::at_least).unwrap_or(Window::FULL);
    let begin = Instant::now();
    let request = Request { window, ..Request::exact(position) };
    let answer = engine.solve(&request, &Control::default());
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{board} {} empties: {}, {} nodes, {seconds:.3} s, {:.1} M/s, {}",
        position.empties(),
        answer.bound,
        answer.nodes,
        answer.nodes as f64 / seconds / 1e6,
        notation::moves(&answer.line),
    );
    Ok(())
}
