//! Outcomes of campaigns that are compared with what is proved, and who waits for that.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc as threads};

use outflank_coordinator::client::CampaignsClient;
use outflank_coordinator::service::{Options, ProofStore, reopen_verdicts};
use outflank_coordinator::store::{Appended, Record, Store, StoreError, Stored};
use outflank_engine::{Bound, Position};
use outflank_proto::campaign::Campaign;
use outflank_worker::Coordinator;
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::campaigns::{head, import, list, until};
use crate::support::{BruteForce, TestWorker, fine, played, service};

/// A store that answers once for each word that comes through its gate, and always when the other end is gone.
#[derive(Debug)]
struct Gate {
    store: Arc<Store>,
    gate: Mutex<threads::Receiver<()>>,
}

impl ProofStore for Gate {
    fn get(&self, position: Position) -> Option<Stored> {
        let gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        gate.recv().ok();
        self.store.get(position)
    }

    fn append(&self, records: &[Record]) -> Result<Appended, StoreError> {
        self.store.append(records)
    }

    fn quarantine(&self, claim: &Record, held: Bound) -> Result<(), StoreError> {
        self.store.quarantine(claim, held)
    }

    fn withdraw(&self, worker: &str) -> Result<u64, StoreError> {
        self.store.withdraw(worker)
    }

    fn retract(&self, position: Position) -> Result<u64, StoreError> {
        self.store.retract(position)
    }

    fn others_have_searched_below(
        &self,
        position: Position,
        worker: &str,
    ) -> Result<bool, StoreError> {
        self.store.others_have_searched_below(position, worker)
    }

    fn count(&self) -> u64 {
        self.store.records()
    }
}

/// Returns a folder with a campaign, named `one`, of these `positions` that is decided and whose review is due, its store,
/// and how far it was when it was decided.
async fn decided(positions: &[Position]) -> (TempDir, Arc<Store>, Campaign) {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::in_memory());
    let service = service(Options { docket: None, ..options(folder.path()) }, store.clone());
    let mut client = CampaignsClient::new(service.connect_in_memory());
    import(&mut client, head("one"), &list(positions), true).await.unwrap();
    let coordinator = Coordinator::over(service.connect_in_memory());
    let worker = TestWorker::start(Arc::new(BruteForce), 1, coordinator);
    let campaign = until(&mut client, "one", |campaign| campaign.open == 0).await;
    worker.stop().await.unwrap();
    service.stop().await.unwrap();
    let docket = folder.path().join("docket.jsonl");
    fs::write(&docket, "").unwrap();
    assert_eq!(reopen_verdicts(&docket).unwrap(), 0);
    (folder, store, campaign)
}

fn options(folder: &Path) -> Options {
    let [campaigns, docket] = ["campaigns", "docket.jsonl"].map(|name| Some(folder.join(name)));
    Options { campaigns, docket, ..fine() }
}

/// The coordinator waited for the end of the review, however long the lists were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_coordinator_that_is_to_stop_leaves_a_review_to_the_next_one() {
    let (folder, store, _) = decided(&[played(1, 8)]).await;
    let (opener, gate) = threads::channel();
    let gated = Gate { store: store.clone(), gate: Mutex::new(gate) };
    let second = service(options(folder.path()), Arc::new(gated));
    let [mut listing, mut importing] =
        [(); 2].map(|()| CampaignsClient::new(second.connect_in_memory()));
    let (_parts, nothing) = mpsc::channel(1);
    let stopping = async {
        importing.import(nothing).await.unwrap_err();
        drop(opener);
    };
    let (listed, (), stopped) = tokio::join!(listing.list(None), stopping, second.stop());
    // Who asks is told that it goes on, if the coordinator gets to it before it stops.
    assert!(listed.is_err() || listed.unwrap()[0].unreviewed > 0);
    stopped.unwrap();
    let state = || fs::read_to_string(folder.path().join("campaigns/one/state.json")).unwrap();
    assert!(!state().contains("reviewed"), "{}", state());

    let third = service(options(folder.path()), store);
    let mut client = CampaignsClient::new(third.connect_in_memory());
    assert_eq!(until(&mut client, "one", |campaign| campaign.unreviewed == 0).await.open, 0);
    assert!(state().contains(r#""reviewed": 1"#), "{}", state());
    third.stop().await.unwrap();
}

/// Whoever asked how far campaigns are waited for the end of the review, and so did the page and the metrics.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn campaigns_under_review_are_listed_with_the_rows_that_are_left() {
    // More than are compared until the last of the calls has come.
    const POSITIONS: u64 = 1_000;
    let positions: Vec<Position> = (0..POSITIONS).map(|seed| played(seed, 6)).collect();
    let (folder, store, finished) = decided(&positions).await;
    assert_eq!(finished.unreviewed, 0);
    let (opener, gate) = threads::channel();
    let gated = Gate { store: store.clone(), gate: Mutex::new(gate) };
    let second = service(options(folder.path()), Arc::new(gated));
    let [mut listing, mut removing] =
        [(); 2].map(|()| CampaignsClient::new(second.connect_in_memory()));
    // Until it is given, the answer waits for a look at the store; what changes anything waits for the end.
    let given_up = tokio::spawn(async move { removing.remove("one", true).await });
    let list = tokio::spawn(async move { (listing.list(None).await, listing) });
    let opening = tokio::task::spawn_blocking(move || {
        while !list.is_finished() {
            opener.send(()).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        (list, opener)
    });
    let (listed, opener) = opening.await.unwrap();
    let (listed, mut listing) = listed.await.unwrap();
    let Campaign { unreviewed, .. } = listed.unwrap()[0];
    assert!((1..=finished.rows).contains(&unreviewed), "{unreviewed}");
    assert!(!given_up.is_finished(), "it would remove what is under review");
    given_up.abort();
    given_up.await.unwrap_err();
    drop(opener);
    let reviewed = until(&mut listing, "one", |campaign| campaign.unreviewed == 0).await;
    assert_eq!((reviewed.open, reviewed.rows), (0, finished.rows), "it is still there");
    second.stop().await.unwrap();
}
