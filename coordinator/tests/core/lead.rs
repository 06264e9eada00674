//! Small fleets: one worker leads a request, the others assist it.

use outflank_coordinator::core::{Command, Config, Event, Interim, Job, WorkerId};
use outflank_engine::{Belief, Score, SharedHint, Window};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, assigned, nine_empties, only_job, split};
use crate::worker::empty;

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

#[test]
fn a_request_is_split_around_what_its_lead_believes_and_the_lead_gets_the_eldest() {
    let mut script = Script::new(Config { most_led: 8, ..split() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
    let (lead, whole) = led(&script.submit(0, 1, nine_empties())).0;
    assert_eq!(whole.window, Window::FULL);
    let value = Oracle::default().value(nine_empties());
    let belief = |searches, is_last| Interim {
        job: whole.id,
        belief: Belief { value: value.discs(), best_move: None, searches, is_last },
    };
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
    let mut script = Script::new(Config { most_led: 8, ..split() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
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
    let believes = |searches, is_last| Interim {
        job: whole.id,
        belief: Belief { value: 0, best_move: None, searches, is_last },
    };
    assert_eq!(script.interim(2, other, believes(3, true)), [], "its lead is not so far");
    let commands = script.interim(3, lead, believes(3, true));
    for worker in [lead, other] {
        let worker = WorkerId(worker);
        assert!(commands.contains(&Command::Cancel { worker, job: whole.id }), "{commands:?}");
    }
}

#[test]
fn an_assistant_takes_over_from_a_lead_that_is_lost() {
    let mut script = Script::new(Config { most_led: 8, ..split() });
    script.join(0, 1, 1);
    script.join(0, 2, 1);
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
