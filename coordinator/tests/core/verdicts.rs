//! What a verdict leaves of other cases, and of the requests.

use std::time::Duration;

use outflank_coordinator::core::{
    AuditId, Command, Config, Doubted, Event, Job, JobId, Judgement, Memory, Method, ProcessId,
    Proof, Report, WorkerId,
};
use outflank_engine::{Bound, Position, Score};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::requests::about_to_end;
use crate::script::{Script, nine_empties, only_job, truth, whole};
use crate::worker::empty;

/// Returns a core that has every report audited, and three workers.
fn three_workers() -> Script {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    for worker in 1..=3 {
        script.join(0, worker, 2);
    }
    script
}

fn value() -> Bound {
    Bound::exact(Oracle::default().value(nine_empties()))
}

fn wrong() -> Bound {
    let value = Oracle::default().value(nine_empties());
    Bound::exact(if value == Score::MAX { value.down() } else { value.up() })
}

/// Returns a report that claims nothing but a bound of the job's position.
fn claim(job: &Job, bound: Bound) -> Report {
    Report { bound, line: Vec::new(), ..truth(job) }
}

/// Has `worker` claim what the rules alone refute, and what it has claimed taken back: nothing that is in the store.
/// Returns what follows.
fn convict(script: &mut Script, worker: u64) -> Vec<Command> {
    let (position, square, score) = about_to_end();
    let wrong = Bound::exact(if score == Score::MAX { score.down() } else { score.up() });
    let report = Report {
        job: JobId(99),
        position,
        bound: Bound::UNKNOWN,
        best_move: None,
        line: Vec::new(),
        children: vec![(square, wrong)],
        order: Vec::new(),
        nodes: 1,
        millis: 1,
        finished: false,
        failed: false,
        era: 0,
    };
    assert_eq!(convicted(&script.report(3, worker, report)), [WorkerId(worker)]);
    script.at(3, Event::TakenBack { era: 1 })
}

fn convicted(commands: &[Command]) -> Vec<WorkerId> {
    let convicted = commands.iter().filter_map(|command| match command {
        Command::Judge(Judgement::Convict { workers, is_refused: true, .. }) => {
            Some(workers.clone())
        }
        _ => None,
    });
    convicted.flatten().collect()
}

/// Returns a claim that is in the store, and nobody knows whose it is.
fn stored(position: Position, bound: Bound) -> Proof {
    Proof::of(position, bound, Method::Search)
}

/// Returns the event of a coordinator that begins where another has stopped, which doubted a claim as number 5.
fn resumed(claim: Proof) -> Event {
    let doubted = vec![Doubted { audit: AuditId(5), claim, author: None }];
    Event::Resumed { era: 0, doubted, memory: Memory::default() }
}

fn has_cleared(commands: &[Command]) -> bool {
    commands.iter().any(|command| matches!(command, Command::Cleared { .. }))
}

#[test]
fn what_a_judge_has_said_who_is_convicted_counts_no_more() {
    let mut script = three_workers();
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (liar, audit) = only_job(&script.report(1, author, claim(&job, value())));
    let (other, audit) = only_job(&script.report(2, liar, claim(&audit, wrong())));
    convict(&mut script, liar);
    let (judge, audit) = only_job(&script.report(4, other, empty(&audit, 1)));
    assert_eq!(judge, other, "nobody else can judge");
    let commands = script.report(5, judge, claim(&audit, value()));
    assert!(has_cleared(&commands) && convicted(&commands).is_empty(), "{commands:?}");
}

/// One alone upholds it and nobody denies it any more: it is owed as any that nobody can judge.
#[test]
fn no_answer_waits_for_a_claim_whose_only_denier_is_convicted_when_no_judge_is_left() {
    let mut script = three_workers();
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (liar, audit) = only_job(&script.report(1, author, claim(&job, value())));
    let (other, _) = only_job(&script.report(2, liar, claim(&audit, wrong())));
    convict(&mut script, liar);
    let commands = script.at(4, Event::Left { worker: WorkerId(other) });
    let unaudited = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution.unaudited),
        _ => None,
    });
    assert_eq!(unaudited, Some(1), "{commands:?}");
}

#[test]
fn what_somebody_who_is_convicted_has_upheld_is_still_owed_two() {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    let position = nine_empties().canonical();
    script.store.0.insert(position, (value(), None));
    script.at(0, resumed(stored(position, value())));
    script.submit(0, 1, nine_empties());
    let (_, audit) = only_job(&script.join(0, 1, 1));
    script.report(1, 1, claim(&audit, value()));
    assert_eq!(script.core.status().unaudited, 1, "one alone does not suffice");
    convict(&mut script, 1);
    let (_, audit) = only_job(&script.join(4, 2, 1));
    assert!(!has_cleared(&script.report(5, 2, claim(&audit, value()))));
    let (_, audit) = only_job(&script.join(6, 3, 1));
    assert!(has_cleared(&script.report(7, 3, claim(&audit, value()))));
}

#[test]
fn who_is_convicted_is_not_the_author_of_what_still_stands() {
    let mut script = three_workers();
    let (liar, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (slow, judged) = only_job(&script.report(1, liar, claim(&job, wrong())));
    // Somebody else has claimed it, too.
    let (first, audit) = only_job(&convict(&mut script, liar));
    script.report(4, slow, empty(&judged, 1));
    let (second, audit) = only_job(&script.report(4, first, claim(&audit, value())));
    let commands = script.report(5, second, claim(&audit, value()));
    let is_traced = |command: &Command| matches!(command, Command::Judge(Judgement::Trace { held, .. }) if *held == wrong());
    assert!(commands.iter().any(is_traced), "the store says whose it is: {commands:?}");
    assert_eq!(convicted(&commands), []);
}

#[test]
fn what_is_owed_is_so_no_more_when_it_is_taken_back() {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.report(1, 1, claim(&job, wrong()));
    assert_eq!(script.core.status().unaudited, 1);
    script.store.0.clear();
    let commands = script.at(2, Event::TakenBack { era: 1 });
    assert!(has_cleared(&commands), "{commands:?}");
    assert_eq!(script.core.status().unaudited, 0);
}

#[test]
fn a_case_is_closed_when_others_are_suspected() {
    let mut script = three_workers();
    let here = nine_empties().canonical();
    let there = position(&mut Random(12), 9).canonical();
    let true_bound = Bound::exact(Oracle::default().value(there));
    script.store.0.insert(here, (wrong(), None));
    script.store.0.insert(there, (true_bound, None));
    let (first, audit) = only_job(&script.at(0, resumed(stored(here, wrong()))));
    let (second, audit) = only_job(&script.report(1, first, claim(&audit, value())));
    script.report(2, second, claim(&audit, value()));
    let commands = script.at(3, Event::Suspected { claims: vec![stored(there, true_bound)] });
    assert!(commands.contains(&Command::Cleared { audit: AuditId(5) }), "{commands:?}");
    let (first, audit) = only_job(&commands);
    let (second, audit) = only_job(&script.report(4, first, claim(&audit, true_bound)));
    assert!(has_cleared(&script.report(5, second, claim(&audit, true_bound))));
    let is_answer = |command: &Command| matches!(command, Command::Solved { .. });
    assert!(script.submit(6, 1, there).iter().any(is_answer), "nothing is left to wait for");
}

#[test]
fn requests_keep_their_order_and_their_counts_when_proofs_are_taken_back() {
    let progress_interval = Duration::from_secs(1);
    let mut script = Script::new(Config { lines: false, progress_interval, ..whole() });
    let (first, second) = (nine_empties(), position(&mut Random(12), 9));
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 2, first));
    script.submit(0, 1, second);
    let (_, job) = only_job(&script.report(1, 1, empty(&job, job.node_limit)));
    script.heartbeat(2, 1, &[&job]); // 1,000 nodes so far.
    script.at(3, Event::TakenBack { era: 1 });
    let nodes = script.at(4, Event::Tick).into_iter().find_map(|command| match command {
        Command::Progressed { solve, progress } if solve.0 == 2 => Some(progress.nodes),
        _ => None,
    });
    let before = job.node_limit + 1_000;
    assert_eq!(nodes, Some(before));
    let (_, again) = only_job(&script.report(5, 1, empty(&job, 1_000)));
    assert_eq!(again.position, first.canonical(), "it has come first");
    let commands = script.report(6, 1, Report { era: 1, ..truth(&again) });
    let solution = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution),
        _ => None,
    });
    let solution = solution.expect("it is answered");
    assert_eq!((solution.jobs, solution.nodes), (3, before + 100));
}

/// A claim that another worker contradicts, when a third that was here has just been lost. Returns the two and who judges.
fn one_against_one() -> (Script, Vec<Command>) {
    let mut script = three_workers();
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (judge, audit) = only_job(&script.report(1, author, claim(&job, wrong())));
    let third = 6 - author - judge;
    script.at(2, Event::Left { worker: WorkerId(third) });
    let commands = script.report(3, judge, claim(&audit, value()));
    (script, commands)
}

#[test]
fn of_two_who_contradict_each_other_none_is_refused_while_a_third_may_come_back() {
    let (mut script, commands) = one_against_one();
    assert_eq!(convicted(&commands), []);
    assert_eq!(convicted(&script.at(20, Event::Tick)), []);
    let (judge, audit) = only_job(&script.join(21, 4, 2));
    assert_eq!(judge, 4);
    let refused = convicted(&script.report(22, judge, claim(&audit, value())));
    assert_eq!(refused.len(), 1, "the one that was wrong");
}

#[test]
fn of_two_who_contradict_each_other_none_is_believed_when_nobody_has_come_back() {
    let (mut script, commands) = one_against_one();
    assert_eq!(convicted(&commands), []);
    for second in [12, 22, 31] {
        for worker in 1..=3 {
            script.heartbeat(second, worker, &[]);
        }
        assert_eq!(convicted(&script.at(second, Event::Tick)), []);
    }
    assert_eq!(convicted(&script.at(32, Event::Tick)).len(), 2);
}

#[test]
fn those_whom_an_earlier_coordinator_knew_may_come_back() {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    let told = [7, 8, 9].map(|process| (ProcessId(process), Vec::new()));
    let memory = Memory { told: told.to_vec(), ..Memory::default() };
    script.at(0, Event::Resumed { era: 0, doubted: Vec::new(), memory });
    for worker in 7..=8 {
        script.join(1, worker, 2);
    }
    let (author, job) = only_job(&script.submit(1, 1, nine_empties()));
    let (judge, audit) = only_job(&script.report(2, author, claim(&job, wrong())));
    assert_eq!(convicted(&script.report(3, judge, claim(&audit, value()))), []);
    let (third, audit) = only_job(&script.join(4, 9, 2));
    let refused = convicted(&script.report(5, third, claim(&audit, value())));
    assert_eq!(refused, [WorkerId(author)]);
}
