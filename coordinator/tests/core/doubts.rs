//! What a coordinator takes over from one that has died: doubts, and the number of its verdicts.

use std::cell::Cell;

use outflank_coordinator::core::{
    AuditId, Command, Config, Event, Job, Judgement, Method, Millis, Proof, Proofs, Report,
    SolveId, WorkerId,
};
use outflank_engine::{Bound, Position, Score, Square, Window};

use crate::debts::unasked;
use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{
    Script, assigned, joined, nine_empties, only_job, resumed as again, split, truth, whole,
};
use crate::worker::empty;
use crate::world::Store;

/// Returns a core that is asked for a position of which the store says `bound`, which was doubted.
fn resumed(bound: Bound) -> (Script, Proof) {
    let mut script = Script::new(Config { lines: false, ..whole() });
    let position = nine_empties().canonical();
    script.store.0.insert(position, (bound, None));
    let claim = Proof::of(position, bound, Method::Search);
    let commands = script.at(0, again(3, &[(5, claim)]));
    assert_eq!(commands, [], "nobody is there to be asked");
    let commands = script.submit(0, 1, nine_empties());
    assert_eq!(commands, [], "what is doubted is no answer");
    (script, claim)
}

#[test]
fn a_claim_that_was_doubted_is_believed_again_when_two_uphold_it() {
    let value = Oracle::default().value(nine_empties());
    let (mut script, _) = resumed(Bound::exact(value));
    let (_, first) = only_job(&script.join(1, 1, 1));
    assert_eq!((first.position, first.era), (nine_empties().canonical(), 3));
    script.join(1, 2, 1);
    let (worker, second) = only_job(&script.report(2, 1, truth(&first)));
    assert_eq!(worker, 2);
    let commands = script.report(3, 2, truth(&second));
    assert!(commands.contains(&Command::Cleared { audit: AuditId(5) }), "{commands:?}");
    let is_answer =
        |command: &Command| matches!(command, Command::Solved { solve: SolveId(1), .. });
    assert!(commands.iter().any(is_answer), "{commands:?}");
}

#[test]
fn a_claim_of_two_bounds_is_judged_by_what_lies_beyond_both() {
    let value = Oracle::default().value(nine_empties());
    let bound = Bound::new(value, value.up()).unwrap();
    let (mut script, _) = resumed(bound);
    let (_, job) = only_job(&script.join(1, 1, 1));
    // A search that ends at a bound of its window says on one side of it alone where the value is.
    assert_eq!(Some(job.window), Window::new(value.down(), value.up().up()));
}

#[test]
fn a_claim_that_was_doubted_is_traced_when_two_refute_it() {
    let value = Oracle::default().value(nine_empties());
    let wrong = if value == Score::MAX { value.down() } else { value.up() };
    let (mut script, claim) = resumed(Bound::exact(wrong));
    let (_, first) = only_job(&script.join(1, 1, 1));
    script.join(1, 2, 1);
    let (_, second) = only_job(&script.report(2, 1, truth(&first)));
    let commands = script.report(3, 2, truth(&second));
    let is_traced = |command: &Command| {
        matches!(command, Command::Judge(Judgement::Trace { position, held, truth })
            if (*position, *held) == (claim.position, claim.bound) && truth.merge(*held).is_err())
    };
    assert!(commands.iter().any(is_traced), "{commands:?}");
    let commands = script.at(3, Event::TakenBack { era: 4 });
    assert!(commands.contains(&Command::Cleared { audit: AuditId(5) }), "{commands:?}");
}

#[test]
fn a_contradiction_that_has_waited_for_another_audit_is_looked_into_when_that_is_over() {
    let value = Oracle::default().value(nine_empties());
    let (low, high) = (value.up(), value.up().up());
    let (position, held) = (nine_empties().canonical(), Bound::new(low, high).unwrap());
    let mut script = Script::new(Config { lines: false, ..split() });
    script.store.0.insert(position, (held, None));
    // Of the stored bound one half is doubted; it is the other that is false.
    let bound = Bound::at_most(high);
    let claim = Proof::of(position, bound, Method::Search);
    script.at(0, again(3, &[(5, claim)]));
    script.submit(0, 1, nine_empties());
    let joined = (1..=4).flat_map(|worker| assigned(&script.join(1, worker, 1)));
    let mut open: Vec<_> = joined.collect();
    let mut commands = Vec::new();
    // Whoever searches for the request is faster than the judges.
    while !open.is_empty() {
        let next = open.iter().position(|(_, job)| !job.is_apart).unwrap_or(0);
        let (worker, job) = open.remove(next);
        let said = script.report(2, worker, truth(&job));
        open.extend(assigned(&said));
        commands.extend(said);
    }
    assert!(commands.contains(&Command::Cleared { audit: AuditId(5) }), "{commands:?}");
    let is_traced = |command: &Command| {
        matches!(command, Command::Judge(Judgement::Trace { position: of, held: lie, .. })
            if (*of, *lie) == (position, held))
    };
    assert!(commands.iter().any(is_traced), "nobody looks into it: {commands:?}");
}

/// A store that counts how often it is asked.
struct Counting<'a>(&'a Store, Cell<u64>);

impl Proofs for Counting<'_> {
    fn get(&self, position: Position) -> Option<(Bound, Option<Square>)> {
        self.1.set(self.1.get() + 1);
        self.0.get(position)
    }
}

#[test]
fn what_waits_for_an_audit_is_not_looked_up_again_with_every_event() {
    let value = Oracle::default().value(nine_empties());
    let (mut script, _) = resumed(Bound::exact(value));
    let (_, job) = only_job(&script.join(1, 1, 1));
    let store = Counting(&script.store, Cell::new(0));
    for second in 2..10 {
        let heartbeat = Event::Heartbeat { worker: WorkerId(1), jobs: vec![(job.id, second)] };
        assert_eq!(script.core.on(Millis(1_000 * second), heartbeat, &store), []);
    }
    assert_eq!(store.1.get(), 0, "nothing has changed");
}

/// Returns the bounds of the only `Contradicted`.
fn contradiction(commands: &[Command]) -> (Bound, Bound) {
    let mut found = commands.iter().filter_map(|command| match command {
        Command::Contradicted { held, claimed, .. } => Some((*held, *claimed)),
        _ => None,
    });
    let pair = found.next().unwrap_or_else(|| panic!("no contradiction in {commands:?}"));
    assert_eq!(found.next(), None, "one request, one contradiction");
    pair
}

#[test]
fn a_refuted_claim_that_nobody_else_can_judge_contradicts_what_was_said_against_it() {
    let value = Oracle::default().value(nine_empties());
    let wrong = if value == Score::MAX { value.down() } else { value.up() };
    let (mut script, claim) = resumed(Bound::exact(wrong));
    let (_, only) = only_job(&script.join(1, 1, 1));
    let (held, claimed) = contradiction(&script.report(2, 1, truth(&only)));
    assert_eq!(held, claim.bound);
    assert!(held.merge(claimed).is_err(), "{held} {claimed}");
}

#[test]
fn a_suspicion_that_nobody_can_settle_stops_with_the_contradiction_that_led_to_it() {
    let value = Oracle::default().value(nine_empties());
    let wrong = if value == Score::MAX { value.down() } else { value.up() };
    let (mut script, claim) = resumed(Bound::exact(wrong));
    let (_, first) = only_job(&script.join(1, 1, 1));
    script.join(1, 2, 1);
    let (_, second) = only_job(&script.report(2, 1, truth(&first)));
    script.report(3, 2, truth(&second));
    script.at(3, Event::Left { worker: WorkerId(2) });
    // The trace has come to the same claim, whose author nobody knows, and one worker upholds it now.
    let commands = script.at(4, Event::Suspected { claims: vec![claim] });
    let (_, third) = only_job(&commands);
    let upheld = Report { bound: claim.bound, ..truth(&third) };
    let (held, claimed) = contradiction(&script.report(5, 1, upheld));
    assert_eq!(held, claim.bound);
    assert!(held.merge(claimed).is_err(), "{held} {claimed}");
}

#[test]
fn a_doubt_about_what_was_never_stored_is_dropped() {
    let mut script = Script::new(whole());
    let (position, bound) = (nine_empties().canonical(), Bound::at_least(Score::DRAW));
    let claim = Proof::of(position, bound, Method::Search);
    let commands = script.at(0, again(0, &[(9, claim)]));
    assert_eq!(commands, [Command::Cleared { audit: AuditId(9) }]);
}

#[test]
fn what_was_searched_before_proofs_were_taken_back_is_acknowledged_and_not_believed() {
    let mut script = Script::new(whole());
    script.at(0, again(3, &[]));
    script.join(0, 7, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let early = Report { era: 2, ..truth(&job) };
    let commands = script.report(1, 7, early);
    let acknowledged = Command::Acknowledge { worker: WorkerId(7), job: job.id };
    assert!(commands.contains(&acknowledged), "{commands:?}");
    assert!(script.store.0.is_empty(), "{commands:?}");
    assert_eq!(assigned(&commands).len(), 0, "its worker still has the job: {commands:?}");
    script.report(2, 7, truth(&job));
    assert!(!script.store.0.is_empty());
}

#[test]
fn what_an_auditor_says_beyond_the_claim_is_audited_like_any_other() {
    let position = nine_empties().canonical();
    let value = Oracle::default().value(position);
    let mut script = Script::new(Config { audit_share: 1.0, ..whole() });
    let bound = Bound::at_least(value);
    script.store.0.insert(position, (bound, None));
    let claim = Proof::of(position, bound, Method::Search);
    script.at(0, again(0, &[(5, claim)]));
    let (_, job) = only_job(&script.join(1, 1, 1));
    script.join(1, 2, 1);
    let more = Report { bound: Bound::exact(value), line: Vec::new(), ..truth(&job) };
    let commands = script.report(2, 1, more);
    let is_doubted = |command: &Command| {
        matches!(command, Command::Doubt { claim, .. }
            if (claim.bound, claim.worker) == (Bound::exact(value), Some(WorkerId(1))))
    };
    assert!(commands.iter().any(is_doubted), "{commands:?}");
}

#[test]
fn reports_under_the_name_of_one_job_are_drawn_one_by_one() {
    let mut never = 0;
    for name in 0..50 {
        let mut script = Script::new(Config { audit_share: 0.1, lines: false, ..whole() });
        for worker in 1..=3 {
            script.join(0, worker, 1);
        }
        let mut random = Random(1000 + name);
        let mut audits = 0;
        for _ in 0..100 {
            let lie = unasked(name, position(&mut random, 9), Bound::exact(Score::MAX));
            let commands = script.report(1, 1, lie);
            let is_doubt = |command: &&Command| matches!(command, Command::Doubt { .. });
            audits += commands.iter().filter(is_doubt).count();
        }
        never += u32::from(audits == 0);
    }
    assert!(never < 5, "in {never} of 50 cases none of 100 lies was drawn, at one in ten");
}

#[test]
fn nodes_are_counted_once_when_proofs_are_taken_back() {
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.heartbeat(1, 1, &[&job]); // 1,000 nodes so far.
    script.at(1, Event::TakenBack { era: 1 });
    let (_, again) = only_job(&script.report(2, 1, empty(&job, 1_500)));
    script.heartbeat(3, 1, &[&again]);
    let commands = script.report(4, 1, Report { nodes: 2_000, ..truth(&again) });
    let nodes = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution.nodes),
        _ => None,
    });
    assert_eq!(nodes, Some(3_500));
}

/// The judge has searched the same for the request before, and sends what it has kept of that: its tables may have had
/// the claim from its author.
#[test]
fn what_a_judge_was_asked_before_about_the_same_goal_is_no_vote() {
    let value = Oracle::default().value(nine_empties());
    let goal = Window::at_least(value.up()).expect("the value is not the largest");
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    script.at(0, joined(1, 7, 1));
    let (_, job) = only_job(&script.submit_window(0, 1, nine_empties(), goal));
    script.at(1, Event::Left { worker: WorkerId(1) });
    let (_, same) = only_job(&script.join(1, 2, 1));
    assert_eq!(same, job);
    script.at(1, joined(3, 7, 1));
    let lie = Report { bound: Bound::at_least(value.up()), finished: true, ..empty(&job, 1) };
    let (judge, audit) = only_job(&script.report(2, 2, lie.clone()));
    assert_eq!((judge, audit.window, audit.is_apart), (3, goal, true));
    let commands = script.report(2, 3, lie);
    let cleared = |command: &Command| matches!(command, Command::Cleared { .. });
    assert!(!commands.iter().any(cleared), "who may be misled has judged: {commands:?}");
    assert_eq!(script.heartbeat(3, 3, &[&audit]), [], "it has the audit all the same");
    let commands = script.report(4, 3, truth(&audit));
    assert!(
        commands.iter().any(|command| matches!(command, Command::Judge(Judgement::Convict { .. })))
    );
}

#[test]
fn when_proofs_are_taken_back_all_jobs_stop_and_all_tables_are_cleared() {
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.at(1, Event::TakenBack { era: 1 });
    let stopped = Command::Cancel { worker: WorkerId(author), job: job.id };
    assert!(commands.contains(&stopped), "{commands:?}");
    for worker in [WorkerId(1), WorkerId(2)] {
        assert!(commands.contains(&Command::Forget { worker }), "{commands:?}");
    }
}

#[test]
fn the_audits_of_an_earlier_coordinator_keep_their_names() {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    let other = position(&mut Random(12), 9).canonical();
    let bound = Bound::at_least(Score::DRAW);
    script.store.0.insert(other, (bound, None));
    let claim = Proof::of(other, bound, Method::Search);
    script.at(0, again(0, &[(1, claim)]));
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.report(1, author, truth(&job));
    let names = commands.iter().filter_map(|command| match command {
        Command::Doubt { audit, .. } => Some(*audit),
        _ => None,
    });
    assert_eq!(names.collect::<Vec<_>>(), [AuditId(2)]);
}

fn is_answered(commands: &[Command]) -> bool {
    commands.iter().any(|command| matches!(command, Command::Solved { .. }))
}

/// Somebody is wrong, and nobody knows yet what else that worker has said.
#[test]
fn nothing_is_answered_from_the_first_denial_until_what_is_false_is_taken_back() {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    let other = position(&mut Random(12), 9);
    script.store.0.insert(other.canonical(), (Bound::exact(Score::DRAW), None));
    for worker in 1..=3 {
        script.join(0, worker, 1);
    }
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let value = Oracle::default().value(nine_empties());
    let wrong = if value == Score::MAX { value.down() } else { value.up() };
    let said =
        |job: &Job, value| Report { bound: Bound::exact(value), line: Vec::new(), ..truth(job) };
    let (judge, audit) = only_job(&script.report(1, author, said(&job, wrong)));
    assert!(is_answered(&script.submit(1, 2, other)), "that is about something else");
    let (second, audit) = only_job(&script.report(2, judge, said(&audit, value)));
    assert!(!is_answered(&script.submit(2, 3, other)), "one says this and one says that");
    let commands = script.report(3, second, said(&audit, value));
    assert!(
        commands.iter().any(|command| matches!(command, Command::Judge(Judgement::Convict { .. })))
    );
    let lie = Bound::exact(wrong);
    let is_kept = |command: &Command| matches!(command, Command::Quarantine { claim, .. } if claim.bound == lie);
    assert!(commands.iter().any(is_kept), "for those who look into it: {commands:?}");
    assert!(!is_answered(&script.submit(3, 4, other)), "what else it has said still stands");
    script.store.0.remove(&nine_empties().canonical());
    let commands = script.at(4, Event::TakenBack { era: 1 });
    let solved = |wanted: u64| {
        let is_it = |command: &&Command| matches!(command, Command::Solved { solve, .. } if solve.0 == wanted);
        commands.iter().filter(is_it).count()
    };
    assert_eq!((solved(1), solved(3), solved(4)), (0, 1, 1), "{commands:?}");
    assert_eq!(script.core.status().workers, 2);
    assert_ne!(only_job(&commands).0, author, "it gets no more jobs");
}

#[test]
fn a_contradiction_that_is_looked_into_is_not_looked_into_twice() {
    let value = Oracle::default().value(nine_empties());
    let mut script = Script::new(Config { lines: false, ..whole() });
    script.store.0.insert(nine_empties().canonical(), (Bound::at_least(value), None));
    for worker in 1..=4 {
        script.join(0, worker, 1);
    }
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let lie = Report { bound: Bound::at_most(value.down()), line: Vec::new(), ..truth(&job) };
    let mut doubts = |worker| {
        let commands = script.report(1, worker, lie.clone());
        let claims = commands.iter().filter_map(|command| match command {
            Command::Doubt { claim, .. } => Some((claim.bound, claim.worker)),
            _ => None,
        });
        claims.collect::<Vec<_>>()
    };
    // It is what is stored that may be false, and nobody knows whose that is.
    assert_eq!(doubts(author), [(Bound::at_least(value), None)]);
    assert_eq!(doubts(5), []);
}
