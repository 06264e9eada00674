//! Prints positions for tuning and timing: games that begin with random moves and go on with moves
//! that seem good, as OBF lines without scores. Most of these games are decided; with `balanced` a
//! selective search chooses the moves, and positions far from a draw are left out.
//!
//! `cargo run --release -p outflank-engine --example generate_obf -- COUNT EMPTIES [SEED [balanced]]`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;

use outflank_engine::notation::{self, Side};
use outflank_engine::{Engine, Position, Settings, Square, estimate};
use outflank_kernel::Isa;

/// Random moves at the beginning of a game.
const RANDOM_PLIES: u32 = 12;

/// Nodes of the search that chooses a move of a balanced game.
const NODES_OF_A_MOVE: u64 = 3_000;

/// Nodes of the search that says whether a position is balanced.
const NODES_OF_A_POSITION: u64 = 200_000;

/// A balanced position seems to be worth at most so many discs to either side.
const BALANCED: i32 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().ok_or("say how many")?.parse()?;
    let empties: u32 = arguments.next().ok_or("say with how many empties")?.parse()?;
    let mut seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let engine = match arguments.next().as_deref() {
        None => None,
        Some("balanced") => {
            Some(Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: 16 << 20 })?)
        }
        Some(other) => return Err(format!("{other}: expected balanced or nothing").into()),
    };
    let mut printed = 0;
    while printed < count {
        let found = match &engine {
            None => play(empties, &mut seed, glance),
            Some(engine) => play(empties, &mut seed, |after, _| {
                engine.clear();
                engine.believe(after, NODES_OF_A_MOVE).discs()
            })
            .filter(|&(position, _)| {
                engine.clear();
                engine.believe(position, NODES_OF_A_POSITION).discs().abs() <= BALANCED
            }),
        };
        if let Some((position, side)) = found {
            println!("{};", notation::board(position, side));
            printed += 1;
        }
    }
    Ok(())
}

/// Returns what a position seems to be worth, in eighths of a disc, with some jitter.
fn glance(position: Position, seed: &mut u64) -> i32 {
    8 * estimate(position).discs() + (random(seed) % 24) as i32
}

/// Plays one game down to `empties` with the moves after which `value` is least for the opponent; `None`
/// if it ends before, or with a pass there.
fn play(
    empties: u32,
    seed: &mut u64,
    value: impl Fn(Position, &mut u64) -> i32,
) -> Option<(Position, Side)> {
    let (mut position, mut side) = (Position::START, Side::Black);
    while position.empties() > empties {
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        if moves.is_empty() {
            if position.is_over() {
                return None;
            }
            (position, side) = (position.pass(), side.other());
            continue;
        }
        let square = if position.empties() + RANDOM_PLIES > 60 {
            moves[random(seed) as usize % moves.len()]
        } else {
            let after = |square: Square| Some((position.play(square)?, square));
            let scored = moves.into_iter().filter_map(after);
            scored.map(|(after, square)| (value(after, seed), square)).min()?.1
        };
        (position, side) = (position.play(square)?, side.other());
    }
    (position.moves() != 0).then_some((position, side))
}

/// Returns the next number of the sequence (SplitMix64, S. Vigna).
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
