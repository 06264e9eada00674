//! Workers that claim what is hard to judge: nobody waits for that for ever.

use std::rc::Rc;

use outflank_coordinator::core::{AuditId, Command, Config, Event, Job, WorkerId};
use outflank_engine::{Bound, Window};

use crate::debts::unasked;
use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::script::{Script, nine_empties, only_job, truth, whole};
use crate::world::{Faults, World, tiny};

/// So long the answers are waited for, in milliseconds.
const LONGEST: u64 = 60 * 60_000;

/// Returns how many milliseconds requests take beside a worker that claims `claims` times in each second what is true
/// of positions with `empties` empty squares, which nobody has asked it for.
fn taken(oracle: &Rc<Oracle>, config: &Config, empties: u32, claims: u64) -> Vec<u64> {
    let mut random = Random(5);
    let one = |seed: u64| {
        let root = position(&mut random, 7);
        let config = Config { audit_seed: seed, audit_share: 0.1, ..config.clone() };
        let mut world = World::new(seed, oracle, config, Faults::default()).with_few();
        (0..3).for_each(|_| world.join(1));
        let worker = world.join_liar(1, 0);
        let begun = world.now();
        let claim = |world: &mut World, random: &mut Random| {
            for _ in 0..claims {
                let about = position(random, empties);
                world.claim_unasked(worker, about);
            }
        };
        claim(&mut world, &mut random);
        world.run_for(1_000);
        world.submit(root, Window::FULL);
        while world.open() > 0 && world.now() < begun + LONGEST {
            claim(&mut world, &mut random);
            world.run_for(1_000);
        }
        world.now() - begun
    };
    (0..8).map(one).collect()
}

/// Of eight requests none was answered within an hour: all workers were judges, and every answer waited for all audits.
#[test]
fn whoever_claims_more_and_more_that_is_hard_to_judge_does_not_keep_others_from_answers() {
    let oracle = Rc::new(Oracle::default());
    let alone = taken(&oracle, &tiny(), 8, 0);
    let beside = taken(&oracle, &tiny(), 8, 4);
    let [alone_in_all, in_all] = [&alone, &beside].map(|taken| taken.iter().sum::<u64>());
    assert!(in_all < 10 * alone_in_all, "{alone:?} and {beside:?} ms");
}

/// Returns a core that has every report audited, with an answer that waits for the audit of a claim of worker 1. Returns
/// the judge and its job, too.
fn held() -> (Script, u64, Job) {
    let mut script = Script::new(Config { audit_share: 1.0, lines: false, ..whole() });
    for worker in 1..=3 {
        script.join(0, worker, 1);
    }
    let (author, job) = only_job(&script.submit(0, 1, nine_empties()));
    let (judge, audit) = only_job(&script.report(1, author, truth(&job)));
    assert!(audit.is_apart);
    (script, judge, audit)
}

/// Returns how many claims were not audited that the answer rests on, if there is one.
fn answered(commands: &[Command]) -> Option<u64> {
    commands.iter().find_map(|command| match command {
        Command::Solved { solution, .. } => Some(solution.unaudited),
        _ => None,
    })
}

#[test]
fn an_answer_waits_for_half_an_hour_for_a_judge_that_comes_to_no_end() {
    let (mut script, judge, audit) = held();
    let mut sign = |second: u64| {
        let mut commands = Vec::new();
        for worker in 1..=3 {
            let jobs = if worker == judge { vec![(audit.id, 1_000 * second)] } else { Vec::new() };
            commands.extend(script.at(second, Event::Heartbeat { worker: WorkerId(worker), jobs }));
        }
        answered(&commands)
    };
    for second in (10..=1_800).step_by(10) {
        assert_eq!(sign(second), None, "after {second} s");
    }
    assert_eq!(sign(1_802), Some(1), "it says that one claim was not audited");
    let commands = script.report(1_803, judge, truth(&audit));
    assert!(commands.contains(&Command::Cleared { audit: AuditId(1) }), "{commands:?}");
}

#[test]
fn an_answer_does_not_wait_for_what_is_claimed_after_it_was_found() {
    let (mut script, judge, audit) = held();
    let later = position(&mut Random(12), 9);
    let bound = Bound::exact(Oracle::default().value(later));
    script.report(2, 4 - judge, unasked(4711, later, bound));
    assert_eq!(script.core.status().audits_open, 2);
    assert_eq!(answered(&script.report(3, judge, truth(&audit))), Some(0));
    assert_eq!(script.core.status().audits_open, 1);
}
