//! What a truthful worker may report about a job, and what a liar may.

use outflank_coordinator::core::{Interim, Job, Report};
use outflank_engine::{Belief, Bound, FoundBound, Position, Score, Square, Window};

use crate::oracle::Oracle;
use crate::random::Random;
use crate::tables::Values;

/// Returns the report of a job that was answered.
pub(crate) fn finished(oracle: &impl Values, random: &mut Random, job: &Job, nodes: u64) -> Report {
    let value = oracle.value(job.position);
    let bound = answer(random, value, job.window);
    let line = oracle.line(job.position);
    // Below the window any move may seem best, and the line is only a beginning.
    let line = if bound.value().is_some() { line } else { line.into_iter().take(1).collect() };
    Report { bound, best_move: line.first().copied(), line, finished: true, ..empty(job, nodes) }
}

/// Returns the report of a job that was stopped: some true bounds of children, and an order.
pub(crate) fn stopped(oracle: &impl Values, random: &mut Random, job: &Job, nodes: u64) -> Report {
    let mut order: Vec<Square> = Square::all(job.position.moves()).collect();
    let after = |square: Square| job.position.play(square).unwrap();
    order.sort_by_key(|&square| (random.chance(30), oracle.value(after(square))));
    let mut children = Vec::new();
    for &square in &order {
        if random.chance(30) {
            children.push((square, partial(random, oracle.value(after(square)))));
        }
    }
    let best_move = order.first().copied();
    Report { children, order, best_move, ..empty(job, nodes) }
}

/// Returns what a worker may believe of a job that goes on: what is right or nearly so.
pub(crate) fn interim(oracle: &Oracle, random: &mut Random, job: &Job) -> Interim {
    let value = oracle.value(job.position).discs() + 2 * (random.below(5) as i32 - 2);
    let belief = Belief {
        value: value.clamp(-64, 64),
        best_move: Square::lowest(job.position.moves()),
        searches: 1 + random.below(3) as u32,
        is_last: random.chance(50),
    };
    Interim { job: job.id, belief }
}

/// Returns what a worker may find inside a job: true bounds of positions a few plies below, as its search meets them.
pub(crate) fn inside(oracle: &impl Values, random: &mut Random, job: &Job) -> Vec<FoundBound> {
    let mut found = Vec::new();
    for _ in 0..random.below(4) {
        let mut position = job.symmetry.position(job.position);
        for _ in 0..1 + random.below(4) {
            position = step(random, position);
        }
        if position.empties() < job.position.empties() && !position.is_over() {
            let bound = partial(random, oracle.value(position.canonical()));
            found.push(FoundBound { position, bound, nodes: 1 + random.below(1000) });
        }
    }
    found
}

/// Returns one false bound of a position below.
pub(crate) fn false_inside(oracle: &Oracle, random: &mut Random, job: &Job) -> Option<FoundBound> {
    let found = inside(oracle, random, job).into_iter().next()?;
    let value = oracle.value(found.position.canonical());
    let bound = match random.chance(50) {
        true if value < Score::MAX => Bound::at_least(between(random, value.up(), Score::MAX)),
        _ if value > Score::MIN => Bound::at_most(between(random, Score::MIN, value.down())),
        _ => return None,
    };
    Some(FoundBound { bound, ..found })
}

fn step(random: &mut Random, position: Position) -> Position {
    if position.must_pass() {
        return position.pass();
    }
    let moves: Vec<Square> = Square::all(position.moves()).collect();
    match moves.len() {
        0 => position,
        count => position.play(moves[random.below(count as u64) as usize]).expect("it is legal"),
    }
}

/// Returns a report that claims nothing.
pub(crate) fn empty(job: &Job, nodes: u64) -> Report {
    Report {
        job: job.id,
        position: job.position,
        bound: Bound::UNKNOWN,
        best_move: None,
        line: Vec::new(),
        children: Vec::new(),
        order: Vec::new(),
        nodes,
        millis: 1,
        finished: false,
        failed: false,
        era: job.era,
    }
}

/// Returns a bound that answers `window`, often further out than asked.
fn answer(random: &mut Random, value: Score, window: Window) -> Bound {
    if value >= window.upper() {
        Bound::at_least(between(random, window.upper(), value))
    } else if value <= window.lower() {
        Bound::at_most(between(random, value, window.lower()))
    } else {
        Bound::exact(value)
    }
}

/// Returns some true bound.
fn partial(random: &mut Random, value: Score) -> Bound {
    match random.below(3) {
        0 => Bound::at_least(between(random, Score::MIN, value)),
        1 => Bound::at_most(between(random, value, Score::MAX)),
        _ => Bound::exact(value),
    }
}

fn between(random: &mut Random, low: Score, high: Score) -> Score {
    let steps = (high.discs() - low.discs()) / 2 + 1;
    Score::floor(low.discs() + 2 * random.below(steps as u64) as i32)
}

/// Returns a report that answers the window, plausibly and falsely.
pub(crate) fn lie(oracle: &Oracle, random: &mut Random, job: &Job, nodes: u64) -> Report {
    let value = oracle.value(job.position);
    let beside = if value < job.window.upper() && random.chance(50) || value == Score::MIN {
        between(random, value.up(), Score::MAX)
    } else {
        between(random, Score::MIN, value.down())
    };
    let (low, high) = (job.window.lower(), job.window.upper());
    let bound = match () {
        () if beside >= high && beside > value => Bound::at_least(beside),
        () if beside <= low && beside < value => Bound::at_most(beside),
        () => Bound::exact(beside),
    };
    Report { bound, finished: true, ..empty(job, nodes) }
}

/// Returns a report with false or nonsensical claims.
pub(crate) fn false_report(random: &mut Random, job: &Job, nodes: u64) -> Report {
    let wrong = Bound::exact(Score::floor(random.below(129) as i32 - 64));
    let square = Square::new(random.below(64) as u32).unwrap();
    let position = if random.chance(5) { Position::START } else { job.position };
    Report {
        position,
        bound: if random.chance(70) { wrong } else { Bound::UNKNOWN },
        best_move: Some(square),
        line: vec![square; 3],
        children: vec![(square, wrong)],
        order: vec![square],
        finished: random.chance(50),
        failed: random.chance(10),
        ..empty(job, nodes)
    }
}
