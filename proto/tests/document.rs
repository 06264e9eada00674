//! `docs/protocol.md` describes the .proto files as they are: it carries their SHA-256.

use std::fs;
use std::path::Path;

#[test]
fn the_document_was_checked_against_this_version_of_the_protocol() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = fs::read_to_string(root.join("../docs/protocol.md")).expect("its description");
    let files = ["cluster", "campaigns", "fleet"].map(|name| format!("outflank/v1/{name}.proto"));
    for file in files {
        let proto = fs::read(root.join(&file)).expect("the protocol");
        let line = format!("<!-- sha256 of proto/{file}: {} -->", sha256(&proto));
        assert!(
            document.lines().any(|found| found == line),
            "the protocol has changed: bring docs/protocol.md up to date, then the line\n{line}"
        );
    }
}

#[test]
fn the_hash_is_sha_256() {
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256(b"abc"), abc);
    let million = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    assert_eq!(sha256(&[b'a'; 1_000_000]), million);
}

/// Returns the SHA-256 of `bytes` in hexadecimal digits (FIPS 180-4, section 6.2).
fn sha256(bytes: &[u8]) -> String {
    let constants = constants();
    let mut state = initial_state();
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in message.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut schedule = [0_u32; 64];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes(bytes.try_into().expect("four bytes"));
    }
    for t in 16..64 {
        let (early, late) = (schedule[t - 15], schedule[t - 2]);
        let small_0 = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let small_1 = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        let sum = schedule[t - 16].wrapping_add(small_0).wrapping_add(schedule[t - 7]);
        schedule[t] = sum.wrapping_add(small_1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (&constant, &word) in constants.iter().zip(&schedule) {
        let big_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let one =
            h.wrapping_add(big_1).wrapping_add(choice).wrapping_add(constant).wrapping_add(word);
        let big_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(one));
        (d, c, b, a) = (c, b, a, one.wrapping_add(big_0).wrapping_add(majority));
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(add);
    }
}

fn primes() -> impl Iterator<Item = u64> {
    (2..).filter(|&number| (2..number).all(|divisor| number % divisor != 0))
}

/// Returns the first 32 bits of the fractional part of the root whose `power` is `prime`.
fn fraction(prime: u64, power: u32) -> u32 {
    // The greatest x with x^power <= prime * 2^(32 * power), whose last 32 bits are the fraction.
    let goal = u128::from(prime) << (32 * power);
    let root = (0..36).rev().fold(0_u128, |root, bit| {
        let candidate = root | (1 << bit);
        if candidate.pow(power) <= goal { candidate } else { root }
    });
    root as u32
}

/// Returns the cube roots' fractions of the first 64 primes.
fn constants() -> [u32; 64] {
    let mut primes = primes();
    std::array::from_fn(|_| fraction(primes.next().expect("there are enough"), 3))
}

/// Returns the square roots' fractions of the first 8 primes.
fn initial_state() -> [u32; 8] {
    let mut primes = primes();
    std::array::from_fn(|_| fraction(primes.next().expect("there are enough"), 2))
}
