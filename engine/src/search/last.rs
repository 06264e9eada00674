//! The last four empty squares, in a null window.
//!
//! Each function takes the empty squares as arguments, in the order in which to try them, so that
//! nothing but the two boards has to be updated. The flips of all squares are made before the first
//! is tried: they do not wait for each other, while a test whether an opponent's disc is near is a
//! branch that is mispredicted too often to pay (neural-reversi has found the same for four and
//! three). With four and three empties the squares are ordered by parity (a square that is alone in
//! its quadrant first), after the last section of `edax-avx-optimizations`.
//!
//! What these squares take is mostly the way from one flip to the next. So boards go that way in the
//! registers of the flips ([`KernelSet::Wide`]), and beside it in general ones, where they are
//! counted; and with three squares each move has code of its own.

use outflank_kernel::KernelSet;

use super::board::Board;
use super::tally::Tally;

/// Lower than every score.
const NO_MOVE: i32 = -128;

/// A position whose boards a flip leaves ready for the next one, beside those that are counted.
#[derive(Clone, Copy, Debug)]
struct Late<K: KernelSet> {
    board: Board,
    player: K::Wide,
    opponent: K::Wide,
}

impl<K: KernelSet> Late<K> {
    #[inline(always)]
    fn new(kernels: K, board: Board) -> Self {
        let (player, opponent) = (kernels.widen(board.player), kernels.widen(board.opponent));
        Self { board, player, opponent }
    }

    #[inline(always)]
    fn pass(self) -> Self {
        Self { board: self.board.pass(), player: self.opponent, opponent: self.player }
    }

    /// Returns the discs that a move on each of `squares` turns; none if it is not legal.
    #[inline(always)]
    fn flips<const N: usize>(self, kernels: K, squares: [u32; N]) -> [Turned<K>; N] {
        squares.map(|square| {
            let wide = kernels.flip_wide(self.player, self.opponent, square);
            Turned { wide, discs: kernels.narrow(wide) }
        })
    }

    /// Returns the position after a move on `square` that turns the discs of `turned`.
    #[inline(always)]
    fn after(self, kernels: K, square: u32, Turned { wide, discs }: Turned<K>) -> Self {
        let changed = kernels.difference(wide, kernels.widen_square(square));
        Self {
            board: self.board.after(square, discs),
            player: kernels.difference(self.opponent, wide),
            opponent: kernels.difference(self.player, changed),
        }
    }
}

/// The discs that a move turns, in both forms.
#[derive(Clone, Copy, Debug)]
struct Turned<K: KernelSet> {
    wide: K::Wide,
    discs: u64,
}

/// Solves the board on which the player has `player` and only `a` is empty; counts the positions visited.
#[inline(always)]
fn one<K: KernelSet>(kernels: K, tally: &mut Tally, player: u64, a: u32) -> i32 {
    tally.enter(1);
    let discs = kernels.count(player) as i32;
    let (mine, theirs) = kernels.last_flip_both(player, a);
    let (mine, theirs) = (mine as i32, theirs as i32);
    if mine > 0 {
        2 * (discs + mine) - 62
    } else if theirs > 0 {
        2 * (discs - theirs) - 64
    } else if discs >= 32 {
        2 * discs - 62
    } else {
        2 * discs - 64
    }
}

/// Solves `board` with the empty squares `a` and `b`.
#[inline(always)]
fn two<K: KernelSet>(
    kernels: K,
    tally: &mut Tally,
    board: Late<K>,
    a: u32,
    b: u32,
    alpha: i32,
) -> i32 {
    tally.enter(2);
    let (mut mover, mut above) = (board, alpha);
    for sign in [1, -1] {
        let best = two_moves(kernels, tally, mover, a, b, above);
        if best != NO_MOVE {
            return sign * best;
        }
        (mover, above) = (board.pass(), -alpha - 1);
    }
    board.board.final_score(kernels)
}

#[inline(always)]
fn two_moves<K: KernelSet>(
    kernels: K,
    tally: &mut Tally,
    board: Late<K>,
    a: u32,
    b: u32,
    alpha: i32,
) -> i32 {
    let mut best = NO_MOVE;
    let [by_a, by_b] = board.flips(kernels, [a, b]);
    let opponent = board.board.opponent;
    if by_a.discs != 0 {
        best = -one(kernels, tally, opponent ^ by_a.discs, b);
        if best > alpha {
            return best;
        }
    }
    if by_b.discs != 0 {
        best = best.max(-one(kernels, tally, opponent ^ by_b.discs, a));
    }
    best
}

/// Solves `board` with three empty squares, tried in the order of `squares`.
#[inline(always)]
fn three<K: KernelSet>(
    kernels: K,
    tally: &mut Tally,
    board: Late<K>,
    squares: Squares,
    alpha: i32,
) -> i32 {
    tally.enter(3);
    let (mut mover, mut above) = (board, alpha);
    for sign in [1, -1] {
        let best = three_moves(kernels, tally, mover, squares, above);
        if best != NO_MOVE {
            return sign * best;
        }
        (mover, above) = (board.pass(), -alpha - 1);
    }
    board.board.final_score(kernels)
}

#[inline(always)]
fn three_moves<K: KernelSet>(
    kernels: K,
    tally: &mut Tally,
    board: Late<K>,
    squares: Squares,
    alpha: i32,
) -> i32 {
    let mut best = NO_MOVE;
    let (x, y, z) = (squares.at(0), squares.at(1), squares.at(2));
    let [by_x, by_y, by_z] = board.flips(kernels, [x, y, z]);
    if by_x.discs != 0 {
        best = -two(kernels, tally, board.after(kernels, x, by_x), y, z, -alpha - 1);
        if best > alpha {
            return best;
        }
    }
    if by_y.discs != 0 {
        best = best.max(-two(kernels, tally, board.after(kernels, y, by_y), x, z, -alpha - 1));
        if best > alpha {
            return best;
        }
    }
    if by_z.discs != 0 {
        best = best.max(-two(kernels, tally, board.after(kernels, z, by_z), x, y, -alpha - 1));
    }
    best
}

/// Solves `board`, which has the four `empty` squares. The caller knows them before it knows which
/// discs its move turns, so that their order need not wait for that.
#[inline(always)]
pub(crate) fn four<K: KernelSet>(
    kernels: K,
    tally: &mut Tally,
    board: Board,
    empty: u64,
    alpha: i32,
) -> i32 {
    tally.enter(4);
    let squares = by_parity(empty);
    let board = Late::new(kernels, board);
    let (mut mover, mut above) = (board, alpha);
    for sign in [1, -1] {
        let best = four_moves(kernels, tally, mover, squares, above);
        if best != NO_MOVE {
            return sign * best;
        }
        (mover, above) = (board.pass(), -alpha - 1);
    }
    board.board.final_score(kernels)
}

#[inline(always)]
fn four_moves<K: KernelSet>(
    kernels: K,
    tally: &mut Tally,
    board: Late<K>,
    FourSquares { squares, pairs }: FourSquares,
    alpha: i32,
) -> i32 {
    let mut best = NO_MOVE;
    let flips = board.flips(kernels, [0, 1, 2, 3].map(|place| squares.at(place)));
    for (place, turned) in (0..).zip(flips) {
        if turned.discs != 0 {
            let after = board.after(kernels, squares.at(place), turned);
            let mut rest = squares.without(place);
            if pairs && place >= 2 {
                // The other square of this pair is alone now.
                rest = rest.third_first();
            }
            best = best.max(-three(kernels, tally, after, rest, -alpha - 1));
            if best > alpha {
                return best;
            }
        }
    }
    best
}

/// Solves `board`, which has fewer than four empty squares; for the rare root that is that late.
pub(crate) fn few<K: KernelSet>(kernels: K, tally: &mut Tally, board: Board, alpha: i32) -> i32 {
    tally.enter(board.empty().count_ones());
    let mut best = NO_MOVE;
    let mut moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            return board.final_score(kernels);
        }
        return -few(kernels, tally, board.pass(), -alpha - 1);
    }
    while moves != 0 && best <= alpha {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flipped = kernels.flip(board.player, board.opponent, square);
        best = best.max(-few(kernels, tally, board.after(square, flipped), -alpha - 1));
    }
    best
}

/// Up to four squares in the order in which to try them, a byte each, the first in the lowest.
///
/// They stay in one register: an array would be written in one width and read in another, which
/// waits for the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Squares(u32);

impl Squares {
    /// Returns the square at `place`, from 0.
    #[inline(always)]
    fn at(self, place: u32) -> u32 {
        self.0 >> (8 * place) & 63
    }

    /// Returns the squares but the one at `place`.
    #[inline(always)]
    fn without(self, place: u32) -> Self {
        let before = (1 << (8 * place)) - 1;
        Self(self.0 & before | self.0 >> 8 & !before)
    }

    /// Returns three squares, the third one first.
    #[inline(always)]
    fn third_first(self) -> Self {
        Self(self.0 << 8 & 0x00FF_FF00 | self.0 >> 16)
    }
}

/// Four empty squares in the order in which to try them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FourSquares {
    squares: Squares,
    /// The squares are two and two in two quadrants, each pair side by side, or all in one.
    pairs: bool,
}

/// Orders four empty squares: those alone in their quadrant first, then the others by quadrant.
#[inline(always)]
fn by_parity(empty: u64) -> FourSquares {
    let (mut listed, mut rest) = (0, empty);
    for place in 0..4 {
        listed |= (rest.trailing_zeros() & 63) << (8 * place);
        rest &= rest.wrapping_sub(1);
    }
    // A square's quadrant is in its bits 2 and 5: bring them together, four times two bits.
    let halves = listed >> 2 & 0x0909_0909;
    let quadrants = ((halves | halves >> 2) & 0x0303_0303).wrapping_mul(0x0104_1040) >> 24;
    let ParityOrder { shifts, pairs } = PARITY_ORDERS[quadrants as usize];
    let mut squares = 0;
    for place in 0..4 {
        squares |= (listed >> (shifts >> (8 * place) & 31) & 63) << (8 * place);
    }
    FourSquares { squares: Squares(squares), pairs }
}

/// How to reorder four squares.
#[derive(Clone, Copy, Debug)]
struct ParityOrder {
    /// By how much to shift the list to find each square, a byte each, the first in the lowest.
    shifts: u32,
    pairs: bool,
}

/// The orders by the quadrants of the squares, two bits each, the first in the lowest.
static PARITY_ORDERS: [ParityOrder; 256] = {
    let mut orders = [ParityOrder { shifts: 0, pairs: false }; 256];
    let mut quadrants = 0;
    while quadrants < 256 {
        orders[quadrants] = parity_order(quadrants as u32);
        quadrants += 1;
    }
    orders
};

/// Returns the order of four squares in these `quadrants`.
const fn parity_order(quadrants: u32) -> ParityOrder {
    let (mut alone, mut place) = (0, 0);
    while place < 4 {
        let (mut others, mut other) = (0, 0);
        while other < 4 {
            others += (place != other
                && quadrants >> (2 * place) & 3 == quadrants >> (2 * other) & 3)
                as u32;
            other += 1;
        }
        alone |= ((others == 0) as u32) << place;
        place += 1;
    }
    let pairs = alone == 0;
    let (mut first, mut place) = (alone, 0);
    while pairs && place < 4 {
        first |= ((quadrants >> (2 * place) & 3 == quadrants & 3) as u32) << place;
        place += 1;
    }
    let (mut shifts, mut listed, mut group) = (0, 0, first);
    while listed < 4 {
        if group == 0 {
            group = 15 & !first;
        }
        shifts |= (8 * group.trailing_zeros()) << (8 * listed);
        group &= group - 1;
        listed += 1;
    }
    ParityOrder { shifts, pairs }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(squares: [&str; 4]) -> (Vec<String>, bool) {
        let empty = squares
            .iter()
            .map(|text| text.parse::<crate::Square>().unwrap().bit())
            .fold(0, |empty, bit| empty | bit);
        let FourSquares { squares, pairs } = by_parity(empty);
        let name = |place| crate::Square::new(squares.at(place)).unwrap().to_string();
        ([0, 1, 2, 3].map(name).to_vec(), pairs)
    }

    #[test]
    fn a_square_alone_in_its_quadrant_comes_first() {
        assert_eq!(order(["a1", "b1", "c1", "h8"]).0, ["h8", "a1", "b1", "c1"]);
        assert_eq!(order(["a1", "b1", "h1", "h8"]).0, ["h1", "h8", "a1", "b1"]);
    }

    #[test]
    fn pairs_stand_side_by_side() {
        assert_eq!(
            order(["a1", "h1", "a2", "h2"]),
            (["a1", "a2", "h1", "h2"].map(str::to_owned).to_vec(), true)
        );
        assert_eq!(order(["h7", "a8", "b8", "h8"]).0[..2], ["h7", "h8"]);
    }

    /// Returns the order as it is meant: `alone` first, each group by number.
    fn meant(empty: u64) -> (Vec<u32>, bool) {
        let squares: Vec<u32> = (0..64).filter(|square| empty >> square & 1 == 1).collect();
        let quadrant = |square: u32| (square / 4 % 2, square / 32);
        let beside = |square| squares.iter().filter(|&&s| quadrant(s) == quadrant(square)).count();
        let (alone, rest): (Vec<u32>, Vec<u32>) =
            squares.iter().partition(|&&square| beside(square) == 1);
        if alone.is_empty() {
            let (first, last): (Vec<u32>, Vec<u32>) =
                rest.iter().partition(|&&square| quadrant(square) == quadrant(rest[0]));
            return ([first, last].concat(), true);
        }
        ([alone, rest].concat(), false)
    }

    #[test]
    fn every_four_squares_are_ordered_as_meant() {
        let mut sets = 0;
        for a in 0..61 {
            for b in a + 1..62 {
                for c in b + 1..63 {
                    for d in c + 1..64 {
                        let empty =
                            [a, b, c, d].iter().fold(0, |empty, square| empty | 1_u64 << square);
                        let FourSquares { squares, pairs } = by_parity(empty);
                        assert_eq!(
                            ([0, 1, 2, 3].map(|place| squares.at(place)).to_vec(), pairs),
                            meant(empty)
                        );
                        sets += 1;
                    }
                }
            }
        }
        assert_eq!(sets, 635_376);
    }

    #[test]
    fn squares_leave_the_list_in_order() {
        let list = Squares(0x0D_0C_0B_0A);
        let without = [0x0D_0C_0B, 0x0D_0C_0A, 0x0D_0B_0A, 0x0C_0B_0A];
        for (place, expected) in (0..).zip(without) {
            assert_eq!(list.without(place), Squares(expected));
        }
        assert_eq!(Squares(0x0C_0B_0A).third_first(), Squares(0x0B_0A_0C));
    }
}
