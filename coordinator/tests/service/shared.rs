//! Real engines that share searches: the values are right, whoever goes and comes meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use outflank_coordinator::client;
use outflank_coordinator::core::Config;
use outflank_coordinator::service::{Options, Service};
use outflank_coordinator::store::{Store, StoreError};
use outflank_engine::{
    Answer, Bound, Control, Engine, Errand, Position, Request, Settings, SharedHint, Window,
};
use outflank_kernel::Isa;
use outflank_worker::{Coordinator, Solver};

use crate::support::{TestWorker, played, service};

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
