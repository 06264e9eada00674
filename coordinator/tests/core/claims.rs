//! What reports claim: what of it is kept, and what is not since it contradicts what is known, or itself.

use outflank_coordinator::core::{Command, Config, Job, JobId, Report, SolveId};
use outflank_engine::{Bound, Position, Score, Square, Symmetry};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, nine_empties, only_job, split, truth, whole};
use crate::worker::empty;

/// Returns a core whose only worker has the first job of a request, and that job.
fn at_work(config: &Config) -> (Script, Job) {
    let mut script = Script::new(Config { lines: false, ..config.clone() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    (script, job)
}

fn value(position: Position) -> Score {
    Oracle::default().value(position)
}

fn wrong(value: Score) -> Score {
    if value == Score::MAX { value.down() } else { value.up() }
}

/// Returns the true values after all moves.
fn children(position: Position) -> Vec<(Square, Bound)> {
    let after = |square| position.play(square).map(|child| (square, Bound::exact(value(child))));
    Square::all(position.moves()).filter_map(after).collect()
}

fn is_stopped(commands: &[Command]) -> bool {
    let stopped =
        |command: &Command| matches!(command, Command::Contradicted { solve: SolveId(1), .. });
    commands.iter().any(stopped)
}

#[test]
fn what_is_known_is_not_written_again() {
    let (mut script, job) = at_work(&whole());
    let is_written = |command: &Command| matches!(command, Command::Persist { .. });
    assert!(script.report(1, 1, truth(&job)).iter().any(is_written));
    assert!(!script.report(2, 1, truth(&job)).iter().any(is_written));
}

/// A search that is stopped knows the value at times, and which move seems best, before it has proved of one that it
/// reaches the value.
#[test]
fn the_best_move_of_a_value_is_kept_if_the_report_shows_that_it_reaches_it() {
    let kept = |change: &dyn Fn(Report) -> Report| {
        let (mut script, job) = at_work(&whole());
        let report = truth(&job);
        let best = report.best_move;
        assert!(best.is_some() && report.line.first() == best.as_ref());
        script.report(1, 1, change(report));
        (script.store.0[&job.position].1, best)
    };
    let bare = |report| Report { line: Vec::new(), children: Vec::new(), ..report };
    let (stored, best) = kept(&|report| report);
    assert_eq!(stored, best);
    let (stored, _) = kept(&bare);
    assert_eq!(stored, None, "nothing shows it");
    let (stored, best) = kept(&|report| {
        let children = children(report.position);
        Report { children, ..bare(report) }
    });
    assert_eq!(stored, best, "the position after it shows it");
    let (stored, _) = kept(&|report| {
        let children = children(report.position);
        let worst = children.iter().max_by_key(|(_, bound)| bound.upper());
        Report { best_move: worst.map(|&(square, _)| square), children, ..bare(report) }
    });
    assert_eq!(stored, None, "the position after it shows that it is worth less");
}

#[test]
fn the_nodes_of_a_report_stand_behind_the_bound_of_its_position_alone() {
    let (mut script, job) = at_work(&whole());
    let commands = script.report(
        1,
        1,
        Report { nodes: 1_234, children: children(job.position), ..truth(&job) },
    );
    let persisted = commands.iter().find_map(|command| match command {
        Command::Persist { proofs } => Some(proofs),
        _ => None,
    });
    for proof in persisted.expect("it is written") {
        let of_job = proof.position == job.position;
        assert_eq!(proof.nodes, if of_job { 1_234 } else { 0 }, "{proof:?}");
    }
}

#[test]
fn what_is_about_another_position_than_the_job_is_no_claim() {
    let other = position(&mut Random(12), 9).canonical();
    let (mut script, job) = at_work(&whole());
    script.join(0, 2, 1);
    let report = Report { position: other, bound: Bound::exact(value(other)), ..truth(&job) };
    let (worker, again) = only_job(&script.report(1, 1, report));
    assert_eq!(again.position, job.position, "it is still to be searched");
    assert_eq!(worker, 2, "by somebody else");
    assert_eq!((script.store.0.len(), script.core.status().illegal_claims), (0, 1));
}

/// What is stored under another form of a position is never found, or twice.
#[test]
fn what_is_about_no_canonical_position_is_no_claim() {
    let (mut script, job) = at_work(&whole());
    let mut images = Symmetry::all().map(|symmetry| symmetry.position(job.position));
    let turned = images.find(|image| *image != job.position).expect("it is not symmetric");
    let bound = Bound::exact(value(turned));
    // Nobody has asked for it, so that no job says what it should be about.
    let report = Report { job: JobId(99), position: turned, bound, ..empty(&job, 1) };
    script.report(1, 1, report);
    assert_eq!((script.store.0.len(), script.core.status().illegal_claims), (0, 1));
}

#[test]
fn what_a_report_says_twice_must_agree() {
    let (mut script, job) = at_work(&whole());
    let report = truth(&job);
    let best = report.line[0];
    let child = job.position.play(best).expect("the line is legal");
    // The line says it, too.
    let lie = vec![(best, Bound::exact(wrong(value(child))))];
    assert!(is_stopped(&script.report(1, 1, Report { children: lie, ..report })));
    assert!(script.store.0.is_empty(), "nothing of it is kept");
}

#[test]
fn a_value_must_follow_from_those_after_the_moves() {
    let (mut script, job) = at_work(&whole());
    let bound = Bound::exact(wrong(value(job.position)));
    let children = children(job.position);
    assert!(is_stopped(&script.report(1, 1, Report { bound, children, ..empty(&job, 1) })));
    assert!(script.store.0.is_empty(), "nothing of it is kept");
}

#[test]
fn what_contradicts_the_store_about_a_move_stops_the_request_of_its_job() {
    let (mut script, job) = at_work(&whole());
    let (square, held) = children(job.position)[0];
    let child = job.position.play(square).expect("it is a move").canonical();
    script.store.0.insert(child, (held, None));
    let lie = Bound::exact(wrong(held.lower()));
    let report = Report { children: vec![(square, lie)], ..empty(&job, 1) };
    assert!(is_stopped(&script.report(1, 1, report)));
    assert_eq!(script.store.0[&child].0, held);
}

#[test]
fn a_contradiction_below_the_root_stops_the_request_that_needs_it() {
    let (mut script, job) = at_work(&split());
    assert_ne!(job.position, nine_empties().canonical(), "the root is split");
    let bound = Bound::exact(wrong(value(job.position)));
    let children = children(job.position);
    assert!(is_stopped(&script.report(1, 1, Report { bound, children, ..empty(&job, 1) })));
    assert_eq!(script.core.status().solves, 0);
}

#[test]
fn any_claim_of_a_report_may_be_drawn_for_an_audit_and_half_of_the_time_its_own() {
    let (mut own, mut first, mut last) = (0, 0, 0);
    for seed in 0..200 {
        let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
        script.join(0, 1, 1);
        let (_, job) = only_job(&script.submit(0, 1, position(&mut Random(seed), 5)));
        let children = children(job.position);
        let after =
            |&(square, _): &(Square, Bound)| job.position.play(square).map(Position::canonical);
        let (Some(front), Some(back)) =
            (children.first().and_then(after), children.last().and_then(after))
        else {
            continue;
        };
        let report = Report { children, line: Vec::new(), ..truth(&job) };
        let drawn = script.report(1, 1, report).into_iter().find_map(|command| match command {
            Command::Doubt { claim, .. } => Some(claim.position),
            _ => None,
        });
        let drawn = drawn.expect("every report is audited");
        own += u32::from(drawn == job.position);
        if front != back {
            first += u32::from(drawn == front);
            last += u32::from(drawn == back);
        }
    }
    assert!((60..140).contains(&own) && first > 9 && last > 9, "{own}, {first} and {last}");
}
