//! The root of a search: the window, the bounds of every move, and the best line.

use std::thread::{self, Builder};

use super::board::{Board, Node};
use super::crew::{Crew, Tools};
use super::level::Level;
use super::order::{Candidates, Hurry};
use super::principal::{Aspiration, principal};
use super::root_moves::narrowed;
use super::searcher::{Searcher, Stopped};
use super::tally::Event;
use super::{SearchSet, ahead, middle, selective};
use crate::answer::{inferred, proving};
use crate::evaluation::UNIT;
use crate::table::Entry;
use crate::{Answer, Belief, Bound, Control, Position, Request, Score, Square, Window};

/// With so few empty squares the shared table has nothing of the positions after the moves, and searching them again
/// costs nothing.
const QUICK: u32 = middle::MOST_EMPTIES + 1;

/// Searches on `request.threads` threads.
pub(crate) fn solve<K: SearchSet>(
    kernels: K,
    tools: &Tools<'_>,
    request: &Request,
    control: &Control,
) -> Answer {
    let limit = request.node_limit.unwrap_or(u64::MAX);
    let crew = Crew::new(tools, control, limit, request.position).of_threads(request.threads);
    for &(position, bound) in &request.known {
        remember(kernels, &crew, position, bound);
    }
    with_threads(kernels, &crew, |searcher| answer(searcher, request.position, request.window))
}

/// Searches as `search` says, with the help of all threads of the crew, and of other engines if there are any.
pub(super) fn with_threads<'a, K: SearchSet, T>(
    kernels: K,
    crew: &'a Crew<'a>,
    search: impl FnOnce(&mut Searcher<'a, K>) -> T,
) -> T {
    thread::scope(|scope| {
        // Given up last: those who are sent home need their turns.
        let _seat = crew.turns.map(|turns| turns.enter(0));
        let _shift = crew.shift();
        for thread in 1..crew.threads {
            let helper = move || crew.help(kernels, thread);
            if crew.turns.is_some() {
                scope.spawn(helper); // All must be there: they wait for each other's turns.
            } else if Builder::new().spawn_scoped(scope, helper).is_err() {
                crew.control.miss_threads(crew.threads - thread);
                break;
            }
        }
        if let Some(hands) = crew.control.hands().filter(|_| crew.turns.is_none()) {
            for hand in 0..hands.count() {
                let lender = move || crew.lend(kernels, hands, hand);
                if Builder::new().spawn_scoped(scope, lender).is_err() {
                    break; // These are not needed.
                }
            }
        }
        let mut searcher = Searcher::new(kernels, crew);
        searcher.hand_over(1);
        search(&mut searcher)
    })
}

/// Returns the exact values of many positions, solved one after the other on this thread; `None` if the tables have bounds
/// that contradict each other.
pub(crate) fn values<K: SearchSet>(
    kernels: K,
    tools: &Tools<'_>,
    positions: &[Position],
) -> Option<Vec<Score>> {
    let control = Control::default();
    let crew = Crew::new(tools, &control, u64::MAX, Position::START);
    let mut searcher = Searcher::new(kernels, &crew);
    let value = |position: &Position| {
        let node = node(&searcher, *position);
        let found = principal(&mut searcher, &node, Aspiration::FULL, Level::EXACT);
        Some(Score::floor(found.ok()?.0))
    };
    positions.iter().map(value).collect()
}

/// Returns what is believed of `position` in discs after selective searches that together take about
/// `node_limit` nodes.
pub(crate) fn believe<K: SearchSet>(
    kernels: K,
    tools: &Tools<'_>,
    position: Position,
    node_limit: u64,
    control: &Control,
) -> i32 {
    let crew = Crew::new(tools, control, node_limit, position);
    let mut searcher = Searcher::new(kernels, &crew);
    let node = node(&searcher, position);
    let Ok(mut value) = selective::guess(&mut searcher, &node) else { return 0 };
    for level in Level::ladder(node.empties) {
        match aspire(&mut searcher, &node, -64, 64, value, level) {
            Ok((better, _)) => value = better,
            Err(Stopped) => break,
        }
    }
    value
}

/// Puts a bound that was proved elsewhere into the table.
fn remember<K: SearchSet>(kernels: K, crew: &Crew<'_>, position: Position, bound: Bound) {
    let (player, opponent) = (position.player(), position.opponent());
    let (lower, upper) = (bound.lower().discs(), bound.upper().discs());
    let entry = Entry::told(lower, upper);
    crew.table.put(kernels.hash(player, opponent), player, opponent, entry, crew.generation);
}

fn answer<K: SearchSet>(
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
    let node = node(searcher, position);
    // Values are even: above `lower` is the same as above the odd number that follows.
    let (alpha, beta) = (window.lower().discs() + 1, window.upper().discs());
    let found = search(searcher, &node, alpha, beta);
    let children = children(searcher, position);
    let mut bound = inferred(position, &children);
    let mut best_move = None;
    if let Ok((value, square)) = found {
        bound = narrowed(bound, value, alpha, beta);
        best_move = square.and_then(|square| Square::new(square.into()));
    }
    let order = order(searcher, &node);
    // What is proved may have been told, or the table may have lost what it rests on: then the line is all work.
    searcher.crew.renew_limit();
    // The bounds of the moves may have proved the value after a stop: then no search has said which
    // of them reaches it. And the table may name one that only seemed best when all failed.
    let proving = proving(&children, bound.lower(), best_move);
    let likely = proving.or(best_move).or(order.first().copied());
    let first = match bound.value() {
        Some(value) => move_that_keeps(searcher, position, value).unwrap_or(proving),
        // What the table answers by itself may name the move of another window.
        None if proving.is_none() && position.empties() <= QUICK => {
            move_that_keeps(searcher, position, bound.lower()).unwrap_or(likely)
        }
        None => likely,
    };
    let line = line(searcher, position, first, bound.value());
    let best_move = first.or(best_move).or(order.first().copied());
    searcher.report_nodes();
    let nodes = searcher.crew.control.nodes();
    Answer { bound, best_move, line, children, order, nodes, finished: found.is_ok() }
}

fn node<K: SearchSet>(searcher: &Searcher<'_, K>, position: Position) -> Node {
    let board = Board { player: position.player(), opponent: position.opponent() };
    Node::new(searcher.kernels, board)
}

/// Half the width of the first window around a guess, in discs.
const HALF_WINDOW: i32 = 1;

/// Searches the window: first roughly, each time around the value found before, then exactly.
fn search<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    alpha: i32,
    beta: i32,
) -> Result<(i32, Option<u8>), Stopped> {
    let mut levels = Level::ladder(node.empties).peekable();
    if searcher.weights().is_none() || levels.peek().is_none() {
        let aspiration = Aspiration { alpha, beta, expected: node.estimate / UNIT };
        return principal(searcher, node, aspiration, Level::EXACT);
    }
    let mut value = selective::guess(searcher, node)?;
    let mut searches = 0;
    while let Some(level) = levels.next() {
        let next = levels.peek().copied().unwrap_or(Level::EXACT);
        let posted = ahead::post_next_search(searcher, node, value / 2 * 2, next)?;
        let (better, square) = aspire(searcher, node, alpha, beta, value, level)?;
        drop(posted);
        value = better;
        searches += 1;
        let best_move = square.and_then(|square| Square::new(square.into()));
        let is_last = levels.peek().is_none();
        searcher.crew.control.believe(Belief { value, best_move, searches, is_last });
    }
    aspire(searcher, node, alpha, beta, value, Level::EXACT)
}

/// Searches in a window around `guess`, which is widened until it holds the value or reaches the
/// end of the window that is asked. What a selective search says of one window need not agree with
/// what it says of the next, so that only proofs narrow the window again: never to nothing, where a value beyond the end of
/// what is asked has lost its place in the table.
fn aspire<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    node: &Node,
    alpha: i32,
    beta: i32,
    guess: i32,
    level: Level,
) -> Result<(i32, Option<u8>), Stopped> {
    // An even value lies in the middle of a window with odd ends.
    let guess = guess / 2 * 2;
    let mut low = (guess - HALF_WINDOW).clamp(alpha, beta - 1);
    let mut high = (guess + HALF_WINDOW).clamp(low + 1, beta);
    let mut step = 2 * HALF_WINDOW;
    let mut expected = guess;
    let (mut least, mut most) = (-64, 64);
    loop {
        let aspiration = Aspiration { alpha: low, beta: high, expected };
        let (value, square) = principal(searcher, node, aspiration, level)?;
        if level == Level::EXACT {
            least = if value > low { value.max(least) } else { least };
            most = if value < high { value.min(most) } else { most };
            if least > most {
                return Err(Stopped); // What was told is false: this would go to and fro for ever.
            }
        }
        if value <= low && low > alpha {
            searcher.tally.count(node.empties, Event::Missed { above: false });
            expected = value & !1;
            low = (value - 1 - step).max(alpha);
            if level == Level::EXACT {
                high = high.min(value + 1).max(low + 1);
            }
        } else if value >= high && high < beta {
            searcher.tally.count(node.empties, Event::Missed { above: true });
            expected = (value + 1) & !1;
            high = (value + 1 + step).min(beta);
            if level == Level::EXACT {
                low = low.max(value - 1).min(high - 1);
            }
        } else {
            return Ok((value, square));
        }
        step *= 2;
    }
}

/// Returns what this search and the table know of the positions after each move.
fn children<K: SearchSet>(searcher: &Searcher<'_, K>, position: Position) -> Vec<(Square, Bound)> {
    let bound = |square| {
        let after = position.play(square)?;
        let bound = if after.is_over() {
            Bound::exact(after.final_score())
        } else {
            let known = proved(searcher, after).unwrap_or(Bound::UNKNOWN);
            let found = searcher.crew.root_moves.after(square);
            found.merge(known).unwrap_or(found)
        };
        (bound != Bound::UNKNOWN).then_some((square, bound))
    };
    Square::all(position.moves()).filter_map(bound).collect()
}

/// Returns the bound that the table holds for `position`, or for the one after a forced pass.
fn proved<K: SearchSet>(searcher: &Searcher<'_, K>, position: Position) -> Option<Bound> {
    if position.must_pass() {
        return proved(searcher, position.pass()).map(|bound| -bound);
    }
    let known = entry(searcher, position)?;
    Bound::new(Score::new(known.lower)?, Score::new(known.upper)?)
}

fn entry<K: SearchSet>(searcher: &Searcher<'_, K>, position: Position) -> Option<Entry> {
    let (player, opponent) = (position.player(), position.opponent());
    let hash = searcher.kernels.hash(player, opponent);
    searcher.table().get(hash, player, opponent)
}

/// Returns the legal moves, the most promising first.
fn order<K: SearchSet>(searcher: &mut Searcher<'_, K>, node: &Node) -> Vec<Square> {
    let (kernels, board) = (searcher.kernels, node.board);
    let hash = kernels.hash(board.player, board.opponent);
    let known = searcher.table().get(hash, board.player, board.opponent).unwrap_or(Entry::UNKNOWN);
    let moves = kernels.moves(board.player, board.opponent);
    let mut candidates = Candidates::new(kernels, board, moves);
    // Without searching: this must work after a stop as well.
    let _cannot_stop = candidates.sort(searcher, node, known.moves, Hurry::Glance);
    candidates.as_slice().iter().filter_map(|candidate| Square::new(candidate.square)).collect()
}

/// Returns the line that begins with `first`. With an exact value, every move of it is checked to
/// keep that value, so that the line ends with it; otherwise it goes as far as the table knows.
fn line<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    position: Position,
    first: Option<Square>,
    value: Option<Score>,
) -> Vec<Square> {
    let (mut line, mut position, mut value) = (Vec::new(), position, value);
    let mut next = first;
    while let Some(square) = next {
        let Some(after) = position.play(square) else { break };
        line.push(square);
        (position, value) = (after, value.map(|value| -value));
        if position.must_pass() {
            (position, value) = (position.pass(), value.map(|value| -value));
        }
        next = match value {
            Some(value) => move_that_keeps(searcher, position, value).unwrap_or(None),
            None => entry(searcher, position)
                .and_then(|known| known.moves[0])
                .and_then(|square| Square::new(square.into())),
        };
    }
    line
}

/// Returns a move after which the game still ends with `value` or more, which is a lower bound of
/// `position`; `None` at the end of the game.
fn move_that_keeps<K: SearchSet>(
    searcher: &mut Searcher<'_, K>,
    position: Position,
    value: Score,
) -> Result<Option<Square>, Stopped> {
    let here = node(searcher, position);
    for square in order(searcher, &here) {
        let Some(after) = position.play(square) else { continue };
        let after = node(searcher, after);
        // The move keeps the value if the opponent cannot hold it below: is the opponent's value
        // at most `-value`?
        let above = -value.discs();
        let reply = principal(searcher, &after, Aspiration::null(above), Level::EXACT)?.0;
        if reply <= above {
            return Ok(Some(square));
        }
    }
    Ok(None)
}
