//! The root of a search on a small board: windows, the bounds of every move, and the best line.

use super::SmallSet;
use super::deep;
use super::look;
use super::searcher::{Discs, Searcher};
use crate::answer::{inferred, proving};
use crate::search::searcher::Stopped;
use crate::table::{Entry, Table};
use crate::{Answer, Bound, Control, Position, Request, Score, Square, Window};

/// With so few empty squares the table may not know the positions after the moves, and searching
/// them again costs nothing.
const QUICK: u32 = 10;

/// Searches on one thread.
pub(crate) fn solve<K: SmallSet>(
    kernels: K,
    table: &Table,
    generation: u8,
    request: &Request,
    control: &Control,
) -> Answer {
    let (position, limit) = (request.position, request.node_limit.unwrap_or(u64::MAX));
    let mut searcher = Searcher::new(kernels, position.walls(), table, generation, control, limit);
    for &(position, bound) in &request.known {
        remember(&searcher, position, bound);
    }
    answer(&mut searcher, position, request.window)
}

/// Puts a bound that was proved elsewhere into the table.
fn remember<K: SmallSet>(searcher: &Searcher<'_, K>, position: Position, bound: Bound) {
    let (player, opponent) = (position.player(), position.opponent());
    let (lower, upper) = (bound.lower().discs(), bound.upper().discs());
    let entry = Entry { lower, upper, cost: 63, ..Entry::UNKNOWN };
    let hash = searcher.kernels.hash(player, opponent);
    searcher.table.put(hash, player, opponent, entry, searcher.generation);
}

fn answer<K: SmallSet>(
    searcher: &mut Searcher<'_, K>,
    position: Position,
    window: Window,
) -> Answer {
    if position.must_pass() {
        let after = answer(searcher, position.pass(), -window);
        return Answer {
            bound: -after.bound,
            best_move: None,
            children: Vec::new(),
            order: Vec::new(),
            ..after
        };
    }
    let (found, best_move) = search(searcher, position, window);
    let children = children(searcher, position);
    let bound = inferred(position, &children).merge(found).unwrap_or(found);
    let order = deep::order_of(searcher, Discs::of(position));
    searcher.renew_limit();
    // The bounds of the moves may have proved the value after a stop: then no search has said which
    // of them reaches it. And the table may name one that only seemed best when all failed.
    let proving = proving(&children, bound.lower(), best_move);
    let likely = proving.or(best_move);
    let first = match bound.value() {
        Some(value) => move_that_keeps(searcher, position, value).unwrap_or(proving),
        None if position.empties() <= QUICK => {
            move_that_keeps(searcher, position, bound.lower()).unwrap_or(likely)
        }
        None => likely,
    };
    let line = line(searcher, position, first, bound.value());
    let best_move = first.or(best_move).or(order.first().copied());
    let nodes = searcher.report_nodes();
    Answer { bound, best_move, line, children, order, nodes, finished: bound.answers(window) }
}

/// Asks null windows, the first around the likely value, until the window is answered or the search
/// is stopped. Returns what is proved, and the move that proves the lower bound.
fn search<K: SmallSet>(
    searcher: &mut Searcher<'_, K>,
    position: Position,
    window: Window,
) -> (Bound, Option<Square>) {
    let (discs, most) = (Discs::of(position), searcher.field.count);
    let (mut low, mut high) = (-most, most);
    let (lowest, highest) = (window.lower().discs(), window.upper().discs());
    let mut guess = look::estimate(position) / 2 * 2;
    let (mut best, mut step) = (None, 2);
    while low < high && low < highest && high > lowest {
        let least = low.max(lowest) + 2;
        let threshold = guess.clamp(least, high.min(highest).max(least));
        let Ok(value) = K::small_deep(searcher, discs, threshold - 1) else { break };
        if value >= threshold {
            low = low.max(value);
            best = square(searcher, position);
            guess = low + step;
        } else {
            high = high.min(value);
            guess = high - step + 2;
        }
        step = (2 * step).min(16);
    }
    (narrowest(low, high, most, window), best)
}

/// Returns the bound `low..=high`. An end that no game on this board can pass, `most` discs, says
/// nothing, unless the window asks beyond it.
fn narrowest(low: i32, high: i32, most: i32, window: Window) -> Bound {
    let bound = |low, high| Bound::new(low, high).unwrap_or(Bound::UNKNOWN);
    let all = bound(Score::floor(low), Score::floor(high));
    let lower = if low == -most { Score::MIN } else { all.lower() };
    let upper = if high == most { Score::MAX } else { all.upper() };
    let told = bound(lower, upper);
    if low == high || !told.answers(window) { all } else { told }
}

/// Returns what the table knows of the positions after each move.
fn children<K: SmallSet>(searcher: &Searcher<'_, K>, position: Position) -> Vec<(Square, Bound)> {
    let bound = |square| {
        let after = position.play(square)?;
        let bound = if after.is_over() {
            Bound::exact(after.final_score())
        } else if after.must_pass() {
            -proved(searcher, after.pass())?
        } else {
            proved(searcher, after)?
        };
        (bound != Bound::UNKNOWN).then_some((square, bound))
    };
    Square::all(position.moves()).filter_map(bound).collect()
}

/// Returns the bound that the table holds for `position`.
fn proved<K: SmallSet>(searcher: &Searcher<'_, K>, position: Position) -> Option<Bound> {
    let known = entry(searcher, position)?;
    Bound::new(Score::new(known.lower)?, Score::new(known.upper)?)
}

fn entry<K: SmallSet>(searcher: &Searcher<'_, K>, position: Position) -> Option<Entry> {
    let (player, opponent) = (position.player(), position.opponent());
    searcher.table.get(searcher.kernels.hash(player, opponent), player, opponent)
}

/// Returns the move that the table would try first.
fn square<K: SmallSet>(searcher: &Searcher<'_, K>, position: Position) -> Option<Square> {
    let first = entry(searcher, position)?.moves[0]?;
    Square::new(first.into()).filter(|&square| position.play(square).is_some())
}

/// Returns the line that begins with `first`. With an exact value, every move of it is checked to
/// keep that value, so that the line ends with it; otherwise it goes as far as the table knows.
fn line<K: SmallSet>(
    searcher: &mut Searcher<'_, K>,
    position: Position,
    first: Option<Square>,
    value: Option<Score>,
) -> Vec<Square> {
    let (mut line, mut position, mut value) = (Vec::new(), position, value);
    let mut next = first;
    while let Some(square_played) = next {
        let Some(after) = position.play(square_played) else { break };
        line.push(square_played);
        (position, value) = (after, value.map(|value| -value));
        if position.must_pass() {
            (position, value) = (position.pass(), value.map(|value| -value));
        }
        next = match value {
            Some(value) => move_that_keeps(searcher, position, value).unwrap_or(None),
            None => square(searcher, position),
        };
    }
    line
}

/// Returns a move after which the game still ends with `value` or more, which is a lower bound of
/// `position`; `None` at the end of the game.
fn move_that_keeps<K: SmallSet>(
    searcher: &mut Searcher<'_, K>,
    position: Position,
    value: Score,
) -> Result<Option<Square>, Stopped> {
    for square in deep::order_of(searcher, Discs::of(position)) {
        let Some(after) = position.play(square) else { continue };
        // The move keeps the value if the opponent cannot hold it below: is the opponent's value
        // at most `-value`?
        let above = -value.discs();
        if K::small_deep(searcher, Discs::of(after), above)? <= above {
            return Ok(Some(square));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(discs: i32) -> Score {
        Score::new(discs).expect("a score")
    }

    fn bound(lower: i32, upper: i32) -> Bound {
        Bound::new(score(lower), score(upper)).expect("a bound")
    }

    #[test]
    fn the_ends_of_the_board_are_told_only_to_who_asks_beyond_them() {
        let window = |lower, upper| Window::new(score(lower), score(upper)).expect("a window");
        let nothing = narrowest(-16, 16, 16, Window::FULL);
        assert_eq!(nothing, bound(-16, 16), "the question is whether there is more to know");
        assert_eq!(narrowest(-16, 4, 16, window(4, 6)), bound(-64, 4));
        assert_eq!(narrowest(2, 16, 16, window(0, 2)), bound(2, 64));
        assert_eq!(narrowest(-16, 16, 16, window(16, 64)), bound(-16, 16), "16 answers it");
        assert_eq!(narrowest(16, 16, 16, window(-64, 64)), bound(16, 16), "a value is a value");
    }
}
