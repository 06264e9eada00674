//! A worker that lies, among real workers, over the real protocol, on a real store.

use std::fs;
use std::sync::{Arc, Mutex};

use outflank_coordinator::client::{self, Update};
use outflank_coordinator::core::Config;
use outflank_coordinator::service::{Options, reopen_verdicts};
use outflank_coordinator::store::{
    Method, Origin, Provenance, Record, Store, TakenBack, repair_after, verify,
};
use outflank_engine::{Answer, Bound, Control, Position, Request, Score, Window, brute_force};
use outflank_proto::message::{FromWorker, Hello};
use outflank_worker::{Coordinator, Solver, WorkerError};
use tonic::Code;

use crate::support::{
    BruteForce, RawWorker, TestWorker, answer, fine, hello, lie, played, service,
};

/// Says that each position is worth two discs more than it is.
pub(crate) struct Liar;

impl Solver for Liar {
    fn solve(&self, request: &Request, _control: &Control) -> Answer {
        let truth = answer(request.position);
        let value = truth.bound.value().expect("exact");
        let wrong = if value == Score::MAX { value.down() } else { value.up() };
        Answer { bound: Bound::exact(wrong), children: Vec::new(), line: Vec::new(), ..truth }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_liar_is_named_and_refused_and_the_answer_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let fine = fine();
    let core = Config { audit_share: 1.0, audit_seed: 7, ..fine.core };
    let service = service(Options { core, ..fine }, Arc::new(store));
    let over = |channel| Coordinator::over(channel);
    let liar = TestWorker::start(Arc::new(Liar), 1, over(service.connect_in_memory()));
    let honest: Vec<TestWorker> = (0..3)
        .map(|_| TestWorker::start(Arc::new(BruteForce), 1, over(service.connect_in_memory())))
        .collect();
    let notices = Mutex::new(Vec::new());
    let (mut seed, position) = (40, played(40, 8));
    // Whoever is quick gets the jobs: asked often enough, the liar has its turn.
    while notices.lock().unwrap().is_empty() {
        let position = played(seed, 8);
        seed += 1;
        let note = |update| {
            if let Update::Notice(text) = update {
                notices.lock().unwrap().push(text);
            }
        };
        let solution = client::solve(service.connect_in_memory(), position, Window::FULL, note);
        let solution = solution.await.unwrap();
        assert_eq!(solution.bound, Bound::exact(brute_force::value(position)));
    }
    let told = notices.into_inner().unwrap().remove(0);
    assert!(told.contains("unnamed/") && told.contains("cannot be trusted"), "{told}");
    match liar.join().await {
        Err(WorkerError::Distrusted { reason, .. }) => {
            assert!(told.contains("unnamed/") && reason == told);
        }
        other => panic!("{other:?}"),
    }
    let again = client::solve(service.connect_in_memory(), position, Window::FULL, |_| {});
    assert_eq!(again.await.unwrap().bound, Bound::exact(brute_force::value(position)));
    for worker in honest {
        worker.stop().await.unwrap();
    }
    service.stop().await.unwrap();
    let found = verify(folder.path()).unwrap();
    assert!(found.is_sound(), "{found:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_lies_under_the_name_that_is_shown_of_another_does_not_do_so_for_it() {
    let core = Config { audit_share: 1.0, audit_seed: 7, ..Config::default() };
    let options = Options { core, ..Options::default() };
    let service = service(options, Arc::new(Store::in_memory()));
    let honest = Hello { instance: 0x0123_4567_89ab_cdef, ..hello() };
    let join = |hello: &Hello| RawWorker::join_as(service.connect_in_memory(), hello.clone());
    let worker = join(&honest).await.unwrap();
    let name = service.observer().overview().workers.remove(0).name;
    drop(worker);
    while !service.observer().overview().workers.is_empty() {
        tokio::task::yield_now().await;
    }

    // All that others see of it, said by another one.
    let (host, shown) = name.rsplit_once('/').unwrap();
    assert_eq!(host, honest.host);
    let instance = u64::from_str_radix(shown, 16).unwrap();
    let mut liar = join(&Hello { instance, ..honest.clone() }).await.unwrap();
    let position = played(40, 8);
    let asked = client::solve(service.connect_in_memory(), position, Window::FULL, |_| {});
    let asked = tokio::spawn(asked);
    let job = liar.job().await;
    let judges = [join(&Hello { instance: 1, ..hello() }), join(&Hello { instance: 2, ..hello() })];
    for judge in judges {
        tokio::spawn(judge.await.unwrap().work());
    }
    liar.say(FromWorker::Report(lie(&job))).await;
    let solution = asked.await.unwrap().unwrap();
    assert_eq!(solution.bound, Bound::exact(brute_force::value(position)));
    let refused = join(&Hello { instance, ..honest.clone() }).await.map(|_| ()).unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused:?}");
    let again = join(&honest).await.map(|_| ());
    assert!(again.is_ok(), "it has said nothing false: {again:?}");
    service.stop().await.unwrap();
}

#[tokio::test]
async fn what_a_repair_brings_back_of_a_liar_is_taken_back_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let claims: Vec<Record> = [(1, "liar"), (2, ""), (3, "honest")]
        .map(|(seed, worker)| claim(played(seed, 8).canonical(), worker))
        .into();
    store.append(&claims[..1]).unwrap();
    store.append(&claims[1..]).unwrap();
    assert_eq!(store.withdraw("liar").unwrap(), 1);
    drop(store);
    let docket = folder.path().join("docket.jsonl");
    let verdict = r#"{"verdict":{"era":1,"workers":["liar"],"reason":"it was wrong"}}"#;
    fs::write(&docket, format!("{verdict}\n{}\n", r#"{"taken_back":{"era":1}}"#)).unwrap();

    // The last frame says that the claim was withdrawn.
    let log = folder.path().join("log/000001.log");
    let mut bytes = fs::read(&log).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&log, bytes).unwrap();
    let reopened = |_extent| {
        assert_eq!(reopen_verdicts(&docket)?, 1);
        Ok(TakenBack::UNKNOWN)
    };
    assert_eq!(repair_after(folder.path(), reopened).unwrap().records, 3, "the lie is back");

    let store = Arc::new(Store::open(folder.path()).unwrap().0);
    let held = |index: usize| store.get(claims[index].position).is_some();
    assert_eq!([0, 1, 2].map(held), [true, true, true]);
    let service = service(Options { docket: Some(docket.clone()), ..fine() }, store.clone());
    assert_eq!([0, 1, 2].map(held), [false, false, true], "nor what nobody has claimed");
    service.stop().await.unwrap();
}

pub(crate) fn claim(position: Position, worker: &str) -> Record {
    let origin = Arc::new(Origin { worker: worker.to_owned(), ..Origin::default() });
    let provenance = Provenance { method: Method::Search, origin };
    let bound = Bound::at_least(Score::DRAW);
    Record { position, bound, best_move: None, nodes: 1, provenance }
}
