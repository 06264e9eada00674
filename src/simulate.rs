//! `outflank simulate`: a cluster of any size in virtual time, around the real coordinator core.

mod record;
mod sizes;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Args;
use outflank_coordinator::advisor::EngineAdvisor;
use outflank_coordinator::core::Advisor;
use outflank_engine::{BoardSize, Control, Engine, Settings};
use outflank_kernel::Isa;
use outflank_simulation::model::{
    Alone, Kind, Model, ModelAdvisor, Modelled, Oracle, Shape, Shares, known_window, roots,
};
use outflank_simulation::{Cluster, Engines, Fit, Measures, Piece, Request, simulate};
use outflank_training::plot::{Chart, Series};
use serde::Serialize;

use crate::exit::{Exit, Failure, OrExit};
use crate::{files, input, machine, memory, output};
use record::Record;

/// Simulate a cluster: how much faster are so many workers?
///
/// The real coordinator core runs on a virtual clock, on which a worker's time is its node count.
/// Without positions a synthetic game tree is solved, whose values and costs are fitted to real solves
/// (docs/simulation.md). With positions, real engines solve them on the virtual clock, so that the
/// splitting can be judged without the noise of a machine. The same arguments give the same schedule.
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// Solve these positions with real engines: a board, a move list, a file or - for standard input.
    #[arg(value_name = "POSITION|FILE|-", allow_hyphen_values = true,
        conflicts_with_all = ["empties", "roots", "seed", "seeds", "horizon"])]
    position: Option<OsString>,
    /// The numbers of workers to simulate, 1 to 10000 [default: 1,4,16,64,256,1024; of real
    /// engines those for whose hash tables, of 400 MiB each, this machine has the memory].
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=10_000))]
    workers: Vec<u16>,
    /// The threads of each worker, 1 to 256. A job on several threads is as fast as the engine's threads are on virtual clocks.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// The empty squares of the roots of the synthetic tree, 20 to 44.
    #[arg(long, value_name = "N", default_value_t = 34, value_parser = clap::value_parser!(u32).range(20..=44))]
    empties: u32,
    /// The number of roots; of one the value is asked, of more whether the side ahead holds a draw.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    roots: u32,
    /// The seed of the synthetic tree.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The number of seeds, from --seed on, whose trees are solved one after the other: the results are
    /// those of all together.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Draw the costs of the synthetic tree from a fit to the goals in FILE, which --record has written,
    /// and print the fit.
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    fit: Option<PathBuf>,
    /// The empty squares at which the synthetic tree ends [default: 10 less than the roots].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(8..=42))]
    horizon: Option<u32>,
    /// The nodes that a thread searches in a second, 1 or more.
    #[arg(long, value_name = "N", default_value_t = 29e6, value_parser = speed)]
    speed: f64,
    /// The smallest job, in predicted nodes [default: as the coordinator's].
    #[arg(long, value_name = "N", value_parser = positive)]
    shortest_job: Option<f64>,
    /// The largest job, in nodes [default: as the coordinator's].
    #[arg(long, value_name = "N", value_parser = positive)]
    longest_job: Option<f64>,
    /// The number of jobs for each request above which jobs get several threads, 1 or more [default: as the coordinator's].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    slots: Option<u32>,
    /// The number of jobs for each thread into which a request is cut [default: as the coordinator's].
    #[arg(long, value_name = "N", value_parser = positive)]
    jobs_per_thread: Option<f64>,
    /// The threads of the coordinator's own short searches, 1 to 64.
    #[arg(long, value_name = "N", default_value_t = machine::MOST_OF_COORDINATOR, value_parser = clap::value_parser!(u32).range(1..=64))]
    core_threads: u32,
    /// Let the coordinator know the values of all positions, at no cost: what perfect knowledge would
    /// give with the same splitting, messages and workers.
    #[arg(long, conflicts_with = "position")]
    oracle: bool,
    /// Ask for all positions at once, as for a list, instead of one after the other.
    #[arg(long, requires = "position")]
    together: bool,
    /// Ask whether the side ahead in the evaluation holds a draw, as of several roots of the synthetic tree, instead
    /// of the values.
    #[arg(long, requires = "position")]
    hypotheses: bool,
    /// Print below each number of workers where the time of all of them went: the shares add up to 1.
    #[arg(long, conflicts_with_all = ["position", "json"])]
    shares: bool,
    /// Do not speculate.
    #[arg(long)]
    no_speculation: bool,
    /// Do not split jobs that run while workers are idle.
    #[arg(long)]
    no_late_splits: bool,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
    /// Draw efficiency, idle and cancelled by the number of workers.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write every job as a JSON line: position, window, limit, worker, begin, end, nodes, outcome.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number.is_finite() && number > 0.0);
    number.ok_or_else(|| "expected a number above 0, such as 29e6".to_owned())
}

/// Below that the time of a schedule leaves the range of its clock.
fn speed(text: &str) -> Result<f64, String> {
    let number = positive(text).ok().filter(|&number| number >= 1.0);
    number.ok_or_else(|| "expected a number of nodes, 1 or more, such as 29e6".to_owned())
}

/// One row of the result.
#[derive(Debug, Serialize)]
struct Row {
    workers: usize,
    seconds: f64,
    /// `None`, as all that follow, where it would be a share of nothing: no worker had to search.
    speedup: Option<f64>,
    efficiency: Option<f64>,
    overhead: Option<f64>,
    idle: Option<f64>,
    needed: Option<f64>,
    cancelled: Option<f64>,
    given_up: Option<f64>,
    jobs: u64,
    nodes: u64,
    sequential_nodes: u64,
    decisions_per_second: f64,
    schedule: String,
}

/// Does what is asked.
pub(crate) fn run(asked: &Simulate) -> Result<Exit, Failure> {
    if let Some(path) = &asked.svg {
        files::check_output("--svg", path)?;
    }
    let mut record = Record::named(asked)?;
    let rows = match &asked.position {
        Some(position) => real(asked, position, &mut record)?,
        None => modelled(asked, &mut record)?,
    };
    record.finish()?;
    if let Some(path) = &asked.svg {
        let chart = chart(asked, &rows).svg();
        files::write(path, chart.as_bytes())?;
    }
    Ok(Exit::Done)
}

/// Begins what is written, after all that is asked was found to be in order: the titles of the rows, and the record.
fn begin(asked: &Simulate, record: &mut Record) -> Result<(), Failure> {
    record.begin(asked)?;
    if !asked.json {
        output::line(TITLES)?;
    }
    Ok(())
}

const TITLES: &str = "workers        time  speed-up  efficiency  overhead   idle  needed  cancelled  given up     jobs  decisions/s  schedule";

/// Simulates the synthetic trees with each number of workers.
fn modelled(asked: &Simulate, record: &mut Record) -> Result<Vec<Row>, Failure> {
    let horizon = asked.horizon.unwrap_or(asked.empties - 10);
    let Some(last) = asked.seed.checked_add(asked.seeds - 1) else {
        let error = anyhow!("from {} on there are no {} seeds", asked.seed, asked.seeds);
        return Err(error).or_exit(Exit::BadInput);
    };
    if horizon >= asked.empties {
        let error = anyhow!("the horizon of {horizon} empties is not below the roots");
        return Err(error).or_exit(Exit::BadInput);
    }
    let fit = asked.fit.as_deref().map(record::fit).transpose()?;
    if let Some(fit) = fit {
        output::note(&format!("fit to {fit}"));
    }
    begin(asked, record)?;
    let sizes = sizes::of_model(&asked.workers);
    let mut sums: Vec<(Option<Measures>, Shares)> = vec![Default::default(); sizes.len()];
    let mut sequential = 0;
    let mut rows = Vec::new();
    for seed in asked.seed..=last {
        let mut tree = Tree::grow(asked, shape(seed, horizon, fit))?;
        sequential += tree.sequential;
        for ((sum, shares), &workers) in sums.iter_mut().zip(&sizes) {
            let (measures, new_shares);
            (tree, measures, new_shares) = tree.search(asked, workers, record)?;
            *shares = shares.then(new_shares);
            let all = match sum.take() {
                Some(sum) => sum.then(measures),
                None => measures,
            };
            let all = sum.insert(all);
            // At once: the row with more workers may take an hour.
            if seed == last {
                rows.push(shown(asked, all, sequential)?);
                if asked.shares && has_searched(all) {
                    output::line(&where_the_time_went(asked, all, shares, sequential))?;
                }
            }
        }
    }
    Ok(rows)
}

/// Returns the numbers of a tree, with the costs of `fit` if there is one.
fn shape(seed: u64, horizon: u32, fit: Option<Fit>) -> Shape {
    let shape = Shape::fitted(seed, horizon);
    fit.map_or(shape, |fit| Shape {
        spread: fit.spread,
        cost: fit.cost,
        cost_of_empty: fit.cost_of_empty,
        cost_of_move: fit.cost_of_move,
        cost_of_distance: fit.cost_of_distance,
        ..shape
    })
}

/// A synthetic tree, and what one undisturbed worker finds in it.
struct Tree {
    shape: Shape,
    model: Model,
    requests: Vec<Request>,
    alones: Vec<Alone>,
    /// The nodes of one undisturbed worker.
    sequential: u64,
}

impl Tree {
    /// Has one worker search the tree alone.
    fn grow(asked: &Simulate, shape: Shape) -> Result<Self, Failure> {
        let kind = if asked.roots == 1 { Kind::Value } else { Kind::Hypothesis };
        let requests = roots(shape.seed, asked.empties, asked.roots as usize, kind);
        let requests = requests.ok_or_else(no_weights)?;
        let mut model = Model::new(shape).ok_or_else(no_weights)?;
        let alones: Vec<Alone> = requests
            .iter()
            .map(|request| model.sequential(request.position, request.window))
            .collect();
        let sequential = alones.iter().map(|alone| alone.nodes).sum();
        Ok(Self { shape, model, requests, alones, sequential })
    }

    /// Has so many workers search it. Returns the tree, what was measured, and where the time went.
    fn search(
        self,
        asked: &Simulate,
        workers: u16,
        record: &mut Record,
    ) -> Result<(Self, Measures, Shares), Failure> {
        let Self { shape, model, requests, alones, sequential } = self;
        let mut cluster = cluster(asked, workers);
        cluster.config.leaf_empties = shape.horizon;
        // Few workers are to be cut up for as many are: nobody in the model shares a search.
        cluster.config.small_up_to = 0;
        cluster.config.lines = false;
        let advisor = if asked.oracle {
            let ends = alones.iter().flat_map(|alone| [alone.bound.lower(), alone.bound.upper()]);
            let known = known_window(ends.filter(|value| value.discs().abs() < 64));
            Oracle::new(shape, known).map(boxed)
        } else {
            let positions = requests.iter().map(|request| request.position);
            let beliefs: Vec<_> = positions.zip(alones.iter().map(|alone| alone.belief)).collect();
            let advisor = ModelAdvisor::new(shape.seed, Arc::clone(&cluster.thought), &beliefs);
            advisor.map(|advisor| boxed(advisor.with_threads(asked.core_threads as usize)))
        };
        let advisor = advisor.ok_or_else(no_weights)?;
        let mut crew = Modelled::new(model, cluster.workers, cluster.threads);
        alones.iter().for_each(|alone| crew.expect(alone));
        let watch = &mut |piece: &Piece| record.add(cluster.workers, piece);
        let measures = simulate(&cluster, advisor, &requests, &mut crew, watch);
        let (model, ledger) = crew.into_parts();
        let shares = ledger.shares(measures.nodes);
        Ok((Self { shape, model, requests, alones, sequential }, measures, shares))
    }
}

fn no_weights() -> Failure {
    Failure::new(Exit::Failed, anyhow!("this build has no evaluation"))
}

fn boxed(advisor: impl Advisor + Send + 'static) -> Box<dyn Advisor + Send> {
    Box::new(advisor)
}

/// Simulates real engines with each number of workers.
fn real(asked: &Simulate, position: &OsStr, record: &mut Record) -> Result<Vec<Row>, Failure> {
    let isa = Isa::chosen().or_exit(Exit::BadInput)?;
    let problems = input::read(position, BoardSize::STANDARD)?;
    if problems.iter().all(|problem| problem.position.is_over()) {
        let error = anyhow!("every game is over, expected a position to search");
        return Err(Failure::new(Exit::BadInput, error));
    }
    let sizes = sizes::of_engines(&asked.workers, TABLE_BYTES as u64, memory::whole())?;
    begin(asked, record)?;
    let kind = if asked.hypotheses { Kind::Hypothesis } else { Kind::Value };
    let request = |position| Request {
        position,
        window: kind.window(outflank_engine::estimate(position).discs()),
    };
    let requests: Vec<Request> = problems.iter().map(|problem| request(problem.position)).collect();
    let engine = Engine::new(&Settings { isa, table_bytes: TABLE_BYTES }).context("the engine")?;
    let sequential = requests.iter().map(|request| {
        engine.clear();
        let exact = outflank_engine::Request::exact(request.position);
        let request = outflank_engine::Request { window: request.window, ..exact };
        engine.solve(&request, &Control::default()).nodes
    });
    let sequential = sequential.sum();
    drop(engine);
    let mut rows = Vec::new();
    let at_once = if asked.together { requests.len().max(1) } else { 1 };
    for workers in sizes {
        let cluster = cluster(asked, workers);
        let mut sum: Option<Measures> = None;
        for requests in requests.chunks(at_once) {
            let mut crew = Engines::new(cluster.workers, cluster.threads, TABLE_BYTES, isa)
                .context("the workers' engines")?;
            let advisor = EngineAdvisor::new(asked.core_threads as usize);
            let advisor = Box::new(advisor.context("the coordinator's estimates")?);
            let watch = &mut |piece: &Piece| record.add(cluster.workers, piece);
            let measures = simulate(&cluster, advisor, requests, &mut crew, watch);
            sum = Some(match sum {
                Some(sum) => sum.then(measures),
                None => measures,
            });
        }
        if let Some(measures) = sum {
            rows.push(shown(asked, &measures, sequential)?);
        }
    }
    Ok(rows)
}

/// The hash table of each real engine.
const TABLE_BYTES: usize = 400 << 20;

fn cluster(asked: &Simulate, workers: u16) -> Cluster {
    let mut cluster = Cluster {
        workers: usize::from(workers),
        threads: asked.threads,
        nodes_per_second: asked.speed,
        ..Cluster::default()
    };
    let config = &mut cluster.config;
    config.shortest_job = asked.shortest_job.unwrap_or(config.shortest_job);
    config.slots_of_each = asked.slots.map_or(config.slots_of_each, |slots| slots as usize);
    config.longest_job = asked.longest_job.unwrap_or(config.longest_job);
    config.jobs_per_thread = asked.jobs_per_thread.unwrap_or(config.jobs_per_thread);
    config.speculation = !asked.no_speculation;
    if asked.no_late_splits {
        (config.split_after, config.split_soon) = (Duration::MAX, Duration::MAX);
    }
    cluster
}

/// Prints one row and returns it.
fn shown(asked: &Simulate, measures: &Measures, sequential: u64) -> Result<Row, Failure> {
    let seconds = measures.makespan as f64 / 1e6;
    let is_searched = has_searched(measures) && sequential > 0;
    let known = |share: f64| is_searched.then_some(share);
    let speedup = sequential as f64 / asked.speed / seconds;
    let row = Row {
        workers: measures.workers,
        seconds,
        speedup: known(speedup),
        efficiency: known(speedup / measures.threads as f64),
        overhead: known(measures.nodes as f64 / sequential as f64 - 1.0),
        idle: known(measures.idle()),
        needed: known(measures.needed_nodes as f64 / measures.nodes as f64),
        cancelled: known(measures.cancelled_share()),
        given_up: known(measures.overran_nodes as f64 / measures.nodes as f64),
        jobs: measures.jobs,
        nodes: measures.nodes,
        sequential_nodes: sequential,
        decisions_per_second: measures.decisions_per_second(),
        schedule: format!("{:016x}", measures.schedule),
    };
    let line = if asked.json {
        serde_json::to_string(&row).context("a row as JSON")?
    } else {
        format!(
            "{:7} {:10.2}s {:>9} {:>11} {:>9} {:>6} {:>7} {:>10} {:>9} {:8} {:12.0}  {}",
            row.workers,
            row.seconds,
            cell(row.speedup, |share| format!("{share:.1}")),
            cell(row.efficiency, thousandths),
            cell(row.overhead, |share| format!("{share:+.3}")),
            cell(row.idle, thousandths),
            cell(row.needed, thousandths),
            cell(row.cancelled, thousandths),
            cell(row.given_up, thousandths),
            row.jobs,
            row.decisions_per_second,
            row.schedule
        )
    };
    output::line(&line)?;
    if !is_searched {
        output::note(&format!(
            "of {} workers none searched a node: the coordinator's own searches were enough",
            row.workers
        ));
    }
    Ok(row)
}

/// Returns whether workers had something to do. Positions that the coordinator's own short searches decide reach none,
/// and take no time on its clock.
fn has_searched(measures: &Measures) -> bool {
    measures.makespan > 0 && measures.nodes > 0
}

/// Returns the text of a share, or that there is none.
fn cell(share: Option<f64>, text: impl Fn(f64) -> String) -> String {
    share.map_or_else(|| "-".to_owned(), text)
}

fn thousandths(share: f64) -> String {
    format!("{share:.3}")
}

/// Returns the shares of the time of all workers: the efficiency, less what they did not have to search because
/// others had, and what is lost.
fn where_the_time_went(
    asked: &Simulate,
    measures: &Measures,
    shares: &Shares,
    sequential: u64,
) -> String {
    let time = measures.makespan as f64 / 1e6 * asked.speed * measures.threads as f64;
    let share = |nodes: f64| nodes / time;
    let rest = 1.0 - share(measures.nodes as f64);
    let (waiting, idle) = if asked.threads > 1 {
        (format!("{:.3} in step, ", rest - measures.idle()), measures.idle())
    } else {
        (String::new(), rest)
    };
    format!(
        "        {:.3} as one worker, {:+.3} saved, {:.3} disordered, {:.3} misguided, {:.3} again, {:.3} broken off, {waiting}{idle:.3} idle",
        share(sequential as f64),
        share(shares.shared - sequential as f64),
        share(shares.disordered),
        share(shares.misguided),
        share(shares.again),
        share(shares.broken_off),
    )
}

fn chart(asked: &Simulate, rows: &[Row]) -> Chart {
    let points = |value: fn(&Row) -> Option<f64>| -> Vec<(f64, f64)> {
        rows.iter().filter_map(|row| Some((row.workers as f64, value(row)?))).collect()
    };
    let what = match &asked.position {
        Some(position) => position.to_string_lossy().into_owned(),
        None => format!("{} of {} empties, seed {}", asked.roots, asked.empties, asked.seed),
    };
    Chart {
        title: format!("Simulated cluster: {what}"),
        across: "workers".to_owned(),
        up: "share".to_owned(),
        logarithmic: true,
        series: vec![
            Series { name: "efficiency".to_owned(), points: points(|row| row.efficiency) },
            Series { name: "idle".to_owned(), points: points(|row| row.idle) },
            Series { name: "cancelled".to_owned(), points: points(|row| row.cancelled) },
        ],
    }
}
