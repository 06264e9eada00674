//! Every square with every occupancy that matters, against a loop along the rays.

type Steps = [(i32, i32); 4];
const ROOK: Steps = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: Steps = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// Returns the attacked squares by walking each ray to the first occupied square.
fn rays(square: u8, occupied: u64, steps: Steps) -> u64 {
    let mut attacks = 0;
    for (right, up) in steps {
        let (mut x, mut y) = (i32::from(square) % 8 + right, i32::from(square) / 8 + up);
        while (0..8).contains(&x) && (0..8).contains(&y) {
            let bit = 1_u64 << (8 * y + x);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
            (x, y) = (x + right, y + up);
        }
    }
    attacks
}

/// Returns the squares whose occupancy changes the attacks: the rays without their last squares.
fn relevant(square: u8, steps: Steps) -> u64 {
    steps.into_iter().fold(0, |squares, (right, up)| {
        let (mut x, mut y) = (i32::from(square) % 8 + right, i32::from(square) / 8 + up);
        let mut ray = 0;
        while (0..8).contains(&(x + right)) && (0..8).contains(&(y + up)) {
            ray |= 1 << (8 * y + x);
            (x, y) = (x + right, y + up);
        }
        squares | ray
    })
}

/// Returns the number of occupancies tried; each is also tried with the slider, with the squares
/// that do not matter, and with both.
fn check(attacks: fn(u8, u64) -> u64, steps: Steps) -> u32 {
    let mut tried = 0;
    for square in 0..64 {
        let relevant = relevant(square, steps);
        let own = 1_u64 << square;
        let mut occupied = 0_u64;
        loop {
            let expected = rays(square, occupied, steps);
            for other in [0, own, !relevant & !own, !relevant] {
                let found = attacks(square, occupied | other);
                assert_eq!(found, expected, "square {square}, occupied {:#x}", occupied | other);
            }
            tried += 1;
            occupied = occupied.wrapping_sub(relevant) & relevant;
            if occupied == 0 {
                break;
            }
        }
    }
    tried
}

#[test]
fn rooks_on_all_squares_with_all_occupancies() {
    assert_eq!(check(sliding::rook, ROOK), 102_400);
}

#[test]
fn bishops_on_all_squares_with_all_occupancies() {
    assert_eq!(check(sliding::bishop, BISHOP), 5_248);
}

#[test]
fn a_queen_is_a_rook_and_a_bishop() {
    let mut occupied = 0x0123_4567_89ab_cdef_u64;
    for square in (0..64).cycle().take(64_000) {
        occupied = occupied.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x5bf0_3635;
        let expected = rays(square, occupied, ROOK) | rays(square, occupied, BISHOP);
        assert_eq!(sliding::queen(square, occupied), expected, "{square}, {occupied:#x}");
    }
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_square_off_the_board_is_refused() {
    let _ = sliding::rook(64, 0);
}
