//! What excuses who made a false claim: which bounds it was told count, and how they are solved again.

use std::collections::{BTreeSet, VecDeque};

use outflank_coordinator::core::{
    AuditId, Command, Config, Doubted, Event, Job, Judgement, Memory, Method, ProcessId, Proof,
    Report, WorkerId,
};
use outflank_engine::{Bound, Position, Score, Square};

use crate::oracle::Oracle;
use crate::random::Random;
use crate::script::{Script, assigned, joined, nine_empties, only_job, truth, whole};
use crate::worker::empty;

/// The process that reports falsely, as its only worker.
const AUTHOR: u64 = 7;

/// A process that has searched what the store holds, and is not there.
const STRANGER: ProcessId = ProcessId(42);

fn audited() -> Config {
    Config { audit_share: 1.0, lines: false, ..whole() }
}

fn value(position: Position) -> Score {
    Oracle::default().value(position)
}

/// Returns another score than the value of `position`.
fn wrong(position: Position) -> Score {
    let value = value(position);
    if value == Score::MAX { value.down() } else { value.up() }
}

/// Returns positions two moves and more below the one that is asked about, with what is true of them.
fn below(count: usize) -> Vec<(Position, Bound)> {
    let mut random = Random(3);
    let mut below = BTreeSet::new();
    while below.len() < count {
        let mut position = nine_empties();
        for _ in 0..2 + random.below(4) {
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            let Some(&square) = moves.get(random.below(moves.len().max(1) as u64) as usize) else {
                break;
            };
            position = position.play(square).expect("it is legal");
        }
        if position.empties() < 8 && !position.is_over() {
            below.insert(position.canonical());
        }
    }
    below.into_iter().map(|position| (position, Bound::exact(value(position)))).collect()
}

/// Has a core to which it was handed down that the author was `told` this, and whose store holds `held`, given a false
/// report of the author's by the first of three workers. Returns what follows.
fn reported_falsely(
    config: Config,
    told: Vec<(Position, Bound)>,
    held: &[(Position, Bound)],
) -> (Script, Vec<Command>) {
    let mut script = Script::new(config);
    for &(position, bound) in held {
        script.store.0.insert(position, (bound, None));
    }
    let memory = Memory { told: vec![(ProcessId(AUTHOR), told)], ..Memory::default() };
    script.at(0, Event::Resumed { era: 0, doubted: Vec::new(), memory });
    script.at(0, joined(AUTHOR, AUTHOR, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(0, joined(8, 8, 1));
    script.at(0, joined(9, 9, 1));
    let bound = Bound::exact(wrong(job.position));
    let lie = Report { bound, line: Vec::new(), ..truth(&job) };
    let commands = script.report(1, AUTHOR, lie);
    (script, commands)
}

/// Has every job done as `work` says, until there is a verdict about the author; returns whether it is refused, and
/// what was doubted meanwhile.
fn verdict(
    script: &mut Script,
    commands: &[Command],
    work: impl Fn(&Job) -> Report,
) -> (bool, Vec<(Position, Bound)>) {
    let mut jobs: VecDeque<(u64, Job)> = assigned(commands).into();
    let mut doubted = Vec::new();
    for _ in 0..1_000 {
        let commands = match jobs.pop_front() {
            Some((worker, job)) => script.report(2, worker, work(&job)),
            None => script.at(2, Event::Tick),
        };
        for command in &commands {
            match command {
                Command::Judge(Judgement::Convict { workers, is_refused, .. }) => {
                    assert_eq!(workers[..], [WorkerId(AUTHOR)]);
                    return (*is_refused, doubted);
                }
                Command::Doubt { claim, .. } => doubted.push((claim.position, claim.bound)),
                _ => {}
            }
        }
        jobs.extend(assigned(&commands));
    }
    panic!("no verdict");
}

#[test]
fn what_it_was_told_of_the_position_itself_may_excuse_who_reports_falsely_of_it() {
    let position = nine_empties().canonical();
    let told = vec![(position, Bound::at_most(value(position)))];
    let (mut script, commands) = reported_falsely(audited(), told.clone(), &told);
    let (is_refused, doubted) = verdict(&mut script, &commands, truth);
    assert!(is_refused && doubted.contains(&told[0]), "that is solved again first: {doubted:?}");
}

#[test]
fn what_is_too_large_to_be_solved_again_excuses() {
    let told = below(1);
    let small_jobs = Config { longest_job: 100.0, ..audited() };
    let (mut script, commands) = reported_falsely(small_jobs, told.clone(), &told);
    let (is_refused, doubted) = verdict(&mut script, &commands, truth);
    assert!(!is_refused && !doubted.contains(&told[0]), "nobody can know: {doubted:?}");
}

#[test]
fn what_is_not_held_any_more_is_no_excuse() {
    let told = below(1);
    let (mut script, commands) = reported_falsely(audited(), told.clone(), &told);
    script.store.0.remove(&told[0].0);
    let (is_refused, doubted) = verdict(&mut script, &commands, truth);
    assert!(is_refused && !doubted.contains(&told[0]), "it was taken back: {doubted:?}");
}

#[test]
fn what_nobody_could_solve_again_excuses() {
    let told = below(1);
    let (mut script, commands) = reported_falsely(audited(), told.clone(), &told);
    let work = |job: &Job| match job.position == told[0].0 {
        true => Report { failed: true, ..empty(job, 1) },
        false => truth(job),
    };
    let (is_refused, doubted) = verdict(&mut script, &commands, work);
    let tries = doubted.into_iter().filter(|&doubt| doubt == told[0]).count();
    assert_eq!((is_refused, tries), (false, 1));
}

#[test]
fn all_that_somebody_was_told_is_solved_again_once() {
    let told = below(40);
    let (mut script, commands) = reported_falsely(audited(), told.clone(), &told);
    let (is_refused, doubted) = verdict(&mut script, &commands, truth);
    assert!(is_refused);
    for bound in told {
        assert_eq!(doubted.iter().filter(|&&doubt| doubt == bound).count(), 1);
    }
}

#[test]
fn no_more_than_32_bounds_are_solved_again_for_somebody_at_a_time() {
    let told = below(40);
    let (mut script, commands) = reported_falsely(audited(), told.clone(), &told);
    let (judge, job) = only_job(&commands);
    let (second, job) = only_job(&script.report(2, judge, truth(&job)));
    let commands = script.report(2, second, truth(&job));
    let is_doubt = |command: &&Command| matches!(command, Command::Doubt { .. });
    assert_eq!(commands.iter().filter(is_doubt).count(), 32);
}

/// Has two workers refute what the store says falsely of the position that is asked about; returns what follows when it
/// turns out that the stranger has searched it, which the last coordinator knew so much about.
fn traced(memory: Memory, others_below: bool) -> (Script, Vec<Command>) {
    let mut script = Script::new(audited());
    let position = nine_empties().canonical();
    let bound = Bound::exact(wrong(position));
    script.store.0.insert(position, (bound, None));
    for (_, told) in &memory.told {
        for &(position, bound) in told {
            script.store.0.entry(position).or_insert((bound, None));
        }
    }
    let claim = Proof::of(position, bound, Method::Search);
    let doubted = vec![Doubted { audit: AuditId(5), claim, author: None }];
    script.at(0, Event::Resumed { era: 0, doubted, memory });
    script.submit(0, 1, nine_empties());
    let (_, first) = only_job(&script.join(1, 1, 1));
    script.join(1, 2, 1);
    let (_, second) = only_job(&script.report(2, 1, truth(&first)));
    let commands = script.report(3, 2, truth(&second));
    assert!(
        commands.iter().any(|command| matches!(command, Command::Judge(Judgement::Trace { .. })))
    );
    let commands = script.at(3, Event::Traced { process: STRANGER, others_below });
    (script, commands)
}

/// Returns whether somebody is refused from now on, if that is decided.
fn is_refused(commands: &[Command]) -> Option<bool> {
    commands.iter().find_map(|command| match command {
        Command::Judge(Judgement::Condemn { is_refused, .. }) => Some(*is_refused),
        _ => None,
    })
}

#[test]
fn who_can_have_been_told_nothing_has_no_excuse_though_not_all_is_remembered() {
    let gaps = || Memory { has_gaps: true, ..Memory::default() };
    assert_eq!(is_refused(&traced(gaps(), false).1), Some(true));
    assert_eq!(is_refused(&traced(gaps(), true).1), Some(false));
}

#[test]
fn what_somebody_has_searched_first_it_was_not_told() {
    let position = nine_empties().canonical();
    let told = vec![(STRANGER, vec![(position, Bound::exact(wrong(position)))])];
    assert_eq!(is_refused(&traced(Memory { told, ..Memory::default() }, true).1), Some(true));
}

#[test]
fn what_the_author_of_a_stored_bound_was_told_is_solved_again_before_it_is_refused() {
    let told = below(1);
    let memory = Memory { told: vec![(STRANGER, told.clone())], ..Memory::default() };
    let (mut script, commands) = traced(memory, true);
    assert_eq!(is_refused(&commands), None);
    let (first, job) = only_job(&commands);
    assert_eq!(job.position, told[0].0);
    let (second, job) = only_job(&script.report(4, first, truth(&job)));
    let commands = script.report(5, second, truth(&job));
    assert!(
        commands.iter().any(|command| matches!(command, Command::Judge(Judgement::Trace { .. }))),
        "again"
    );
    let commands = script.at(6, Event::Traced { process: STRANGER, others_below: true });
    assert_eq!(is_refused(&commands), Some(true));
}

#[test]
fn the_author_of_a_stored_bound_is_excused_once_for_what_is_not_remembered() {
    let memory = Memory { has_gaps: true, ..Memory::default() };
    let (mut script, commands) = traced(memory, true);
    assert_eq!(is_refused(&commands), Some(false));
    script.at(4, Event::TakenBack { era: 1 });
    let (position, bound) = (nine_empties().canonical(), Bound::exact(wrong(nine_empties())));
    let claim = Proof::of(position, bound, Method::Search);
    let (first, job) = only_job(&script.at(4, Event::Suspected { claims: vec![claim] }));
    let (second, job) = only_job(&script.report(5, first, truth(&job)));
    script.report(6, second, truth(&job));
    let commands = script.at(6, Event::Traced { process: STRANGER, others_below: true });
    assert_eq!(is_refused(&commands), Some(true));
}
