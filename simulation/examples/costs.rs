//! Measures what positions and goals cost the engine, and how well that is predicted: the numbers that
//! `predicted_nodes` and the model's costs are fitted to (`docs/simulation.md`).
//!
//! `cargo run --release -p outflank-simulation --example costs -- FILE [PLIES [GOALS]]`
//!
//! Each position of the OBF file is solved after PLIES moves that are drawn by lot, as the positions after the moves
//! of a root are that is split, and GOALS goals of it are asked, each with an empty table.
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::io::Write;

use outflank_coordinator::advisor::predicted_nodes;
use outflank_engine::notation;
use outflank_engine::{Control, Engine, Position, Request, Score, Settings, Square, Window};
use outflank_kernel::Isa;

const TABLE_BYTES: usize = 400 << 20;

/// The thresholds that are asked, as distances from the value.
const DISTANCES: [i32; 6] = [0, 2, -4, 6, -8, 10];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let plies: u32 = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let goals: usize = arguments.next().map_or(Ok(DISTANCES.len()), |text| text.parse())?;
    let text = std::fs::read_to_string(&file)?;
    let engine = Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: TABLE_BYTES })?;
    let (mut wholes, mut asked) = (Vec::new(), Vec::new());
    println!("empties\tmoves\treplies\testimate\tcareful\tthreshold\tvalue\tnodes");
    for (number, problem) in notation::problems(&file, &text).enumerate() {
        let Some(position) = after(problem?.position, plies, number as u64) else { continue };
        let estimate = outflank_engine::estimate(position).discs();
        engine.clear();
        let careful = engine.believe(position, 1_000_000).discs();
        let (whole, value) = nodes(&engine, position, Window::FULL)?;
        let value = value.ok_or("no value")?;
        let moves = position.moves().count_ones();
        let replies = Square::all(position.moves())
            .filter_map(|square| position.play(square))
            .map(|child| child.moves().count_ones())
            .sum::<u32>();
        let start = format!("{}\t{moves}\t{replies}\t{estimate}\t{careful}", position.empties());
        println!("{start}\t-\t{value}\t{whole}");
        wholes.push((whole as f64 / predicted_nodes(position, Window::FULL, estimate)).ln());
        for distance in DISTANCES.into_iter().take(goals) {
            let Some(threshold) = Score::new(value + distance) else { continue };
            let Some(window) = Window::at_least(threshold) else { continue };
            let (nodes, _) = nodes(&engine, position, window)?;
            println!("{start}\t{}\t{value}\t{nodes}", threshold.discs());
            asked.push((nodes as f64 / predicted_nodes(position, window, estimate)).ln());
        }
        std::io::stdout().flush()?;
    }
    print("whole positions", &wholes);
    print("goals", &asked);
    Ok(())
}

/// Returns the position after so many moves, or `None` if the game ends before.
fn after(mut position: Position, plies: u32, number: u64) -> Option<Position> {
    // Steele, Lea and Flood's mix of two numbers, enough for a lot.
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    for _ in 0..plies {
        if position.is_over() {
            return None;
        }
        if position.must_pass() {
            position = position.pass();
        }
        state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state ^= state >> 27;
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        position = position.play(moves[(state >> 33) as usize % moves.len()])?;
    }
    (!position.is_over() && !position.must_pass()).then_some(position)
}

/// Returns the nodes of a search with an empty table, and the value if that was asked.
fn nodes(
    engine: &Engine,
    position: Position,
    window: Window,
) -> Result<(u64, Option<i32>), Box<dyn Error>> {
    engine.clear();
    let answer = engine.solve(&Request { window, ..Request::exact(position) }, &Control::default());
    if !answer.bound.answers(window) {
        return Err("not answered".into());
    }
    Ok((answer.nodes, answer.bound.value().map(Score::discs)))
}

fn print(what: &str, logs: &[f64]) {
    let count = logs.len().max(1) as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let spread = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / count).sqrt();
    println!(
        "{} {what}: {:.2} times the prediction, geometric mean; spread {spread:.2}",
        logs.len(),
        mean.exp()
    );
}
