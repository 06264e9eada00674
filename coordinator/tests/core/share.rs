//! Jobs whose search several workers share.

use std::collections::BTreeMap;
use std::time::Duration;

use outflank_coordinator::core::{
    Command, Config, ErrandDone, Event, Interim, Job, JobId, Judgement, Method, Report, SolveId,
    WorkerId,
};
use outflank_engine::{Belief, Bound, FoundBound, Position, Score, SharedHint};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, nine_empties, only_job, split, truth, whole};
use crate::worker::{empty, inside};

/// Sizes that split positions of nine empties among those who do not share, and let them go out whole among others.
fn sharing() -> Config {
    Config { longest_job: 1e9, jobs_per_thread: 100.0, ..split() }
}

/// Returns a core with so many workers that can share, which are named from 1 on.
fn fleet(config: Config, workers: u64) -> Script {
    let mut script = Script::new(config);
    for worker in 1..=workers {
        script.join_sharing(0, worker);
    }
    script
}

/// Returns the lead and its job, and the helpers.
fn led(commands: &[Command]) -> (u64, Job, Vec<u64>) {
    let jobs = assigned(commands);
    let (lead, whole) = jobs.first().cloned().expect("somebody has it");
    assert!(whole.is_shared && !whole.helps, "{whole:?}");
    for (_, job) in &jobs[1..] {
        let same = Job { helps: false, node_limit: whole.node_limit, ..job.clone() };
        assert_eq!((job.helps, same), (true, whole.clone()));
    }
    (lead, whole, jobs[1..].iter().map(|&(worker, _)| worker).collect())
}

/// Returns two workers of which one helps the other with a request.
fn two(config: Config) -> (Script, Job, u64, u64) {
    let mut script = fleet(config, 2);
    let (lead, whole, helpers) = led(&script.submit(0, 1, nine_empties()));
    assert_eq!(helpers, [3 - lead]);
    (script, whole, lead, 3 - lead)
}

/// Returns three workers of which two help the third with a request, in the order of their names.
fn three(config: Config) -> (Script, Job, u64, [u64; 2]) {
    let mut script = fleet(config, 3);
    let (lead, whole, mut helpers) = led(&script.submit(0, 1, nine_empties()));
    helpers.sort_unstable();
    (script, whole, lead, helpers.try_into().expect("two help"))
}

fn cancel(worker: u64, job: &Job) -> Command {
    Command::Cancel { worker: WorkerId(worker), job: job.id }
}

fn cancelled(commands: &[Command]) -> Vec<u64> {
    let cancels = commands.iter().filter_map(|command| match command {
        Command::Cancel { worker, .. } => Some(worker.0),
        _ => None,
    });
    cancels.collect()
}

fn is_solved(commands: &[Command]) -> bool {
    commands.iter().any(|command| matches!(command, Command::Solved { .. }))
}

#[test]
fn an_idle_worker_helps_with_the_job_that_runs() {
    let (mut script, whole, lead, helper) = two(sharing());
    assert_eq!(whole.position, nine_empties().canonical());
    assert_eq!(script.core.status().jobs_running, 2);
    let beats = [script.heartbeat(1, lead, &[&whole]), script.heartbeat(1, helper, &[&whole])];
    assert_eq!(beats, [[], []], "both are at it");
}

#[test]
fn a_job_that_will_be_over_soon_is_not_shared() {
    let mut script = fleet(Config { shortest_job: 1e7, ..sharing() }, 2);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert!(!job.is_shared);
}

#[test]
fn who_joins_later_helps_the_worker_that_was_alone() {
    let mut script = fleet(sharing(), 1);
    let (lead, whole) = only_job(&script.submit(0, 1, nine_empties()));
    assert!(lead == 1 && whole.is_shared);
    let (helper, job) = only_job(&script.join_sharing(1, 2));
    assert_eq!((helper, job.id, job.helps, job.is_shared), (2, whole.id, true, true));
}

#[test]
fn a_fleet_of_which_one_cannot_share_splits() {
    let mut script = fleet(sharing(), 2);
    script.join(0, 3, 1);
    let jobs = assigned(&script.submit(0, 1, nine_empties()));
    assert_eq!(jobs.len(), 3, "{jobs:?}");
    assert!(jobs.iter().all(|(_, job)| !job.is_shared && !job.hints), "{jobs:?}");
    assert!(jobs.iter().all(|(_, job)| job.position.empties() < 9), "{jobs:?}");
}

#[test]
fn those_who_share_hear_what_each_comes_to_believe() {
    let (mut script, whole, lead, helper) = two(sharing());
    assert!(whole.hints);
    let word = 2048 | 3 << 13 | 27 << 24 | 27 << 30;
    let hints = vec![SharedHint::new(nine_empties(), word).expect("it makes sense")];
    for (from, to) in [(lead, helper), (helper, lead)] {
        let said = Event::Hinted { worker: WorkerId(from), job: whole.id, hints: hints.clone() };
        let passed_on = Command::Hint { workers: vec![WorkerId(to)], hints: hints.clone() };
        assert_eq!(script.at(1, said), [passed_on]);
    }
    let stranger = Event::Hinted { worker: WorkerId(9), job: whole.id, hints: hints.clone() };
    assert_eq!(script.at(1, stranger), [], "it has no such job");
    script.join(2, 3, 1);
    let late = Event::Hinted { worker: WorkerId(lead), job: whole.id, hints };
    assert_eq!(script.at(3, late), [], "nobody shares any more");
}

#[test]
fn one_who_cannot_share_ends_all_sharing_when_he_joins() {
    let (mut script, whole, _, helper) = two(sharing());
    let commands = script.join(1, 3, 1);
    assert_eq!(cancelled(&commands), [helper]);
    script.report(2, helper, empty(&whole, 0));
    let helps = |commands: &[Command]| assigned(commands).iter().any(|(_, job)| job.is_shared);
    assert!(!helps(&script.at(3, Event::Tick)));
    // When he has gone the job that was shared is again.
    let mut commands = script.at(4, Event::Left { worker: WorkerId(3) });
    commands.extend(script.at(4, Event::Tick));
    assert!(script.core.status().jobs_running >= 2, "{commands:?}");
}

#[test]
fn more_workers_than_share_split() {
    let mut script = fleet(Config { most_sharing: 2, ..sharing() }, 3);
    let jobs = assigned(&script.submit(0, 1, nine_empties()));
    assert_eq!(jobs.len(), 3);
    assert!(jobs.iter().all(|(_, job)| !job.is_shared && job.position.empties() < 9), "{jobs:?}");
}

#[test]
fn in_a_fleet_that_is_not_small_only_requests_that_fit_a_job_are_shared() {
    let many = || Config { small_up_to: 1, ..sharing() };
    let (_, whole, _, _) = two(many());
    assert_eq!(whole.position.empties(), 9);
    let mut script = fleet(Config { longest_job: 1.0, ..many() }, 2);
    let jobs = assigned(&script.submit(0, 1, nine_empties()));
    assert!(jobs.iter().all(|(_, job)| !job.is_shared && job.position.empties() < 9), "{jobs:?}");
    assert_eq!(jobs.len(), 2, "both search parts of it");
}

#[test]
fn helpers_are_dismissed_when_the_fleet_grows_too_large_and_the_lead_goes_on() {
    let (mut script, whole, lead, helper) = two(Config { most_sharing: 2, ..sharing() });
    let commands = script.join_sharing(1, 3);
    assert!(commands.contains(&cancel(helper, &whole)), "{commands:?}");
    assert!(!cancelled(&commands).contains(&lead), "{commands:?}");
    assert!(is_solved(&script.report(2, lead, truth(&whole))));
}

#[test]
fn a_second_request_gets_the_helper_of_the_first_when_it_has_stopped() {
    let (mut script, whole, lead, helper) = two(sharing());
    let other = position(&mut Random(21), 9);
    assert_eq!(script.submit(1, 2, other), [cancel(helper, &whole)]);
    assert_eq!(script.at(2, Event::Tick), [], "it is called once");
    let (worker, job) = only_job(&script.report(3, helper, empty(&whole, 0)));
    assert_eq!((worker, job.position), (helper, other.canonical()));
    assert!(!job.helps && job.is_shared);
    // Who is done helps the other.
    let commands = script.report(4, lead, truth(&whole));
    let (worker, help) = only_job(&commands);
    assert!(is_solved(&commands));
    assert_eq!((worker, help.id, help.helps), (lead, job.id, true));
}

#[test]
fn helpers_spread_evenly_over_what_runs() {
    let mut script = fleet(sharing(), 2);
    let (_, first, _) = led(&script.submit(0, 1, nine_empties()));
    script.submit(0, 2, position(&mut Random(21), 9));
    script.report(0, 1, empty(&first, 0));
    script.report(0, 2, empty(&first, 0));
    let mut helpers: BTreeMap<JobId, u64> = BTreeMap::new();
    for worker in 3..=8 {
        let (helper, job) = only_job(&script.join_sharing(1, worker));
        assert_eq!((helper, job.helps), (worker, true));
        *helpers.entry(job.id).or_default() += 1;
    }
    assert_eq!(helpers.into_values().collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn another_helps_when_a_helper_is_lost_and_the_lead_goes_on() {
    let (mut script, whole, lead, helper) = two(sharing());
    assert_eq!(script.at(1, Event::Left { worker: WorkerId(helper) }), []);
    let (other, job) = only_job(&script.join_sharing(2, 3));
    assert_eq!((other, job.id, job.helps), (3, whole.id, true));
    assert!(is_solved(&script.report(3, lead, truth(&whole))));
}

#[test]
fn helpers_stop_when_their_lead_is_lost_and_the_question_is_asked_again() {
    let (mut script, whole, lead, helpers) = three(sharing());
    let commands = script.at(1, Event::Left { worker: WorkerId(lead) });
    let all = helpers.map(|helper| cancel(helper, &whole));
    assert_eq!(commands, all);
    let (worker, job) = only_job(&script.report(2, helpers[0], empty(&whole, 0)));
    assert_eq!((worker, job.id, job.helps), (helpers[0], whole.id, false));
    let (worker, job) = only_job(&script.report(3, helpers[1], empty(&whole, 0)));
    assert_eq!((worker, job.id, job.helps), (helpers[1], whole.id, true));
}

#[test]
fn helpers_stop_when_their_lead_has_the_answer_and_nothing_stays_leased() {
    let (mut script, whole, lead, helpers) = three(sharing());
    let commands = script.report(1, lead, truth(&whole));
    assert!(is_solved(&commands));
    assert_eq!(cancelled(&commands), helpers);
    for helper in helpers {
        script.report(2, helper, empty(&whole, 5));
    }
    let status = script.core.status();
    assert_eq!((status.jobs_running, status.questions, status.solves), (0, 0, 0));
    let next = led(&script.submit(3, 2, position(&mut Random(21), 9)));
    assert_eq!(next.2.len(), 2, "all are free");
}

#[test]
fn a_helper_that_has_nothing_to_do_is_not_taken_for_hung() {
    let stalled_after = Duration::from_secs(90);
    let (mut script, whole, lead, helper) = two(Config { stalled_after, ..sharing() });
    for second in (20..=400).step_by(20) {
        let beat = |worker, nodes| Event::Heartbeat {
            worker: WorkerId(worker),
            jobs: vec![(whole.id, nodes)],
        };
        assert_eq!(script.at(second, beat(lead, second)), []);
        assert_eq!(script.at(second, beat(helper, 0)), []);
    }
    let beat = Event::Heartbeat { worker: WorkerId(lead), jobs: vec![(whole.id, 400)] };
    let commands = script.at(490, beat);
    assert!(cancelled(&commands).contains(&lead), "the lead is: {commands:?}");
}

#[test]
fn a_lead_that_waits_for_a_helper_is_not_taken_for_hung() {
    let stalled_after = Duration::from_secs(90);
    let (mut script, whole, lead, helper) = two(Config { stalled_after, ..sharing() });
    let beat = |worker, nodes| Event::Heartbeat {
        worker: WorkerId(worker),
        jobs: vec![(whole.id, nodes)],
    };
    for second in (20..=400).step_by(20) {
        assert_eq!(script.at(second, beat(helper, second)), []);
        assert_eq!(script.at(second, beat(lead, 7)), []);
    }
    assert_eq!(script.at(450, beat(helper, 400)), [], "it searches nothing any more");
    let commands = script.at(500, beat(lead, 7));
    assert!(cancelled(&commands).contains(&lead), "{commands:?}");
}

#[test]
fn nothing_that_workers_can_help_with_is_split_or_copied() {
    let second = Duration::from_secs(1);
    let soon =
        Config { split_after: second, split_soon: second, backup_after: second, ..sharing() };
    let (mut script, whole, lead, helper) = two(soon);
    for second in [5, 15, 25] {
        assert_eq!(script.heartbeat(second, lead, &[&whole]), []);
        assert_eq!(script.heartbeat(second, helper, &[&whole]), []);
        assert_eq!(script.at(second, Event::Tick), []);
    }
    let commands = script.join_sharing(26, 3);
    let (worker, job) = only_job(&commands);
    assert_eq!((worker, job.id, job.helps), (3, whole.id, true));
    assert!(cancelled(&commands).is_empty(), "{commands:?}");
}

#[test]
fn what_a_lead_believes_does_not_split_what_is_shared() {
    let (mut script, whole, lead, helper) = two(Config { small_up_to: 8, ..sharing() });
    let belief = Belief { value: 0, best_move: None, searches: 9, is_last: true };
    for worker in [lead, helper] {
        assert_eq!(script.interim(1, worker, Interim { job: whole.id, belief }), []);
    }
}

/// Returns the node limit of a job that comes after one which the lead has reported, `helped` or not.
fn limit_after(helped: impl Fn(&mut Script, &Job)) -> u64 {
    let mut script = fleet(sharing(), 1);
    let (lead, whole) = only_job(&script.submit(0, 1, nine_empties()));
    helped(&mut script, &whole);
    let nodes = 100 * whole.node_limit;
    let report = Report { nodes, ..truth(&whole) };
    assert!(is_solved(&script.report(2, lead, report)));
    for worker in [2, 3] {
        script.at(3, Event::Left { worker: WorkerId(worker) });
    }
    let (_, job) = only_job(&script.submit(4, 2, position(&mut Random(21), 9)));
    job.node_limit
}

#[test]
fn what_a_shared_search_has_taken_its_lead_says_nothing_of_others() {
    let mut fresh = fleet(sharing(), 1);
    let (_, job) = only_job(&fresh.submit(0, 2, position(&mut Random(21), 9)));
    let unhelped = limit_after(|_, _| ());
    assert!(unhelped > job.node_limit, "one report alone says something: {unhelped}");
    let helped = |script: &mut Script, _: &Job| drop(only_job(&script.join_sharing(1, 2)));
    assert_eq!(limit_after(helped), job.node_limit);
    let called_back = |script: &mut Script, whole: &Job| {
        helped(script, whole);
        for (solve, expected) in [(5, vec![2]), (6, vec![])] {
            let other = position(&mut Random(solve), 9);
            assert_eq!(cancelled(&script.submit(1, solve, other)), expected);
        }
        for solve in [5, 6] {
            script.at(1, Event::Abandoned { solve: SolveId(solve) });
        }
        script.report(1, 2, empty(whole, 0));
        script.at(1, Event::Left { worker: WorkerId(2) });
    };
    assert_eq!(limit_after(called_back), job.node_limit, "others have had a part in it");
}

/// Returns a true bound of a position below that of a job, as the search meets it.
fn below(job: &Job) -> FoundBound {
    let mut random = Random(3);
    let found = (0..1000).find_map(|_| {
        let found = inside(&Oracle::default(), &mut random, job);
        found.into_iter().find(|found| !found.position.must_pass())
    });
    let found = found.expect("most have no forced pass");
    let value = Oracle::default().value(found.position.canonical());
    FoundBound { bound: Bound::exact(value), ..found }
}

/// Returns a false one.
fn falsified(found: FoundBound) -> FoundBound {
    let value = found.bound.value().expect("it is exact");
    let beside = if value < Score::MAX { value.up() } else { value.down() };
    FoundBound { bound: Bound::exact(beside), ..found }
}

/// Returns what a helper says to who has asked it.
fn errand_done(worker: u64, asker: u64, job: &Job, found: FoundBound) -> ErrandDone {
    ErrandDone {
        worker: WorkerId(worker),
        job: job.id,
        era: job.era,
        asker: WorkerId(asker),
        hand: 2,
        number: 7,
        value: -4,
        found: Some(found),
    }
}

/// Returns what the asker of [`errand_done`] is told.
fn answer(asker: u64, job: &Job, value: Option<i32>) -> Command {
    Command::Answer { worker: WorkerId(asker), job: job.id, hand: 2, number: 7, value }
}

#[test]
fn an_answer_is_a_claim_of_the_helper_and_noted_before_the_asker_hears_of_it() {
    let (mut script, whole, lead, helper) = two(sharing());
    let found = below(&whole);
    let commands = script.at(1, Event::ErrandDone(errand_done(helper, lead, &whole, found)));
    let [Command::Persist { proofs }, told, last] = &commands[..] else { panic!("{commands:?}") };
    let canonical = found.position.canonical();
    let [proof] = &proofs[..] else { panic!("{proofs:?}") };
    assert_eq!((proof.position, proof.bound), (canonical, found.bound));
    assert_eq!((proof.worker, proof.method), (Some(WorkerId(helper)), Method::Search));
    let bounds = vec![(canonical, found.bound)];
    assert_eq!(*told, Command::Told { worker: WorkerId(lead), bounds, and_more: false });
    assert_eq!(*last, answer(lead, &whole, Some(-4)));
    // Again it is neither news for the store nor for the asker.
    let again = script.at(2, Event::ErrandDone(errand_done(helper, lead, &whole, found)));
    assert_eq!(again, [answer(lead, &whole, Some(-4))]);
}

#[test]
fn helpers_answer_each_other() {
    let (mut script, whole, _, [one, other]) = three(sharing());
    let said = errand_done(one, other, &whole, below(&whole));
    let commands = script.at(1, Event::ErrandDone(said));
    assert!(commands.contains(&answer(other, &whole, Some(-4))), "{commands:?}");
}

#[test]
fn what_helpers_prove_is_for_whoever_still_wants_it_when_the_first_request_is_gone() {
    let (mut script, whole, lead, helper) = two(sharing());
    assert_eq!(assigned(&script.submit(1, 2, nine_empties())), [], "the job is for both");
    script.heartbeat(2, lead, &[&whole]);
    script.at(2, Event::Abandoned { solve: SolveId(1) });
    let said = errand_done(helper, lead, &whole, below(&whole));
    let commands = script.at(3, Event::ErrandDone(said));
    assert!(commands.contains(&answer(lead, &whole, Some(-4))), "{commands:?}");
    assert!(matches!(commands[0], Command::Persist { .. }), "{commands:?}");
    // It pays for what is searched since then: of the job's nodes for those after the first thousand.
    let job = whole.id;
    script.at(4, Event::Heartbeat { worker: WorkerId(lead), jobs: vec![(job, 1_300)] });
    script.at(4, Event::ErrandDone(errand_done(lead, helper, &whole, below(&whole))));
    let report = Report { nodes: 1_700, ..truth(&whole) };
    let commands = script.report(5, lead, report);
    let nodes = commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution.nodes),
        _ => None,
    });
    assert_eq!(nodes, Some(700), "{commands:?}");
    script.report(5, helper, empty(&whole, 5));
    let status = script.core.status();
    assert_eq!((status.jobs_running, status.questions, status.solves), (0, 0, 0));
}

#[test]
fn a_report_that_was_kept_ends_no_part_in_a_job_that_was_given_again() {
    let (mut script, whole, lead, helper) = two(sharing());
    for worker in [lead, helper] {
        script.report(1, worker, empty(&whole, 0));
        assert!(script.core.has_part(WorkerId(worker), whole.id), "nobody has asked it to stop");
        assert_eq!(script.heartbeat(2, worker, &[&whole]), [], "it goes on");
    }
    assert!(is_solved(&script.report(3, lead, truth(&whole))));
    assert!(!script.core.has_part(WorkerId(lead), whole.id));
    script.report(4, helper, empty(&whole, 0));
    assert!(!script.core.has_part(WorkerId(helper), whole.id), "it was told to stop");
}

#[test]
fn an_answer_that_cannot_be_a_claim_is_not_passed_on() {
    let (mut script, whole, lead, [helper, other]) = three(sharing());
    let found = below(&whole);
    let said = errand_done(helper, lead, &whole, found);
    let of_another = below(&Job { position: position(&mut Random(21), 9), ..whole.clone() });
    let not_below = FoundBound { position: whole.symmetry.position(whole.position), ..found };
    let stranger = WorkerId(9);
    let refused = [
        ErrandDone { found: None, ..said },
        ErrandDone { found: Some(FoundBound { bound: Bound::UNKNOWN, ..found }), ..said },
        ErrandDone { found: Some(of_another), ..said },
        ErrandDone { found: Some(not_below), ..said },
        ErrandDone { found: Some(FoundBound { position: Position::START, ..found }), ..said },
        ErrandDone { era: whole.era + 1, ..said },
        ErrandDone { worker: stranger, ..said },
    ];
    for said in refused {
        let commands = script.at(1, Event::ErrandDone(said));
        assert_eq!(commands, [answer(lead, &whole, None)], "{said:?}");
    }
    let to_stranger = ErrandDone { asker: stranger, ..said };
    assert_eq!(script.at(1, Event::ErrandDone(to_stranger)), [answer(9, &whole, None)]);
    script.at(2, Event::Left { worker: WorkerId(other) });
    for (helper, asker) in [(helper, other), (other, lead)] {
        let said = errand_done(helper, asker, &whole, found);
        let expected = answer(asker, &whole, None);
        assert_eq!(script.at(2, Event::ErrandDone(said)), [expected], "one has gone: {said:?}");
    }
    assert!(script.store.0.is_empty());
}

#[test]
fn an_answer_that_rests_on_what_was_taken_back_is_not_passed_on() {
    let (mut script, whole, lead, helper) = two(sharing());
    script.at(1, Event::TakenBack { era: 1 });
    for era in [0, 1] {
        let said = ErrandDone { era, ..errand_done(helper, lead, &whole, below(&whole)) };
        assert_eq!(script.at(2, Event::ErrandDone(said)), [answer(lead, &whole, None)], "{era}");
    }
    assert!(script.store.0.is_empty());
}

#[test]
fn an_answer_that_contradicts_what_is_proved_is_not_passed_on_and_disputed() {
    let (mut script, whole, lead, [helper, _]) = three(sharing());
    let found = below(&whole);
    let canonical = found.position.canonical();
    script.store.0.insert(canonical, (found.bound, None));
    let said = errand_done(helper, lead, &whole, falsified(found));
    let commands = script.at(1, Event::ErrandDone(said));
    let is_doubted = |command: &&Command| match command {
        Command::Doubt { claim, .. } => claim.position == canonical,
        _ => false,
    };
    assert_eq!(commands.iter().filter(is_doubted).count(), 1, "{commands:?}");
    assert!(commands.contains(&answer(lead, &whole, None)), "{commands:?}");
    assert!(!commands.iter().any(|command| matches!(command, Command::Told { .. })));
    assert_eq!(script.store.0[&canonical].0, found.bound);
}

/// Returns three workers of which two help, and what one of them has claimed, which the other is called back for; it has
/// stopped, and judges. `claim` says what is claimed.
fn judged(claim: impl Fn(FoundBound) -> FoundBound) -> (Script, Job, [u64; 3], (u64, Job)) {
    let (mut script, whole, lead, [other, author]) =
        three(Config { audit_share: 1.0, ..sharing() });
    let said = errand_done(author, lead, &whole, claim(below(&whole)));
    let commands = script.at(1, Event::ErrandDone(said));
    assert_eq!(cancelled(&commands), [other], "its author cannot judge: {commands:?}");
    assert!(cancelled(&script.at(1, Event::Tick)).is_empty(), "one is enough");
    let (judge, audit) = only_job(&script.report(2, other, empty(&whole, 0)));
    assert!(judge == other && audit.is_apart && !audit.is_shared, "{audit:?}");
    (script, whole, [lead, author, other], (judge, audit))
}

#[test]
fn a_helper_is_called_back_for_an_audit_that_it_can_judge_and_helps_again_afterwards() {
    let (mut script, whole, _, (judge, audit)) = judged(|found| found);
    let (worker, help) = only_job(&script.report(3, judge, truth(&audit)));
    assert_eq!((worker, help.id, help.helps), (judge, whole.id, true));
}

#[test]
fn a_judge_answers_nobody_under_the_name_of_what_he_judges() {
    let (mut script, _, [lead, ..], (judge, audit)) = judged(|found| found);
    let said = errand_done(judge, lead, &audit, below(&audit));
    let commands = script.at(3, Event::ErrandDone(said));
    assert_eq!(commands, [answer(lead, &audit, None)]);
}

/// It would be called back again when it has begun to help again, and so for ever.
#[test]
fn a_helper_is_not_called_back_for_an_audit_that_it_cannot_judge() {
    let (mut script, whole, lead, helper) = two(Config { audit_share: 1.0, ..sharing() });
    let said = errand_done(helper, lead, &whole, below(&whole));
    let commands = script.at(1, Event::ErrandDone(said));
    assert!(commands.contains(&answer(lead, &whole, Some(-4))), "{commands:?}");
    assert!(cancelled(&commands).is_empty(), "{commands:?}");
    assert_eq!(script.core.status().audits_open, 1);
    assert!(cancelled(&script.at(2, Event::Tick)).is_empty());
    // The lead judges when it is free.
    let (judge, audit) = only_job(&script.report(3, lead, truth(&whole)));
    assert_eq!((judge, audit.is_apart), (lead, true));
}

/// The same for a request.
#[test]
fn a_helper_is_not_called_back_for_what_it_has_failed_at() {
    let (mut script, whole, _, helper) = two(sharing());
    script.submit(1, 2, position(&mut Random(21), 9));
    let (worker, job) = only_job(&script.report(2, helper, empty(&whole, 0)));
    assert_eq!(worker, helper);
    let failed = Report { failed: true, ..empty(&job, 1) };
    let (worker, help) = only_job(&script.report(3, helper, failed));
    assert_eq!((worker, help.id, help.helps), (helper, whole.id, true));
    assert_eq!(script.at(4, Event::Tick), []);
    assert_eq!(script.heartbeat(5, helper, &[&help]), []);
}

#[test]
fn nobody_is_told_what_a_worker_answers_that_was_found_to_be_wrong() {
    let (mut script, whole, [lead, author, other], (judge, audit)) = judged(falsified);
    let mut commands = script.report(3, judge, truth(&audit));
    let (second, again) = only_job(&script.report(4, lead, truth(&whole)));
    assert_eq!((second, again.id), (lead, audit.id));
    commands.extend(script.report(5, lead, truth(&again)));
    let convicted = commands.iter().find_map(|command| match command {
        Command::Judge(Judgement::Convict { workers, .. }) => Some(workers.clone()),
        _ => None,
    });
    assert_eq!(convicted, Some(vec![WorkerId(author)]));
    let said = errand_done(author, other, &whole, below(&whole));
    assert_eq!(script.at(6, Event::ErrandDone(said)), [answer(other, &whole, None)]);
}

#[test]
fn a_fleet_that_is_not_to_share_does_not() {
    let mut script = fleet(Config { most_sharing: 0, ..whole() }, 2);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert!(!job.is_shared);
}
