//! Verdicts that one coordinator did not carry out and the next one has to.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use outflank_coordinator::client::{self, CampaignsClient};
use outflank_coordinator::service::{Options, ProofStore, Service, ServiceError, reopen_verdicts};
use outflank_coordinator::store::{
    Appended, Method, Provenance, Record, Store, StoreError, Stored,
};
use outflank_engine::{Bound, Position, Window, brute_force};
use outflank_proto::campaign::{Change, ImportHead};
use outflank_worker::Coordinator;
use tempfile::TempDir;

use crate::campaigns::{head, import, list, state, until};
use crate::liars::claim;
use crate::support::{BruteForce, EngineAdvisor, TestWorker, fine, full_disk, played, service};

/// A store that takes back what so many workers have claimed, and then no more.
#[derive(Debug)]
struct Tiring {
    store: Arc<Store>,
    left: AtomicUsize,
}

impl ProofStore for Tiring {
    fn get(&self, position: Position) -> Option<Stored> {
        self.store.get(position)
    }

    fn append(&self, records: &[Record]) -> Result<Appended, StoreError> {
        self.store.append(records)
    }

    fn quarantine(&self, claim: &Record, held: Bound) -> Result<(), StoreError> {
        self.store.quarantine(claim, held)
    }

    fn withdraw(&self, worker: &str) -> Result<u64, StoreError> {
        let one_less = |left: usize| left.checked_sub(1);
        match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less) {
            Ok(_) => self.store.withdraw(worker),
            Err(_) => Err(full_disk()),
        }
    }

    fn retract(&self, position: Position) -> Result<u64, StoreError> {
        self.store.retract(position)
    }

    fn others_have_searched_below(
        &self,
        below: Position,
        worker: &str,
    ) -> Result<bool, StoreError> {
        self.store.others_have_searched_below(below, worker)
    }

    fn count(&self) -> u64 {
        self.store.records()
    }
}

/// Notes in the docket of `folder` that these workers were wrong, each by itself, and that this was carried out.
fn convict(folder: &Path, workers: &[&str]) {
    let verdicts = workers.iter().zip(1..).map(|(worker, era)| {
        format!(r#"{{"verdict":{{"era":{era},"workers":["{worker}"],"reason":"it was wrong"}}}}"#)
    });
    let carried_out = format!(r#"{{"taken_back":{{"era":{}}}}}"#, workers.len());
    let lines: Vec<String> = verdicts.chain([carried_out]).map(|line| line + "\n").collect();
    fs::write(folder.join("docket.jsonl"), lines.concat()).unwrap();
}

#[tokio::test]
async fn a_verdict_that_was_not_carried_out_is_not_forgotten_for_one_that_was() {
    let authors = ["one", "two", "", "honest"];
    let claims: Vec<Record> = (1..)
        .zip(authors)
        .map(|(seed, worker)| claim(played(seed, 8).canonical(), worker))
        .collect();
    for times in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let docket = folder.path().join("docket.jsonl");
        convict(folder.path(), &["one", "two"]);
        assert_eq!(reopen_verdicts(&docket).unwrap(), 2);
        let store = Arc::new(Store::in_memory());
        store.append(&claims).unwrap();
        let options = Options { docket: Some(docket), ..fine() };
        let tiring = Tiring { store: Arc::clone(&store), left: AtomicUsize::new(times) };
        let failed = Service::start(options.clone(), Arc::new(tiring), Box::new(EngineAdvisor));
        assert!(matches!(failed, Err(ServiceError::Store(_))), "{failed:?}");

        let service = service(options, store.clone());
        let held = |claim: &Record| store.get(claim.position).is_some();
        let held: Vec<bool> = claims.iter().map(held).collect();
        assert_eq!(held, [false, false, false, true], "after {times} were carried out");
        service.stop().await.unwrap();
    }
}

/// A store, beside which a list of four rows is kept that one worker has decided.
struct Decided {
    folder: TempDir,
    store: Arc<Store>,
    position: Position,
    author: String,
}

impl Decided {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::in_memory());
        let position = played(300, 8);
        let service = service(options(folder.path()), store.clone());
        let mut client = CampaignsClient::new(service.connect_in_memory());
        let wanted = ImportHead { split_to: None, ..head("list") };
        import(&mut client, wanted, &list(&[position]), true).await.unwrap();
        let coordinator = Coordinator::over(service.connect_in_memory());
        let worker = TestWorker::start(Arc::new(BruteForce), 1, coordinator);
        until(&mut client, "list", |campaign| campaign.open == 0).await;
        worker.stop().await.unwrap();
        service.stop().await.unwrap();
        let stored = store.get(position.canonical()).unwrap();
        let author = stored.lower_from.origin.worker.clone();
        Self { folder, store, position, author }
    }

    /// Notes that the worker was wrong; its claims are back after a repair.
    async fn convict(&self) {
        convict(self.folder.path(), &[&self.author]);
        self.service().0.stop().await.unwrap();
        let options = options(self.folder.path());
        assert_eq!(reopen_verdicts(options.docket.as_deref().unwrap()).unwrap(), 1);
    }

    fn service(&self) -> (Service, CampaignsClient) {
        let service = service(options(self.folder.path()), self.store.clone());
        let client = CampaignsClient::new(service.connect_in_memory());
        (service, client)
    }
}

fn options(folder: &Path) -> Options {
    let (campaigns, docket) = (folder.join("campaigns"), folder.join("docket.jsonl"));
    Options { campaigns: Some(campaigns), docket: Some(docket), ..Options::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes_fall_with_their_proofs_whoever_carries_the_verdict_out() {
    for is_kept in [true, false] {
        let decided = Decided::new().await;
        decided.convict().await;
        if !is_kept {
            // As `outflank solve` begins one, beside the campaigns that others keep in the same store.
            let without = Options { campaigns: None, ..options(decided.folder.path()) };
            service(without, decided.store.clone()).stop().await.unwrap();
        }
        let (service, mut client) = decided.service();
        assert!(decided.store.get(decided.position.canonical()).is_none(), "{}", decided.author);
        assert_eq!(state(&mut client, "list").await.open, 4, "kept by who took back: {is_kept}");
        service.stop().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_campaign_that_could_not_be_reviewed_is_reviewed_before_it_goes_on() {
    let decided = Decided::new().await;
    decided.convict().await;
    let path = decided.folder.path().join("campaigns/list/list");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replace("position", "posision")).unwrap();
    let (service, mut client) = decided.service();
    let campaign = state(&mut client, "list").await;
    assert!(campaign.fault.contains("expected a row as it was imported"), "{campaign:?}");
    fs::write(&path, whole).unwrap();
    let change = Change { name: "list".to_owned(), paused: Some(false), priority: None };
    client.change(change).await.unwrap();
    let campaign = state(&mut client, "list").await;
    assert_eq!((campaign.fault.as_str(), campaign.open), ("", 4), "{campaign:?}");
    service.stop().await.unwrap();
}

/// Every search contradicted it, nobody was to blame, and the request never ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_false_bound_that_nobody_has_claimed_is_taken_back_and_the_request_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::in_memory());
    let position = played(41, 8);
    let value = brute_force::value(position);
    let claim = claim(position.canonical(), "coordinator");
    let provenance = Provenance { method: Method::Inference, ..claim.provenance };
    // What it was inferred from is not there.
    let bound = Bound::at_least(value.up());
    store.append(&[Record { bound, provenance, ..claim }]).unwrap();
    let service = service(options(folder.path()), store.clone());
    let join = || {
        let coordinator = Coordinator::over(service.connect_in_memory());
        TestWorker::start(Arc::new(BruteForce), 1, coordinator)
    };
    let workers = [join(), join(), join()];
    let channel = service.connect_in_memory();
    let solving = client::solve(channel, position, Window::FULL, |_| {});
    let solution = tokio::time::timeout(Duration::from_secs(60), solving).await;
    assert_eq!(solution.expect("it ends").unwrap().bound, Bound::exact(value));
    for worker in workers {
        worker.stop().await.expect("nobody is refused");
    }
    service.stop().await.unwrap();
    let docket = fs::read_to_string(folder.path().join("docket.jsonl")).unwrap();
    assert!(docket.contains(r#""workers":[],"reason":"the store says "#), "{docket}");
    assert!(docket.contains(r#"{"taken_back":{"era":1}}"#), "{docket}");
}
