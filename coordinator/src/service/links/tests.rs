//! Who hears what, and who is cut off.

use outflank_engine::{Bound, Position, Symmetry, Window};
use outflank_proto::fleet::JobCounts;
use outflank_proto::message::{Hello, Job, Progress, Solution, Source};

use super::*;

fn progress() -> SolveUpdate {
    SolveUpdate::Progress(Progress {
        bound: Bound::UNKNOWN,
        window: Window::FULL,
        jobs_open: 0,
        jobs_done: 0,
        reused: 0,
        nodes: 0,
        predicted_nodes: 0,
        workers: 0,
    })
}

fn solution() -> SolveUpdate {
    SolveUpdate::Solution(Solution {
        bound: Bound::UNKNOWN,
        best_move: None,
        line: Vec::new(),
        nodes: 0,
        jobs: 0,
        reused: 0,
        source: Source::Search,
        unaudited: 0,
    })
}

#[test]
fn a_client_that_reads_nothing_misses_progress_but_not_its_answer() {
    let links = Links::default();
    let (queue, mut messages) = mpsc::channel(3);
    links.add_solve(SolveId(1), queue).unwrap();
    for _ in 0..100 {
        links.progress(SolveId(1), progress());
    }
    links.finish(SolveId(1), Ok(solution()));
    let received: Vec<SolveUpdate> = std::iter::from_fn(|| messages.try_recv().ok())
        .map(|message| message.unwrap().try_into().unwrap())
        .collect();
    assert_eq!(received, [progress(), progress(), solution()]);
    assert!(messages.is_closed());
}

fn link(queue: WorkerQueue, listens: bool) -> (WorkerLink, CancellationToken) {
    let (cut, origin, record) = (CancellationToken::new(), Arc::default(), record(1));
    (WorkerLink { queue, cut: cut.clone(), origin, listens, record }, cut)
}

/// Returns the record of a worker that has joined this moment with so many threads.
fn record(threads: u32) -> WorkerRecord {
    let hello = Hello {
        oldest_protocol: 1,
        newest_protocol: 1,
        build: "a build".to_owned(),
        isa: "avx2".to_owned(),
        host: "a host".to_owned(),
        threads,
        table_bytes: 1 << 20,
        instance: 0,
        listens: true,
        shares: true,
    };
    WorkerRecord::new(&hello, Instant::now())
}

#[test]
fn what_others_say_is_for_those_who_understand_it_and_cuts_nobody_off() {
    let links = Links::default();
    let (queue, mut messages) = mpsc::channel(4);
    let (old_queue, mut old_messages) = mpsc::channel(4);
    let (listener, cut) = link(queue, true);
    links.add_worker(WorkerId(1), None, listener).unwrap();
    links.add_worker(WorkerId(2), None, link(old_queue, false).0).unwrap();
    for _ in 0..100 {
        let everyone = [WorkerId(1), WorkerId(2), WorkerId(3)];
        links.whisper(&everyone, 64, || ToWorker::Hints(Vec::new()));
    }
    assert!(old_messages.try_recv().is_err(), "it would not understand");
    assert!(!cut.is_cancelled());
    assert_eq!(messages.len(), 2, "half of the places stay free for jobs");
    links.tell(WorkerId(1), ToWorker::Cancel(JobId(1)));
    let received = std::iter::from_fn(|| messages.try_recv().ok()).last();
    assert_eq!(received.unwrap().unwrap().try_into(), Ok(ToWorker::Cancel(JobId(1))));
}

#[test]
fn a_worker_that_does_not_read_what_others_believe_gets_no_more_of_it() {
    let links = Links::default();
    let (queue, mut messages) = mpsc::channel(100);
    links.add_worker(WorkerId(1), None, link(queue, true).0).unwrap();
    let hint = || links.whisper(&[WorkerId(1)], 3, || ToWorker::Hints(Vec::new()));
    (0..10).for_each(|_| hint());
    assert_eq!(messages.len(), 4, "one more where three are unread");
    messages.try_recv().unwrap().unwrap();
    (0..10).for_each(|_| hint());
    assert_eq!(messages.len(), 4);
}

#[test]
fn a_worker_that_reads_nothing_is_cut_off() {
    let links = Links::default();
    let (queue, _messages) = mpsc::channel(2);
    let (link, cut) = link(queue, false);
    links.add_worker(WorkerId(1), None, link).unwrap();
    links.tell(WorkerId(1), ToWorker::Cancel(JobId(1)));
    links.tell(WorkerId(1), ToWorker::Cancel(JobId(2)));
    assert!(!cut.is_cancelled());
    links.tell(WorkerId(1), ToWorker::Cancel(JobId(3)));
    assert!(cut.is_cancelled());
}

#[test]
fn there_are_no_new_requests_after_the_end() {
    let links = Links::default();
    let (queue, mut messages) = mpsc::channel(2);
    links.add_solve(SolveId(1), queue.clone()).unwrap();
    links.end_solves(&Status::unavailable("stopping"));
    assert_eq!(messages.try_recv().unwrap().unwrap_err().message(), "stopping");
    assert_eq!(links.add_solve(SolveId(2), queue).unwrap_err().message(), "stopping");
}

fn named(name: &str, threads: u32) -> (WorkerLink, CancellationToken) {
    let (link, cut) = link(mpsc::channel(9).0, false);
    let origin = Arc::new(Origin { worker: name.to_owned(), ..Origin::default() });
    (WorkerLink { origin, record: record(threads), ..link }, cut)
}

#[test]
fn a_worker_that_is_found_out_while_it_connects_is_refused() {
    let links = Links::default();
    let (before, cut) = named("liar", 1);
    links.add_worker(WorkerId(1), Some("liar"), before).unwrap();
    links.distrust(&["liar".to_owned()], "it was wrong");
    assert!(cut.is_cancelled());
    let refused = links.add_worker(WorkerId(2), Some("liar"), named("liar", 1).0).unwrap_err();
    assert_eq!(refused.message(), "it was wrong");
    links.add_worker(WorkerId(3), None, named("another", 1).0).unwrap();
    assert_eq!(links.counts().workers, 2);
}

#[test]
fn those_whom_an_earlier_coordinator_found_out_are_refused_and_not_counted_again() {
    let links = Links::default();
    links.distrust_still(&["known".to_owned()], "it was wrong");
    let refused = links.add_worker(WorkerId(1), Some("known"), named("known", 1).0).unwrap_err();
    assert_eq!(refused.message(), "it was wrong");
    assert_eq!(links.found_out(), 0);
    links.distrust(&["known", "new", "other"].map(str::to_owned), "they were wrong");
    assert_eq!(links.found_out(), 2);
}

#[test]
fn a_connected_worker_is_known_however_many_have_come_and_gone_since() {
    let links = Links::default();
    links.add_worker(WorkerId(0), None, named("steady", 1).0).unwrap();
    for worker in 1..=MOST_ORIGINS as u64 {
        links.add_worker(WorkerId(worker), None, named("restless", 1).0).unwrap();
        links.remove_worker(WorkerId(worker));
    }
    let known_as = |worker| links.origin(WorkerId(worker)).map(|origin| origin.worker.clone());
    assert_eq!(known_as(0), Some("steady".to_owned()));
    assert_eq!(known_as(MOST_ORIGINS as u64), Some("restless".to_owned()));
    assert_eq!(links.open().origins.len(), MOST_ORIGINS, "no more than that is remembered");
}

#[test]
fn what_is_counted_follows_the_workers_and_their_jobs() {
    let links = Links::default();
    for (worker, threads) in [(1, 2), (2, 3)] {
        links.add_worker(WorkerId(worker), None, named("one of two", threads).0).unwrap();
    }
    let job = |id| ToWorker::Job(Job { id: JobId(id), ..job() });
    for (worker, message) in [
        (1, job(7)),
        (1, job(7)),
        (1, job(8)),
        (2, job(7)),
        (1, ToWorker::Acknowledge(JobId(8))),
        (2, ToWorker::Acknowledge(JobId(9))),
    ] {
        links.tell(WorkerId(worker), message);
    }
    let counted =
        |links: &Links| (links.counts().workers, links.counts().threads, links.counts().jobs);
    assert_eq!(counted(&links), (2, 5, 2));
    links.remove_worker(WorkerId(1));
    links.remove_worker(WorkerId(1));
    assert_eq!(counted(&links), (1, 3, 1));
    links.end_all(&Status::unavailable("stopping"));
    assert_eq!(counted(&links), (0, 0, 0));
}

#[test]
fn what_a_worker_does_and_has_done_is_seen() {
    let links = Links::default();
    links.add_worker(WorkerId(1), None, named("b", 2).0).unwrap();
    links.add_worker(WorkerId(2), None, named("a", 1).0).unwrap();
    for id in [7, 8].map(JobId) {
        links.tell(WorkerId(1), ToWorker::Job(Job { id, ..job() }));
    }
    links.heard(WorkerId(1), &[(JobId(7), 100), (JobId(8), 30), (JobId(9), 1_000_000)]);
    links.heard(WorkerId(1), &[(JobId(7), 150), (JobId(8), 20)]);
    links.reported(WorkerId(1), &Report { finished: true, nodes: 170, ..report(7) });
    links.reported(WorkerId(1), &Report { failed: true, nodes: 5, ..report(99) });
    links.drains(WorkerId(2));
    let (workers, totals) = links.look();
    let [first, second] = &workers[..] else { panic!("two workers, {workers:?}") };
    assert_eq!((first.name.as_str(), first.threads, first.is_draining), ("a", 1, true));
    assert_eq!((first.nodes, first.jobs, first.running.len()), (0, JobCounts::default(), 0));
    assert_eq!(
        (second.name.as_str(), second.isa.as_str(), second.is_draining),
        ("b", "avx2", false)
    );
    assert_eq!(
        second.nodes, 200,
        "170 and 30: nodes of jobs that it was not given are not counted"
    );
    assert_eq!(second.jobs, JobCounts { done: 1, stopped: 0, failed: 1 });
    let [running] = &second.running[..] else { panic!("one has reported, {second:?}") };
    assert_eq!((running.position, running.nodes), (Position::START.canonical(), 30));
    links.reported(WorkerId(1), &Report { nodes: 40, ..report(8) });
    links.remove_worker(WorkerId(1));
    let (workers, after) = links.look();
    assert_eq!((workers.len(), totals.nodes, after.nodes, after.joined), (1, 200, 210, 2));
    assert_eq!(after.jobs, JobCounts { done: 1, stopped: 1, failed: 1 });
}

#[test]
fn who_left_last_is_known_to_go_on_however_many_jobs_others_have_left() {
    let links = Links::default();
    let search = |worker, name, jobs: &[(JobId, u64)]| {
        links.add_worker(WorkerId(worker), None, named(name, 1).0).unwrap();
        for &(id, _) in jobs {
            links.tell(WorkerId(worker), ToWorker::Job(Job { id, ..job() }));
        }
        links.heard(WorkerId(worker), jobs);
        links.remove_worker(WorkerId(worker));
        links.look().1.nodes
    };
    let jobs: Vec<(JobId, u64)> = (0..MOST_ORIGINS as u64).map(|job| (JobId(job), 1)).collect();
    let before = search(1, "z", &jobs);
    search(2, "a", &[(JobId(7), 100)]);
    assert_eq!(
        search(3, "a", &[(JobId(7), 150)]),
        before + 150,
        "what it has told is counted once"
    );
}

fn report(id: u64) -> Report {
    Report::unproved(&Job { id: JobId(id), ..job() })
}

fn job() -> Job {
    Job {
        id: JobId(0),
        position: Position::START.canonical(),
        window: Window::FULL,
        node_limit: 1,
        threads: 1,
        known: Vec::new(),
        symmetry: Symmetry::IDENTITY,
        era: 0,
        hints: false,
        helps: false,
        inside: None,
        is_apart: false,
        is_shared: false,
    }
}

#[test]
fn only_the_connections_of_those_who_were_wrong_are_closed() {
    let links = Links::default();
    let ((liar, cut), (other, spared)) = (named("liar", 1), named("another", 1));
    links.add_worker(WorkerId(1), Some("liar"), liar).unwrap();
    links.add_worker(WorkerId(2), Some("another"), other).unwrap();
    links.distrust(&["liar".to_owned()], "it was wrong");
    assert_eq!((cut.is_cancelled(), spared.is_cancelled()), (true, false));
}

#[test]
fn a_worker_is_told_why_its_connection_is_closed() {
    let links = Links::default();
    let (queue, mut messages) = mpsc::channel(2);
    let (link, cut) = link(queue, false);
    links.add_worker(WorkerId(1), None, link).unwrap();
    links.disconnect(WorkerId(1), "it is silent".to_owned());
    assert!(cut.is_cancelled());
    let told = messages.try_recv().unwrap().unwrap().try_into();
    assert_eq!(told, Ok(ToWorker::Goodbye("it is silent".to_owned())));
}

#[test]
fn there_is_an_end_to_how_many_requests_are_open() {
    let links = Links::default();
    let (queue, _messages) = mpsc::channel(1);
    for solve in 0..MOST_SOLVES as u64 {
        links.add_solve(SolveId(solve), queue.clone()).unwrap();
    }
    let refused = links.add_solve(SolveId(u64::MAX), queue.clone()).unwrap_err();
    assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
    assert!(links.remove_solve(SolveId(0)));
    links.add_solve(SolveId(u64::MAX), queue).unwrap();
}

#[test]
fn a_notice_leaves_the_place_of_the_answer_free() {
    let links = Links::default();
    let (queue, mut messages) = mpsc::channel(2);
    links.add_solve(SolveId(1), queue).unwrap();
    for _ in 0..5 {
        links.notice("a worker was wrong");
    }
    links.finish(SolveId(1), Ok(solution()));
    let received: Vec<SolveUpdate> = std::iter::from_fn(|| messages.try_recv().ok())
        .map(|message| message.unwrap().try_into().unwrap())
        .collect();
    assert_eq!(received, [SolveUpdate::Notice("a worker was wrong".to_owned()), solution()]);
}

#[test]
fn when_everything_ends_workers_and_clients_learn_why() {
    let links = Links::default();
    let (queue, mut told) = mpsc::channel(1);
    let (link, cut) = link(queue, false);
    links.add_worker(WorkerId(1), None, link).unwrap();
    let (queue, mut answers) = mpsc::channel(1);
    links.add_solve(SolveId(1), queue).unwrap();
    links.end_all(&Status::internal("the disk is full"));
    assert!(cut.is_cancelled());
    assert_eq!(told.try_recv().unwrap().unwrap_err().message(), "the disk is full");
    assert_eq!(answers.try_recv().unwrap().unwrap_err().message(), "the disk is full");
    // What comes later, when it stops, does not hide the reason.
    links.end_solves(&Status::unavailable("stopping"));
    let refused = links.add_solve(SolveId(2), mpsc::channel(1).0).unwrap_err();
    assert_eq!(refused.message(), "the disk is full");
}
