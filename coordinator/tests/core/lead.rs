//! Small fleets: one worker leads a request, the others assist it.

use std::time::Duration;

use outflank_coordinator::core::{Command, Config, Event, Interim, Job, Millis, SolveId, WorkerId};
use outflank_engine::{Belief, Position, Score, SharedHint, Square, Window};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, joined, nine_empties, only_job, split, truth, whole};
use crate::worker::empty;

/// Returns a core that has the workers 1 and 2, of which one leads a request.
fn two_workers() -> Script {
    let mut script = Script::new(Config { most_led: 8, ..split() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    script
}

/// Returns the lead and its job, and the assistant and its job, of a request in a fleet of two.
fn led(commands: &[Command]) -> ((u64, Job), (u64, Job)) {
    let jobs = assigned(commands);
    assert_eq!(jobs.len(), 2, "{commands:?}");
    let (lead, assistant) = (jobs[0].clone(), jobs[1].clone());
    assert_ne!(lead.0, assistant.0);
    assert_eq!((lead.1.assistant, assistant.1.assistant), (None, Some(0)));
    assert_eq!(Job { assistant: None, ..assistant.1.clone() }, lead.1);
    (lead, assistant)
}

/// Returns what is said of a job: the value that so many selective searches found, and whether that was the last.
fn believed(job: &Job, value: i32, searches: u32, is_last: bool) -> Interim {
    Interim { job: job.id, belief: Belief { value, best_move: None, searches, is_last } }
}

#[test]
fn a_request_is_split_around_what_its_lead_believes_and_the_lead_gets_the_eldest() {
    let mut script = two_workers();
    let (lead, whole) = led(&script.submit(0, 1, nine_empties())).0;
    assert_eq!(whole.window, Window::FULL);
    let value = Oracle::default().value(nine_empties());
    let belief = |searches, is_last| believed(&whole, value.discs(), searches, is_last);
    assert_eq!(script.interim(1, lead, belief(1, false)), [], "that is no opinion yet");
    let commands = script.interim(2, lead, belief(2, false));
    assert_eq!(assigned(&commands), [], "the other one assists");
    let others = script.report(2, 3 - lead, empty(&whole, 10));
    let (other, goal) = only_job(&others);
    assert_ne!(other, lead);
    assert!(goal.window.is_null(), "the lead is at the eldest itself");
    let commands = script.interim(3, lead, belief(3, true));
    assert_eq!(commands, [Command::Cancel { worker: WorkerId(lead), job: whole.id }]);
    let commands = script.report(4, lead, empty(&whole, 10));
    let (worker, eldest) = assigned(&commands)[0].clone();
    assert_eq!((worker, eldest.position.empties()), (lead, 8));
    let around = Window::new(-value.up(), -value.down()).expect("it is not at the limit");
    assert_eq!(eldest.window, around);
}

#[test]
fn an_idle_worker_assists_the_lead_each_hears_the_other_and_it_stops_with_the_lead() {
    let mut script = two_workers();
    let ((lead, whole), (other, same)) = led(&script.submit(0, 1, nine_empties()));
    assert!(whole.hints && same.hints);
    let word = 2048 | 3 << 13 | 27 << 24 | 27 << 30;
    let hints = vec![SharedHint::new(nine_empties(), word).expect("it makes sense")];
    for (from, to) in [(lead, other), (other, lead)] {
        let said = Event::Hinted { worker: WorkerId(from), job: whole.id, hints: hints.clone() };
        let passed_on = Command::Hint { workers: vec![WorkerId(to)], hints: hints.clone() };
        assert_eq!(script.at(1, said), [passed_on]);
    }
    let stranger = Event::Hinted { worker: WorkerId(9), job: whole.id, hints: hints.clone() };
    assert_eq!(script.at(1, stranger), [], "it has no such job");
    let believes = |searches, is_last| believed(&whole, 0, searches, is_last);
    assert_eq!(script.interim(2, other, believes(3, true)), [], "its lead is not so far");
    let commands = script.interim(3, lead, believes(3, true));
    for worker in [lead, other] {
        let worker = WorkerId(worker);
        assert!(commands.contains(&Command::Cancel { worker, job: whole.id }), "{commands:?}");
    }
}

#[test]
fn a_large_fleet_has_no_ear_for_hints() {
    let mut script = Script::new(Config { most_led: 2, ..whole() });
    for worker in 1..=3 {
        script.join(0, worker, 1);
    }
    let (worker, job) = only_job(&script.submit(0, 1, nine_empties()));
    assert!(!job.hints);
    let word = 2048 | 3 << 13 | 27 << 24 | 27 << 30;
    let hints = vec![SharedHint::new(nine_empties(), word).expect("it makes sense")];
    assert_eq!(script.at(1, Event::Hinted { worker: WorkerId(worker), job: job.id, hints }), []);
}

#[test]
fn an_assistant_takes_over_from_a_lead_that_is_lost() {
    let mut script = two_workers();
    let ((lead, whole), (other, _)) = led(&script.submit(0, 1, nine_empties()));
    let commands = script.at(1, Event::Left { worker: WorkerId(lead) });
    assert_eq!(commands, [Command::Cancel { worker: WorkerId(other), job: whole.id }]);
    let commands = script.report(2, other, empty(&whole, 10));
    let (worker, job) = only_job(&commands);
    assert_eq!((worker, job.assistant), (other, None));
}

#[test]
fn what_small_fleets_share_is_cut_into_their_own_number_of_parts() {
    let position = position(&mut Random(31), 14);
    let draw = Score::new(0).expect("it is a score");
    let goal = Window::new(draw.down(), draw).expect("it is a window");
    let emptiest = |most_led, jobs_per_thread, jobs_per_led_thread| {
        let (longest_job, leaf_empties) = (1e9, 3);
        let sizes = Config { jobs_per_thread, jobs_per_led_thread, longest_job, ..split() };
        let mut script = Script::new(Config { most_led, leaf_empties, ..sizes });
        script.join(0, 1, 1);
        script.join(0, 2, 1);
        let jobs = assigned(&script.submit_window(0, 1, position, goal));
        jobs.iter().map(|(_, job)| job.position.empties()).max().expect("both have a job")
    };
    assert!(emptiest(8, 1000.0, 1.0) > emptiest(8, 1.0, 1000.0));
    assert!(emptiest(0, 1.0, 1000.0) > emptiest(0, 1000.0, 1.0), "nobody leads");
}

/// Returns the requests that are answered.
fn solved(commands: &[Command]) -> impl Iterator<Item = u64> {
    commands.iter().filter_map(|command| match command {
        Command::Solved { solve, .. } => Some(solve.0),
        _ => None,
    })
}

/// Reports all of the jobs truly, and those that are given for that, but for those of the worker `busy`, which goes on
/// with whatever it has. Returns the requests that are answered.
fn work_off(script: &mut Script, second: u64, mut open: Vec<(u64, Job)>, busy: u64) -> Vec<u64> {
    let mut answered = Vec::new();
    while let Some(place) = open.iter().position(|&(worker, _)| worker != busy) {
        let (worker, job) = open.remove(place);
        let mut all = script.report(second, worker, truth(&job));
        for command in all.clone() {
            let Command::Cancel { worker, job } = command else { continue };
            let is_it = |(open, given): &(u64, Job)| *open == worker.0 && given.id == job;
            let Some(place) = open.iter().position(is_it).filter(|_| worker.0 != busy) else {
                continue;
            };
            let (worker, job) = open.remove(place);
            all.extend(script.report(second, worker, empty(&job, 1)));
        }
        answered.extend(solved(&all));
        open.extend(assigned(&all));
    }
    answered
}

#[test]
fn what_another_request_wants_is_not_left_to_a_lead_that_wants_it_no_more() {
    let mut script = two_workers();
    let ((lead, whole), (other, assistance)) = led(&script.submit(0, 1, nine_empties()));
    let value = Oracle::default().value(nine_empties()).discs();
    let believes = |value, searches| believed(&whole, value, searches, false);
    script.interim(1, lead, believes(value + 12, 2));
    // Which child is the eldest is found by asking for each: only the one that is asked already adds no question.
    let before = script.core.status().questions;
    let [lower, upper] = [-value - 14, -value - 10].map(|discs| Score::new(discs).unwrap());
    let around = Window::new(lower, upper).unwrap();
    let root = nine_empties().canonical();
    let children = Square::all(root.moves()).filter_map(|square| root.play(square));
    let eldest = (10..).zip(children).find_map(|(solve, child)| {
        script.submit_window(1, solve, child, around);
        let is_asked = script.core.status().questions == before;
        if !is_asked {
            script.at(1, Event::Abandoned { solve: SolveId(solve) });
        }
        is_asked.then_some(solve)
    });
    let eldest = eldest.expect("one is left to the lead");
    // The lead changes its mind: the eldest is asked around another value. Then the first client goes away.
    script.interim(2, lead, believes(value, 3));
    script.at(3, Event::Abandoned { solve: SolveId(1) });
    let mut open = assigned(&script.report(4, lead, empty(&whole, 10)));
    open.extend(assigned(&script.report(4, other, empty(&assistance, 10))));
    let answered = work_off(&mut script, 5, open, 0);
    assert!(answered.contains(&eldest), "both workers are idle: {:?}", script.core.status());
}

/// Returns a core whose lead is at the eldest child of a request, that child with the window that it is asked in, the
/// lead, and what the other worker is at.
fn at_the_eldest() -> (Script, (Position, Window), u64, (u64, Job)) {
    let mut script = two_workers();
    let ((lead, whole), assistance) = led(&script.submit(0, 1, nine_empties()));
    let value = Oracle::default().value(nine_empties());
    script.interim(1, lead, believed(&whole, value.discs(), 2, false));
    let around = Window::new(-value.up(), -value.down()).expect("it is not at the limit");
    let before = script.core.status().questions;
    let root = nine_empties().canonical();
    let mut children = Square::all(root.moves()).filter_map(|square| root.play(square));
    let eldest = children.find(|&child| {
        let mut other = two_workers();
        other.submit(0, 1, nine_empties());
        other.interim(1, lead, believed(&whole, value.discs(), 2, false));
        other.submit_window(1, 10, child, around);
        other.core.status().questions == before
    });
    (script, (eldest.expect("one is left to the lead"), around), lead, assistance)
}

#[test]
fn what_another_request_wants_is_not_left_to_a_lead() {
    let (mut script, (eldest, around), lead, (other, assistance)) = at_the_eldest();
    script.submit_window(1, 10, eldest, around);
    let open = assigned(&script.report(2, other, empty(&assistance, 10)));
    assert!(work_off(&mut script, 3, open, lead).contains(&10), "the lead takes long");
    // The same, if it is asked for before the lead has an opinion.
    let mut script = two_workers();
    let ((lead, whole), (other, assistance)) = led(&script.submit(0, 1, nine_empties()));
    script.submit_window(0, 10, eldest, around);
    let value = Oracle::default().value(nine_empties()).discs();
    script.interim(1, lead, believed(&whole, value, 2, false));
    let open = assigned(&script.report(2, other, empty(&assistance, 10)));
    assert!(work_off(&mut script, 3, open, lead).contains(&10), "the lead takes long");
}

#[test]
fn what_a_lead_was_at_is_asked_of_another_when_it_is_lost() {
    let (mut script, _, lead, (other, assistance)) = at_the_eldest();
    let mut open = assigned(&script.report(2, other, empty(&assistance, 10)));
    open.extend(assigned(&script.at(3, Event::Left { worker: WorkerId(lead) })));
    assert_eq!(work_off(&mut script, 4, open, lead), [1]);
}

#[test]
fn a_lead_that_does_not_stop_is_not_waited_for() {
    let mut script = two_workers();
    let ((lead, whole), (other, assistance)) = led(&script.submit(0, 1, nine_empties()));
    let value = Oracle::default().value(nine_empties()).discs();
    let believes = |searches, is_last| believed(&whole, value, searches, is_last);
    script.interim(1, lead, believes(2, false));
    let mut open = assigned(&script.report(1, other, empty(&assistance, 10)));
    open.extend(assigned(&script.interim(2, lead, believes(3, true))));
    assert!(work_off(&mut script, 3, open, lead).is_empty(), "the eldest is for the lead");
    let beat = script.heartbeat(31, lead, &[&whole]);
    assert!(assigned(&beat).is_empty() && disconnected(&beat).next().is_none(), "{beat:?}");
    script.heartbeat(31, other, &[]);
    let commands = script.heartbeat(32, lead, &[&whole]);
    assert_eq!(disconnected(&commands).collect::<Vec<_>>(), [lead]);
    assert_eq!(work_off(&mut script, 33, assigned(&commands), lead), [1]);
}

/// Returns the workers that are disconnected.
fn disconnected(commands: &[Command]) -> impl Iterator<Item = u64> {
    commands.iter().filter_map(|command| match command {
        Command::Disconnect { worker, .. } => Some(worker.0),
        _ => None,
    })
}

#[test]
fn a_fleet_that_has_grown_does_not_wait_for_a_lead_to_solve_the_whole() {
    let mut script = two_workers();
    let ((lead, whole), (other, assistance)) = led(&script.submit(0, 1, nine_empties()));
    let value = Oracle::default().value(nine_empties()).discs();
    let believes = |searches, is_last| believed(&whole, value, searches, is_last);
    script.interim(1, lead, believes(2, false));
    let mut open = Vec::new();
    for worker in 3..=20 {
        open.extend(assigned(&script.join(1, worker, 1)));
    }
    open.extend(assigned(&script.report(1, other, empty(&assistance, 10))));
    open.extend(assigned(&script.interim(2, lead, believes(3, true))));
    let answered = work_off(&mut script, 3, open, lead);
    assert_eq!(answered, [1], "19 workers are idle: {:?}", script.core.status());
}

#[test]
fn what_was_left_to_a_lead_is_not_when_there_are_too_many_requests_to_lead() {
    let mut script = Script::new(Config { most_led: 2, ..split() });
    script.join(0, 1, 4);
    script.join(0, 2, 4);
    let ((lead, whole), (other, assistance)) = led(&script.submit(0, 1, nine_empties()));
    let value = Oracle::default().value(nine_empties()).discs();
    let believes = |searches, is_last| believed(&whole, value, searches, is_last);
    script.interim(1, lead, believes(2, false));
    let mut random = Random(21);
    let mut open = Vec::new();
    for solve in 2..=3 {
        open.extend(assigned(&script.submit(1, solve, position(&mut random, 9))));
    }
    open.extend(assigned(&script.report(1, other, empty(&assistance, 10))));
    open.extend(assigned(&script.interim(2, lead, believes(3, true))));
    let mut answered = work_off(&mut script, 3, open, lead);
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3], "the other one is idle: {:?}", script.core.status());
}

#[test]
fn the_last_value_of_a_crowd_is_shared() {
    let mut script = Script::new(Config { lines: false, leaf_empties: 3, ..crowded() });
    for worker in 1..=20 {
        script.core.hear(Millis(0), joined(worker, worker, 1), &script.store);
    }
    let mut random = Random(11);
    for solve in 1..=3 {
        let (solve, position) = (SolveId(solve), position(&mut random, 9));
        let event = Event::Submitted { solve, position, window: Window::FULL, budget: None };
        script.core.hear(Millis(0), event, &script.store);
    }
    let jobs = assigned(&script.at(0, Event::Tick));
    let is_whole = |(_, job): &&(u64, Job)| job.position.empties() == 9;
    assert_eq!(jobs.iter().filter(is_whole).count(), 3);
    // Two are answered, and the third takes long.
    let (slow, root) = jobs.iter().find(is_whole).cloned().unwrap();
    let mut open: Vec<_> = jobs.into_iter().filter(|&(worker, _)| worker != slow).collect();
    let mut answered = Vec::new();
    for second in 1..100 {
        for worker in 1..=20 {
            let beat: &[&Job] = if worker == slow { &[&root] } else { &[] };
            open.extend(assigned(&script.heartbeat(second, worker, beat)));
        }
        open.extend(assigned(&script.at(second, Event::Tick)));
        answered.extend(work_off(&mut script, second, std::mem::take(&mut open), slow));
    }
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3], "19 workers are idle: {:?}", script.core.status());
}

/// Sizes at which values of nine empty squares go out whole, and are split soon.
fn crowded() -> Config {
    let (split_soon, progress_interval) = (Duration::from_secs(1), Duration::from_secs(10_000));
    Config {
        shortest_job: 16.0,
        longest_job: 1e9,
        split_soon,
        progress_interval,
        ..Config::default()
    }
}
