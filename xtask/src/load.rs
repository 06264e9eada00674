//! `cargo xtask load`: thousands of workers as real gRPC streams against one real coordinator.
//!
//! The coordinator is the release build of the command, with its store on disk, cutting real
//! positions into real jobs. The workers are tasks of this process: each speaks the whole protocol,
//! keeps a job for a random time as if it searched, then solves it with a shared engine in a moment
//! (the jobs are small), tells of bounds inside it, and reports it. Measured are the answers that workers wait for, over the
//! second part of the run. In the end the coordinator is
//! killed, and its store must have every bound that it has acknowledged.

mod measures;
pub(crate) mod process;
mod promises;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use outflank_engine::{Engine, Position, Settings, Square};
use outflank_kernel::Isa;
use outflank_proto::v1::solver_client::SolverClient;
use outflank_proto::{MOST_CALLS, v1};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};
use tonic::transport::Channel;

use measures::Measures;
use process::Coordinator;
use promises::Promises;
use worker::Plan;

use crate::folder;

/// Seconds in a day, longer than which nobody measures.
const A_DAY: u64 = 86_400;

/// Where so many workers have found so many bounds inside their jobs, some are told of those of others.
const MANY: u32 = 1000;

/// Load one coordinator with thousands of workers over loopback and measure what they wait for.
#[derive(Debug, Args)]
pub(crate) struct Load {
    /// The number of workers.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    workers: u32,
    /// The number of connections that carry them, at most 256 each [default: one for each worker].
    #[arg(long, value_name = "N")]
    connections: Option<u32>,
    /// The mean time that a worker keeps a job, in seconds.
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    job_seconds: f64,
    /// The time before measuring, in seconds.
    #[arg(long, value_name = "S", default_value_t = 40, value_parser = clap::value_parser!(u64).range(..=A_DAY))]
    warm_up: u64,
    /// The time of measuring, in seconds.
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=A_DAY))]
    seconds: u64,
    /// The nodes of a job, about: small, since this machine must search all of them.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    job_nodes: u64,
    /// The bounds from inside their jobs that all workers together tell of, in a second. Of real workers come hardly more
    /// than this, however many there are.
    #[arg(long, value_name = "N", default_value_t = 200.0)]
    found: f64,
    /// The number of positions that are asked for at the same time.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    roots: u64,
    /// The empty squares of these positions.
    #[arg(long, value_name = "N", default_value_t = 26, value_parser = clap::value_parser!(u32).range(1..=60))]
    empties: u32,
    /// Kill the coordinator after half of the measured time and start it again on its store.
    #[arg(long)]
    restart: bool,
    /// The command to run, with outflank-check beside it [default: a release build of both].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// The folder for the store; it is removed at the end.
    #[arg(long, value_name = "DIR", default_value = "target/load")]
    work: PathBuf,
}

impl Load {
    /// Returns how many connections carry the workers.
    fn connections(&self) -> u32 {
        self.connections.unwrap_or(self.workers).clamp(1, self.workers)
    }
}

/// Loads, measures and prints.
pub(crate) fn run(arguments: &Load) -> anyhow::Result<()> {
    let Load { workers, job_seconds, .. } = *arguments;
    ensure!(workers > 0, "--workers 0: expected at least one");
    ensure!(
        (0.001..=3600.0).contains(&job_seconds),
        "--job-seconds {job_seconds}: expected 0.001 to 3600"
    );
    ensure!(
        (0.0..=1e6).contains(&arguments.found),
        "--found {}: expected 0 to a million",
        arguments.found
    );
    let connections = arguments.connections();
    ensure!(
        workers.div_ceil(connections) <= MOST_CALLS,
        "--connections {connections}: expected at most {MOST_CALLS} workers for each, which a coordinator answers at a time"
    );
    folder::check(&arguments.work)?;
    process::allow_many_files()?;
    process::provide(arguments.program.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(2)
        .enable_all()
        .build()?;
    let measured = runtime.block_on(load(arguments));
    runtime.shutdown_timeout(Duration::from_secs(1));
    measured
}

async fn load(arguments: &Load) -> anyhow::Result<()> {
    let mut coordinator = Coordinator::start(&arguments.work, arguments.job_nodes)?;
    let alone = coordinator.memory()?;
    let measures = Arc::new(Measures::default());
    let promises = Arc::new(Promises::default());
    let mut tasks = JoinSet::new();
    submit_all(arguments, &coordinator, &mut tasks)?;
    let started = Instant::now();
    join_all(arguments, &coordinator, &measures, &promises, &mut tasks).await?;
    println!("{} workers joined in {:.1} s", arguments.workers, started.elapsed().as_secs_f64());
    sleep(Duration::from_secs(arguments.warm_up)).await;

    let before = process::load_average();
    let start = Instant::now();
    let (mut cpu, mut cpu_since) = (coordinator.cpu_seconds()?, start);
    measures.begin();
    let sent_before = promises.sent();
    if arguments.restart {
        sleep_until(start + Duration::from_secs(arguments.seconds) / 2).await;
        cpu_since = Instant::now();
        coordinator.restart()?;
        cpu = 0.0; // The time of the one before is gone with it.
    }
    sleep_until(start + Duration::from_secs(arguments.seconds)).await;
    let seconds = start.elapsed().as_secs_f64();
    measures.end();
    let sent = promises.sent();
    let memory = coordinator.memory()?;
    measures.print(seconds);
    println!(
        "found         {} bounds from inside jobs in {} messages: {:.1} bounds a second",
        sent.1 - sent_before.1,
        sent.0 - sent_before.0,
        (sent.1 - sent_before.1) as f64 / seconds
    );
    let share = (coordinator.cpu_seconds()? - cpu) / cpu_since.elapsed().as_secs_f64();
    let when = if arguments.restart { " since it was started again" } else { "" };
    println!("coordinator   {:.0} % of one processor{when}", 100.0 * share);
    println!(
        "memory        {:.1} MiB alone, {:.1} MiB with the workers: {:.1} KiB a worker",
        alone as f64 / 1024.0,
        memory as f64 / 1024.0,
        memory.saturating_sub(alone) as f64 / f64::from(arguments.workers)
    );
    println!("machine       load average {before} before, {} after", process::load_average());
    coordinator.kill()?;
    tasks.shutdown().await;
    promises.check(&arguments.work)?;
    let many = arguments.workers >= MANY && sent.1 - sent_before.1 >= u64::from(MANY);
    ensure!(
        !many || measures.have_told(),
        "bounds were found inside jobs, and nobody was told of any"
    );
    coordinator.end()
}

/// Connects all workers, some at a time.
async fn join_all(
    arguments: &Load,
    coordinator: &Coordinator,
    measures: &Arc<Measures>,
    promises: &Arc<Promises>,
    tasks: &mut JoinSet<()>,
) -> anyhow::Result<()> {
    let settings = Settings { isa: Isa::detect(), table_bytes: 64 << 20 };
    let engine = Arc::new(Engine::new(&settings)?);
    let connections = arguments.connections();
    let mut channels = Vec::new();
    for _ in 0..connections {
        channels.push(outflank_proto::endpoint(coordinator.address())?.connect_lazy());
    }
    for number in 0..arguments.workers {
        let plan = Plan {
            number,
            channel: channels[(number % connections) as usize].clone(),
            engine: Arc::clone(&engine),
            job_seconds: arguments.job_seconds,
            found_a_job: arguments.found * arguments.job_seconds / f64::from(arguments.workers),
            measures: Arc::clone(measures),
            promises: Arc::clone(promises),
        };
        tasks.spawn(worker::work(plan));
        if number % 50 == 49 {
            // As fast as a cluster starts, rather than all in one instant.
            sleep(Duration::from_millis(20)).await;
        }
    }
    let joined = async {
        while measures.joined() < u64::from(arguments.workers) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    let limit = Duration::from_secs(120);
    tokio::time::timeout(limit, joined).await.context("not all workers were welcomed in time")
}

/// Asks for positions, and for another one whenever one is answered.
fn submit_all(
    arguments: &Load,
    coordinator: &Coordinator,
    tasks: &mut JoinSet<()>,
) -> anyhow::Result<()> {
    let channel = outflank_proto::endpoint(coordinator.address())?.connect_lazy();
    for first in 0..arguments.roots {
        let (channel, step, empties) = (channel.clone(), arguments.roots, arguments.empties);
        tasks.spawn(async move {
            for seed in (first..).step_by(step as usize) {
                solve(channel.clone(), played(seed, empties)).await;
            }
        });
    }
    Ok(())
}

/// Asks until there is an answer.
async fn solve(channel: Channel, position: Position) {
    loop {
        let request =
            v1::SolveRequest { position: Some(position.into()), ..v1::SolveRequest::default() };
        if let Ok(updates) = SolverClient::new(channel.clone()).solve(request).await {
            let mut updates = updates.into_inner();
            while let Ok(Some(update)) = updates.message().await {
                if matches!(update.update, Some(v1::solve_update::Update::Solution(_))) {
                    return;
                }
            }
        }
        sleep(Duration::from_millis(500)).await;
    }
}

/// Returns the position of random game number `seed` with so many empty squares.
fn played(seed: u64, empties: u32) -> Position {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut position = Position::START;
    while position.empties() > empties || position.is_over() {
        if position.is_over() {
            position = Position::START;
        }
        if position.must_pass() {
            position = position.pass();
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        if let Some(next) = moves.get((state >> 33) as usize % moves.len().max(1)) {
            position = position.play(*next).expect("it is legal");
        }
    }
    position
}
