//! Counts, mirrors, transposition, reversal, highest bits, masks below a disc, lists of squares.

use outflank_kernel::bits::{
    count, flip_mask, highest, mirror_files, mirror_ranks, reverse, squares, transpose,
};
use outflank_kernel::catalogue::Variant;

use crate::common::{Random, square_sets};
use crate::run::{check, runnable, wanted};

/// Calls `check` with boards of all kinds: those easy to get wrong, all patterns of two
/// neighbouring rows with the rest empty and full, and random ones.
fn each_board(mut check: impl FnMut(u64)) {
    square_sets().into_iter().for_each(&mut check);
    let patterns = if cfg!(miri) { 9973 } else { 1 };
    for shift in (0..64).step_by(8).take(7) {
        for pattern in (0..=0xffff_u64).step_by(patterns) {
            check(pattern << shift);
            check(!(pattern << shift));
        }
    }
    let mut random = Random(wanted());
    for _ in 0..wanted() {
        let (player, opponent) = random.board();
        check(player | opponent);
    }
}

/// Checks a family of functions from board to board.
fn check_boards(family: &str, variants: &'static [Variant<mirror_files::MirrorFiles>]) {
    let reference = variants[0].function().expect("every CPU has the reference");
    let others = runnable(family, variants);
    each_board(|board| check(&others, &reference(board), board, |variant| variant(board)));
}

#[test]
fn mirrors_and_turns() {
    check_boards("mirror files", mirror_files::VARIANTS);
    check_boards("mirror ranks", mirror_ranks::VARIANTS);
    check_boards("transpose", transpose::VARIANTS);
    check_boards("reverse", reverse::VARIANTS);
}

#[test]
fn counts() {
    let (one, eight) =
        (runnable("count", count::VARIANTS), runnable("count 8", count::eight::VARIANTS));
    let mut last = [0; 8];
    each_board(|board| {
        check(&one, &count::scalar::count(board), board, |count| count(board));
        last.rotate_left(1);
        last[7] = board;
        check(&eight, &count::scalar::count8(last), last, |count| count(last));
    });
}

#[test]
fn highest_bits() {
    let words = runnable("highest of words", highest::words::VARIANTS);
    let boards = runnable("highest of boards", highest::boards::VARIANTS);
    each_board(|board| {
        // floating point rounds more than 24 ones in a row up, which no line of a board has
        let line =
            board & board.rotate_left(9) & 0x0102_0408_1020_4081_u64.rotate_left(board as u32);
        for board in [line, 1 << (board % 64), line & 0xffff_ffff] {
            let halves = [board as u32, (board >> 32) as u32];
            for limit in [31, 32] {
                let fits = |half: u32| u64::from(half) & (u64::MAX << limit) == 0;
                let all = [halves[0], halves[1], halves[1], 0];
                let expected = highest::scalar::words(all);
                let able: Vec<_> = words
                    .iter()
                    .filter(|(name, _)| {
                        all.into_iter().all(fits) && name.ends_with("31") == (limit == 31)
                    })
                    .copied()
                    .collect();
                check(&able, &expected, all, |highest| highest(all));
            }
            let pair = [board, board.swap_bytes() & line];
            let expected = highest::scalar::boards(pair);
            let narrow = pair.iter().all(|board| board >> 52 == 0);
            let able: Vec<_> = boards
                .iter()
                .filter(|(name, _)| narrow || !name.ends_with("52"))
                .copied()
                .collect();
            check(&able, &expected, pair, |highest| highest(pair));
        }
    });
}

/// One square or none: all 65 boards, and all 9^8 rows are too many, so 9^4 of each half.
#[test]
fn masks_below_a_disc() {
    let boards = runnable("flip mask", flip_mask::boards::VARIANTS);
    for outflank in (0..64).map(|square| 1 << square).chain([0]) {
        let expected = flip_mask::scalar::below(outflank);
        check(&boards, &expected, outflank, |below| below(outflank));
    }
    let rows = runnable("flip mask of rows", flip_mask::rows::VARIANTS);
    for half in (0..9_u64.pow(4)).step_by(if cfg!(miri) { 499 } else { 1 }) {
        let row = |at: u32| (1 << (half / 9_u64.pow(at) % 9)) & 0xff_u64;
        let four = (0..4).fold(0, |four, at| four | row(at) << (8 * at));
        for outflank in [four, four << 32, four | four.swap_bytes()] {
            let expected = flip_mask::scalar::below_in_rows(outflank);
            check(&rows, &expected, outflank, |below| below(outflank));
        }
    }
}

#[test]
fn lists_of_squares() {
    let variants = runnable("squares", squares::VARIANTS);
    each_board(|board| {
        let list = |squares: squares::Squares| {
            let mut list = [0; 64];
            let count = squares(board, &mut list) as usize;
            list[count..].fill(0);
            (count, list)
        };
        check(&variants, &list(squares::scalar::squares), board, list);
    });
}
