//! What the kernels' tests share: walking over the sets of this CPU, boards to try.

#![allow(dead_code, unused_macros, unused_imports, reason = "each binary uses a part")]
#![allow(clippy::print_stdout, reason = "tests say which sets they cover")]

use outflank_kernel::{Isa, KernelSet, Scalar};

/// Calls `$body` with the token and the name of every set that this CPU has, and says loudly which
/// sets of this architecture are not covered.
macro_rules! each_set {
    (|$kernels:ident, $name:ident| $body:expr) => {
        for isa in outflank_kernel::Isa::available() {
            let $name: &str = isa.name();
            outflank_kernel::with_set!(isa, $kernels => $body)
        }
    };
}
pub(crate) use each_set;

/// Prints which sets are covered on this CPU, and which are not.
pub(crate) fn print_coverage() {
    let covered: Vec<_> = Isa::available().map(Isa::name).collect();
    println!("instruction sets covered: {}", covered.join(", "));
    let all: &[&str] = if cfg!(target_arch = "aarch64") { &["neon"] } else { &["avx2", "avx512"] };
    for missing in all.iter().filter(|name| !covered.contains(name)) {
        println!("WARNING: THIS CPU LACKS {missing}: ITS KERNELS ARE NOT TESTED IN THIS RUN");
    }
}

/// The eight directions as (files, ranks); the first four are not opposites of each other.
pub(crate) const STEPS: [(i32, i32); 8] =
    [(1, 0), (0, 1), (1, 1), (-1, 1), (-1, 0), (0, -1), (-1, -1), (1, -1)];

/// Returns up to `length` squares from `square` on, without itself.
pub(crate) fn walk(square: i32, right: i32, up: i32, length: i32) -> u64 {
    (1..=length)
        .map(|step| (square % 8 + step * right, square / 8 + step * up))
        .filter(|(x, y)| (0..8).contains(x) && (0..8).contains(y))
        .fold(0, |squares, (x, y)| squares | 1 << (8 * y + x))
}

/// Returns all subsets of `squares`.
pub(crate) fn subsets(squares: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0_u64);
    std::iter::from_fn(move || {
        let subset = next?;
        let following = subset.wrapping_sub(squares) & squares;
        next = (following != 0).then_some(following);
        Some(subset)
    })
}

/// Returns boards that are easy to get wrong: none, all, edges, files, ranks, corners, diagonals,
/// single squares and all but one.
pub(crate) fn square_sets() -> Vec<u64> {
    let mut boards = vec![0, !0, 0x8100_0000_0000_0081, 0xff81_8181_8181_81ff];
    boards.extend([0x8040_2010_0804_0201, 0x0102_0408_1020_4080, 0x55aa_55aa_55aa_55aa]);
    boards.extend((0..8).map(|file| 0x0101_0101_0101_0101 << file));
    boards.extend((0..8).map(|rank| 0xff << (8 * rank)));
    boards.extend((0..64).map(|square| 1 << square));
    boards.extend((0..64).map(|square| !(1 << square)));
    boards
}

/// A small generator of random numbers (SplitMix64), so that every run tries the same games.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a board of random discs: nearly none, half, most or nearly all squares.
    pub(crate) fn board(&mut self) -> (u64, u64) {
        let [a, b, c, side] = std::array::from_fn(|_| self.next());
        let discs = match self.next() % 5 {
            0 => a & b & c,
            1 => a,
            2 => a | b,
            3 => a | b | c,
            _ => !(1 << (a % 64)),
        };
        (discs & side, discs & !side)
    }

    /// Returns one of the squares of `board`, which must not be empty.
    pub(crate) fn square(&mut self, board: u64) -> u32 {
        let skip = self.next() % u64::from(board.count_ones());
        (0..skip).fold(board, |rest, _| rest & (rest - 1)).trailing_zeros()
    }
}

/// The start position, black to move.
pub(crate) const START: (u64, u64) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);

/// Returns every position of `games` random games.
pub(crate) fn game_positions(games: u64) -> Vec<(u64, u64)> {
    game_positions_from(games, games)
}

/// Returns every position of `games` random games that start from a seed, also those where the
/// player has to pass and, for both sides, those where the game has ended.
pub(crate) fn game_positions_from(seed: u64, games: u64) -> Vec<(u64, u64)> {
    let kernels = Scalar::new();
    let mut random = Random(seed);
    let mut positions = Vec::new();
    for _ in 0..games {
        let (mut player, mut opponent) = START;
        let mut passes = 0;
        while passes < 2 {
            positions.push((player, opponent));
            let moves = kernels.moves(player, opponent);
            if moves == 0 {
                passes += 1;
            } else {
                passes = 0;
                let square = random.square(moves);
                let flipped = kernels.flip(player, opponent, square);
                player |= flipped | 1 << square;
                opponent &= !flipped;
            }
            (player, opponent) = (opponent, player);
        }
    }
    positions
}
