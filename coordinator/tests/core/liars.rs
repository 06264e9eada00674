//! Workers that tell lies are found out, and what they said is taken back and searched again.

use std::convert;
use std::ops::Range;
use std::rc::Rc;

use outflank_coordinator::core::{Config, WorkerId};
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
    /// Reports that honest workers would not have made but for what they were told.
    misled: u64,
    pardoned: u64,
    /// What workers that share searches have found out for each other.
    answered: u64,
    false_answers: u64,
    refused: u64,
}

/// Runs clusters of three honest workers and a liar.
fn with_a_liar(seeds: Range<u64>, config: &Config, lies: u64) -> Tally {
    let liar = |world: &mut World| world.join_liar(2, lies);
    with_one_that(convert::identity, liar, seeds, config, Faults::default())
}

/// Runs clusters of three honest workers and another one.
fn with_one_that(
    begins: impl Fn(World) -> World,
    joins: impl Fn(&mut World) -> WorkerId,
    seeds: Range<u64>,
    config: &Config,
    faults: Faults,
) -> Tally {
    let oracle = Rc::new(Oracle::default());
    let mut tally = Tally::default();
    for seed in seeds {
        let config = Config { audit_seed: seed, ..config.clone() };
        let mut random = Random(seed);
        let root = position(&mut random, 9);
        let mut world = begins(World::new(seed, &oracle, config, faults).on_real_store());
        for threads in [1, 2, 1] {
            world.join(threads);
        }
        let liar = joins(&mut world);
        let solve = world.submit(root, Window::FULL);
        world.run();
        let outcome = &world.outcome;
        tally.lies += outcome.happened.wrong;
        tally.misled += outcome.happened.misled;
        tally.pardoned += outcome.pardoned;
        tally.answered += outcome.happened.answered;
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

#[test]
fn honest_workers_that_believe_a_liar_are_not_convicted_for_it() {
    let deceiver = |world: &mut World| world.join_deceiver(2, 60);
    let (mut misled, mut pardoned) = (0, 0);
    for (churn, config) in [(0, tiny()), (0, steered()), (8, tiny()), (8, steered())] {
        for audit_share in [0.0, 0.3] {
            let config = Config { audit_share, ..config.clone() };
            let faults = Faults { churn, ..Faults::default() };
            let tally = with_one_that(convert::identity, deceiver, 300..320, &config, faults);
            println!("{tally:?}");
            assert!(churn > 0 || tally.convicted > 5, "{tally:?}");
            assert_eq!((tally.honest_convicted, tally.refused), (0, 0), "{tally:?}");
            misled += tally.misled;
            pardoned += tally.pardoned;
        }
    }
    // Nobody has to be excused: what workers were told is remembered, also when coordinators are killed.
    assert!(misled > 100 && pardoned == 0, "{misled} {pardoned}");
}

#[test]
fn nor_are_those_that_share_a_search_with_a_liar_and_build_on_what_it_finds_out_for_them() {
    let deceiver = |world: &mut World| world.join_deceiver(2, 60);
    let (mut misled, mut answered, mut pardoned) = (0, 0, 0);
    for (churn, slow_disk) in [(0, 0), (15, 0), (15, 200)] {
        for config in [tiny(), steered()] {
            let config = Config { audit_share: 0.3, ..config };
            let faults = Faults { churn, slow_disk, ..Faults::default() };
            let begins = World::with_sharing;
            let tally = with_one_that(begins, deceiver, 300..330, &config, faults);
            println!("{tally:?}");
            assert!(churn > 0 || tally.convicted > 5, "{tally:?}");
            assert_eq!((tally.honest_convicted, tally.refused), (0, 0), "{tally:?}");
            (misled, answered) = (misled + tally.misled, answered + tally.answered);
            // Who was told what a killed coordinator had not written yet may have to be excused.
            pardoned += if slow_disk == 0 { tally.pardoned } else { 0 };
        }
    }
    assert!(misled > 50 && answered > 100 && pardoned == 0, "{misled} {answered} {pardoned}");
}
