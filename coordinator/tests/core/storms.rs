//! Everything that can go wrong at once, seed after seed, on the core and the real store together.
//!
//! `cargo xtask faults --seeds N` runs many; here are as many as take seconds.

use std::env;
use std::rc::Rc;

use outflank_checker::resolve::resolve;
use outflank_checker::sample::Sample;
use outflank_checker::verify::verify;
use outflank_coordinator::core::Config;
use outflank_coordinator::proof::{Options, export};
use outflank_engine::{Position, Window};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::world::{Faults, Happened, World, in_turn};

/// The number of seeds, unless `OUTFLANK_FAULT_SEEDS` says another, and the first one, unless
/// `OUTFLANK_FAULT_FIRST` does.
const SEEDS: u64 = 40;
const FIRST: u64 = 0;

/// Returns what goes wrong: every fault in its own measure.
fn faults(random: &mut Random) -> Faults {
    Faults {
        lost: random.below(15),
        repeated: random.below(20),
        late: random.below(15),
        failed: random.below(15),
        wrong: 0,
        churn: random.below(40),
        slow_disk: random.below(4) * 50,
        ..Faults::default()
    }
}

/// Runs a cluster under `seed` until its requests are answered, and checks everything.
pub(crate) fn storm(seed: u64, oracle: &Rc<Oracle>, roots: &[Position]) -> Happened {
    let mut random = Random(seed);
    let with_liar = seed.is_multiple_of(4);
    let audit_share = if with_liar { 1.0 } else { 0.1 };
    let config = Config { audit_share, audit_seed: seed, ..in_turn(seed / 4) };
    let faults = faults(&mut random);
    let mut world = World::new(seed, oracle, config, faults).on_real_store();
    // Of the seeds with liars, too, and with each of the sizes.
    if seed / 4 % 5 < 2 {
        world = world.with_sharing();
    }
    let (others, threads) = (3 + random.below(3), 1 + random.below(4) as u32);
    match seed % 16 {
        0 => _ = world.join_deceiver(3, 60),
        _ if with_liar => _ = world.join_liar(2, 30),
        _ => {}
    }
    // The others of a liar may come when it has answered everything.
    let is_alone = seed % 8 == 4;
    if !is_alone {
        (0..others).for_each(|_| world.join(threads));
    }
    let asked: Vec<Position> = (0..1 + random.below(3))
        .map(|_| roots[random.below(roots.len() as u64) as usize])
        .collect();
    let mut unaudited = answer(&mut world, &asked);
    (0..others).filter(|_| is_alone).for_each(|_| world.join(threads));
    for round in 0.. {
        // What no worker can solve is owed for good.
        if unaudited == 0 || world.owed().is_empty() && unaudited == world.core.status().unaudited {
            break;
        }
        assert!(round < 10, "seed {seed} has {unaudited} debts and does not pay");
        world.settle();
        unaudited = answer(&mut world, &asked);
    }
    assert_eq!(world.outcome.wronged, 0, "seed {seed}: {:?}", world.outcome.convicted);
    world.check_promises();
    if unaudited == 0 {
        check_proof(&world, &asked);
    }
    world.outcome.happened
}

/// Asks for `roots` and returns how many claims were not audited. If all were, the answers are
/// true; they are proved still unless proofs were taken back meanwhile, which counts as all that there are.
fn answer(world: &mut World, roots: &[Position]) -> u64 {
    let taken_back = |world: &World| world.outcome.convicted.len() as u64 + world.outcome.pardoned;
    let before = taken_back(world);
    let solves: Vec<_> = roots.iter().map(|&root| world.submit(root, Window::FULL)).collect();
    world.run();
    // What was answered first may have been taken back before the last answer.
    let mut most = if taken_back(world) > before { u64::MAX } else { 0 };
    for (solve, &root) in solves.iter().zip(roots) {
        let Some(solution) = world.outcome.solved.get(solve) else {
            most = u64::MAX; // A contradiction between two, neither of whom is to be believed.
            continue;
        };
        most = most.max(solution.unaudited);
        let is_true = solution.bound.value() == Some(world.oracle().value(root));
        assert!(is_true || solution.unaudited > 0, "{:?} of {root:?}", solution.bound);
    }
    most
}

/// Has the checker verify the proof of `roots` and solve all its leaves again.
fn check_proof(world: &World, roots: &[Position]) {
    let mut file = Vec::new();
    export(world.store.store(), roots, &Options::default(), &mut file).expect("all is stored");
    let mut sample = Sample::new(usize::MAX, 64, 1);
    verify(file.as_slice(), &mut sample).expect("the proof is accepted");
    assert!(resolve(&sample.leaves(), 1, |_| ()).is_true.iter().all(|&is_true| is_true));
}

pub(crate) fn number(variable: &str, otherwise: u64) -> u64 {
    let given = env::var(variable).ok();
    given.map_or(otherwise, |text| text.parse().expect("the variable is a number"))
}

#[test]
fn whatever_goes_wrong_values_are_right_nothing_acknowledged_is_lost_and_proofs_hold() {
    let seeds = number("OUTFLANK_FAULT_SEEDS", SEEDS);
    let first = number("OUTFLANK_FAULT_FIRST", FIRST);
    let oracle = Rc::new(Oracle::default());
    let mut random = Random(77);
    let roots: Vec<Position> =
        [7, 8, 9, 8, 9, 7, 8, 9].map(|empties| position(&mut random, empties)).into();
    let mut happened = Happened::default();
    for seed in first..first + seeds {
        happened.add(storm(seed, &oracle, &roots));
    }
    println!("{seeds} seeds from {first} on, {} faults survived: {happened:?}", happened.faults());
    let of_each = [happened.lost, happened.repeated, happened.late, happened.failed];
    assert!(of_each.iter().all(|&count| count > seeds), "{happened:?}");
    assert!(happened.sent_again > 0, "{happened:?}");
    assert!(happened.restarts > seeds / 10 && happened.hung > seeds / 10, "{happened:?}");
    let of_shared = [happened.answered, happened.unanswered];
    assert!(of_shared.iter().all(|&count| count > seeds), "{happened:?}");
    assert!(happened.wrong > seeds / 10 && happened.early > seeds / 20, "{happened:?}");
}
