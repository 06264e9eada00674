//! What operators see survives the wire, and what cannot be is refused by name.

use std::time::Duration;

use outflank_engine::{Position, Score, Window};
use outflank_proto::fleet::{JobCounts, Overview, RunningJob, Totals, WorkerState};
use outflank_proto::v1;
use proptest::collection::vec;
use proptest::prelude::*;

fn span() -> impl Strategy<Value = Duration> {
    any::<u64>().prop_map(Duration::from_millis)
}

fn counts() -> impl Strategy<Value = JobCounts> {
    any::<(u64, u64, u64)>().prop_map(|(done, stopped, failed)| JobCounts { done, stopped, failed })
}

fn window() -> impl Strategy<Value = Window> {
    (-32..32_i32, 1..64_i32).prop_map(|(lower, width)| {
        let score = |half: i32| Score::new(2 * half.min(32)).expect("even, and on the board");
        Window::new(score(lower), score(lower + width)).expect("lower < upper")
    })
}

fn job() -> impl Strategy<Value = RunningJob> {
    (any::<(u64, u64)>(), window(), any::<u32>(), span(), any::<u64>()).prop_map(
        |((player, opponent), window, threads, age, nodes)| {
            let position = Position::new(player & !opponent, opponent & !player);
            let position = position.expect("the boards share no square");
            RunningJob { position, window, threads, age, nodes }
        },
    )
}

fn worker() -> impl Strategy<Value = WorkerState> {
    let texts = (".*", ".*", ".*", ".*");
    let numbers = any::<(u32, u64, bool, u64)>();
    let rate = 0.0..1e15_f64;
    (texts, numbers, rate, (span(), span()), counts(), vec(job(), 0..4)).prop_map(
        |(texts, numbers, nodes_per_second, (joined, heard), jobs, running)| {
            let (name, host, build, isa) = texts;
            let (threads, table_bytes, is_draining, nodes) = numbers;
            WorkerState {
                name,
                host,
                build,
                isa,
                threads,
                table_bytes,
                joined,
                heard,
                is_draining,
                nodes_per_second,
                nodes,
                jobs,
                running,
            }
        },
    )
}

fn overview() -> impl Strategy<Value = Overview> {
    let numbers = any::<[u64; 11]>();
    (".*", span(), vec(worker(), 0..4), counts(), numbers).prop_map(
        |(build, up, workers, jobs, numbers)| {
            let [joined, nodes, proofs, requests, questions, positions, rest @ ..] = numbers;
            let [audits_open, unaudited, given_up, illegal_claims, refused] = rest;
            Overview {
                build,
                up,
                workers,
                totals: Totals { joined, nodes, jobs, errands: nodes / 7 },
                proofs,
                requests,
                questions,
                positions,
                audits_open,
                unaudited,
                given_up,
                illegal_claims,
                refused,
            }
        },
    )
}

proptest! {
    #[test]
    fn what_is_seen_survives_the_wire(overview in overview()) {
        let wire = v1::Overview::from(overview.clone());
        prop_assert_eq!(Overview::try_from(wire), Ok(overview));
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let job = v1::RunningJob {
        position: Some(Position::START.into()),
        window: Some(Window::FULL.into()),
        ..v1::RunningJob::default()
    };
    let worker = |job, nodes_per_second| v1::WorkerState {
        jobs: vec![job],
        nodes_per_second,
        ..v1::WorkerState::default()
    };
    let told = |worker| {
        let wire = v1::Overview { workers: vec![worker], ..v1::Overview::default() };
        Overview::try_from(wire).map_err(|error| error.to_string())
    };
    assert!(told(worker(job, 1.0)).is_ok());
    assert!(told(worker(job, 0.0)).is_ok(), "it has nothing to do");
    let names = |told: Result<Overview, String>, field: &str| {
        let error = told.expect_err("it cannot be");
        assert!(error.starts_with(&format!("field {field} is ")), "{error}");
    };
    for rate in [-1.0, f64::NAN, f64::INFINITY] {
        names(told(worker(job, rate)), "workers[0].nodes_per_second");
    }
    let homeless = v1::RunningJob { position: None, ..job };
    names(told(worker(homeless, 1.0)), "workers[0].jobs[0].position");
    let window = v1::Window { lower: 2, upper: 2 };
    names(
        told(worker(v1::RunningJob { window: Some(window), ..job }, 1.0)),
        "workers[0].jobs[0].window",
    );
}
