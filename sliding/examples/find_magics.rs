//! Finds the magic numbers of `src/magic/numbers.rs` and `src/black_magic/numbers.rs` again, by trying
//! random ones with few bits set:
//! `cargo run --release -p sliding --example find_magics -- fancy > sliding/src/magic/numbers.rs`, and
//! the same with `black`, which takes some minutes.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use sliding::constant;

type Attacks = fn(u8, u64) -> u64;

fn main() {
    let black = std::env::args().any(|argument| argument == "black");
    println!("//! Magic numbers, found by `examples/find_magics.rs`.");
    if black {
        println!("\nuse super::Magic;");
    }
    for (name, attacks, shift) in
        [("ROOKS", constant::rook as Attacks, 52), ("BISHOPS", constant::bishop as Attacks, 55)]
    {
        let kind = if black { "Magic" } else { "u64" };
        println!("\n/// By square.\npub(super) const {name}: [{kind}; 64] = [");
        for square in 0..64 {
            let occupancies = occupancies(square, attacks);
            if black {
                let Black { magic, lowest, span } = find_black(square, &occupancies, shift);
                println!("    Magic::new({}, {lowest}, {span}),", hexadecimal(magic));
            } else {
                println!("    {},", hexadecimal(find(square, &occupancies)));
            }
        }
        println!("];");
    }
}

fn hexadecimal(number: u64) -> String {
    let [a, b, c, d] = [number >> 48, number >> 32, number >> 16, number].map(|part| part & 0xffff);
    format!("0x{a:04x}_{b:04x}_{c:04x}_{d:04x}")
}

/// Returns a number that sends occupancies with different attacks to different places.
fn find(square: u8, occupancies: &[(u64, u64)]) -> u64 {
    let shift = 64 - occupancies.len().ilog2();
    // No piece attacks nothing, so 0 marks a free place.
    let mut places = vec![0; occupancies.len()];
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ u64::from(square);
    loop {
        let magic = random(&mut state) & random(&mut state) & random(&mut state);
        places.fill(0);
        let unique = occupancies.iter().all(|&(occupied, attacks)| {
            let place = &mut places[(occupied.wrapping_mul(magic) >> shift) as usize];
            if *place == 0 {
                *place = attacks;
            }
            *place == attacks
        });
        if unique {
            return magic;
        }
    }
}

/// A number for black magic, and where its places begin and how many there are.
struct Black {
    magic: u64,
    lowest: usize,
    span: usize,
}

/// How many numbers are tried for each square.
const TRIES: u32 = 20_000_000;

/// Returns the number that needs the shortest table among those tried.
///
/// A place is the top of a sum with one term for each occupied square. Where the number has zeros
/// in the bits that become the top of a term, all terms are small and the places close together.
fn find_black(square: u8, occupancies: &[(u64, u64)], shift: u32) -> Black {
    let relevant = occupancies.iter().fold(0, |all, (occupied, _)| all | occupied);
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ u64::from(square) << 8 ^ u64::from(shift);
    let mut places = vec![(0, 0); 1 << (64 - shift)];
    let mut best = Black { magic: 0, lowest: 0, span: usize::MAX };
    let tops = [0, 1, 2, 3].map(|bits| tops(relevant, bits));
    for round in 1..=TRIES {
        let zeros = tops[(random(&mut state) % 4) as usize];
        let sparse = random(&mut state) | (random(&mut state) & 1).wrapping_neg();
        let magic = random(&mut state) & random(&mut state) & sparse & !zeros;
        let (mut lowest, mut highest) = (usize::MAX, 0);
        let shorter = occupancies.iter().all(|&(occupied, attacks)| {
            let place = ((occupied | !relevant).wrapping_mul(magic) >> shift) as usize;
            if places[place].0 != round {
                places[place] = (round, attacks);
                (lowest, highest) = (lowest.min(place), highest.max(place));
            }
            places[place].1 == attacks && highest - lowest + 1 < best.span
        });
        if shorter {
            best = Black { magic, lowest, span: highest - lowest + 1 };
        }
    }
    assert_ne!(best.span, usize::MAX, "no number was found for square {square}");
    best
}

/// Returns the bits of a number that become the top `bits` bits of a term for a relevant square.
fn tops(relevant: u64, bits: u32) -> u64 {
    (0..bits).fold(0, |tops, bit| tops | relevant.reverse_bits() >> bit)
}

/// Returns the occupancies that matter and their attacks.
fn occupancies(square: u8, attacks: Attacks) -> Vec<(u64, u64)> {
    let relevant = (0..64)
        .filter(|&other| attacks(square, 1 << other) != attacks(square, 0))
        .fold(0_u64, |squares, other| squares | 1 << other);
    let mut occupancies = Vec::new();
    let mut occupied = 0_u64;
    loop {
        occupancies.push((occupied, attacks(square, occupied)));
        occupied = occupied.wrapping_sub(relevant) & relevant;
        if occupied == 0 {
            return occupancies;
        }
    }
}

/// Returns the next random number: xorshift64*.
fn random(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}
