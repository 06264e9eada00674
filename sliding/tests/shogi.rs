//! Shogi: every slider with every occupancy that matters, in both layouts; pawn drops with every set
//! of pawns of seven files beside random ones of the other two, and with every set of files.

#[path = "../benches/ratios/random.rs"]
mod random;

use random::random;
use sliding::shogi::pawn_drop::{self, Horizontal};
use sliding::shogi::{self, Attacks, Contiguous, Layout, Side, Split};
use sliding::{Native, Scalar};

/// Miri, which is a thousand times slower, takes one square and one occupancy of so many.
const STEP: usize = if cfg!(miri) { 40 } else { 1 };
const SAMPLE: u32 = if cfg!(miri) { 997 } else { 1 };
/// The files of the first word, all of which have pawns.
const FILES: u32 = 7;

type Steps<'a> = &'a [(i32, i32)];
const ROOK: Steps<'_> = &[(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: Steps<'_> = &[(1, 1), (1, -1), (-1, 1), (-1, -1)];
const BLACK_LANCE: Steps<'_> = &[(0, -1)];
const WHITE_LANCE: Steps<'_> = &[(0, 1)];

/// Returns the squares on the ray, nearest first; bit `n` of other boards here is square `n`.
fn ray(square: u8, (files, ranks): (i32, i32)) -> Vec<u32> {
    let (mut file, mut rank) = (i32::from(square) / 9 + files, i32::from(square) % 9 + ranks);
    let mut squares = Vec::new();
    while (0..9).contains(&file) && (0..9).contains(&rank) {
        squares.push((9 * file + rank) as u32);
        (file, rank) = (file + files, rank + ranks);
    }
    squares
}

fn attacks(rays: &[Vec<u32>], occupied: u128) -> u128 {
    let mut attacks = 0;
    for ray in rays {
        for &square in ray {
            attacks |= 1 << square;
            if occupied >> square & 1 != 0 {
                break;
            }
        }
    }
    attacks
}

fn relevant(rays: &[Vec<u32>]) -> u128 {
    let inner = rays.iter().flat_map(|ray| ray.split_last().map_or(&[][..], |(_, inner)| inner));
    inner.fold(0, |squares, square| squares | 1 << square)
}

fn king_steps(square: u8) -> u128 {
    let steps = ROOK.iter().chain(BISHOP);
    steps.filter_map(|&step| ray(square, step).first().copied()).fold(0, |s, n| s | 1 << n)
}

/// Checks one back-end in both layouts.
fn check_set<A: Attacks>(set: A, piece: &str, square: u8, occupied: u128, expected: u128) {
    fn one<A: Attacks, L: Layout>(set: A, piece: &str, square: u8, occupied: L) -> L {
        match piece {
            "rook" => set.rook(square, occupied),
            "bishop" => set.bishop(square, occupied),
            "dragon" => set.dragon(square, occupied),
            "horse" => set.horse(square, occupied),
            "black lance" => set.lance(Side::Black, square, occupied),
            _ => set.lance(Side::White, square, occupied),
        }
    }
    let contiguous = Contiguous::from_bits(occupied);
    let found = one(set, piece, square, contiguous);
    assert_eq!(found.bits(), expected, "{piece} on {square}, {occupied:#x}");
    let found = one(set, piece, square, Split::from(contiguous));
    assert_eq!(Contiguous::from(found).bits(), expected, "{piece}, split, {square}, {occupied:#x}");
}

/// Checks every back-end that this CPU has.
fn check(piece: &str, square: u8, occupied: u128, expected: u128) {
    check_set(Scalar::new(), piece, square, occupied, expected);
    check_set(Native, piece, square, occupied, expected);
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(set) = sliding::Avx2::detect() {
            check_set(set, piece, square, occupied, expected);
        }
        if let Some(set) = sliding::Avx512Gfni::detect() {
            check_set(set, piece, square, occupied, expected);
        }
    }
}

/// Code that is generic over the traits of chess and of shogi compiles for each token of the former.
#[test]
fn every_token_of_chess_answers_for_shogi_as_well() {
    fn check<A: Attacks + sliding::Attacks>(set: A) {
        let mut state = 10;
        for square in (0..81).step_by(STEP) {
            let [a, b, c, d] = std::array::from_fn(|_| u128::from(random(&mut state)));
            let occupied = Contiguous::from_bits((a | b << 64) & (c | d << 64)).bits();
            for (piece, steps) in [("rook", ROOK), ("bishop", BISHOP)] {
                let rays: Vec<_> = steps.iter().map(|&step| ray(square, step)).collect();
                check_set(set, piece, square, occupied, attacks(&rays, occupied));
            }
        }
    }
    check(Scalar::new());
    check(Native);
    #[cfg(target_arch = "aarch64")]
    sliding::Neon::detect().into_iter().for_each(check);
    #[cfg(target_arch = "x86_64")]
    {
        sliding::Ssse3::detect().into_iter().for_each(check);
        sliding::Avx2::detect().into_iter().for_each(check);
        sliding::Avx512::detect().into_iter().for_each(check);
        sliding::Avx512Gfni::detect().into_iter().for_each(check);
    }
}

/// Returns the number of occupancies tried.
fn exhaustive(piece: &str, promoted: Option<&str>, steps: Steps<'_>) -> u32 {
    let mut noise = 0x0123_4567_89ab_cdef_0011_2233_4455_6677_u128;
    let mut tried = 0_u32;
    for square in (0..81).step_by(STEP) {
        let rays: Vec<_> = steps.iter().map(|&step| ray(square, step)).collect();
        let relevant = relevant(&rays);
        let king = king_steps(square);
        let mut occupied = 0_u128;
        loop {
            if tried.is_multiple_of(SAMPLE) {
                noise =
                    noise.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).rotate_right(64);
                let expected = attacks(&rays, occupied);
                let mixed = (tried / SAMPLE).is_multiple_of(2);
                let other = if mixed { noise & !relevant } else { 0 };
                check(piece, square, occupied | other, expected);
                if let Some(promoted) = promoted {
                    check(promoted, square, occupied | other, expected | king);
                }
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
fn rooks_and_dragons_with_all_occupancies() {
    let all = if cfg!(miri) { 36_864 } else { 495_616 };
    assert_eq!(exhaustive("rook", Some("dragon"), ROOK), all);
}

#[test]
fn bishops_and_horses_with_all_occupancies() {
    let all = if cfg!(miri) { 4_352 } else { 20_224 };
    assert_eq!(exhaustive("bishop", Some("horse"), BISHOP), all);
}

#[test]
fn lances_with_all_occupancies() {
    let on_one_file: u32 = (0..9_u32).map(|rank| 1 << rank.saturating_sub(1)).sum();
    let all = if cfg!(miri) { 137 } else { 9 * on_one_file };
    assert_eq!(exhaustive("black lance", None, BLACK_LANCE), all);
    assert_eq!(exhaustive("white lance", None, WHITE_LANCE), all);
}

/// Checks all methods with one set of pawns and the drops that the rules allow, as words.
fn check_drops(side: Side, pawns: [u64; 2], expected: [u64; 2]) {
    let (pawns, expected) = (Split::new(pawns), Split::new(expected));
    assert_eq!(pawn_drop::as_one_number(side, pawns), expected, "one number {pawns:x?}");
    assert_eq!(pawn_drop::by_words(side, pawns), expected, "words {pawns:x?}");
    #[cfg(target_arch = "x86_64")]
    assert_eq!(pawn_drop::by_sse2(side, pawns), expected, "SSE2 {pawns:x?}");
    assert_eq!(pawn_drop::pawn_by_pawn(side, pawns), expected, "Apery {pawns:x?}");
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = sliding::Avx2::detect() {
        let found = pawn_drop::Table::new(token).drops(side, pawns);
        assert_eq!(found, expected, "add, PEXT, table {pawns:x?}");
    }
    assert_eq!(pawn_drop::qugiy(side, pawns), expected, "Qugiy {pawns:x?}");
    let last_rank = if side == Side::Black { 0 } else { 8 };
    if (0..9).all(|file| !pawns.contains(9 * file + last_rank)) {
        check_allowed_drops(side, pawns, expected);
    }
}

/// Checks the methods that rely on the rules: no pawn is on the last rank.
fn check_allowed_drops(side: Side, pawns: Split, expected: Split) {
    assert_eq!(shogi::pawn_drops(side, pawns), expected, "{side:?} {pawns:x?}");
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = sliding::Avx512Gfni::detect() {
        assert_eq!(pawn_drop::by_vbmi(token, side, pawns), expected, "VBMI {pawns:x?}");
    }
    let (pawns, expected) = (Contiguous::from(pawns), Contiguous::from(expected));
    assert_eq!(shogi::pawn_drops(side, pawns), expected, "contiguous {pawns:x?}");
}

/// Checks the methods of the horizontal layout, to which a conversion is slow.
fn check_slow_drops(side: Side, pawns: [u64; 2], expected: [u64; 2]) {
    let (pawns, expected) = (Split::new(pawns), Split::new(expected));
    let horizontal = Horizontal::new(pawns);
    assert_eq!(horizontal.by_fold(side).split(), expected, "fold {pawns:x?}");
    assert_eq!(horizontal.by_table(side).split(), expected, "fold and table {pawns:x?}");
    let targets = Split::new([0x1234_5678_9abc_def0, 0x2_f0f5]);
    let found = horizontal.square_by_square(side, Horizontal::new(targets)).split();
    assert_eq!(found, expected & targets, "Bonanza {pawns:x?}");
}

/// Calls `visit` with every set of pawns of the first `files` files, at most one on each, and with
/// the squares that Black and White may drop a pawn on.
fn pawn_sets(files: u32, visit: &mut impl FnMut(u64, [u64; 2])) {
    fn extend(
        file: u32,
        files: u32,
        pawns: u64,
        drops: [u64; 2],
        visit: &mut impl FnMut(u64, [u64; 2]),
    ) {
        if file == files {
            return visit(pawns, drops);
        }
        for rank in 0..9 {
            extend(file + 1, files, pawns | 1 << (9 * file + rank), drops, visit);
        }
        let [black, white] = drops;
        let free = [black | 0x1fe << (9 * file), white | 0xff << (9 * file)];
        extend(file + 1, files, pawns, free, visit);
    }
    extend(0, files, 0, [0; 2], visit);
}

/// Returns how many files of the first word have pawns: all, or as many as `SHOGI_FILES` says where a processor is emulated;
/// Miri has no time for more than two.
fn files() -> u32 {
    let asked = std::env::var("SHOGI_FILES").ok();
    let files = asked.map_or(FILES, |text| text.parse().expect("SHOGI_FILES is a number of files"));
    assert!((1..=FILES).contains(&files), "SHOGI_FILES is {files}, expected 1 to {FILES}");
    if cfg!(miri) { 2 } else { files }
}

#[test]
fn pawn_drops_with_every_set_of_pawns_of_seven_files() {
    let files = files();
    let mut second_words = Vec::new();
    pawn_sets(2, &mut |pawns, drops| second_words.push((pawns, drops)));
    assert_eq!(second_words.len(), 100);
    // The files of the first word that have no pawns in any set.
    let rest = (files..FILES).fold(0, |rest, file| rest | 0xff_u64 << (9 * file));
    let (mut tried, mut state) = (0, 9);
    pawn_sets(files, &mut |low, [black, white]| {
        let [black, white] = [black | rest << 1, white | rest];
        // Random, since the number of the set has the files of the first word as its digits.
        let second = second_words[(random(&mut state) % 100) as usize];
        let (high, [high_black, high_white]) = second;
        check_drops(Side::Black, [low, high], [black, high_black]);
        check_drops(Side::White, [low, high], [white, high_white]);
        if tried % 97 == 0 {
            check_slow_drops(Side::Black, [low, high], [black, high_black]);
            check_slow_drops(Side::White, [low, high], [white, high_white]);
        }
        tried += 1;
    });
    assert_eq!(tried, 10_u32.pow(files));
}

/// All that a table of files can get wrong, with pawns on each of the ranks.
#[test]
fn pawn_drops_with_every_set_of_files_that_have_a_pawn() {
    for files in (0..512_u32).step_by(if cfg!(miri) { 31 } else { 1 }) {
        let has_pawn = |file: u8| files >> file & 1 != 0;
        for first in 0..9 {
            let rank = |file: u8| (first + 2 * file) % 9;
            let squares = (0..9).filter(|&file| has_pawn(file)).map(|file| 9 * file + rank(file));
            let pawns = squares.fold(Split::EMPTY, Split::with);
            let free = |ranks: std::ops::Range<u8>| {
                let squares = (0..81).filter(|square| ranks.contains(&(square % 9)));
                squares.filter(|square| !has_pawn(square / 9)).fold(Split::EMPTY, Split::with)
            };
            for (side, drops) in [(Side::Black, free(1..9)), (Side::White, free(0..8))] {
                check_drops(side, pawns.words(), drops.words());
                check_slow_drops(side, pawns.words(), drops.words());
            }
        }
    }
}

#[test]
fn no_pawns_and_nine_pawns() {
    let (black, white) = pawn_drop::both(Split::EMPTY, Split::EMPTY);
    assert_eq!((black.count(), white.count()), (72, 72));
    let nine = (0..9).fold(Split::EMPTY, |pawns, file| pawns.with(9 * file + 4));
    assert_eq!(pawn_drop::both(nine, nine), (Split::EMPTY, Split::EMPTY));
    check_slow_drops(Side::White, nine.words(), [0; 2]);
}

#[test]
fn drops_onto_targets_and_of_eight_boards_are_those_of_one() {
    let boards: [Split; 8] = std::array::from_fn(|board| {
        (0..board as u8).fold(Split::EMPTY, |pawns, file| pawns.with(9 * file + 1 + file % 7))
    });
    let targets = Split::new([0x1234_5678_9abc_def0, 0x2_f0f5]);
    for side in [Side::Black, Side::White] {
        let eight = pawn_drop::pawn_drops8(side, boards);
        let contiguous = pawn_drop::pawn_drops8(side, boards.map(Contiguous::from));
        for (board, pawns) in boards.into_iter().enumerate() {
            let drops = pawn_drop::by_words(side, pawns);
            assert_eq!(eight[board], drops);
            assert_eq!(contiguous[board], Contiguous::from(drops));
            assert_eq!(pawn_drop::onto(side, pawns, targets), drops & targets);
        }
    }
}

#[test]
fn layouts_convert_and_drop_bits_of_no_square() {
    for square in 0..81 {
        let split = Split::EMPTY.with(square);
        assert_eq!(Contiguous::from(split), Contiguous::EMPTY.with(square));
        assert_eq!(Split::from(Contiguous::from(split)), split);
        assert_eq!(split.squares().collect::<Vec<_>>(), [square]);
        assert_eq!(Horizontal::new(split).split(), split);
    }
    assert_eq!(Split::new([u64::MAX; 2]).count(), 81);
    assert_eq!(Contiguous::from_bits(u128::MAX), Contiguous::ALL);
    assert_eq!(!Split::ALL, Split::EMPTY);
}

#[test]
fn squares_are_taken_away_and_sets_compared() {
    fn check<L: Layout>() {
        assert!(L::EMPTY.is_empty() && !L::ALL.is_empty());
        for square in 0..81 {
            let (one, others) = (L::EMPTY.with(square), L::ALL.without(square));
            assert!(!one.is_empty() && one.without(square).is_empty(), "{square}");
            assert_eq!((others.count(), others.contains(square)), (80, false));
            assert_eq!((others | one, others & one), (L::ALL, L::EMPTY));
            assert_eq!((others.with(square), others.without(square)), (L::ALL, others));
            let xors = [others ^ one, L::ALL ^ one, L::ALL ^ others, one ^ one];
            assert_eq!(xors, [L::ALL, others, one, L::EMPTY]);
        }
    }
    check::<Split>();
    check::<Contiguous>();
}

#[test]
#[should_panic(expected = "square 81 is off the board")]
fn a_square_off_the_board_cannot_be_taken_away() {
    let _ = Contiguous::ALL.without(81);
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "the file is off the board")]
fn a_file_off_the_board_does_not_start_in_two_words() {
    let _ = Split::file_start(9);
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "the file is off the board")]
fn a_file_off_the_board_does_not_start_in_one_number() {
    let _ = Contiguous::file_start(9);
}

#[test]
#[should_panic(expected = "off the board")]
fn a_lance_off_the_board_is_refused() {
    let _ = shogi::lance(Side::Black, 81, Split::EMPTY);
}

/// Attacks refuse such squares in every build, and so do sets.
#[test]
#[should_panic(expected = "square 81 is off the board")]
fn a_square_off_the_board_cannot_be_added() {
    let _ = Split::EMPTY.with(81);
}

#[test]
#[should_panic(expected = "square 90 is off the board")]
fn a_square_off_the_board_cannot_be_looked_for() {
    let _ = Contiguous::ALL.contains(90);
}

/// What the page of the pawn drops says of sets of pawns that break the rules.
#[test]
fn methods_that_take_two_pawns_on_a_file_close_it() {
    let (pawns, closed) = (Split::EMPTY.with(12).with(14), Split::EMPTY.with(12));
    for side in [Side::Black, Side::White] {
        let expected = pawn_drop::by_words(side, closed);
        assert_eq!(pawn_drop::pawn_by_pawn(side, pawns), expected);
        assert_eq!(Horizontal::new(pawns).by_fold(side).split(), expected);
        assert_eq!(Horizontal::new(pawns).by_table(side).split(), expected);
        #[cfg(target_arch = "x86_64")]
        if let Some(token) = sliding::Avx512Gfni::detect() {
            assert_eq!(pawn_drop::by_vbmi(token, side, pawns), expected);
        }
    }
}

#[cfg(debug_assertions)]
#[test]
fn methods_refuse_what_they_do_not_take() {
    let refused = |drops: &dyn Fn() -> Split| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(drops)).is_err()
    };
    let two = Split::EMPTY.with(12).with(14);
    assert!(refused(&|| pawn_drop::as_one_number(Side::Black, two)));
    assert!(refused(&|| pawn_drop::by_words(Side::Black, two)));
    assert!(refused(&|| pawn_drop::qugiy(Side::Black, two)));
    #[cfg(target_arch = "x86_64")]
    assert!(refused(&|| pawn_drop::by_sse2(Side::Black, two)));
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = sliding::Avx2::detect() {
        assert!(refused(&|| pawn_drop::Table::new(token).drops(Side::Black, two)));
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = sliding::Avx512Gfni::detect() {
        let last = Split::EMPTY.with(17);
        assert!(refused(&|| pawn_drop::by_vbmi(token, Side::White, last)));
    }
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "two pawns on a file")]
fn two_pawns_on_a_file_are_refused() {
    let _ = shogi::pawn_drops(Side::Black, Split::EMPTY.with(3).with(5));
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "a pawn on the last rank")]
fn a_pawn_that_could_not_move_is_refused() {
    let _ = shogi::pawn_drops(Side::White, Split::EMPTY.with(8));
}
