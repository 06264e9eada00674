//! What a coordinator that ends says to the next one of what workers were told.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use outflank_coordinator::client;
use outflank_coordinator::core::Config;
use outflank_coordinator::service::{Options, ServiceError};
use outflank_coordinator::store::Store;
use outflank_engine::{Errand, Square, Window};
use outflank_proto::message::{FromMember, FromWorker, Hello, Job, ToMember, ToWorker};

use crate::support::{Faulty, RawWorker, hello, played, service};

/// Returns options for which every job is worth sharing, with a docket in `folder`.
fn sharing(folder: &Path) -> Options {
    let core = Config { shortest_job: 1000.0, ..Config::default() };
    Options { core, docket: Some(folder.join("docket.jsonl")), ..Options::default() }
}

/// Two workers that share a job.
struct Circle {
    lead: RawWorker,
    helper: RawWorker,
    job: Job,
}

impl Circle {
    /// Has the lead told what the helper has proved for it.
    async fn tell(&mut self) {
        let (lead, helper, job) = (&mut self.lead, &mut self.helper, &self.job);
        lead.say(FromWorker::Member(job.id, FromMember::Call(0))).await;
        until(lead, |word| *word == ToMember::Engaged { hand: 0, is_there: true }).await;
        // As it lies in the request.
        let position = job.symmetry.position(job.position);
        let square = Square::lowest(position.moves()).unwrap();
        let errand = Errand::new(position, square, (-1, 1), Errand::PROOF, 0).unwrap();
        let asks = FromMember::Errand { hand: 0, number: 7, errand };
        lead.say(FromWorker::Member(job.id, asks)).await;
        until(helper, |word| matches!(word, ToMember::Errand { number: 1, .. })).await;
        let answers = FromMember::Answer { number: 1, value: Some(2), nodes: 1 << 20 };
        helper.say(FromWorker::Member(job.id, answers)).await;
        let answer = ToMember::Answer { hand: 0, number: 7, value: Some(2) };
        until(lead, |word| *word == answer).await;
    }
}

/// Waits until `worker` hears such a word from those with whom it shares a search.
async fn until(worker: &mut RawWorker, is_it: impl Fn(&ToMember) -> bool) {
    loop {
        match worker.next().await.unwrap() {
            Some(ToWorker::Member(_, word)) if is_it(&word) => return,
            Some(_) => {}
            None => panic!("the connection has ended"),
        }
    }
}

/// It said that everything was on disk, and whoever was misled by what was not was refused for that by the next one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_could_not_write_what_workers_were_told_does_not_say_that_it_is_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("told.jsonl");
    let store = Faulty::new();
    let ending = service(sharing(folder.path()), store.clone());
    let mut workers = Vec::new();
    for _ in 0..2 {
        let shares = Hello { shares: true, ..hello() };
        workers.push(RawWorker::join_as(ending.connect_in_memory(), shares).await.unwrap());
    }
    let channel = ending.connect_in_memory();
    let asking = tokio::spawn(client::solve(channel, played(1, 20), Window::FULL, |_| {}));
    let jobs = [workers[0].job().await, workers[1].job().await];
    let place = usize::from(jobs[0].helps);
    let job = jobs[place].clone();
    assert!(job.is_shared && !job.helps && jobs[1 - place].helps, "{jobs:?}");
    let (lead, helper) = (workers.swap_remove(place), workers.swap_remove(0));
    let mut circle = Circle { lead, helper, job };
    store.hold();
    circle.tell().await;
    store.fail();
    store.release();
    drop(circle);
    let stopped = ending.stop().await;
    assert!(matches!(stopped, Err(ServiceError::Store(_))), "{stopped:?}");
    asking.abort(); // It would wait for another coordinator.
    let told = fs::read_to_string(&path).unwrap();
    assert!(told.contains(r#""told""#) && !told.contains("closed"), "{told}");

    let next = service(sharing(folder.path()), Arc::new(Store::in_memory()));
    let told = fs::read_to_string(&path).unwrap();
    assert!(told.contains(r#"{"more":"#) && !told.contains(r#""told""#), "{told}");
    next.stop().await.unwrap();
    let told = fs::read_to_string(&path).unwrap();
    assert!(told.ends_with("\"closed\"\n"), "what ends in order says so: {told}");
}
