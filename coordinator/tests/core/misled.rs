//! Workers that make false claims, and what they were told before.

use std::collections::VecDeque;

use outflank_coordinator::core::{Command, Config, Event, Job, ProcessId, Report, WorkerId};
use outflank_engine::{Bound, Position, Score, Square};

use crate::oracle::Oracle;
use crate::script::{Script, assigned, joined, nine_empties, only_job, truth, whole};

/// The process that reports falsely, as its only worker.
const AUTHOR: u64 = 7;

fn audited() -> Config {
    Config { audit_share: 1.0, lines: false, ..whole() }
}

/// Returns another score than `value`.
fn wrong(value: Score) -> Score {
    if value == Score::MAX { value.down() } else { value.up() }
}

/// Returns a position one ply below the one that is asked about, and its value.
fn child() -> (Position, Score) {
    let square = Square::lowest(nine_empties().moves()).expect("there are moves");
    let child = nine_empties().play(square).expect("it is one").canonical();
    (child, Oracle::default().value(child))
}

/// Returns the report that claims what is false of the job's position, and nothing else.
fn falsehood(job: &Job) -> Report {
    let value = Oracle::default().value(job.position);
    Report { bound: Bound::exact(wrong(value)), line: Vec::new(), ..truth(job) }
}

/// Has every job done truly, until there is a verdict; returns it and the positions of those jobs.
fn verdict(script: &mut Script, second: u64, commands: &[Command]) -> (Command, Vec<Position>) {
    let mut jobs: VecDeque<(u64, Job)> = assigned(commands).into();
    let mut positions = Vec::new();
    while let Some((worker, job)) = jobs.pop_front() {
        positions.push(job.position);
        let commands = script.report(second, worker, truth(&job));
        let is_verdict =
            |command: &&Command| matches!(command, Command::Convict { .. } | Command::Trace { .. });
        if let Some(verdict) = commands.iter().find(is_verdict) {
            return (verdict.clone(), positions);
        }
        jobs.extend(assigned(&commands));
    }
    panic!("no verdict after {positions:?}");
}

/// Has a worker that was told `known` of the child report falsely, among two who do not; returns what follows.
fn reported_falsely(known: Bound) -> (Script, Vec<Command>) {
    let mut script = Script::new(audited());
    script.store.0.insert(child().0, (known, None));
    script.at(0, joined(AUTHOR, AUTHOR, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let is_told = job.known.iter().any(|&(position, _)| position.canonical() == child().0);
    assert!(is_told, "{job:?}");
    script.at(0, joined(8, 8, 1));
    script.at(0, joined(9, 9, 1));
    let commands = script.report(1, AUTHOR, falsehood(&job));
    (script, commands)
}

#[test]
fn who_was_told_a_false_bound_is_not_convicted_and_who_made_that_is() {
    let (position, value) = child();
    let told = Bound::exact(wrong(value));
    let (mut script, commands) = reported_falsely(told);
    let (verdict, solved) = verdict(&mut script, 2, &commands);
    let Command::Trace { position: traced, held, truth } = verdict else { panic!("{verdict:?}") };
    assert_eq!((traced, held), (position, told), "{solved:?}");
    assert!(truth.merge(told).is_err());
    let commands = script.at(3, Event::Traced { process: ProcessId(42), others_below: true });
    let condemned = Command::Condemn { position, held, truth, is_refused: true };
    assert!(commands.contains(&condemned), "{commands:?}");
    script.store.0.clear();
    let commands = script.at(3, Event::TakenBack { era: 1 });
    let jobs = assigned(&commands);
    assert!(jobs.iter().all(|(_, job)| job.position == nine_empties().canonical()), "{jobs:?}");
    assert_eq!(script.core.status().workers, 3, "nobody had to leave");
}

#[test]
fn who_was_told_nothing_but_the_truth_is_convicted_when_that_is_known() {
    let (position, value) = child();
    let (mut script, commands) = reported_falsely(Bound::exact(value));
    let (verdict, solved) = verdict(&mut script, 2, &commands);
    let Command::Convict { workers, is_refused, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!((workers, is_refused), (vec![WorkerId(AUTHOR)], true));
    let judges = solved.iter().filter(|&&judged| judged == position).count();
    assert_eq!(judges, 2, "what it was told was solved again, twice: {solved:?}");
}

#[test]
fn what_an_earlier_coordinator_may_have_told_excuses_once() {
    let mut script = Script::new(audited());
    script.at(0, Event::Resumed { era: 0, doubted: Vec::new(), is_heir: true });
    script.at(0, joined(AUTHOR, AUTHOR, 1));
    let (_, mut job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(0, joined(8, 8, 1));
    script.at(0, joined(9, 9, 1));
    for era in 1..3 {
        let commands = script.report(era, AUTHOR, falsehood(&job));
        let (verdict, _) = verdict(&mut script, era, &commands);
        let Command::Convict { workers, is_refused, .. } = verdict else { panic!("{verdict:?}") };
        assert_eq!((workers, is_refused), (vec![WorkerId(AUTHOR)], era == 2));
        script.store.0.clear();
        if era == 1 {
            script.at(era, Event::Draining { worker: WorkerId(8) });
            script.at(era, Event::Draining { worker: WorkerId(9) });
            let commands = script.at(era, Event::TakenBack { era });
            let again = assigned(&commands);
            assert_eq!(again.len(), 1, "{commands:?}");
            assert_eq!((again[0].0, again[0].1.era), (AUTHOR, 1), "it is not refused");
            job = again[0].1.clone();
            script.at(era, joined(18, 18, 1));
            script.at(era, joined(19, 19, 1));
        }
    }
}
