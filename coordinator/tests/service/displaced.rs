//! Coordinators whose store is moved while they use it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outflank_coordinator::client::CampaignsClient;
use outflank_coordinator::service::{Options, Service, ServiceError};
use outflank_coordinator::store::{Store, StoreError};
use tempfile::TempDir;

use crate::campaigns::{head, import, list};
use crate::support::{played, service};

/// Starts a coordinator on a store, and moves that out of its place.
fn moved(campaigns: bool) -> (TempDir, PathBuf, Service) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("place");
    let (store, _) = Store::open(&place).unwrap();
    let options = Options {
        campaigns: campaigns.then(|| place.join("campaigns")),
        docket: Some(place.join("docket.jsonl")),
        ..Options::default()
    };
    let service = service(options, Arc::new(store));
    fs::rename(&place, folder.path().join("elsewhere")).unwrap();
    (folder, place, service)
}

fn is_displaced(error: &ServiceError) -> bool {
    matches!(error, ServiceError::Store(StoreError::Displaced { .. }))
}

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[tokio::test]
async fn a_coordinator_whose_store_was_moved_fails_and_puts_no_campaign_into_another() {
    let (folder, place, service) = moved(true);
    // As another coordinator has them that was started since.
    let campaigns = place.join("campaigns");
    fs::create_dir_all(&campaigns).unwrap();
    let mut client = CampaignsClient::new(service.connect_in_memory());
    let imported = import(&mut client, head("claims"), &list(&[played(1, 6)]), true).await;
    assert!(imported.is_err(), "{imported:?}");
    let failure = service.failure().await;
    assert!(is_displaced(&failure), "{failure}");
    let failure = service.stop().await.unwrap_err();
    assert!(is_displaced(&failure), "{failure}");
    assert_eq!([count(&place), count(&campaigns)], [1, 0]);
    assert!(folder.path().join("elsewhere/MANIFEST").exists());
}

#[tokio::test]
async fn a_coordinator_that_had_nothing_to_write_says_at_its_end_that_its_store_was_moved() {
    let (_folder, place, service) = moved(false);
    let failure = service.stop().await.unwrap_err();
    assert!(is_displaced(&failure), "{failure}");
    assert!(!place.exists());
}
