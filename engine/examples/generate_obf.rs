//! Prints positions for tuning and timing: games that begin with random moves and go on with moves
//! that seem good, as OBF lines without scores. Most of these games are decided; with `balanced` a
//! selective search chooses the moves, and positions far from a draw are left out. In such games both
//! sides have few moves; with `wide` the games are of the first kind, and positions are left out that
//! are far from a draw or have few moves, as many of the FForum's have.
//!
//! `cargo run --release -p outflank-engine --example generate_obf -- COUNT EMPTIES [SEED [balanced|wide]]`
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

/// In a wide position both sides together have at least so many moves.
const WIDE: u32 = 19;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().ok_or("say how many")?.parse()?;
    let empties: u32 = arguments.next().ok_or("say with how many empties")?.parse()?;
    let mut seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let kind = arguments.next();
    let engine = Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: 16 << 20 })?;
    let believed = |position, nodes| {
        engine.clear();
        engine.believe(position, nodes).discs()
    };
    let is_balanced = |position| believed(position, NODES_OF_A_POSITION).abs() <= BALANCED;
    let mut printed = 0;
    while printed < count {
        let found = match kind.as_deref() {
            None => play(empties, &mut seed, glance),
            Some("balanced") => {
                play(empties, &mut seed, |after, _| believed(after, NODES_OF_A_MOVE))
                    .filter(|&(position, _)| is_balanced(position))
            }
            Some("wide") => play(empties, &mut seed, glance)
                .filter(|&(position, _)| is_wide(position) && is_balanced(position)),
            Some(other) => {
                return Err(format!("{other}: expected balanced, wide or nothing").into());
            }
        };
        if let Some((position, side)) = found {
            println!("{};", notation::board(position, side));
            printed += 1;
        }
    }
    Ok(())
}

fn is_wide(position: Position) -> bool {
    position.moves().count_ones() + position.pass().moves().count_ones() >= WIDE
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
