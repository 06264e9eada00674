//! Campaigns through the services: imported, worked on, interrupted, exported.

use std::path::Path;
use std::sync::Arc;

use outflank_coordinator::client::{CampaignsClient, ClientError};
use outflank_coordinator::core::Config;
use outflank_coordinator::service::{Options, Service, pending_verdicts};
use outflank_coordinator::store::Store;
use outflank_engine::notation::{Side, board};
use outflank_engine::{Position, brute_force};
use outflank_proto::campaign::{Campaign, Change, ExportRequest, Form, ImportHead, ImportPart};
use outflank_proto::{campaign::Selection, v1};
use outflank_worker::{Coordinator, WorkerError};
use tokio::sync::mpsc;
use tonic::Code;

use crate::liars::Liar;
use crate::support::{BruteForce, Gated, TestWorker, fine, played, service};

pub(crate) fn head(name: &str) -> ImportHead {
    ImportHead {
        name: name.to_owned(),
        source: "list.jsonl".to_owned(),
        form: None,
        priority: 100,
        split_to: Some(6),
        window: outflank_engine::Window::FULL,
        board: outflank_engine::BoardSize::STANDARD,
        paused: false,
    }
}

/// Sends a list and, if it is `whole`, its end.
pub(crate) async fn import(
    client: &mut CampaignsClient,
    head: ImportHead,
    list: &str,
    whole: bool,
) -> Result<Campaign, ClientError> {
    let (parts, receiver) = mpsc::channel(100);
    parts.send(ImportPart::Head(head)).await.unwrap();
    parts.send(ImportPart::Data(list.as_bytes().to_vec())).await.unwrap();
    if whole {
        parts.send(ImportPart::End(list.len() as u64)).await.unwrap();
    }
    drop(parts);
    client.import(receiver).await.map(|(campaign, _)| campaign)
}

async fn export(client: &mut CampaignsClient, name: &str, form: Form) -> String {
    let (form, selection) = (Some(form), Selection::All);
    let request = ExportRequest { name: name.to_owned(), form, selection, limit: None };
    let mut rows = client.export(request).await.unwrap();
    let mut bytes = Vec::new();
    while let Some(part) = rows.next().await.unwrap() {
        bytes.extend(part);
    }
    String::from_utf8(bytes).unwrap()
}

/// Returns the state of a campaign when all of it is reviewed.
pub(crate) async fn state(client: &mut CampaignsClient, name: &str) -> Campaign {
    loop {
        let campaign = client.list(Some(name)).await.unwrap().remove(0);
        if campaign.unreviewed == 0 {
            return campaign;
        }
        tokio::task::yield_now().await;
    }
}

/// Looks until it sees what it waits for.
pub(crate) async fn until(
    client: &mut CampaignsClient,
    name: &str,
    is_there: impl Fn(&Campaign) -> bool,
) -> Campaign {
    loop {
        let campaign = state(client, name).await;
        if is_there(&campaign) {
            return campaign;
        }
        tokio::task::yield_now().await;
    }
}

fn start(folder: &Path, store: &Arc<Store>) -> (Service, CampaignsClient) {
    let options = Options { campaigns: Some(folder.to_owned()), ..fine() };
    let service = service(options, store.clone());
    let client = CampaignsClient::new(service.connect_in_memory());
    (service, client)
}

/// Returns positions with four rows for each: three claims of which the second does not hold, and a
/// question.
pub(crate) fn list(positions: &[Position]) -> String {
    let rows = positions.iter().flat_map(|&position| {
        let (value, board) = (brute_force::value(position).discs(), board(position, Side::White));
        let claim = |claim: String| format!("{{\"position\":\"{board}\"{claim}}}\n");
        [
            claim(format!(",\"at_least\":{value}")),
            claim(format!(",\"at_most\":{}", (value - 2).max(-64))),
            claim(format!(",\"at_least\":{value},\"at_most\":{value}")),
            claim(String::new()),
        ]
    });
    rows.collect()
}

fn check(json: &str, positions: &[Position]) {
    let rows: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 4 * positions.len());
    for (rows, &position) in rows.chunks(4).zip(positions) {
        let value = i64::from(brute_force::value(position).discs());
        let states: Vec<&str> = rows.iter().map(|row| row["state"].as_str().unwrap()).collect();
        assert_eq!(states, ["proved", "refuted", "proved", "solved"], "{rows:?}");
        for row in rows {
            let (lower, upper) = (row["lower"].as_i64().unwrap(), row["upper"].as_i64().unwrap());
            assert!((lower..=upper).contains(&value), "{row}");
        }
        assert_eq!((&rows[3]["lower"], &rows[3]["upper"]), (&value.into(), &value.into()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_campaign_is_split_solved_and_exported_through_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::in_memory());
    let positions: Vec<Position> = (0..12).map(|seed| played(100 + seed, 8)).collect();
    let list = list(&positions);
    let (service, mut client) = start(folder.path(), &store);
    let imported = import(&mut client, head("small"), &list, true).await.unwrap();
    assert_eq!((imported.rows, imported.duplicates, imported.open), (48, 0, 48));
    assert_eq!(imported.form, Form::Json);
    service.stop().await.unwrap();

    for decided in [5, 17, 48] {
        let (service, mut client) = start(folder.path(), &store);
        let coordinator = Coordinator::over(service.connect_in_memory());
        let worker = TestWorker::start(Arc::new(BruteForce), 2, coordinator);
        until(&mut client, "small", |campaign| 48 - campaign.open >= decided).await;
        worker.stop().await.unwrap();
        service.stop().await.unwrap();
    }

    let (service, mut client) = start(folder.path(), &store);
    let campaign = state(&mut client, "small").await;
    assert_eq!((campaign.proved, campaign.refuted, campaign.solved), (24, 12, 12));
    assert!(campaign.nodes > 0);
    check(&export(&mut client, "small", Form::Json).await, &positions);
    service.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_campaign_gives_its_jobs_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::in_memory());
    let (service, mut client) = start(folder.path(), &store);
    let positions = [played(1, 8)];
    import(&mut client, head("one"), &list(&positions), true).await.unwrap();
    let gate = Gated::new();
    let coordinator = Coordinator::over(service.connect_in_memory());
    let worker = TestWorker::start(gate.clone(), 1, coordinator);
    gate.begun(1).await;
    let change = |paused| Change { name: "one".to_owned(), paused: Some(paused), priority: None };
    let paused = client.change(change(true)).await.unwrap();
    assert_eq!((paused.active, paused.open, paused.paused, paused.workers), (0, 4, true, 1));
    let mut solver = v1::solver_client::SolverClient::new(service.connect_in_memory());
    loop {
        let counts = solver.status(v1::StatusRequest {}).await.unwrap().into_inner();
        if (counts.solves, counts.jobs_running) == (0, 0) {
            break; // The search has been stopped, though the gate is closed.
        }
        tokio::task::yield_now().await;
    }
    gate.open();
    client.change(change(false)).await.unwrap();
    until(&mut client, "one", |campaign| campaign.open == 0).await;
    check(&export(&mut client, "one", Form::Json).await, &positions);
    worker.stop().await.unwrap();
    service.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes_that_rest_on_a_liar_are_taken_back() {
    let (folder, proofs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (store, _) = Store::open(proofs.path()).unwrap();
    let fine = fine();
    let core = Config { audit_share: 1.0, audit_seed: 7, ..fine.core };
    let campaigns = Some(folder.path().to_owned());
    let service = service(Options { core, campaigns, ..fine }, Arc::new(store));
    let mut client = CampaignsClient::new(service.connect_in_memory());
    let start =
        |solver| TestWorker::start(solver, 1, Coordinator::over(service.connect_in_memory()));
    let liar = start(Arc::new(Liar));
    let honest = [(); 3].map(|()| start(Arc::new(BruteForce)));
    let mut lists = Vec::new();
    // Whoever is quick gets the jobs: asked often enough, the liar has its turn.
    while !liar.has_ended() {
        let number = lists.len() as u64;
        let positions = [2 * number, 2 * number + 1].map(|seed| played(200 + seed, 8));
        let name = format!("list-{number}");
        import(&mut client, head(&name), &list(&positions), true).await.unwrap();
        until(&mut client, &name, |campaign| campaign.open == 0).await;
        lists.push((name, positions));
    }
    for (name, positions) in &lists {
        // What was decided by then may be open again at any moment.
        until(&mut client, name, |campaign| {
            (campaign.proved, campaign.refuted, campaign.solved) == (4, 2, 2)
        })
        .await;
        check(&export(&mut client, name, Form::Json).await, positions);
    }
    for worker in honest {
        worker.stop().await.unwrap();
    }
    service.stop().await.unwrap();
}

/// Nobody can audit what the only worker claims until all rows are decided by that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outcomes_fall_with_their_proofs_while_the_coordinator_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let fine = fine();
    let core = Config { audit_share: 1.0, audit_seed: 7, ..fine.core };
    let [campaigns, docket] = ["campaigns", "docket.jsonl"].map(|name| folder.path().join(name));
    let options = Options { campaigns: Some(campaigns), docket: Some(docket.clone()), ..fine };
    let store = Arc::new(Store::in_memory());
    let service = service(Options { core, ..options }, store);
    let mut client = CampaignsClient::new(service.connect_in_memory());
    let start =
        |solver| TestWorker::start(solver, 1, Coordinator::over(service.connect_in_memory()));
    let liar = start(Arc::new(Liar));
    let positions = [played(300, 8)];
    let whole = ImportHead { split_to: None, ..head("one") };
    import(&mut client, whole, &list(&positions), true).await.unwrap();
    let outcomes = |campaign: &Campaign| (campaign.proved, campaign.refuted, campaign.solved);
    let decided = until(&mut client, "one", |campaign| campaign.open == 0).await;
    assert_eq!(outcomes(&decided), (1, 2, 1), "the value seems to be another one");

    let honest = [(); 3].map(|()| start(Arc::new(BruteForce)));
    until(&mut client, "one", |campaign| outcomes(campaign) == (2, 1, 1)).await;
    check(&export(&mut client, "one", Form::Json).await, &positions);
    assert!(matches!(liar.join().await, Err(WorkerError::Distrusted { .. })));
    for worker in honest {
        worker.stop().await.unwrap();
    }
    service.stop().await.unwrap();
    assert_eq!(pending_verdicts(&docket).unwrap(), 0, "nothing is left to the next coordinator");
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (service, mut client) = start(folder.path(), &Arc::new(Store::in_memory()));
    let reason = |error: ClientError| match error {
        ClientError::Rejected { reason } => reason,
        other => panic!("{other}"),
    };
    let good = list(&[played(1, 8)]);
    let bad = format!("{good}\n{{\"position\":\"--\"}}\n");
    let error = import(&mut client, head("bad"), &bad, true).await.unwrap_err();
    let expected = "list.jsonl, line 6, column 14: found a board of 2 squares, expected 64 squares";
    assert!(reason(error).starts_with(expected));
    let error = import(&mut client, head("half"), &good, false).await.unwrap_err();
    assert_eq!(reason(error), "the stream ended, expected the end of the list");
    for (last, expected) in [
        (ImportPart::End(7), format!("field end is 7, expected {}, the bytes before", good.len())),
        (ImportPart::Head(head("b")), "field part is a second head, expected data".to_owned()),
    ] {
        let (parts, receiver) = mpsc::channel(3);
        let data = ImportPart::Data(good.clone().into_bytes());
        for part in [ImportPart::Head(head("a")), data, last] {
            parts.send(part).await.unwrap();
        }
        drop(parts);
        let found = reason(client.import(receiver).await.unwrap_err());
        assert!(found.starts_with(&expected), "{found}");
    }
    let error = import(&mut client, head("../up"), &good, true).await.unwrap_err();
    assert!(reason(error).starts_with("field head.name is ../up, expected 1 to 64 letters"));
    let split_to = Some(64);
    let error = import(&mut client, ImportHead { split_to, ..head("a") }, &good, true).await;
    let expected = "field head.split_to is 64, expected 1 to 60 empties";
    assert_eq!(reason(error.unwrap_err()), expected);
    assert_eq!(client.list(None).await.unwrap(), []);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let error = client.list(Some("other")).await.unwrap_err();
    assert_eq!(reason(error), "there is no campaign other; there are no others");
    service.stop().await.unwrap();
}

/// Whoever sent a list line by line was told of a bad line with the next one.
#[tokio::test]
async fn a_bad_line_is_told_although_nothing_more_comes() {
    let folder = tempfile::tempdir().unwrap();
    let (service, mut client) = start(folder.path(), &Arc::new(Store::in_memory()));
    let (parts, receiver) = mpsc::channel(2);
    parts.send(ImportPart::Head(head("slow"))).await.unwrap();
    parts.send(ImportPart::Data(b"{}\n".to_vec())).await.unwrap();
    let error = client.import(receiver).await.unwrap_err();
    assert!(matches!(error, ClientError::Rejected { .. }), "{error}");
    drop(parts);
    service.stop().await.unwrap();
}

#[tokio::test]
async fn a_coordinator_without_a_folder_keeps_no_campaigns() {
    let service = service(fine(), Arc::new(Store::in_memory()));
    let channel = service.connect_in_memory();
    let mut client = v1::campaigns_client::CampaignsClient::new(channel);
    let status = client.list(v1::ListRequest { name: None }).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    service.stop().await.unwrap();
}
