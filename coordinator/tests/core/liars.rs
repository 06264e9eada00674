//! Workers that tell lies are found out, and what they said is taken back and searched again.

use std::rc::Rc;

use outflank_coordinator::core::Config;
use outflank_engine::Window;

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::world::{Faults, World, steered, tiny};

/// What came of some runs with a liar in each.
#[derive(Debug, Default)]
struct Tally {
    lies: u64,
    convicted: u64,
    honest_convicted: u64,
    false_answers: u64,
    refused: u64,
}

/// Runs clusters of three honest workers and a liar.
fn with_a_liar(seeds: std::ops::Range<u64>, config: &Config, lies: u64) -> Tally {
    let oracle = Rc::new(Oracle::default());
    let mut tally = Tally::default();
    for seed in seeds {
        let config = Config { audit_seed: seed, ..config.clone() };
        let mut random = Random(seed);
        let root = position(&mut random, 9);
        let mut world = World::new(seed, &oracle, config, Faults::default()).on_real_store();
        for threads in [1, 2, 1] {
            world.join(threads);
        }
        let liar = world.join_liar(2, lies);
        let solve = world.submit(root, Window::FULL);
        world.run();
        let outcome = &world.outcome;
        tally.lies += outcome.happened.wrong;
        let guilty = outcome.convicted.iter().filter(|&&worker| worker == liar).count() as u64;
        tally.convicted += guilty;
        tally.honest_convicted += outcome.convicted.len() as u64 - guilty;
        match outcome.solved.get(&solve) {
            Some(solution) => {
                let is_true = solution.bound.value() == Some(oracle.value(root));
                tally.false_answers += u64::from(!is_true);
            }
            None => tally.refused += 1,
        }
    }
    tally
}

#[test]
fn when_every_job_is_audited_no_lie_survives() {
    for config in [tiny(), steered()] {
        let tally = with_a_liar(0..40, &Config { audit_share: 1.0, ..config }, 30);
        println!("{tally:?}");
        assert!(tally.lies > 40 && tally.convicted > 30, "{tally:?}");
        assert_eq!(
            (tally.false_answers, tally.honest_convicted, tally.refused),
            (0, 0, 0),
            "{tally:?}"
        );
    }
}

#[test]
fn liars_about_what_they_find_inside_jobs_contradict_others_and_are_found_out_without_a_sample() {
    for config in [tiny(), steered()] {
        let tally = with_a_liar(200..240, &config, 50);
        println!("{tally:?}");
        assert!(tally.convicted > 30, "{tally:?}");
        assert_eq!((tally.honest_convicted, tally.refused), (0, 0), "{tally:?}");
    }
}

#[test]
fn a_small_sample_finds_most_liars_and_contradictions_find_some_without_any() {
    let mut false_answers = [0, 0];
    for config in [tiny(), steered()] {
        // With bounds from inside jobs every liar contradicts somebody.
        let config = Config { inside_nodes: f64::INFINITY, ..config };
        let sampled = with_a_liar(100..140, &Config { audit_share: 0.2, ..config.clone() }, 50);
        let unsampled = with_a_liar(100..140, &config, 50);
        println!("{sampled:?} {unsampled:?}");
        assert_eq!((sampled.honest_convicted, unsampled.honest_convicted), (0, 0));
        assert!(unsampled.convicted > 0, "{unsampled:?}");
        assert!(sampled.convicted > unsampled.convicted, "{sampled:?} {unsampled:?}");
        assert!(sampled.false_answers <= unsampled.false_answers, "{sampled:?} {unsampled:?}");
        false_answers[0] += sampled.false_answers;
        false_answers[1] += unsampled.false_answers;
    }
    assert!(false_answers[0] < false_answers[1], "{false_answers:?}");
}
