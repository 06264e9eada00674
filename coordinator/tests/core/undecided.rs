//! Contradictions that cannot be decided hold up nothing but what rests on them, and those that can be are.

use outflank_coordinator::core::{
    AuditId, Command, Config, Doubted, Event, Job, Memory, Method, ProcessId, Proof, Report,
    SolveId,
};
use outflank_engine::{Bound, Position, Score, Square};

use crate::debts::{claim, unasked};
use crate::oracle::Oracle;
use crate::script::{Script, assigned, joined, nine_empties, only_job, split};
use crate::worker::empty;

pub(crate) fn value() -> Score {
    let value = Oracle::default().value(nine_empties());
    assert!(value < Score::MAX.down(), "there are larger ones");
    value
}

/// Returns a core with so many workers.
pub(crate) fn with_workers(config: &Config, workers: u64) -> Script {
    let mut script = Script::new(Config { lines: false, ..config.clone() });
    for worker in 1..=workers {
        script.join(0, worker, 1);
    }
    script
}

/// Lets the store know bounds of all positions after the moves of the root, which follow from their values.
pub(crate) fn know_children(script: &mut Script, bound: fn(Score) -> Bound) {
    let root = nine_empties().canonical();
    let children = Square::all(root.moves()).filter_map(|square| root.play(square));
    for child in children.map(Position::canonical) {
        script.store.0.insert(child, (bound(Oracle::default().value(child)), None));
    }
}

pub(crate) fn is_contradicted(commands: &[Command], solve: u64) -> bool {
    let is_it = |command: &Command| matches!(command, Command::Contradicted { solve: id, .. } if *id == SolveId(solve));
    commands.iter().any(is_it)
}

fn asks_a_judge(commands: &[Command]) -> bool {
    assigned(commands).iter().any(|(_, job)| job.is_apart)
}

fn could_not_tell(job: &Job) -> Report {
    empty(job, job.node_limit)
}

/// Nobody comes who could decide, and what is inferred contradicts what is held, whoever asks.
#[test]
fn who_asks_again_where_one_stands_against_one_is_told_so_at_once() {
    let mut script = with_workers(&split(), 2);
    know_children(&mut script, Bound::exact);
    let held = Bound::at_least(value().up());
    script.store.0.insert(nine_empties().canonical(), (held, None));
    let (first, audit) = only_job(&script.submit(0, 1, nine_empties()));
    let (second, audit) = only_job(&script.report(1, first, claim(&audit, held)));
    let commands = script.report(2, second, claim(&audit, Bound::exact(value())));
    assert!(is_contradicted(&commands, 1), "{commands:?}");
    for solve in 2..5 {
        let commands = script.submit(3, solve, nine_empties());
        assert!(is_contradicted(&commands, solve), "it would wait for a third: {commands:?}");
    }
    assert_eq!(script.core.status().unaudited, 1, "once is enough");
    assert_eq!(assigned(&script.join(4, 3, 1)).len(), 1, "who comes decides");
}

/// What is owed is a sample of what was claimed, and may be so for long: that somebody is wrong is another matter.
#[test]
fn a_contradiction_is_looked_into_although_an_audit_of_the_same_position_is_owed() {
    let mut script = with_workers(&split(), 0);
    know_children(&mut script, Bound::exact);
    let (position, bound) = (nine_empties().canonical(), Bound::at_least(value().up()));
    script.store.0.insert(position, (bound, None));
    let claim = Proof::of(position, bound, Method::Search);
    let doubted = vec![Doubted { audit: AuditId(5), claim, author: Some(ProcessId(1)) }];
    script.at(0, Event::Resumed { era: 0, doubted, memory: Memory::default() });
    script.at(0, joined(1, 1, 1));
    let (_, mut audit) = only_job(&script.at(0, joined(2, 2, 1)));
    for _ in 0..3 {
        (_, audit) = only_job(&script.report(1, 2, could_not_tell(&audit)));
    }
    assert_eq!(assigned(&script.report(1, 2, could_not_tell(&audit))), []);
    assert_eq!(script.core.status().unaudited, 1, "it is tried again in half a minute");
    assert!(asks_a_judge(&script.submit(2, 1, nine_empties())));
}

/// How much a judge has to search depends on the claim, too.
#[test]
fn a_contradiction_is_decided_although_nobody_can_judge_another_claim_about_the_position() {
    let config = Config { longest_job: 300.0, budget_factor: 2.0, audit_share: 1.0, ..split() };
    let mut script = with_workers(&config, 3);
    let lie = Bound::new(value().up(), value().up().up()).expect("ordered");
    script.report(1, 1, unasked(4711, nine_empties(), lie));
    assert_eq!(script.core.status().unaudited, 1, "it takes more than a worker searches");
    know_children(&mut script, Bound::at_least);
    assert!(asks_a_judge(&script.submit(2, 1, nine_empties())));
}

/// They are asked again after a time that doubles up to an hour, and until then requests ended at once.
#[test]
fn judges_who_could_not_tell_are_asked_again_when_somebody_needs_the_verdict() {
    let mut script = with_workers(&split(), 3);
    know_children(&mut script, Bound::exact);
    script.store.0.insert(nine_empties().canonical(), (Bound::at_least(value().up()), None));
    let mut commands = script.submit(0, 1, nine_empties());
    while !is_contradicted(&commands, 1) {
        let (worker, audit) = only_job(&commands);
        commands = script.report(1, worker, could_not_tell(&audit));
    }
    let commands = script.submit(2, 2, nine_empties());
    assert!(!is_contradicted(&commands, 2), "{commands:?}");
    let (worker, audit) = only_job(&commands);
    let commands = script.report(3, worker, could_not_tell(&audit));
    assert!(is_contradicted(&commands, 2), "once is enough for one request: {commands:?}");
}
