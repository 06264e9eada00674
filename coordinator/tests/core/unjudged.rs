//! Contradictions about what takes more than any worker may search: what is proved below decides.

use std::collections::BTreeMap;

use outflank_coordinator::core::{Command, Config, Event, Job, Judgement};
use outflank_engine::{Bound, Position, Square};

use crate::debts::{claim, unasked};
use crate::oracle::Oracle;
use crate::script::{Script, assigned, nine_empties, only_job, split, truth};
use crate::undecided::{is_contradicted, know_children, value, with_workers};

/// Sizes that let judges solve whether the value of eight empties is so large, and not that of nine.
fn beyond_judges() -> Config {
    Config { longest_job: 300.0, budget_factor: 1.0, ..split() }
}

fn root() -> Position {
    nine_empties().canonical()
}

fn values_below() -> BTreeMap<Position, Bound> {
    let children = Square::all(root().moves()).filter_map(|square| root().play(square));
    let exact = |child| (child, Bound::exact(Oracle::default().value(child)));
    children.map(Position::canonical).map(exact).collect()
}

fn judgement(commands: &[Command]) -> Option<&Judgement> {
    commands.iter().find_map(|command| match command {
        Command::Judge(judgement) => Some(judgement),
        _ => None,
    })
}

/// Has the shell take back what is said of the root, as it was told.
fn retracted(script: &mut Script, commands: &[Command], held: Bound, truth: Bound) -> Vec<Command> {
    let position = root();
    let expected = Judgement::Retract { position, held, truth };
    assert_eq!(judgement(commands), Some(&expected), "{commands:?}");
    assert!(!is_contradicted(commands, 1), "{commands:?}");
    script.store.0.remove(&position);
    script.at(1, Event::TakenBack { era: 1 })
}

/// Has all that is asked answered truly. Returns the commands of the first turn that has what `is_it` names, and the jobs.
fn until(
    script: &mut Script,
    commands: Vec<Command>,
    is_it: impl Fn(&Command) -> bool,
) -> (Vec<Command>, Vec<Job>) {
    let (mut open, mut jobs) = (assigned(&commands), Vec::new());
    let mut commands = commands;
    while !commands.iter().any(&is_it) {
        let (worker, job) = open.pop().unwrap_or_else(|| panic!("all is done: {commands:?}"));
        commands = script.report(
            2,
            worker,
            claim(&job, Bound::exact(Oracle::default().value(job.position))),
        );
        jobs.push(job);
        open.extend(assigned(&commands));
    }
    (commands, jobs)
}

#[test]
fn what_is_held_and_follows_from_nothing_is_taken_back_where_nobody_can_judge() {
    let mut script = with_workers(&beyond_judges(), 3);
    know_children(&mut script, Bound::exact);
    let held = Bound::at_least(value().up());
    script.store.0.insert(root(), (held, None));
    let commands = script.submit(0, 1, nine_empties());
    let commands = retracted(&mut script, &commands, held, Bound::exact(value()));
    let is_solved = |command: &Command| matches!(command, Command::Solved { .. });
    let (commands, jobs) = until(&mut script, commands, is_solved);
    // That the value is no larger follows from all moves.
    let judged = |child: &Position| jobs.iter().filter(|job| job.position == *child).count();
    assert!(values_below().keys().all(|child| judged(child) == 2), "{jobs:?}");
    let Some(Command::Solved { solution, .. }) = commands.iter().find(|it| is_solved(it)) else {
        panic!("it is there")
    };
    assert_eq!((solution.bound, solution.unaudited), (Bound::exact(value()), 0));
}

#[test]
fn who_made_a_false_bound_is_looked_for_where_what_nobody_can_judge_contradicts_what_rests_on_it() {
    let mut script = with_workers(&beyond_judges(), 3);
    know_children(&mut script, Bound::exact);
    // It is true, and what it follows from is lost.
    let held = Bound::exact(value());
    script.store.0.insert(root(), (held, None));
    let (&child, _) = values_below().first_key_value().expect("there are moves");
    let lie = Bound::exact(-value().up());
    script.store.0.insert(child, (lie, None));
    // Somebody asks about a part of it.
    let commands =
        script.report(0, 1, unasked(4711, nine_empties(), Bound::at_least(value().up())));
    let commands = retracted(&mut script, &commands, held, Bound::exact(value().up()));
    let (commands, jobs) = until(&mut script, commands, |it| matches!(it, Command::Judge(_)));
    let Some(Judgement::Trace { position, held, truth }) = judgement(&commands) else {
        panic!("{commands:?}")
    };
    assert_eq!((*position, *held), (child, Bound::at_most(lie.upper())));
    assert!(truth.merge(*held).is_err() && jobs.iter().all(|job| job.is_apart));
}

#[test]
fn a_claim_that_nobody_can_judge_ends_no_request_that_rests_on_what_it_contradicts() {
    let mut script = with_workers(&beyond_judges(), 3);
    script.store.0.insert(root(), (Bound::at_least(value()), None));
    script.submit(0, 1, nine_empties());
    for job in [4711, 4712] {
        let lie = unasked(job, nine_empties(), Bound::at_most(value().down()));
        let commands = script.report(1, 1, lie);
        assert!(!is_contradicted(&commands, 1), "{commands:?}");
        assert_eq!(judgement(&commands), None, "it is one against one");
        assert_eq!(script.store.0[&root()].0, Bound::at_least(value()), "it is not believed");
        assert_eq!(script.core.status().unaudited, 1, "that is owned up to, once");
    }
}

/// To prove both sides of a bound takes many times as long.
#[test]
fn judges_are_asked_about_the_side_of_a_claim_that_contradicts_what_is_held() {
    let config = Config { longest_job: 300.0, budget_factor: 2.0, ..split() };
    let mut script = with_workers(&config, 3);
    know_children(&mut script, Bound::exact);
    script.store.0.insert(root(), (Bound::at_least(value().up()), None));
    let commands = script.submit(0, 1, nine_empties());
    assert!(!is_contradicted(&commands, 1), "{commands:?}");
    let jobs = assigned(&commands);
    assert!(jobs.iter().any(|(_, job)| job.is_apart && job.window.is_null()), "{jobs:?}");
}

/// Whoever searches for the line of a value says what the value is, which may take more than a judge may search.
#[test]
fn what_is_held_already_and_nobody_can_judge_is_not_owed_when_a_worker_says_it_again() {
    for audit_seed in 0..8 {
        let sizes = Config { longest_job: 300.0, budget_factor: 2.0, ..split() };
        let mut script = Script::new(Config { audit_share: 1.0, audit_seed, ..sizes });
        script.store.0.insert(root(), (Bound::exact(value()), None));
        script.join(0, 1, 1);
        script.join(0, 2, 1);
        let (worker, job) = only_job(&script.submit(0, 1, nine_empties()));
        let mut commands = script.report(1, worker, truth(&job));
        while let [(worker, job)] = &assigned(&commands)[..] {
            assert!(job.is_apart, "the line is complete: {job:?}");
            commands = script.report(2, *worker, truth(job));
        }
        let is_answer = |command: &Command| matches!(command, Command::Solved { solution, .. } if solution.unaudited == 0);
        assert!(commands.iter().any(is_answer), "{audit_seed}: {commands:?}");
        assert_eq!(script.core.status().unaudited, 0);
    }
}
