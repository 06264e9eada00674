//! The search in a null window, from the root down to the last squares.

use super::searcher::{Discs, Searcher};
use super::{SmallSet, look, shallow};
use crate::Square;
use crate::search::board::odd_squares;
use crate::search::searcher::Stopped;
use crate::table::Entry;

/// No position has more moves: that many squares has the largest of the small boards.
const MOST_MOVES: usize = 56;

/// Fewest empty squares at which the children's bounds are looked up before any of them is
/// searched.
const ENHANCED_FROM: u32 = 9;

/// Fewest empty squares at which moves are ordered by a look ahead, with the number of plies.
const LOOKS: [(u32, u32); 3] = [(22, 4), (18, 3), (13, 2)];

/// A move and the position after it.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The greater, the sooner it is tried.
    merit: i32,
    square: u8,
    after: Discs,
}

/// Solves a position in a null window: a value of at most `alpha` is an upper bound, any other a
/// lower bound.
#[inline(always)]
pub(super) fn body<K: SmallSet>(
    searcher: &mut Searcher<'_, K>,
    discs: Discs,
    alpha: i32,
) -> Result<i32, Stopped> {
    let (kernels, field) = (searcher.kernels, searcher.field);
    let empties = kernels.count(field.empty(discs));
    if empties <= shallow::MOST_EMPTIES {
        return Ok(kernels.small_shallow(&mut searcher.nodes, &field, discs, alpha));
    }
    searcher.count()?;
    let moves = field.moves(kernels, discs);
    if moves == 0 {
        if field.moves(kernels, discs.pass()) == 0 {
            return Ok(field.final_score(kernels, discs));
        }
        return Ok(-K::small_deep(searcher, discs.pass(), -alpha - 1)?);
    }
    let (hash, player, opponent) = searcher.place(discs);
    let known = searcher.table.get(hash, player, opponent).unwrap_or(Entry::UNKNOWN);
    if let Some(bound) = known.answer(alpha) {
        return Ok(bound);
    }
    let mut room = [Candidate { merit: 0, square: 0, after: discs }; MOST_MOVES];
    let candidates = fill(kernels, &mut room, discs, moves);
    let found = match enhanced(searcher, candidates, empties, alpha) {
        Some((value, square)) => (value, square),
        None => {
            order(searcher, candidates, discs, &known, empties);
            best(searcher, candidates, alpha)?
        }
    };
    let (value, square) = found;
    let (lower, upper) = if value > alpha { (value, 64) } else { (-64, value) };
    let moves = [square, known.moves[0].filter(|_| square != known.moves[0])];
    // The tree below grows with the empty squares.
    let entry = Entry { lower, upper, moves, cost: empties as u8 };
    searcher.table.put(hash, player, opponent, entry, searcher.generation);
    Ok(value)
}

#[inline(always)]
fn fill<K: SmallSet>(
    kernels: K,
    room: &mut [Candidate; MOST_MOVES],
    discs: Discs,
    moves: u64,
) -> &mut [Candidate] {
    let (mut rest, mut number) = (moves, 0);
    while rest != 0 {
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let flipped = kernels.flip(discs.player, discs.opponent, square);
        let after = discs.after(square, flipped);
        room[number] = Candidate { merit: 0, square: square as u8, after };
        number += 1;
    }
    &mut room[..number]
}

/// Returns the value of a move that the table knows to be good enough.
#[inline(always)]
fn enhanced<K: SmallSet>(
    searcher: &Searcher<'_, K>,
    candidates: &[Candidate],
    empties: u32,
    alpha: i32,
) -> Option<(i32, Option<u8>)> {
    if empties < ENHANCED_FROM {
        return None;
    }
    candidates.iter().find_map(|candidate| {
        let (hash, player, opponent) = searcher.place(candidate.after);
        let known = searcher.table.get(hash, player, opponent)?;
        (-known.upper > alpha).then_some((-known.upper, Some(candidate.square)))
    })
}

#[inline(always)]
fn order<K: SmallSet>(
    searcher: &mut Searcher<'_, K>,
    candidates: &mut [Candidate],
    discs: Discs,
    known: &Entry,
    empties: u32,
) {
    let (kernels, field) = (searcher.kernels, searcher.field);
    let plies = LOOKS.iter().find(|&&(from, _)| empties >= from).map(|&(_, plies)| plies);
    let odd = odd_squares(field.empty(discs));
    let most = 64 * 64;
    for candidate in candidates.iter_mut() {
        let Candidate { square, after, .. } = *candidate;
        let bit = 1_u64.rotate_left(u32::from(square));
        let remembered = known.moves.iter().position(|&best| best == Some(square));
        candidate.merit = match (remembered, plies) {
            (Some(place), _) => i32::MAX - place as i32,
            (None, Some(plies)) => -kernels.small_look(&field, after, plies - 1, -most, most),
            (None, None) => {
                let replies = field.moves(kernels, after);
                let frontier = kernels.potential_moves(after.opponent, after.player);
                let frontier = kernels.count(frontier & field.squares) as i32;
                -16 * look::weighted(kernels, &field, replies) - 4 * frontier
                    + if bit & odd != 0 { 6 } else { 0 }
                    + if bit & field.corners != 0 { 24 } else { 0 }
            }
        };
    }
    candidates.sort_unstable_by_key(|candidate| (-candidate.merit, candidate.square));
}

#[inline(always)]
fn best<K: SmallSet>(
    searcher: &mut Searcher<'_, K>,
    candidates: &[Candidate],
    alpha: i32,
) -> Result<(i32, Option<u8>), Stopped> {
    let mut best = (-64, None);
    for candidate in candidates {
        let value = -K::small_deep(searcher, candidate.after, -alpha - 1)?;
        if value > best.0 || best.1.is_none() {
            best = (value, Some(candidate.square));
        }
        if value > alpha {
            break;
        }
    }
    Ok(best)
}

/// Returns the legal moves, the most promising first.
pub(super) fn order_of<K: SmallSet>(searcher: &mut Searcher<'_, K>, discs: Discs) -> Vec<Square> {
    let (kernels, field) = (searcher.kernels, searcher.field);
    let moves = field.moves(kernels, discs);
    let (hash, player, opponent) = searcher.place(discs);
    let known = searcher.table.get(hash, player, opponent).unwrap_or(Entry::UNKNOWN);
    let mut room = [Candidate { merit: 0, square: 0, after: discs }; MOST_MOVES];
    let candidates = fill(kernels, &mut room, discs, moves);
    order(searcher, candidates, discs, &known, kernels.count(field.empty(discs)));
    candidates.iter().filter_map(|candidate| Square::new(candidate.square.into())).collect()
}
