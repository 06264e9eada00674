//! Claims that nobody else could be asked about: they are believed for now, and not forgotten.

use outflank_coordinator::core::{
    AuditId, Command, Config, Doubted, Event, Job, JobId, Judgement, Memory, Method, ProcessId,
    Proof, Report, Solution, SolveId, WorkerId,
};
use outflank_engine::{Bound, Position, Score, Square};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, joined, nine_empties, only_job, truth, whole};
use crate::worker::empty;

/// Every report is audited, and no lines are searched.
pub(crate) fn audited() -> Config {
    Config { audit_share: 1.0, lines: false, ..whole() }
}

pub(crate) fn solution(commands: &[Command]) -> &Solution {
    let found = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no answer in {commands:?}"))
}

pub(crate) fn has_cleared(commands: &[Command]) -> bool {
    commands.iter().any(|command| matches!(command, Command::Cleared { .. }))
}

/// Returns a report that claims nothing but the job's own bound.
pub(crate) fn claim(job: &Job, bound: Bound) -> Report {
    Report { bound, line: Vec::new(), children: Vec::new(), ..truth(job) }
}

/// Returns the report of a worker that could not tell.
fn failure(job: &Job) -> Report {
    Report { finished: false, ..claim(job, Bound::UNKNOWN) }
}

pub(crate) fn value() -> Score {
    Oracle::default().value(nine_empties().canonical())
}

pub(crate) fn wrong() -> Score {
    if value() == Score::MAX { value().down() } else { value().up() }
}

/// Returns a core whose only worker, of process 7, has answered request 1 with `value`.
fn answered_alone(value: Score) -> Script {
    let mut script = Script::new(audited());
    script.at(0, joined(1, 7, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let commands = script.report(1, 1, claim(&job, Bound::exact(value)));
    assert!(
        commands.iter().any(|command| matches!(command, Command::Doubt { .. })),
        "{commands:?}"
    );
    assert!(!has_cleared(&commands), "it stays on the docket: {commands:?}");
    assert_eq!(solution(&commands).unaudited, 1, "the answer says so");
    script
}

#[test]
fn a_worker_alone_is_audited_when_another_comes() {
    let mut script = answered_alone(value());
    let (worker, job) = only_job(&script.at(5, joined(2, 8, 1)));
    assert_eq!((worker, job.position), (2, nine_empties().canonical()));
    assert_eq!(script.submit(5, 2, nine_empties()), [], "now an answer waits for it");
    let commands = script.report(6, 2, claim(&job, Bound::exact(value())));
    assert!(has_cleared(&commands), "{commands:?}");
    assert_eq!(solution(&commands).unaudited, 0);
    assert_eq!(script.core.status().unaudited, 0);
}

/// What it was for is answered long since, and what else has come to rest on it nobody knows.
#[test]
fn all_answers_wait_while_a_debt_is_paid() {
    let mut script = answered_alone(value());
    let other = position(&mut Random(12), 9);
    script.store.0.insert(other.canonical(), (Bound::exact(Score::DRAW), None));
    assert_eq!(solution(&script.submit(4, 2, other)).unaudited, 1, "it is owed");
    let (worker, job) = only_job(&script.at(5, joined(2, 8, 1)));
    assert_eq!(script.submit(5, 3, other), []);
    let commands = script.report(6, worker, claim(&job, Bound::exact(value())));
    assert_eq!(solution(&commands).unaudited, 0);
}

/// The answer may rest on the claim, whoever asked for it.
#[test]
fn an_answer_waits_for_the_audit_of_a_claim_of_another_request_that_lies_below() {
    let mut script = Script::new(audited());
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let above = nine_empties().canonical();
    let claimed = Square::all(above.moves()).find_map(|square| above.play(square)).unwrap();
    let (author, job) = only_job(&script.submit(0, 1, claimed));
    let bound = truth(&job).bound;
    let (judge, audit) = only_job(&script.report(1, author, claim(&job, bound)));
    let other = position(&mut Random(12), 9).canonical();
    for known in [above, other] {
        script.store.0.insert(known, (Bound::exact(Oracle::default().value(known)), None));
    }
    assert_eq!(script.submit(2, 2, above), []);
    assert_eq!(solution(&script.submit(2, 3, other)).unaudited, 0, "that cannot rest on it");
    let commands = script.report(3, judge, claim(&audit, bound));
    let answered = commands.iter().filter_map(|command| match command {
        Command::Solved { solve, .. } => Some(*solve),
        _ => None,
    });
    assert_eq!(answered.collect::<Vec<_>>(), [SolveId(1), SolveId(2)], "{commands:?}");
}

#[test]
fn what_a_liar_said_while_it_was_alone_is_taken_back_when_two_others_have_come() {
    let mut script = answered_alone(wrong());
    let (_, second) = only_job(&script.at(5, joined(2, 8, 1)));
    script.at(5, joined(3, 9, 1));
    let (_, third) = only_job(&script.report(6, 2, truth(&second)));
    let commands = script.report(7, 3, truth(&third));
    assert_eq!(convicted(&commands), Some(vec![WorkerId(1)]), "{commands:?}");
}

#[test]
fn no_answer_waits_for_a_judge_who_takes_no_more_jobs() {
    let mut script = Script::new(audited());
    script.at(0, joined(1, 7, 1));
    script.at(0, joined(2, 8, 1));
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.at(0, Event::Draining { worker: WorkerId(3 - author) });
    let commands = script.report(1, author, claim(&job, Bound::exact(value())));
    assert_eq!(solution(&commands).unaudited, 1);
}

#[test]
fn a_process_that_connects_again_does_not_audit_itself() {
    let mut script = answered_alone(wrong());
    script.at(2, Event::Left { worker: WorkerId(1) });
    assert_eq!(assigned(&script.at(3, joined(2, 7, 1))), [], "it is the same process");
    assert_eq!(solution(&script.submit(4, 2, nine_empties())).unaudited, 1);
    assert_eq!(assigned(&script.at(5, joined(3, 8, 1))).len(), 1);
}

#[test]
fn an_audit_that_fails_again_and_again_is_put_off_and_not_given_up() {
    let mut script = Script::new(audited());
    script.at(0, joined(1, 7, 1));
    script.at(0, joined(2, 8, 1));
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (auditor, mut job) =
        only_job(&script.report(1, author, claim(&job, Bound::exact(value()))));
    for _ in 0..3 {
        job = only_job(&script.report(1, auditor, failure(&job))).1;
    }
    let commands = script.report(1, auditor, failure(&job));
    assert_eq!((solution(&commands).unaudited, has_cleared(&commands)), (1, false));
    // Nobody has to come: the same one is asked again after a while, and then after a longer one.
    for (too_early, second) in [(30, 31), (90, 91)] {
        script.heartbeat(too_early, 1, &[]);
        assert_eq!(assigned(&script.heartbeat(too_early, 2, &[])), [], "it is too early");
        let (worker, job) = only_job(&script.at(second, Event::Tick));
        assert_eq!(worker, auditor);
        let still_fails = second == 31;
        let bound = Bound::exact(value());
        let report = if still_fails { failure(&job) } else { claim(&job, bound) };
        assert_eq!(has_cleared(&script.report(second, auditor, report)), !still_fails);
    }
    assert_eq!(script.core.status().unaudited, 0);
}

#[test]
fn what_nobody_could_tell_waits_twice_as_long_each_time_up_to_an_hour_whoever_joins() {
    let mut script = Script::new(audited());
    script.at(0, joined(1, 7, 1));
    script.at(0, joined(2, 8, 1));
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let mut waited = Vec::new();
    let (mut judge, mut audit) =
        only_job(&script.report(0, author, claim(&job, Bound::exact(value()))));
    for _ in 0..3 {
        (judge, audit) = only_job(&script.report(0, judge, failure(&audit)));
    }
    let mut begun = 0;
    for second in (10..20_000).step_by(10) {
        if second == begun + 10 {
            assert_eq!(assigned(&script.report(begun, judge, failure(&audit))), []);
            assert_eq!(assigned(&script.at(begun, joined(3, 8, 1))), [], "after {begun} s");
            script.at(begun, Event::Left { worker: WorkerId(3) });
        }
        let mut commands = script.heartbeat(second, 1, &[]);
        commands.extend(script.heartbeat(second, 2, &[]));
        for job in assigned(&commands) {
            waited.push(second - begun);
            ((judge, audit), begun) = (job, second);
        }
    }
    assert_eq!(waited[..10], [30, 60, 120, 240, 480, 960, 1920, 3840, 3840, 3840]);
}

/// Returns a coordinator that was started again on a store with a `bound` whose audit is owed, and which was claimed by
/// `author`, if that is known.
fn started_again(bound: Bound, author: Option<u64>) -> Script {
    let mut script = Script::new(audited());
    let position = nine_empties().canonical();
    script.store.0.insert(position, (bound, None));
    let claim = Proof::of(position, bound, Method::Search);
    let doubted = vec![Doubted { audit: AuditId(5), claim, author: author.map(ProcessId) }];
    script.at(0, Event::Resumed { era: 0, doubted, memory: Memory::default() });
    script.submit(0, 1, nine_empties());
    script
}

/// Returns such a coordinator of a claim whose author nobody knows, and the job of its only worker, which is to solve the
/// position again.
fn resumed_with_one_worker(bound: Bound) -> (Script, Job) {
    let mut script = started_again(bound, None);
    let (_, job) = only_job(&script.at(0, joined(1, 7, 1)));
    (script, job)
}

#[test]
fn who_made_a_claim_that_is_owed_is_known_to_the_next_coordinator() {
    let bound = Bound::exact(value());
    let mut script = started_again(bound, Some(7));
    assert_eq!(script.core.status().unaudited, 1, "nobody has come who could audit it");
    let commands = script.at(1, joined(1, 7, 1));
    assert_eq!(assigned(&commands), [], "nobody audits its own claim");
    assert_eq!((solution(&commands).unaudited, has_cleared(&commands)), (1, false));
    // One other who upholds it suffices.
    let (worker, job) = only_job(&script.at(2, joined(2, 8, 1)));
    assert_eq!(worker, 2);
    let commands = script.report(3, 2, claim(&job, bound));
    assert!(has_cleared(&commands), "{commands:?}");
    assert_eq!(script.core.status().unaudited, 0);
}

#[test]
fn a_lie_that_is_owed_is_refuted_by_two_others_whatever_its_author_says_again() {
    let mut script = started_again(Bound::exact(wrong()), Some(7));
    script.at(1, joined(1, 7, 1));
    let (second, job) = only_job(&script.at(2, joined(2, 8, 1)));
    script.report(3, second, truth(&job));
    let (third, job) = only_job(&script.at(4, joined(3, 9, 1)));
    assert_eq!(third, 3, "the author is not asked");
    let commands = script.report(5, third, truth(&job));
    let is_refuted = |command: &Command| matches!(command, Command::Judge(Judgement::Trace { .. }));
    assert!(commands.iter().any(is_refuted), "the store says who it was: {commands:?}");
}

#[test]
fn the_author_of_what_is_owed_outvotes_a_false_witness_with_another() {
    let mut script = started_again(Bound::exact(value()), Some(7));
    let (second, job) = only_job(&script.at(2, joined(2, 8, 1)));
    script.report(3, second, claim(&job, Bound::exact(wrong())));
    let (third, job) = only_job(&script.at(4, joined(3, 9, 1)));
    let commands = script.report(5, third, truth(&job));
    assert_eq!(convicted(&commands), Some(vec![WorkerId(2)]), "{commands:?}");
}

#[test]
fn what_an_earlier_coordinator_owed_is_owed_again_while_one_worker_is_alone() {
    let bound = Bound::exact(value());
    let (mut script, job) = resumed_with_one_worker(bound);
    let commands = script.report(1, 1, claim(&job, bound));
    assert_eq!((solution(&commands).unaudited, has_cleared(&commands)), (1, false));
    script.at(2, Event::Left { worker: WorkerId(1) });
    assert_eq!(assigned(&script.at(3, joined(2, 7, 1))), [], "it has said what it says");
    let (_, job) = only_job(&script.at(4, joined(3, 8, 1)));
    assert!(has_cleared(&script.report(5, 3, claim(&job, bound))));
}

#[test]
fn of_too_many_claims_a_sample_is_owed_and_the_answers_count_the_others() {
    let mut script = Script::new(Config { most_owed: 3, ..audited() });
    script.at(0, joined(1, 7, 1));
    let (mut random, mut cleared) = (Random(5), Vec::new());
    for solve in 1..=20 {
        let root: Position = position(&mut random, 6);
        let (_, job) = only_job(&script.submit(solve, solve, root));
        let commands = script.report(solve, 1, Report { line: Vec::new(), ..truth(&job) });
        assert_eq!(solution(&commands).unaudited, solve);
        cleared.extend(commands.into_iter().filter_map(|command| match command {
            Command::Cleared { audit } => Some(audit.0),
            _ => None,
        }));
    }
    assert_eq!(cleared.len(), 17, "{cleared:?}");
    let is_old_or_new = |of_the_last: bool| {
        let kept = (1..=20).filter(|id| !cleared.contains(id));
        kept.filter(|&id| (id > 3) == of_the_last).count()
    };
    assert!(is_old_or_new(true) > 0, "late ones have a chance, too: {cleared:?}");
    assert_eq!(assigned(&script.at(30, joined(2, 8, 4))).len(), 3);
    assert_eq!(script.core.status().unaudited, 17);
    assert!(script.at(30, Event::Abandoned { solve: SolveId(1) }).is_empty());
}

pub(crate) fn convicted(commands: &[Command]) -> Option<Vec<WorkerId>> {
    commands.iter().find_map(|command| match command {
        Command::Judge(Judgement::Convict { workers, .. }) => Some(workers.clone()),
        _ => None,
    })
}

#[test]
fn a_contradiction_that_too_few_could_decide_is_decided_by_those_who_come() {
    let mut script = Script::new(Config { audit_share: 0.0, ..audited() });
    let held = Bound::exact(value());
    script.store.0.insert(nine_empties().canonical(), (Bound::at_least(value()), None));
    script.at(0, joined(1, 7, 1));
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    let below = Bound::at_most(value().down());
    let commands = script.report(1, 1, claim(&job, below));
    let is_end = |command: &Command| matches!(command, Command::Contradicted { .. });
    assert!(commands.iter().any(is_end) && !has_cleared(&commands), "{commands:?}");
    assert_eq!(script.core.status().unaudited, 1);
    assert_eq!(assigned(&script.at(2, joined(2, 8, 1))), [], "one against one decides nothing");
    let (second, job) = only_job(&script.at(3, joined(3, 9, 1)));
    let (third, job) = only_job(&script.report(4, second, claim(&job, held)));
    assert_eq!(convicted(&script.report(5, third, claim(&job, held))), Some(vec![WorkerId(1)]));
}

#[test]
fn a_stored_lie_that_the_only_worker_has_refuted_is_no_answer_without_a_remark() {
    let (mut script, job) = resumed_with_one_worker(Bound::exact(wrong()));
    let commands = script.report(1, 1, truth(&job));
    let is_end = |command: &Command| matches!(command, Command::Contradicted { .. });
    assert!(commands.iter().any(is_end) && !has_cleared(&commands), "{commands:?}");
    assert_eq!(solution(&script.submit(2, 2, nine_empties())).unaudited, 1);
}

#[test]
fn two_who_come_one_after_the_other_decide_about_a_stored_lie() {
    let (mut script, job) = resumed_with_one_worker(Bound::exact(wrong()));
    script.report(1, 1, truth(&job));
    let (_, job) = only_job(&script.at(2, joined(2, 8, 1)));
    let commands = script.report(3, 2, truth(&job));
    let is_refuted = |command: &Command| matches!(command, Command::Judge(Judgement::Trace { .. }));
    assert!(commands.iter().any(is_refuted), "{commands:?}");
}

#[test]
fn nobody_is_convicted_by_one_alone_of_a_claim_whose_author_is_unknown() {
    let (mut script, job) = resumed_with_one_worker(Bound::exact(value()));
    script.report(1, 1, claim(&job, Bound::exact(wrong())));
    let (_, job) = only_job(&script.at(2, joined(2, 8, 1)));
    let commands = script.report(3, 2, claim(&job, Bound::exact(value())));
    assert_eq!((convicted(&commands), has_cleared(&commands)), (None, false), "{commands:?}");
    let (_, job) = only_job(&script.at(4, joined(3, 9, 1)));
    let commands = script.report(5, 3, claim(&job, Bound::exact(value())));
    assert_eq!(convicted(&commands), Some(vec![WorkerId(1)]));
}

/// Returns a report under the name of a job, about a position that nobody was asked about perhaps.
pub(crate) fn unasked(job: u64, position: Position, bound: Bound) -> Report {
    Report {
        job: JobId(job),
        position: position.canonical(),
        bound,
        best_move: None,
        line: Vec::new(),
        children: Vec::new(),
        order: Vec::new(),
        nodes: 1,
        millis: 1,
        finished: true,
        failed: false,
        era: 0,
    }
}

#[test]
fn no_answer_waits_for_a_judge_of_what_nobody_can_solve() {
    for audit_share in [0.0, 1.0] {
        let mut script = Script::new(Config { audit_share, ..audited() });
        for (connection, process) in [(1, 7), (2, 8), (3, 9), (4, 10)] {
            script.at(0, joined(connection, process, 1));
        }
        // Drawn for an audit or not, and in contradiction to each other.
        let said = |value| unasked(4711, Position::START, Bound::exact(value)); // Nobody solves it.
        script.report(1, 1, said(Score::DRAW));
        let commands = script.report(1, 2, said(Score::DRAW.up()));
        assert_eq!(assigned(&commands), [], "it would have to solve the game");
        let (worker, job) = only_job(&script.submit(2, 1, nine_empties()));
        let commands = script.report(3, worker, truth(&job));
        if audit_share == 0.0 {
            assert_eq!(solution(&commands).bound, Bound::exact(value()));
            continue;
        }
        let (judge, job) = only_job(&commands);
        assert_eq!(job.position, nine_empties().canonical());
        assert_eq!(solution(&script.report(4, judge, truth(&job))).bound, Bound::exact(value()));
    }
}

#[test]
fn what_nobody_can_solve_is_owed_after_a_restart() {
    let position = Position::START.canonical();
    let mut script = Script::new(audited());
    let bound = Bound::exact(Score::DRAW);
    script.store.0.insert(position, (bound, None));
    let claim = Proof::of(position, bound, Method::Search);
    let doubted = vec![Doubted { audit: AuditId(5), claim, author: Some(ProcessId(7)) }];
    script.at(0, Event::Resumed { era: 0, doubted, memory: Memory::default() });
    assert_eq!(assigned(&script.at(0, joined(1, 8, 1))), []);
    assert_eq!((script.core.status().unaudited, script.core.status().audits_open), (1, 0));
    let (worker, _) = only_job(&script.submit(1, 1, nine_empties()));
    assert_eq!(worker, 1, "it does what it is asked for");
}

/// Its machine has no memory for a search apart, say.
#[test]
fn who_could_not_judge_a_claim_is_asked_again_only_when_nobody_else_can_be() {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    for worker in 2..=4 {
        script.join(0, worker, 1);
    }
    let claim = Report { line: Vec::new(), ..truth(&job) };
    let (mut judge, mut audit) = only_job(&script.report(1, 1, claim));
    let mut asked = vec![judge];
    for second in 2..=4 {
        (judge, audit) = only_job(&script.report(second, judge, empty(&audit, 0)));
        asked.push(judge);
    }
    asked[..3].sort_unstable();
    assert_eq!(asked[..3], [2, 3, 4]);
    assert!((2..=4).contains(&asked[3]), "{asked:?}");
    let upheld = Report { line: Vec::new(), ..truth(&audit) };
    let commands = script.report(5, judge, upheld);
    assert!(commands.iter().any(|command| matches!(command, Command::Solved { .. })));
}

#[test]
fn who_was_convicted_is_not_heard_any_more() {
    let mut script = answered_alone(wrong());
    let (_, second) = only_job(&script.at(5, joined(2, 8, 1)));
    script.at(5, joined(3, 9, 1));
    let (_, third) = only_job(&script.report(6, 2, truth(&second)));
    assert!(convicted(&script.report(7, 3, truth(&third))).is_some());
    script.store.0.clear();
    script.at(7, Event::TakenBack { era: 1 });
    // What it has sent may be on its way still, and it may name any era.
    let late = Report { era: 1, ..claim(&third, Bound::exact(wrong())) };
    assert_eq!(script.report(8, 1, late), []);
    assert!(script.store.0.is_empty());
}

#[test]
fn a_judge_gets_more_nodes_after_each_that_did_not_suffice() {
    let mut script = Script::new(Config { shortest_job: 1.0, ..audited() });
    script.at(0, joined(1, 7, 1));
    script.at(0, joined(2, 8, 1));
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (judge, first) = only_job(&script.report(1, author, claim(&job, Bound::exact(value()))));
    let (_, second) = only_job(&script.report(2, judge, empty(&first, first.node_limit)));
    assert!(second.node_limit > first.node_limit, "{first:?} {second:?}");
    assert!(!first.hints, "nobody else is to know what a judge believes");
}
