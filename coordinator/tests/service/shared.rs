//! Real engines that share searches: the values are right, whoever goes and comes meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use outflank_coordinator::client;
use outflank_coordinator::core::Config;
use outflank_coordinator::service::{Options, Service};
use outflank_coordinator::store::{Store, StoreError};
use outflank_engine::{
    Answer, Bound, Control, Engine, Errand, Position, Request, Settings, SharedHint, Window,
};
use outflank_kernel::Isa;
use outflank_proto::message::{FromMember, FromWorker, Hello, Report, ToMember, ToWorker};
use outflank_worker::{Coordinator, Solver};

use crate::support::{RawWorker, TestWorker, hello, played, service};

/// The most positions that are solved until something has happened: on a busy machine a search may be over before a
/// helper has begun.
const MOST_POSITIONS: u64 = 60;

/// So many errands show that searches are shared.
const ENOUGH: u64 = 20;

fn engine() -> Engine {
    Engine::new(&Settings { isa: Isa::detect(), table_bytes: 1 << 22 }).unwrap()
}

/// An engine that counts the errands that it has done.
struct Counting {
    engine: Engine,
    done: Arc<AtomicU64>,
}

impl Solver for Counting {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        Solver::solve(&self.engine, request, control)
    }

    fn run_errand(&self, errand: &Errand, threads: usize, control: &Control) -> Option<i32> {
        let value = Solver::run_errand(&self.engine, errand, threads, control);
        self.done.fetch_add(u64::from(value.is_some()), Ordering::Relaxed);
        value
    }

    fn know(&self, known: &[(Position, Bound)]) {
        Solver::know(&self.engine, known);
    }

    fn hear(&self, hints: &[SharedHint]) {
        Solver::hear(&self.engine, hints);
    }

    fn forget(&self) {
        Solver::forget(&self.engine);
    }
}

/// Returns a coordinator for which every job is worth sharing.
fn sharing() -> (Service, Arc<Store>) {
    let store = Arc::new(Store::in_memory());
    let core = Config { shortest_job: 1000.0, ..Config::default() };
    (service(Options { core, ..Options::default() }, store.clone()), store)
}

fn join(service: &Service, done: &Arc<AtomicU64>) -> TestWorker {
    let solver = Counting { engine: engine(), done: Arc::clone(done) };
    TestWorker::start(Arc::new(solver), 1, Coordinator::over(service.connect_in_memory()))
}

/// Solves a position, and compares its value with that of one engine.
async fn solve(service: &Service, position: Position) {
    let channel = service.connect_in_memory();
    let solution = client::solve(channel, position, Window::FULL, |_| {}).await.unwrap();
    let alone = engine().solve(&Request::exact(position), &Control::default());
    assert_eq!(solution.bound, alone.bound, "{position:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_workers_share_searches_and_find_the_values_of_one() {
    let ((service, store), done) = (sharing(), Arc::default());
    let workers = [0; 3].map(|_| join(&service, &done));
    for seed in 0..MOST_POSITIONS {
        solve(&service, played(seed, 20)).await;
        if done.load(Ordering::Relaxed) >= ENOUGH {
            break;
        }
    }
    assert!(done.load(Ordering::Relaxed) >= ENOUGH, "they have hardly helped each other");
    assert!(service.observer().overview().totals.errands > 0, "the coordinator has seen it");
    for worker in workers {
        worker.stop().await.unwrap();
    }
    service.stop().await.unwrap();
    // Each bound that one has told another is there, and true.
    let mut checked = 0;
    let judge = engine();
    let checking = store.for_each(|position, stored| {
        if position.empties() <= 16 {
            let value = judge.solve(&Request::exact(position), &Control::default()).bound;
            assert!(value.implies(stored.bound), "{position:?} has {value}, not {}", stored.bound);
            checked += 1;
        }
        Ok::<(), StoreError>(())
    });
    checking.unwrap();
    assert!(checked > 0, "nothing was kept");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_share_a_search_may_go_and_come() {
    let ((service, _), done) = (sharing(), Arc::default());
    let stays = join(&service, &done);
    for seed in 100..100 + MOST_POSITIONS {
        let leaves = join(&service, &done);
        let (_, left) = tokio::join!(solve(&service, played(seed, 20)), async {
            tokio::task::yield_now().await;
            leaves.stop().await
        });
        left.unwrap();
        // Who leads may be killed, too.
        let (killed, other) = (join(&service, &done), join(&service, &done));
        tokio::join!(solve(&service, played(seed + 1000, 20)), async { killed.kill() });
        other.stop().await.unwrap();
        if seed >= 101 && done.load(Ordering::Relaxed) > 0 {
            break;
        }
    }
    assert!(done.load(Ordering::Relaxed) > 0, "nobody has ever helped");
    stays.stop().await.unwrap();
    service.stop().await.unwrap();
}

/// A worker keeps what it could not report, and the coordinator gives it the job again before it has read that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reports_what_it_has_kept_goes_on_sharing_the_job_that_it_was_given_again() {
    let ((service, _), mut workers) = (sharing(), Vec::new());
    for _ in 0..2 {
        let shares = Hello { shares: true, ..hello() };
        workers.push(RawWorker::join_as(service.connect_in_memory(), shares).await.unwrap());
    }
    let (channel, position) = (service.connect_in_memory(), played(1, 20));
    let asking = client::solve(channel, position, Window::FULL, |_| {});
    let sharing = async {
        let jobs = [workers[0].job().await, workers[1].job().await];
        let lead = usize::from(jobs[0].helps);
        let job = jobs[lead].clone();
        assert!(job.is_shared && !job.helps && jobs[1 - lead].helps, "{jobs:?}");
        for worker in &mut workers {
            worker.say(FromWorker::Report(Report::unproved(&job))).await;
            while worker.next().await.unwrap() != Some(ToWorker::Acknowledge(job.id)) {}
        }
        workers[lead].say(FromWorker::Member(job.id, FromMember::Call(0))).await;
        let engaged = ToWorker::Member(job.id, ToMember::Engaged { hand: 0, is_there: true });
        while workers[lead].next().await.unwrap() != Some(engaged.clone()) {}
    };
    let shared = async {
        tokio::select! {
            _ = asking => panic!("nobody has solved it"),
            () = sharing => {}
        }
    };
    tokio::time::timeout(Duration::from_secs(60), shared).await.expect("it is heard");
    drop(workers);
    service.stop().await.unwrap();
}
