//! Workers that rest because their jobs fail one after the other.

use outflank_coordinator::core::{Command, Event, Job, Report, SolveId, WorkerId};
use outflank_engine::{Bound, Position};

use crate::debts::{audited, claim, convicted, has_cleared, solution, value, wrong};
use crate::random::{Random, position};
use crate::script::{Script, assigned, nine_empties, only_job, truth, whole};
use crate::worker::empty;

/// Returns the report of a worker that could not do `job` at all.
fn failed(job: &Job) -> Report {
    Report { failed: true, ..empty(job, 0) }
}

/// Its system may give it no threads: each failure counts against the question, which would be split down to its leaves.
#[test]
fn who_fails_at_everything_rests_longer_each_time_until_it_has_come_to_the_end_of_a_job() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, mut job) = only_job(&script.submit(0, 1, nine_empties()));
    let (mut waited, mut second) = (Vec::new(), 0);
    for _ in 0..12 {
        let mut commands = script.report(second, 1, failed(&job));
        let failed_at = second;
        while assigned(&commands).is_empty() {
            second += 1;
            commands = script.at(second, Event::Tick);
            commands.extend(script.heartbeat(second, 1, &[]));
        }
        waited.push(second - failed_at);
        job = assigned(&commands)[0].1.clone();
    }
    assert_eq!(waited, [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    let (_, job) = only_job(&script.report(second, 1, truth(&job)));
    let commands = script.report(second, 1, failed(&job));
    assert_eq!(assigned(&commands).len(), 1, "that was the first");
}

/// Has `worker` join and fail at second 0 so often that it rests for a second.
fn join_and_rest(script: &mut Script, worker: u64) {
    script.join(0, worker, 1);
    let mut commands = script.submit(0, 1_000, nine_empties());
    for _ in 0..3 {
        let (_, job) = only_job(&commands);
        commands = script.report(0, worker, failed(&job));
    }
    assert_eq!(assigned(&commands), []);
    script.at(0, Event::Abandoned { solve: SolveId(1_000) });
}

fn other() -> Position {
    position(&mut Random(12), 9)
}

#[test]
fn no_answer_waits_for_a_judge_who_rests_and_the_claim_is_audited_after_that() {
    let mut script = Script::new(audited());
    join_and_rest(&mut script, 2);
    script.join(0, 1, 1);
    let (worker, job) = only_job(&script.submit(0, 1, other()));
    assert_eq!(worker, 1, "the other one rests");
    let commands = script.report(0, 1, Report { line: Vec::new(), ..truth(&job) });
    assert_eq!(solution(&commands).unaudited, 1, "the answer says so");
    let (judge, audit) = only_job(&script.at(1, Event::Tick));
    assert_eq!((judge, audit.position), (2, job.position));
    let commands = script.report(1, 2, Report { line: Vec::new(), ..truth(&audit) });
    assert!(has_cleared(&commands), "{commands:?}");
    assert_eq!(script.core.status().unaudited, 0);
}

#[test]
fn a_claim_that_waits_for_its_judge_is_put_off_when_that_one_begins_to_rest() {
    let mut script = Script::new(audited());
    join_and_rest(&mut script, 2);
    script.join(0, 1, 1);
    let (worker, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert_eq!(worker, 1);
    script.submit(0, 2, other());
    let (worker, lost) = only_job(&script.at(1, Event::Tick));
    assert_eq!(worker, 2);
    let commands = script.report(1, 1, claim(&job, Bound::exact(value())));
    assert_eq!(assigned(&commands), [], "who could judge has something to do");
    let commands = script.report(1, 2, failed(&lost));
    assert_eq!(solution(&commands).unaudited, 1);
}

/// Where there are two opinions somebody is found wrong: nobody is because the third happens to rest.
#[test]
fn a_dispute_waits_for_who_rests() {
    let mut script = Script::new(audited());
    join_and_rest(&mut script, 3);
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (judge, audit) = only_job(&script.report(0, author, claim(&job, Bound::exact(wrong()))));
    assert_eq!(author + judge, 3);
    let commands = script.report(0, judge, truth(&audit));
    assert_eq!(convicted(&commands), None, "{commands:?}");
    let (third, audit) = only_job(&script.at(1, Event::Tick));
    assert_eq!(third, 3);
    let commands = script.report(1, third, truth(&audit));
    assert_eq!(convicted(&commands), Some(vec![WorkerId(author)]));
}

/// While it is decided all answers wait: that would be as long as the rest.
#[test]
fn a_dispute_that_is_owed_is_taken_up_when_enough_have_rested() {
    let mut script = Script::new(audited());
    join_and_rest(&mut script, 3);
    script.store.0.insert(nine_empties().canonical(), (Bound::at_least(value()), None));
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.report(0, 1, claim(&job, Bound::at_most(value().down())));
    assert_eq!(script.core.status().unaudited, 1);
    assert_eq!(assigned(&script.join(0, 2, 1)), [], "two others are needed, and one of them rests");
    let (judge, audit) = only_job(&script.at(1, Event::Tick));
    let (third, audit) = only_job(&script.report(1, judge, truth(&audit)));
    assert_eq!(judge + third, 5);
    let commands = script.report(1, third, truth(&audit));
    assert_eq!(convicted(&commands), Some(vec![WorkerId(1)]));
}

/// One broken worker would take each claim of a healthy one, again and again.
#[test]
fn who_fails_at_audits_rests_as_one_who_fails_at_jobs() {
    let mut script = Script::new(audited());
    script.join(0, 1, 1);
    let mut tried = Vec::new();
    let mut random = Random(3);
    let (_, mut job) = only_job(&script.submit(0, 0, position(&mut random, 6)));
    script.join(0, 2, 1);
    for second in 0..20 {
        let mut audits = 0;
        let mut commands = script.at(second, Event::Tick);
        // The healthy worker answers ten requests each second.
        for number in 1..=10 {
            commands.extend(script.report(second, 1, Report { line: Vec::new(), ..truth(&job) }));
            commands.extend(script.submit(second, 10 * second + number, position(&mut random, 6)));
            while let Some(place) = assigned(&commands).iter().position(|(worker, _)| *worker == 2)
            {
                let audit = assigned(&commands)[place].1.clone();
                audits += 1;
                commands.retain(|command| {
                    !matches!(command, Command::Assign { worker: WorkerId(2), .. })
                });
                commands.extend(script.report(second, 2, failed(&audit)));
            }
            (_, job) = only_job(&commands);
            commands.clear();
        }
        tried.push(audits);
    }
    assert_eq!(tried, [3, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
}

#[test]
fn who_has_judged_a_claim_does_not_rest_after_the_next_failure() {
    let mut script = Script::new(audited());
    join_and_rest(&mut script, 2);
    script.join(0, 1, 1);
    let (_, job) = only_job(&script.submit(0, 1, nine_empties()));
    script.report(0, 1, claim(&job, Bound::exact(value())));
    let (_, audit) = only_job(&script.at(1, Event::Tick));
    script.report(1, 2, claim(&audit, Bound::exact(value())));
    script.at(1, Event::Left { worker: WorkerId(1) });
    let (worker, job) = only_job(&script.submit(1, 2, other()));
    assert_eq!(worker, 2);
    let commands = script.report(1, 2, failed(&job));
    assert_eq!(assigned(&commands).len(), 1, "that was the first");
}

#[test]
fn the_shell_is_told_of_each_rest() {
    let mut script = Script::new(whole());
    script.join(0, 1, 1);
    let (_, mut job) = only_job(&script.submit(0, 1, nine_empties()));
    let mut told = Vec::new();
    for second in (0..50).step_by(10) {
        let mut commands = script.report(second, 1, failed(&job));
        told.push(commands.iter().find_map(|command| match command {
            Command::Resting { worker: WorkerId(1), rest } => Some(rest.as_secs()),
            _ => None,
        }));
        assert_eq!(script.core.status().resting, u64::from(told.last() != Some(&None)));
        if assigned(&commands).is_empty() {
            commands = script.at(second + 9, Event::Tick);
        }
        job = only_job(&commands).1;
    }
    assert_eq!(told, [None, None, Some(1), Some(2), Some(4)]);
    assert_eq!(script.core.status().resting, 0);
}
