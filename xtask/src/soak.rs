//! `cargo xtask soak`: a real cluster whose processes are killed at random moments, for minutes.
//!
//! Rounds follow each other until the time is over. A round starts with an empty store and ends when
//! all positions are solved; then every value is compared with the known one, the store is verified,
//! a proof is exported, and the independent checker verifies it and solves a sample again. Whenever
//! the coordinator has been killed, what its store holds is compared with what it held at an earlier
//! kill: no bound that was on disk may be gone, unless proofs were taken back.

mod cluster;
mod docket;
mod judge;
mod liar;
mod network;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::Args;

use crate::folder;
use crate::load::process;
use crate::random::Random;
use cluster::Cluster;
use judge::Judge;
pub(crate) use liar::{Liar, lie};

/// Kill the processes of a cluster at random moments, and check that nothing is lost or wrong.
#[derive(Debug, Args)]
pub(crate) struct Soak {
    /// How long, in minutes; the round that is under way then is finished in peace.
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    minutes: f64,
    /// The number of workers, each with one thread.
    #[arg(long, value_name = "N", default_value_t = 4)]
    workers: usize,
    /// The memory of each worker's hash table.
    #[arg(long, value_name = "SIZE", default_value = "16M")]
    hash: String,
    /// The mean time between two faults, in seconds.
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    every: f64,
    /// The positions, as FIRST-LAST of the FFO set in tests/data/ffo.obf.
    #[arg(long, value_name = "FIRST-LAST", default_value = "20-44")]
    positions: String,
    /// The largest job, in nodes, about.
    #[arg(long, value_name = "N", default_value_t = 300_000)]
    job_nodes: u64,
    /// Have jobs as large as coordinators make them unless they are told otherwise, so that workers share what takes long.
    /// It is an error if they never do (from FFO #41 on there is time for it), but for --network, where nobody asks them.
    #[arg(long, conflicts_with = "job_nodes")]
    shared: bool,
    /// Put each process into a network namespace of its own, and cut, slow down and lose packets of the
    /// links between them instead of killing. Needs root, ip, nft and the kernel's TUN device.
    #[arg(long)]
    network: bool,
    /// Have one more worker, which lies; when it has been found out, the next one comes. Every report is audited then,
    /// and the coordinator is killed when it begins to take proofs back, too.
    #[arg(long, conflicts_with = "network")]
    liars: bool,
    /// What is random follows from it; how the processes take it does not.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The command to run, with outflank-check beside it [default: a release build of both].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// The folder for stores and logs; what is there of an earlier run is removed.
    #[arg(long, value_name = "DIR", default_value = "target/soak")]
    work: PathBuf,
}

/// Runs rounds until the time is over, and prints what was survived.
pub(crate) fn run(arguments: &Soak) -> anyhow::Result<()> {
    if arguments.network
        && let Some(reason) = network::unavailable()
    {
        println!("************************************************************");
        println!("*** SKIPPED: no faults of the network were tried here: {reason}");
        println!("************************************************************");
        return Ok(());
    }
    check(arguments)?;
    folder::check(&arguments.work)?;
    let mut judge = Judge::new(arguments)?;
    process::provide(arguments.program.as_deref())?;
    let mut random = Random(arguments.seed);
    let start = Instant::now();
    let end = start + Duration::from_secs_f64(60.0 * arguments.minutes);
    let mut rounds = 0;
    while rounds == 0 || Instant::now() < end {
        judge.begin_round()?;
        let mut cluster = Cluster::start(arguments)?;
        while !cluster.client_is_done(&mut judge)? {
            let wait = Duration::from_secs_f64(2.0 * arguments.every * random.share());
            cluster.wait(wait)?;
            if Instant::now() < end {
                let fault = cluster.strike(&mut random, &mut judge)?;
                judge.count(fault);
            } else {
                cluster.send_liar_away()?;
            }
        }
        if arguments.liars {
            cluster.prove_again(&mut judge)?;
        }
        judge.answers(&cluster.answers()?)?;
        if !arguments.network {
            judge.look(cluster.address())?;
        }
        cluster.stop()?;
        judge.end_round()?;
        rounds += 1;
    }
    judge.print(rounds, start.elapsed());
    judge.check_sharing()
}

/// The longest soak that anybody could mean, in minutes: a year.
const MOST_MINUTES: f64 = 525_600.0;

fn check(arguments: &Soak) -> anyhow::Result<()> {
    let Soak { minutes, every, workers, .. } = *arguments;
    ensure!((0.0..=MOST_MINUTES).contains(&minutes), "--minutes {minutes}: expected 0 to a year");
    ensure!((0.0..=3600.0).contains(&every), "--every {every}: expected 0 to 3600 seconds");
    ensure!(workers > 0, "--workers 0: expected at least one");
    Ok(())
}
