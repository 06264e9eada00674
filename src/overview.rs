//! A cluster at one moment, as text and as JSON.

use std::time::Duration;
use std::{array, iter};

use anyhow::Context;
use outflank_checker::printable::printable;
use outflank_engine::notation::{self, Side};
use outflank_proto::campaign::Campaign;
use outflank_proto::fleet::{JobCounts, Overview, RunningJob, WorkerState};
use serde::Serialize;
use serde_json::Value;

use crate::numbers::{counted, grouped, short};
use crate::{campaign, output};

/// Returns the nodes that all workers together search each second.
pub(crate) fn nodes_per_second(overview: &Overview) -> f64 {
    // Not a sum: that of nothing is -0.
    overview.workers.iter().fold(0.0, |all, worker| all + worker.nodes_per_second)
}

/// Returns the search threads of all workers.
pub(crate) fn threads(overview: &Overview) -> u64 {
    overview.workers.iter().map(|worker| u64::from(worker.threads)).sum()
}

/// Returns the jobs that run.
pub(crate) fn running(overview: &Overview) -> u64 {
    overview.workers.iter().map(|worker| worker.running.len() as u64).sum()
}

/// A worker that was not heard for so long has a problem, or its network: it should speak every few seconds.
const SILENCE: Duration = Duration::from_secs(15);

/// Returns the workers, those first that an operator should look into.
fn troubled_first(overview: &Overview) -> Vec<&WorkerState> {
    let mut workers: Vec<&WorkerState> = overview.workers.iter().collect();
    workers.sort_by_key(|worker| (worker.heard < SILENCE, worker.jobs.failed == 0));
    workers
}

/// Returns the lines about the cluster as a whole.
pub(crate) fn summary(overview: &Overview) -> Vec<String> {
    let Overview { totals, .. } = overview;
    let JobCounts { done, stopped, failed } = totals.jobs;
    let workers = counted(overview.workers.len() as u64, "worker");
    let mut lines = vec![
        format!(
            "{workers}, {}, {} running, {} nodes/s",
            counted(threads(overview), "thread"),
            counted(running(overview), "job"),
            short(nodes_per_second(overview)),
        ),
        format!(
            "{} open, {} about {}; {} in the store",
            counted(overview.requests, "request"),
            counted(overview.questions, "question"),
            counted(overview.positions, "position"),
            counted(overview.proofs, "proof"),
        ),
        format!(
            "up {}: {} nodes, {} answered, {} stopped, {} failed, {}; {} of workers",
            brief(overview.up),
            short(totals.nodes as f64),
            counted(done, "job"),
            grouped(stopped),
            grouped(failed),
            counted(totals.errands, "errand"),
            counted(totals.joined, "connection"),
        ),
    ];
    lines.extend(worries(overview));
    lines
}

/// Returns what an operator should look into, a line each.
fn worries(overview: &Overview) -> Vec<String> {
    let counts = [
        (
            overview.refused,
            "worker process",
            "was wrong and is refused",
            "were wrong and are refused",
        ),
        (overview.illegal_claims, "claim", "of workers made no sense", "of workers made no sense"),
        (overview.given_up, "job", "was lost or failed too often", "were lost or failed too often"),
        (overview.unaudited, "claim", "no other worker could audit", "no other worker could audit"),
    ];
    let some = counts.into_iter().filter(|&(count, ..)| count > 0);
    some.map(|(count, what, one, many)| {
        let plural = match (count, what) {
            (1, _) => what.to_owned(),
            (_, "worker process") => "worker processes".to_owned(),
            _ => format!("{what}s"),
        };
        let says = if count == 1 { one } else { many };
        format!("LOOK INTO  {} {plural} {says}", grouped(count))
    })
    .collect()
}

/// The titles of the columns of workers. What a terminal of 80 columns has place for comes first.
const TITLES: [&str; COLUMNS] = [
    "worker",
    "heard",
    "jobs",
    "threads",
    "nodes/s",
    " longest job",
    "failed",
    "done",
    "nodes",
    "up",
    "isa",
];
/// How wide they are at least, so that they stay where they are while the numbers in them change.
const WIDTHS: [usize; COLUMNS] = [0, 0, 0, 0, 7, 41, 0, 7, 7, 3, 0];
const COLUMNS: usize = 11;

/// Returns the titles of the columns and a line about each worker, those first that an operator should look into.
pub(crate) fn table(overview: &Overview) -> Vec<String> {
    let rows = troubled_first(overview).into_iter().map(row);
    let rows: Vec<_> = iter::once(TITLES.map(str::to_owned)).chain(rows).collect();
    let widths = array::from_fn(|column| {
        let texts = rows.iter().map(|row| row[column].chars().count());
        texts.fold(WIDTHS[column], usize::max)
    });
    rows.iter().map(|row| columns(row, widths)).collect()
}

/// Returns what there is to say about one worker.
fn row(worker: &WorkerState) -> [String; COLUMNS] {
    let longest = worker.running.first().map_or_else(String::new, longest);
    let leaving = if worker.is_draining { "  leaving" } else { "" };
    [
        printable(&worker.name),
        brief(worker.heard),
        worker.running.len().to_string(),
        worker.threads.to_string(),
        short(worker.nodes_per_second),
        format!(" {longest}{leaving}"),
        grouped(worker.jobs.failed),
        grouped(worker.jobs.done),
        short(worker.nodes as f64),
        brief(worker.joined),
        printable(&worker.isa),
    ]
}

fn columns(texts: &[String; COLUMNS], widths: [usize; COLUMNS]) -> String {
    let cells = texts.iter().zip(TITLES).zip(widths).map(|((text, title), width)| match title {
        "worker" | " longest job" | "isa" => format!("{text:<width$}"),
        _ => format!("{text:>width$}"),
    });
    cells.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

fn longest(job: &RunningJob) -> String {
    let (empties, window) = (job.position.empties(), output::asked(job.window));
    format!("{} {empties} empties {window}, {} nodes", brief(job.age), short(job.nodes as f64))
}

/// Returns a span of time in few characters: `12s`, `3m`, `5h`, `8d`.
fn brief(span: Duration) -> String {
    match span.as_secs() {
        seconds @ 0..100 => format!("{seconds}s"),
        seconds @ 100..6000 => format!("{}m", seconds / 60),
        seconds @ 6000..172_800 => format!("{}h", seconds / 3600),
        seconds => format!("{}d", seconds / 86_400),
    }
}

/// Returns the overview and the campaigns as one line of JSON.
pub(crate) fn json(overview: &Overview, campaigns: &[Campaign]) -> anyhow::Result<String> {
    serde_json::to_string(&value(overview, campaigns)?).context("writing JSON")
}

/// Returns the overview and the campaigns as JSON.
pub(crate) fn value(overview: &Overview, campaigns: &[Campaign]) -> anyhow::Result<Value> {
    let mut value = serde_json::to_value(Object::of(overview)).context("writing JSON")?;
    let campaigns = campaigns.iter().map(campaign::value).collect::<Result<Vec<_>, _>>()?;
    value["campaigns"] = Value::Array(campaigns);
    Ok(value)
}

#[derive(Serialize)]
struct Object<'a> {
    build: &'a str,
    up_seconds: f64,
    threads: u64,
    jobs_running: u64,
    nodes_per_second: f64,
    requests: u64,
    questions: u64,
    positions: u64,
    proofs: u64,
    audits_open: u64,
    unaudited: u64,
    given_up: u64,
    illegal_claims: u64,
    refused: u64,
    connections: u64,
    nodes: u64,
    jobs_done: u64,
    jobs_stopped: u64,
    jobs_failed: u64,
    errands: u64,
    workers: Vec<WorkerObject<'a>>,
}

#[derive(Serialize)]
struct WorkerObject<'a> {
    name: &'a str,
    host: &'a str,
    build: &'a str,
    isa: &'a str,
    threads: u32,
    table_bytes: u64,
    joined_seconds: f64,
    heard_seconds: f64,
    draining: bool,
    nodes_per_second: f64,
    nodes: u64,
    jobs_done: u64,
    jobs_stopped: u64,
    jobs_failed: u64,
    running: Vec<JobObject>,
}

#[derive(Serialize)]
struct JobObject {
    position: String,
    empties: u32,
    lower: i32,
    upper: i32,
    threads: u32,
    seconds: f64,
    nodes: u64,
}

impl<'a> Object<'a> {
    fn of(overview: &'a Overview) -> Self {
        let JobCounts { done, stopped, failed } = overview.totals.jobs;
        Self {
            build: &overview.build,
            up_seconds: overview.up.as_secs_f64(),
            threads: threads(overview),
            jobs_running: running(overview),
            nodes_per_second: nodes_per_second(overview),
            requests: overview.requests,
            questions: overview.questions,
            positions: overview.positions,
            proofs: overview.proofs,
            audits_open: overview.audits_open,
            unaudited: overview.unaudited,
            given_up: overview.given_up,
            illegal_claims: overview.illegal_claims,
            refused: overview.refused,
            connections: overview.totals.joined,
            nodes: overview.totals.nodes,
            jobs_done: done,
            jobs_stopped: stopped,
            jobs_failed: failed,
            errands: overview.totals.errands,
            workers: overview.workers.iter().map(WorkerObject::of).collect(),
        }
    }
}

impl<'a> WorkerObject<'a> {
    fn of(worker: &'a WorkerState) -> Self {
        let JobCounts { done, stopped, failed } = worker.jobs;
        Self {
            name: &worker.name,
            host: &worker.host,
            build: &worker.build,
            isa: &worker.isa,
            threads: worker.threads,
            table_bytes: worker.table_bytes,
            joined_seconds: worker.joined.as_secs_f64(),
            heard_seconds: worker.heard.as_secs_f64(),
            draining: worker.is_draining,
            nodes_per_second: worker.nodes_per_second,
            nodes: worker.nodes,
            jobs_done: done,
            jobs_stopped: stopped,
            jobs_failed: failed,
            running: worker.running.iter().map(JobObject::of).collect(),
        }
    }
}

impl JobObject {
    fn of(job: &RunningJob) -> Self {
        Self {
            position: notation::board(job.position, Side::Black),
            empties: job.position.empties(),
            lower: job.window.lower().discs(),
            upper: job.window.upper().discs(),
            threads: job.threads,
            seconds: job.age.as_secs_f64(),
            nodes: job.nodes,
        }
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Position, Window};
    use outflank_proto::fleet::Totals;

    use super::*;

    fn worker() -> WorkerState {
        let job = RunningJob {
            position: Position::START,
            window: Window::FULL,
            threads: 1,
            age: Duration::from_secs(150),
            nodes: 2_500_000,
        };
        WorkerState {
            name: "host\x1b[2J/1".to_owned(),
            host: "host".to_owned(),
            build: "a build".to_owned(),
            isa: "avx2".to_owned(),
            threads: 8,
            table_bytes: 1 << 30,
            joined: Duration::from_secs(7200),
            heard: Duration::from_millis(900),
            is_draining: true,
            nodes_per_second: 2e8,
            nodes: 1_440_000_000_000,
            jobs: JobCounts { done: 1234, stopped: 5, failed: 0 },
            running: vec![job],
        }
    }

    fn overview() -> Overview {
        Overview {
            build: "a build".to_owned(),
            up: Duration::from_secs(200_000),
            workers: vec![worker()],
            totals: Totals::default(),
            proofs: 1_000_000,
            requests: 1,
            questions: 2,
            positions: 3,
            audits_open: 0,
            unaudited: 0,
            given_up: 0,
            illegal_claims: 0,
            refused: 0,
        }
    }

    #[test]
    fn a_row_has_its_columns_and_nothing_that_steers_the_terminal() {
        let long = WorkerState { name: format!("{}/2", "host".repeat(20)), ..worker() };
        let table = table(&Overview { workers: vec![worker(), long], ..overview() });
        assert!(table[1].starts_with("host\\u{1b}[2J/1  "), "{table:?}");
        let expected = "    0s    1       8 200.0 M  2m 60 empties -64 to +64, 2.5 M nodes  leaving      \
                        0   1,234   1.4 T  2h avx2";
        assert!(table[1].ends_with(expected), "{table:?}");
        let place = |text: &str, what| text.find(what).map(|start| start + str::len(what));
        let places =
            [place(&table[0], "threads"), place(&table[1], "  8"), place(&table[2], "  8")];
        assert_eq!(places, [Some(82 + 6 + 5 + 8); 3], "columns end together: {table:?}");
    }

    #[test]
    fn a_terminal_of_80_columns_shows_silence_and_the_running_job() {
        let name = "n1/7f359cbe86b58bbe".to_owned();
        let table =
            table(&Overview { workers: vec![WorkerState { name, ..worker() }], ..overview() });
        let shown: String = table[1].chars().take(80).collect();
        assert_eq!(
            shown,
            "n1/7f359cbe86b58bbe    0s    1       8 200.0 M  2m 60 empties -64 to +64, 2.5 M "
        );
    }

    #[test]
    fn what_should_not_be_is_said_and_nothing_else() {
        assert_eq!(summary(&overview()).len(), 3, "{:?}", summary(&overview()));
        let worse = Overview { refused: 2, unaudited: 1, given_up: 3, ..overview() };
        assert_eq!(
            summary(&worse)[3..],
            [
                "LOOK INTO  2 worker processes were wrong and are refused",
                "LOOK INTO  3 jobs were lost or failed too often",
                "LOOK INTO  1 claim no other worker could audit",
            ]
        );
    }

    #[test]
    fn who_is_silent_or_fails_comes_first() {
        let named = |name: &str| WorkerState { name: name.to_owned(), ..worker() };
        let silent = WorkerState { heard: Duration::from_secs(20), ..named("d") };
        let failing = WorkerState { jobs: JobCounts { failed: 1, ..worker().jobs }, ..named("c") };
        let workers = vec![named("a"), named("b"), failing, silent];
        let overview = Overview { workers, ..overview() };
        let names: Vec<_> = troubled_first(&overview).iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["d", "c", "a", "b"]);
    }

    #[test]
    fn spans_are_brief() {
        let spans = [99, 100, 5999, 6000, 172_799, 172_800].map(Duration::from_secs).map(brief);
        assert_eq!(spans, ["99s", "1m", "99m", "1h", "47h", "2d"]);
    }
}
