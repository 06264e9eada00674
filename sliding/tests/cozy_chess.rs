//! The functions with the types of cozy-chess, against those of cozy-chess itself.

use cozy_chess::{BitBoard, Square};

/// Miri, which is a thousand times slower, takes one square of so many.
const STEP: usize = if cfg!(miri) { 21 } else { 1 };

#[test]
fn rays_between_and_through_two_squares_are_those_of_cozy_chess() {
    for from in Square::ALL.into_iter().step_by(STEP) {
        for to in Square::ALL {
            let expected = cozy_chess::get_between_rays(from, to);
            assert_eq!(sliding::cozy_chess::get_between_rays(from, to), expected, "{from} {to}");
            let expected = cozy_chess::get_line_rays(from, to);
            assert_eq!(sliding::cozy_chess::get_line_rays(from, to), expected, "{from} {to}");
        }
    }
}

/// One square holds a queen, since rooks and bishops may be on the same.
#[test]
fn attacks_of_a_side_and_of_each_slider_are_those_of_cozy_chess() {
    let mut state = 0x0123_4567_89ab_cdef_u64;
    let mut board = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        BitBoard(state)
    };
    for _ in 0..if cfg!(miri) { 3 } else { 1_000 } {
        let rooks = board() & board() & board() & board();
        let bishops = board() & board() & board() | rooks & board();
        let others = board() & board();
        let occupied = others | rooks | bishops;
        let attacks = |square: Square| {
            let rook = cozy_chess::get_rook_moves(square, occupied);
            let bishop = cozy_chess::get_bishop_moves(square, occupied);
            let none = BitBoard::EMPTY;
            (if rooks.has(square) { rook } else { none })
                | (if bishops.has(square) { bishop } else { none })
        };
        let expected: Vec<_> = (rooks | bishops).into_iter().map(|s| (s, attacks(s))).collect();
        let union = expected.iter().fold(BitBoard::EMPTY, |union, &(_, attacks)| union | attacks);
        assert_eq!(sliding::cozy_chess::union(rooks, bishops, others), union);
        let mut found = Vec::new();
        sliding::cozy_chess::each(rooks, bishops, others, |s, attacks| found.push((s, attacks)));
        assert_eq!(found, expected);
    }
}
