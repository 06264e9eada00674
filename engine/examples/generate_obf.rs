//! Prints positions for tuning and timing: games that begin with random moves and go on with moves
//! that seem good, as OBF lines without scores.
//!
//! `cargo run --release -p outflank-engine --example generate_obf -- COUNT EMPTIES [SEED]`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;

use outflank_engine::notation::{self, Side};
use outflank_engine::{Position, Square, estimate};

/// Random moves at the beginning of a game.
const RANDOM_PLIES: u32 = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().ok_or("say how many")?.parse()?;
    let empties: u32 = arguments.next().ok_or("say with how many empties")?.parse()?;
    let mut seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let mut printed = 0;
    while printed < count {
        if let Some((position, side)) = play(empties, &mut seed) {
            println!("{};", notation::board(position, side));
            printed += 1;
        }
    }
    Ok(())
}

/// Plays one game down to `empties`; `None` if it ends before, or with a pass there.
fn play(empties: u32, seed: &mut u64) -> Option<(Position, Side)> {
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
            let mut jitter = |after| 8 * estimate(after).discs() + (random(seed) % 24) as i32;
            let scored =
                moves.into_iter().filter_map(|square| Some((position.play(square)?, square)));
            scored.map(|(after, square)| (jitter(after), square)).min()?.1
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
