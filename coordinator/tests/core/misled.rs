//! Workers that make false claims, and what they were told before.

use std::collections::VecDeque;

use outflank_coordinator::core::{
    Command, Config, Event, Job, Judgement, Memory, ProcessId, Report, SolveId, WorkerId,
};
use outflank_engine::{Bound, Position, Score, Square};

use crate::oracle::Oracle;
use crate::script::{Script, assigned, joined, nine_empties, only_job, truth, whole};
use crate::worker::empty;

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
fn verdict(script: &mut Script, second: u64, commands: &[Command]) -> (Judgement, Vec<Position>) {
    let mut jobs: VecDeque<(u64, Job)> = assigned(commands).into();
    let mut positions = Vec::new();
    while let Some((worker, job)) = jobs.pop_front() {
        positions.push(job.position);
        let commands = script.report(second, worker, truth(&job));
        let verdict = commands.iter().find_map(|command| match command {
            Command::Judge(verdict) => Some(verdict.clone()),
            _ => None,
        });
        if let Some(verdict) = verdict {
            return (verdict, positions);
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
    let Judgement::Trace { position: traced, held, truth } = verdict else { panic!("{verdict:?}") };
    assert_eq!((traced, held), (position, told), "{solved:?}");
    assert!(truth.merge(told).is_err());
    let commands = script.at(3, Event::Traced { process: ProcessId(42), others_below: true });
    let condemned = Command::Judge(Judgement::Condemn { position, held, truth, is_refused: true });
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
    let Judgement::Convict { workers, is_refused, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!((workers, is_refused), (vec![WorkerId(AUTHOR)], true));
    let judges = solved.iter().filter(|&&judged| judged == position).count();
    assert_eq!(judges, 2, "what it was told was solved again, twice: {solved:?}");
}

fn resumed(memory: Memory) -> Event {
    Event::Resumed { era: 0, doubted: Vec::new(), memory }
}

/// Has a coordinator tell the author `known` of the child and end, and the next one, which knows that, given a false
/// report of the author's; returns what follows. The store has nothing of it but the child's bound.
fn reported_falsely_to_the_next(known: Bound) -> (Script, Vec<Command>) {
    let mut first = Script::new(audited());
    first.store.0.insert(child().0, (known, None));
    first.at(0, joined(AUTHOR, AUTHOR, 1));
    let commands = first.submit(0, 1, nine_empties());
    let (_, job) = only_job(&commands);
    let note = commands.iter().find_map(|command| match command {
        Command::Told { worker, bounds, and_more: false } => Some((*worker, bounds.clone())),
        _ => None,
    });
    let (worker, bounds) = note.unwrap_or_else(|| panic!("nothing is noted: {commands:?}"));
    assert_eq!((worker, &bounds[..]), (WorkerId(AUTHOR), &[(child().0, known)][..]));
    let place = |wanted: fn(&Command) -> bool| commands.iter().position(wanted);
    let is_noted_first = place(|command| matches!(command, Command::Told { .. }))
        < place(|command| matches!(command, Command::Assign { .. }));
    assert!(is_noted_first, "{commands:?}");

    let mut next = Script::new(audited());
    next.store = first.store;
    let told = vec![(ProcessId(AUTHOR), bounds)];
    next.at(0, resumed(Memory { told, ..Memory::default() }));
    for worker in [8, 9] {
        next.at(0, joined(worker, worker, 1));
    }
    // By another connection; its report is late, and counts as any.
    next.at(0, joined(10, AUTHOR, 1));
    let commands = next.report(1, 10, falsehood(&job));
    (next, commands)
}

#[test]
fn who_was_told_the_truth_by_an_earlier_coordinator_is_convicted_of_its_first_lie() {
    let (position, value) = child();
    let (mut script, commands) = reported_falsely_to_the_next(Bound::exact(value));
    let (verdict, solved) = verdict(&mut script, 2, &commands);
    let Judgement::Convict { workers, is_refused, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!((workers, is_refused), (vec![WorkerId(10)], true));
    assert!(solved.contains(&position), "what it was told was solved again: {solved:?}");
}

#[test]
fn who_was_told_a_false_bound_by_an_earlier_coordinator_is_not_convicted() {
    let (position, value) = child();
    let told = Bound::exact(wrong(value));
    let (mut script, commands) = reported_falsely_to_the_next(told);
    let (verdict, _) = verdict(&mut script, 2, &commands);
    let Judgement::Trace { position: traced, held, .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!((traced, held), (position, told), "its author is the one who is looked at");
}

#[test]
fn who_was_excused_by_an_earlier_coordinator_is_not_excused_again() {
    let mut script = Script::new(audited());
    let excused = vec![ProcessId(AUTHOR)];
    script.at(0, resumed(Memory { has_gaps: true, excused, ..Memory::default() }));
    script.at(0, joined(AUTHOR, AUTHOR, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(0, joined(8, 8, 1));
    script.at(0, joined(9, 9, 1));
    let commands = script.report(1, AUTHOR, falsehood(&job));
    let (verdict, _) = verdict(&mut script, 2, &commands);
    assert!(matches!(verdict, Judgement::Convict { is_refused: true, .. }), "{verdict:?}");
}

#[test]
fn what_an_earlier_coordinator_may_have_told_excuses_once() {
    let mut script = Script::new(audited());
    script.at(0, resumed(Memory { has_gaps: true, ..Memory::default() }));
    script.at(0, joined(AUTHOR, AUTHOR, 1));
    let (_, mut job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(0, joined(8, 8, 1));
    script.at(0, joined(9, 9, 1));
    for era in 1..3 {
        let commands = script.report(era, AUTHOR, falsehood(&job));
        let (verdict, _) = verdict(&mut script, era, &commands);
        let Judgement::Convict { workers, is_refused, .. } = verdict else { panic!("{verdict:?}") };
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

/// Has `worker`, of a process of that name, ask for a job about which there is one bound to tell; returns it.
fn told(script: &mut Script, worker: u64) -> Job {
    let (_, job) = only_job(&script.at(0, joined(worker, worker, 1)));
    assert_eq!(job.known.len(), 1, "{job:?}");
    job
}

/// Has the author report falsely among two others, and returns whether it is refused.
fn is_refused(script: &mut Script, job: &Job) -> bool {
    for worker in [8, 9] {
        script.at(1, joined(worker, worker, 1));
    }
    let commands = script.report(1, AUTHOR, falsehood(job));
    let (verdict, _) = verdict(script, 2, &commands);
    let Judgement::Convict { is_refused, .. } = verdict else { panic!("{verdict:?}") };
    is_refused
}

/// Returns a core that has room for one bound that anybody was told, and something to tell of a request.
fn forgetful() -> Script {
    let mut script = Script::new(Config { most_told: 1, ..audited() });
    let (position, value) = child();
    script.store.0.insert(position, (Bound::exact(value), None));
    script.submit(0, 1, nine_empties());
    script
}

#[test]
fn what_those_were_told_who_have_left_makes_room_for_what_others_are() {
    let mut script = forgetful();
    told(&mut script, 5);
    script.at(0, Event::Left { worker: WorkerId(5) });
    let job = told(&mut script, AUTHOR);
    assert!(is_refused(&mut script, &job), "it is known what it was told");
}

#[test]
fn what_somebody_was_told_who_is_there_makes_no_room() {
    let mut script = forgetful();
    told(&mut script, 5);
    script.at(0, joined(15, 5, 1));
    script.at(0, Event::Left { worker: WorkerId(5) });
    script.at(0, Event::Draining { worker: WorkerId(15) });
    script.at(0, Event::Abandoned { solve: SolveId(1) });
    script.submit(0, 2, nine_empties());
    let job = told(&mut script, AUTHOR);
    assert!(!is_refused(&mut script, &job), "its process was connected twice");
}

#[test]
fn who_comes_back_when_it_is_forgotten_what_it_was_told_is_excused_once() {
    let mut script = forgetful();
    let job = told(&mut script, AUTHOR);
    script.at(0, Event::Left { worker: WorkerId(AUTHOR) });
    told(&mut script, 5);
    script.at(0, Event::Left { worker: WorkerId(5) });
    let (_, again) = only_job(&script.at(0, joined(AUTHOR, AUTHOR, 1)));
    assert_eq!(again, job);
    assert!(!is_refused(&mut script, &job));
}

#[test]
fn a_coordinator_forgets_first_what_was_told_longest_ago_by_the_one_before() {
    for (told, expected) in [([5, AUTHOR], true), ([AUTHOR, 5], false)] {
        let mut script = forgetful();
        let bounds = || vec![(child().0, Bound::exact(child().1))];
        let told = told.map(|process| (ProcessId(process), bounds())).into();
        script.at(0, resumed(Memory { told, ..Memory::default() }));
        let (_, job) = only_job(&script.at(0, joined(AUTHOR, AUTHOR, 1)));
        assert_eq!(is_refused(&mut script, &job), expected);
    }
}

#[test]
fn what_somebody_was_told_who_has_come_back_makes_no_room() {
    let mut script = Script::new(Config { most_told: 2, ..audited() });
    script.store.0.insert(child().0, (Bound::exact(child().1), None));
    script.submit(0, 1, nine_empties());
    let job = told(&mut script, AUTHOR);
    script.at(0, Event::Left { worker: WorkerId(AUTHOR) });
    told(&mut script, 5);
    script.at(0, Event::Left { worker: WorkerId(5) });
    script.at(0, joined(17, AUTHOR, 1));
    script.at(0, Event::Draining { worker: WorkerId(17) });
    script.at(0, Event::Abandoned { solve: SolveId(1) });
    script.submit(0, 2, nine_empties());
    told(&mut script, 6);
    assert!(is_refused(&mut script, &job), "it has left first, and is there");
}

#[test]
fn what_is_not_held_any_more_makes_room() {
    let mut script = forgetful();
    told(&mut script, 5);
    let held = std::mem::take(&mut script.store.0);
    script.at(0, Event::TakenBack { era: 1 });
    script.store.0 = held;
    script.at(0, Event::Left { worker: WorkerId(5) });
    script.at(0, Event::Abandoned { solve: SolveId(1) });
    script.submit(0, 2, nine_empties());
    let job = told(&mut script, AUTHOR);
    assert!(is_refused(&mut script, &job), "it is known what it was told");
}

#[test]
fn who_was_told_more_than_an_earlier_coordinator_had_room_for_is_excused_once() {
    let mut script = Script::new(audited());
    let told_more = vec![ProcessId(AUTHOR)];
    script.at(0, resumed(Memory { told_more, ..Memory::default() }));
    script.at(0, joined(AUTHOR, AUTHOR, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert!(!is_refused(&mut script, &job));
}

#[test]
fn that_there_was_no_room_is_noted_once_although_nothing_else_is() {
    let mut script = Script::new(Config { most_told: 0, ..audited() });
    script.store.0.insert(child().0, (Bound::exact(child().1), None));
    script.at(0, joined(5, 5, 1));
    let mut notes = |solve| {
        let commands = script.submit(0, solve, nine_empties());
        script.at(0, Event::Abandoned { solve: SolveId(solve) });
        script.report(0, 5, empty(&only_job(&commands).1, 1));
        let noted = commands.iter().filter_map(|command| match command {
            Command::Told { bounds, and_more, .. } => Some((bounds.len(), *and_more)),
            _ => None,
        });
        noted.collect::<Vec<_>>()
    };
    assert_eq!(notes(1), [(0, true)]);
    assert_eq!(notes(2), []);
}

/// It was known, but not noted, so that the next coordinator took what was noted for all.
#[test]
fn that_there_was_no_room_is_noted_of_those_too_of_whom_something_was_forgotten() {
    let mut script = forgetful();
    told(&mut script, AUTHOR);
    script.at(0, Event::Left { worker: WorkerId(AUTHOR) });
    told(&mut script, 5);
    script.at(0, joined(15, 5, 1));
    script.at(0, Event::Left { worker: WorkerId(5) });
    script.at(0, Event::Draining { worker: WorkerId(15) });
    script.at(0, Event::Abandoned { solve: SolveId(1) });
    script.submit(0, 2, nine_empties());
    let commands = script.at(0, joined(AUTHOR, AUTHOR, 1));
    let is_noted = |command: &Command| matches!(command, Command::Told { worker, and_more: true, .. } if *worker == WorkerId(AUTHOR));
    assert!(commands.iter().any(is_noted), "{commands:?}");
}
