//! Verdicts that one coordinator did not carry out and the next one has to.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use outflank_coordinator::service::{Options, ProofStore, Service, ServiceError, reopen_verdicts};
use outflank_coordinator::store::{Appended, Record, Store, StoreError, Stored};
use outflank_engine::{Bound, Position};

use crate::liars::claim;
use crate::support::{EngineAdvisor, fine, full_disk, played, service};

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
