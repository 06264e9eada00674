//! The last four empty squares, in a null window.
//!
//! Each function takes the empty squares as arguments, in the order in which to try them, so that
//! nothing but the two boards has to be updated. The flips of all squares are made before the first
//! is tried: they do not wait for each other, while a test whether an opponent's disc is near is a
//! branch that is mispredicted too often to pay (neural-reversi has found the same for four and
//! three). With four and three empties the squares are ordered by parity (a square that is alone in
//! its quadrant first), after the last section of `edax-avx-optimizations` (TECHNIQUES F9, F11).

use outflank_kernel::KernelSet;

use super::board::{Board, QUADRANTS};

/// Lower than every score.
const NO_MOVE: i32 = -128;

/// Solves `board`, whose only empty square is `a`; adds the positions visited to `nodes`.
#[inline(always)]
fn one<K: KernelSet>(kernels: K, nodes: &mut u64, player: u64, a: u32) -> i32 {
    *nodes += 1;
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
fn two<K: KernelSet>(kernels: K, nodes: &mut u64, board: Board, a: u32, b: u32, alpha: i32) -> i32 {
    *nodes += 1;
    let (mut mover, mut above) = (board, alpha);
    for sign in [1, -1] {
        let best = two_moves(kernels, nodes, mover, a, b, above);
        if best != NO_MOVE {
            return sign * best;
        }
        (mover, above) = (board.pass(), -alpha - 1);
    }
    board.final_score(kernels)
}

#[inline(always)]
fn two_moves<K: KernelSet>(
    kernels: K,
    nodes: &mut u64,
    board: Board,
    a: u32,
    b: u32,
    alpha: i32,
) -> i32 {
    let mut best = NO_MOVE;
    let [by_a, by_b] = board.flips(kernels, [a, b]);
    if by_a != 0 {
        best = -one(kernels, nodes, board.opponent ^ by_a, b);
        if best > alpha {
            return best;
        }
    }
    if by_b != 0 {
        best = best.max(-one(kernels, nodes, board.opponent ^ by_b, a));
    }
    best
}

/// Solves `board` with the empty squares `squares`, tried in this order.
#[inline(always)]
fn three<K: KernelSet>(
    kernels: K,
    nodes: &mut u64,
    board: Board,
    squares: [u32; 3],
    alpha: i32,
) -> i32 {
    *nodes += 1;
    let (mut mover, mut above) = (board, alpha);
    for sign in [1, -1] {
        let best = three_moves(kernels, nodes, mover, squares, above);
        if best != NO_MOVE {
            return sign * best;
        }
        (mover, above) = (board.pass(), -alpha - 1);
    }
    board.final_score(kernels)
}

#[inline(always)]
fn three_moves<K: KernelSet>(
    kernels: K,
    nodes: &mut u64,
    board: Board,
    [a, b, c]: [u32; 3],
    alpha: i32,
) -> i32 {
    let mut best = NO_MOVE;
    let moves = [(a, b, c), (b, a, c), (c, a, b)];
    for (flipped, (square, x, y)) in board.flips(kernels, [a, b, c]).into_iter().zip(moves) {
        if flipped != 0 {
            let after = board.after(square, flipped);
            best = best.max(-two(kernels, nodes, after, x, y, -alpha - 1));
            if best > alpha {
                return best;
            }
        }
    }
    best
}

/// Solves `board`, which has four empty squares.
#[inline(always)]
pub(crate) fn four<K: KernelSet>(kernels: K, nodes: &mut u64, board: Board, alpha: i32) -> i32 {
    *nodes += 1;
    let squares = by_parity(board.empty());
    let (mut mover, mut above) = (board, alpha);
    for sign in [1, -1] {
        let best = four_moves(kernels, nodes, mover, squares, above);
        if best != NO_MOVE {
            return sign * best;
        }
        (mover, above) = (board.pass(), -alpha - 1);
    }
    board.final_score(kernels)
}

#[inline(always)]
fn four_moves<K: KernelSet>(
    kernels: K,
    nodes: &mut u64,
    board: Board,
    FourSquares { squares: [a, b, c, d], pairs }: FourSquares,
    alpha: i32,
) -> i32 {
    let mut best = NO_MOVE;
    // After a move into a pair, the other square of that pair is alone and comes first.
    let after_c = if pairs { [d, a, b] } else { [a, b, d] };
    let after_d = if pairs { [c, a, b] } else { [a, b, c] };
    let moves = [(a, [b, c, d]), (b, [a, c, d]), (c, after_c), (d, after_d)];
    for (flipped, (square, rest)) in board.flips(kernels, [a, b, c, d]).into_iter().zip(moves) {
        if flipped != 0 {
            let after = board.after(square, flipped);
            best = best.max(-three(kernels, nodes, after, rest, -alpha - 1));
            if best > alpha {
                return best;
            }
        }
    }
    best
}

/// Solves `board`, which has fewer than four empty squares; for the rare root that is that late.
pub(crate) fn few<K: KernelSet>(kernels: K, nodes: &mut u64, board: Board, alpha: i32) -> i32 {
    *nodes += 1;
    let mut best = NO_MOVE;
    let mut moves = kernels.moves(board.player, board.opponent);
    if moves == 0 {
        if kernels.moves(board.opponent, board.player) == 0 {
            return board.final_score(kernels);
        }
        return -few(kernels, nodes, board.pass(), -alpha - 1);
    }
    while moves != 0 && best <= alpha {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flipped = kernels.flip(board.player, board.opponent, square);
        best = best.max(-few(kernels, nodes, board.after(square, flipped), -alpha - 1));
    }
    best
}

/// Four empty squares in the order in which to try them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FourSquares {
    squares: [u32; 4],
    /// The squares are two and two in two quadrants, each pair side by side.
    pairs: bool,
}

/// Orders four empty squares: those alone in their quadrant first, then the others by quadrant.
#[inline(always)]
fn by_parity(empty: u64) -> FourSquares {
    let mut alone = 0;
    for quadrant in QUADRANTS {
        let inside = empty & quadrant;
        alone |= if inside & inside.wrapping_sub(1) == 0 { inside } else { 0 };
    }
    let rest = empty ^ alone;
    if alone != 0 {
        return FourSquares { squares: in_order(alone, rest), pairs: false };
    }
    let lowest = rest.trailing_zeros();
    let quadrant = QUADRANTS[((lowest >> 2 & 1) | (lowest >> 4 & 2)) as usize];
    FourSquares { squares: in_order(rest & quadrant, rest & !quadrant), pairs: true }
}

/// Lists the squares of `first`, then those of `second`; together they are four.
#[inline(always)]
fn in_order(first: u64, second: u64) -> [u32; 4] {
    let (mut first, mut second) = (first, second);
    [(); 4].map(|()| {
        let from = if first != 0 { &mut first } else { &mut second };
        let square = from.trailing_zeros();
        *from &= from.wrapping_sub(1);
        square & 63
    })
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
        let names = squares.map(|square| crate::Square::new(square).unwrap().to_string());
        (names.to_vec(), pairs)
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
}
