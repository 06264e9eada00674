//! Finds the numbers of `src/magic/numbers.rs` again, by trying random ones with few bits set:
//! `cargo run --release -p sliding --example find_magics > sliding/src/magic/numbers.rs`.
#![allow(clippy::print_stdout, reason = "an example prints what it finds")]

use sliding::constant;

fn main() {
    println!("//! Magic numbers, found by `examples/find_magics.rs`.");
    for (name, attacks) in [
        ("ROOKS", constant::rook as fn(u8, u64) -> u64),
        ("BISHOPS", constant::bishop as fn(u8, u64) -> u64),
    ] {
        println!("\n/// By square.\npub(super) const {name}: [u64; 64] = [");
        for square in 0..64 {
            let magic = find(square, attacks);
            let digits = [magic >> 48, magic >> 32, magic >> 16, magic].map(|part| part & 0xffff);
            let [a, b, c, d] = digits;
            println!("    0x{a:04x}_{b:04x}_{c:04x}_{d:04x},");
        }
        println!("];");
    }
}

/// Returns a number that sends occupancies with different attacks to different places.
fn find(square: u8, attacks: fn(u8, u64) -> u64) -> u64 {
    let relevant = relevant(square, attacks);
    let mut occupancies = vec![(0, attacks(square, 0))];
    let mut occupied = 0_u64;
    loop {
        occupied = occupied.wrapping_sub(relevant) & relevant;
        if occupied == 0 {
            break;
        }
        occupancies.push((occupied, attacks(square, occupied)));
    }
    let shift = 64 - relevant.count_ones();
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

/// Returns the squares whose occupancy changes the attacks.
fn relevant(square: u8, attacks: fn(u8, u64) -> u64) -> u64 {
    (0..64)
        .filter(|&other| attacks(square, 1 << other) != attacks(square, 0))
        .fold(0, |squares, other| squares | 1 << other)
}

/// Returns the next random number: xorshift64*.
fn random(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}
