//! When nothing goes wrong any more, every request ends, whatever has gone wrong before, and nothing is left of any.
//!
//! `OUTFLANK_FAULT_SEEDS=N` runs many seeds, from `OUTFLANK_FAULT_FIRST` on; here are as many as take seconds.

use std::rc::Rc;

use outflank_coordinator::core::{Config, SolveId};
use outflank_engine::{Position, Window};

use crate::oracle::Oracle;
use crate::random::{Random, position};
use crate::storms::number;
use crate::world::{Faults, Happened, World, in_turn};

/// The number of seeds, and the first one, unless the environment says others.
const SEEDS: u64 = 30;
const FIRST: u64 = 0;

/// Seeds under which requests did not end, since what an accused worker was told was asked about again and again where
/// nothing had room to be owed; or ended with a contradiction for good that nobody was asked about.
const FOUND: [u64; 5] = [12036, 1_103_251, 2_102_982, 2_200_384, 2_201_662];

const MINUTE: u64 = 60_000;

/// So long requests may take when nothing goes wrong any more, in milliseconds: who rests does so for five minutes at most,
/// what stands still is missed after five, and what is left to search takes as long; an answer waits for half an hour more
/// where a few workers have many claims to judge.
const LONGEST: u64 = 60 * MINUTE;

/// So long it may take until what is owed is paid: what could not be judged again and again waits for an hour.
const UNTIL_PAID: u64 = 3 * 60 * MINUTE;

/// So many workers that never lied decide any contradiction.
const ENOUGH: usize = 3;

/// Returns what goes wrong, where half of the networks and a part of everything else are sound.
fn faults(random: &mut Random) -> Faults {
    let of_network = random.below(2);
    Faults {
        lost: of_network * random.below(15),
        repeated: of_network * random.below(20),
        late: of_network * random.below(15),
        failed: random.below(2) * random.below(40),
        wrong: 0,
        churn: random.below(2) * random.below(40),
        slow_disk: random.below(4) * 50,
        fickle: random.below(50),
        leaps: random.below(2) * random.below(3),
    }
}

fn config(seed: u64, random: &mut Random) -> Config {
    let config = in_turn(random.below(12));
    let audit_share = [0.0, 0.1, 1.0][random.below(3) as usize];
    // What a judge may take is no more than the oracle can.
    let longest_job = config.longest_job.min(1e5);
    let mut config = Config { audit_seed: seed, audit_share, longest_job, ..config };
    if random.chance(20) {
        config.most_owed = random.below(4) as usize;
    }
    if random.chance(20) {
        config.most_told = random.below(40) as usize;
    }
    config
}

/// Returns a cluster of which nothing is to be expected, with some requests.
fn world(seed: u64, random: &mut Random, oracle: &Rc<Oracle>, roots: &[Position]) -> World {
    let config = config(seed, random);
    let faults = faults(random);
    let mut world = World::new(seed, oracle, config, faults).about(roots).with_few();
    if random.chance(40) {
        world = world.with_sharing();
    }
    if random.chance(40) {
        world = world.in_turns(1 + random.below(4) as usize);
    }
    (0..random.below(4)).for_each(|_| world.join(1 + random.below(4) as u32));
    (0..1 + random.below(3)).for_each(|_| world.change_a_mind());
    for _ in 0..random.below(4) {
        let (threads, mischief) = (1 + random.below(3) as u32, 5 + random.below(60));
        world.join_mischievous(threads, mischief);
        world.run_for(random.below(40_000));
        if random.chance(30) {
            world.join(1 + random.below(4) as u32);
        }
    }
    world.run_for(random.below(120_000));
    if random.chance(40) {
        // Of what a false inference was made from something may be among it.
        world.restart_damaged(1 + random.below(80));
        world.run_for(random.below(60_000));
    }
    world
}

/// Runs a cluster under `seed`, ends all that goes wrong, and checks that all requests end, too, and leave nothing.
fn progress(seed: u64, oracle: &Rc<Oracle>, roots: &[Position]) -> Happened {
    let mut random = Random(seed);
    let mut world = world(seed, &mut random, oracle, roots);
    let honest = 1 + random.below(4) as usize;
    world.calm(honest);
    end(&mut world, seed);
    if random.chance(20) {
        world.run_for(UNTIL_PAID);
        let owed = world.owed();
        assert!(honest < ENOUGH || owed.is_empty(), "seed {seed} does not pay {owed:?}");
    }
    answer(&mut world, seed, honest, roots);
    assert!(world.run_until(LONGEST, World::is_idle), "seed {seed}: {:?}", world.core);
    world.run_for(MINUTE);
    // What is owed may just have been taken up again.
    assert!(world.run_until(LONGEST, World::is_idle), "seed {seed}: {:?}", world.core);
    let status = world.core.status();
    let of_requests = [status.solves, status.questions, status.positions, status.jobs_running];
    assert_eq!(of_requests, [0; 4], "seed {seed}");
    let kept: Vec<_> = world.core.kept().into_iter().filter(|&(_, count)| count > 0).collect();
    assert_eq!(kept, [], "seed {seed}");
    world.outcome.happened
}

/// Asks for all `roots`, which are answered if there are enough workers to decide everything. Whose judges have been lost
/// again and again before may be told so once.
fn answer(world: &mut World, seed: u64, honest: usize, roots: &[Position]) {
    let mut open = roots.to_vec();
    for _ in 0..2 {
        let ask = |&root: &Position| (root, world.submit(root, Window::FULL));
        let solves: Vec<(Position, SolveId)> = open.iter().map(ask).collect();
        end(world, seed);
        let unsolved = solves.iter().filter(|(_, id)| !world.outcome.solved.contains_key(id));
        open = unsolved.map(|&(root, _)| root).collect();
    }
    let are_solved = open.is_empty();
    assert!(honest < ENOUGH || are_solved, "seed {seed}: there are enough to decide everything");
}

/// Runs until all requests have ended.
fn end(world: &mut World, seed: u64) {
    let have_ended = world.run_until(LONGEST, |world| world.open() == 0);
    let (core, kept) = (&world.core, world.core.kept());
    assert!(have_ended, "seed {seed}: {} requests do not end: {core:?} {kept:?}", world.open());
}

#[test]
fn requests_end_when_nothing_goes_wrong_any_more_and_leave_nothing() {
    let seeds = number("OUTFLANK_FAULT_SEEDS", SEEDS);
    let first = number("OUTFLANK_FAULT_FIRST", FIRST);
    let oracle = Rc::new(Oracle::default());
    let mut random = Random(78);
    let roots = [7, 8, 9].map(|empties| position(&mut random, empties));
    let mut happened = Happened::default();
    for seed in (first..first + seeds).chain(FOUND) {
        happened.add(progress(seed, &oracle, &roots));
    }
    println!("{seeds} seeds from {first} on, {} faults survived: {happened:?}", happened.faults());
    let of_each = [happened.unasked, happened.given_up, happened.failed, happened.hung];
    assert!(of_each.iter().all(|&count| count > seeds / 4), "{happened:?}");
    let of_some = [happened.leaps, happened.restarts, happened.damaged];
    assert!(of_some.iter().all(|&count| count > seeds / 10), "{happened:?}");
}
