//! One worker: the whole protocol, no processor of its own.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use outflank_engine::{Control, Engine, FoundBound, Request};
use outflank_proto::message::{Found, FromWorker, Hello, Job, JobId, Report, ToWorker, Welcome};
use outflank_proto::v1;
use outflank_proto::v1::cluster_client::ClusterClient;
use outflank_proto::{NEWEST_PROTOCOL, OLDEST_PROTOCOL};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Status, Streaming};

use super::measures::{Measures, Wait};
use super::promises::Promises;

/// A job that no coordinator has given: a heartbeat that names it is answered by a cancel.
const UNKNOWN_JOB: JobId = JobId(0);

/// What one worker needs.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) number: u32,
    pub(super) channel: Channel,
    pub(super) engine: Arc<Engine>,
    pub(super) job_seconds: f64,
    /// How many bounds from inside a job it tells of, on average.
    pub(super) found_a_job: f64,
    pub(super) measures: Arc<Measures>,
    pub(super) promises: Arc<Promises>,
}

/// Works for ever, over one connection after the other.
pub(super) async fn work(plan: Plan) {
    let (random, outbox) = (RandomState::new(), BTreeMap::new());
    let mut worker = Worker { plan, random, drawn: 0, outbox, due: 0.0 };
    worker.due = worker.draw(); // So that not all tell of something at the same time.
    loop {
        if worker.connection().await.is_err() {
            worker.plan.measures.lost();
            let wait = Duration::from_secs_f64(0.1 + 2.0 * worker.draw());
            sleep(wait).await;
        }
    }
}

struct Worker {
    plan: Plan,
    random: RandomState,
    drawn: u64,
    /// Reports that were not acknowledged, and when they were sent.
    outbox: BTreeMap<JobId, (Report, Instant)>,
    /// How many bounds from inside jobs it is to tell of by now.
    due: f64,
}

/// A connection after the welcome.
struct Session {
    outbound: mpsc::Sender<v1::FromWorker>,
    inbound: Streaming<v1::ToWorker>,
    heartbeat: Duration,
    job: Option<(Job, Instant)>,
    /// When the last report was sent, while no job has come since.
    idle_since: Option<Instant>,
    beat_at: Option<Instant>,
    /// Whether the first job was met: it ends early, so that the workers do not keep step.
    had_a_job: bool,
}

impl Worker {
    /// Returns a number from 0 to 1.
    fn draw(&mut self) -> f64 {
        self.drawn += 1;
        self.random.hash_one((self.plan.number, self.drawn)) as f64 / u64::MAX as f64
    }

    async fn connection(&mut self) -> Result<(), Status> {
        let mut session = self.greet().await?;
        for (report, sent) in self.outbox.values_mut() {
            *sent = Instant::now();
            session.say(FromWorker::Report(report.clone())).await?;
        }
        let mut beat = Instant::now() + session.heartbeat.mul_f64(self.draw());
        loop {
            let job_ends = session.job.as_ref().map_or(beat, |(_, ends)| *ends);
            tokio::select! {
                message = session.inbound.message() => match message? {
                    Some(message) => self.take(&mut session, message.try_into()?).await?,
                    None => return Err(Status::unavailable("closed")),
                },
                () = sleep_until(beat) => {
                    beat += session.heartbeat;
                    let running = session.job.iter().map(|(job, _)| (job.id, 1));
                    let jobs = running.chain([(UNKNOWN_JOB, 0)]).collect();
                    session.beat_at = Some(Instant::now());
                    session.say(FromWorker::Heartbeat(jobs)).await?;
                }
                () = sleep_until(job_ends), if session.job.is_some() => {
                    self.finish(&mut session).await?;
                }
            }
        }
    }

    async fn greet(&self) -> Result<Session, Status> {
        let (outbound, messages) = mpsc::channel(16);
        let hello = FromWorker::Hello(Hello {
            oldest_protocol: OLDEST_PROTOCOL,
            newest_protocol: NEWEST_PROTOCOL,
            build: "load".to_owned(),
            isa: "none".to_owned(),
            host: "load".to_owned(),
            threads: 1,
            table_bytes: 0,
            instance: u64::from(self.plan.number) + 1,
            listens: true,
            shares: false,
        });
        let gone = |_| Status::unavailable("gone");
        outbound.send(hello.into()).await.map_err(gone)?;
        let start = Instant::now();
        let mut client = ClusterClient::new(self.plan.channel.clone());
        let mut inbound = client.work(ReceiverStream::new(messages)).await?.into_inner();
        let first = inbound.message().await?.ok_or_else(|| Status::unavailable("closed"))?;
        let ToWorker::Welcome(Welcome { heartbeat_millis, .. }) = first.try_into()? else {
            return Err(Status::unavailable("no welcome"));
        };
        self.plan.measures.note(Wait::Welcome, start.elapsed());
        // As the real worker does: twice as often as it must.
        let heartbeat = Duration::from_millis(u64::from(heartbeat_millis)) / 2;
        Ok(Session {
            outbound,
            inbound,
            heartbeat,
            job: None,
            idle_since: None,
            beat_at: None,
            had_a_job: false,
        })
    }

    async fn take(&mut self, session: &mut Session, message: ToWorker) -> Result<(), Status> {
        match message {
            ToWorker::Job(job) => {
                if let Some(since) = session.idle_since.take() {
                    self.plan.measures.note(Wait::Acquire, since.elapsed());
                }
                // Between half and one and a half of the mean; the first one less.
                let share = if session.had_a_job { 0.5 + self.draw() } else { self.draw() };
                session.had_a_job = true;
                let time = Duration::from_secs_f64(self.plan.job_seconds * share);
                session.job = Some((job, Instant::now() + time));
            }
            ToWorker::Acknowledge(job) => {
                if let Some((report, sent)) = self.outbox.remove(&job) {
                    self.plan.measures.note(Wait::Acknowledge, sent.elapsed());
                    self.plan.promises.acknowledged(&report);
                }
            }
            ToWorker::Cancel(UNKNOWN_JOB) => {
                if let Some(sent) = session.beat_at.take() {
                    self.plan.measures.note(Wait::Heartbeat, sent.elapsed());
                }
            }
            ToWorker::Cancel(cancelled) => {
                if let Some((job, _)) = session.job.take_if(|(job, _)| job.id == cancelled) {
                    self.report(session, Report::unproved(&job)).await?;
                }
            }
            ToWorker::Known(_, known) => self.plan.measures.told(known.len()),
            ToWorker::Goodbye(reason) => return Err(Status::unavailable(reason)),
            ToWorker::Welcome(_)
            | ToWorker::Hints(_)
            | ToWorker::Member(..)
            | ToWorker::Drain
            | ToWorker::Forget => {}
        }
        Ok(())
    }

    /// Solves the job that has lasted long enough, tells of what is dear inside it, and reports it. Real workers tell a
    /// few seconds earlier; seen from the coordinator it is all the same, with this many of them.
    async fn finish(&mut self, session: &mut Session) -> Result<(), Status> {
        let Some((job, _)) = session.job.take() else { return Ok(()) };
        let engine = Arc::clone(&self.plan.engine);
        let (id, era, is_asked) = (job.id, job.era, job.inside.is_some());
        let solved = tokio::task::spawn_blocking(move || solve(&engine, &job)).await;
        let (report, mut bounds) = solved.map_err(|error| Status::internal(error.to_string()))?;
        // Some jobs are so small that there is nothing inside: others tell of more.
        self.due += self.plan.found_a_job;
        bounds.truncate(self.due as usize);
        self.due -= bounds.len() as f64;
        if is_asked && !bounds.is_empty() {
            self.plan.promises.found(&bounds);
            session.say(FromWorker::Found(Found { job: id, era, bounds })).await?;
        }
        self.report(session, report).await
    }

    async fn report(&mut self, session: &mut Session, report: Report) -> Result<(), Status> {
        let now = Instant::now();
        session.idle_since = Some(now);
        self.outbox.insert(report.job, (report.clone(), now));
        session.say(FromWorker::Report(report)).await
    }
}

impl Session {
    async fn say(&self, message: FromWorker) -> Result<(), Status> {
        let gone = |_| Status::unavailable("gone");
        self.outbound.send(message.into()).await.map_err(gone)
    }
}

/// Returns the report of a job, and the bounds that were found inside it, the dearest first.
fn solve(engine: &Engine, job: &Job) -> (Report, Vec<FoundBound>) {
    let request = Request {
        position: job.symmetry.position(job.position),
        window: job.window,
        node_limit: Some(job.node_limit),
        threads: 1,
        known: job.known.clone(),
    };
    // All bounds, said to be as dear as the coordinator wants them: in jobs this small none is.
    let control = Control::default().with_found(Some(1));
    let answer = engine.solve(&request, &control).turned(job.symmetry.inverse());
    let mut bounds = control.take_found();
    bounds.retain(|found| found.position.empties() < job.position.empties());
    bounds.sort_by_key(|found| std::cmp::Reverse(found.nodes));
    let dear = job.inside.unwrap_or(0);
    bounds.iter_mut().for_each(|found| found.nodes = found.nodes.max(dear));
    (Report::unproved(job).with(answer), bounds)
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Position, Score, Settings, Symmetry, Window};
    use outflank_kernel::Isa;

    use super::*;
    use crate::load::played;

    fn exact(engine: &Engine, position: Position) -> Score {
        let request = Request {
            position,
            window: Window::FULL,
            node_limit: None,
            threads: 1,
            known: Vec::new(),
        };
        engine.solve(&request, &Control::default()).bound.value().expect("it has no limit")
    }

    #[test]
    fn what_is_told_from_inside_a_job_is_true_and_of_positions_as_the_search_meets_them() {
        let settings = Settings { isa: Isa::detect(), table_bytes: 1 << 20 };
        let engine = Engine::new(&settings).expect("a megabyte");
        let mut told = 0;
        for seed in 0..8_u32 {
            let job = Job {
                id: JobId(seed.into()),
                position: played(seed.into(), 13).canonical(),
                symmetry: Symmetry::new(seed).expect("there are eight"),
                window: Window::FULL,
                node_limit: u64::MAX,
                threads: 1,
                known: Vec::new(),
                era: 0,
                hints: false,
                inside: Some(1),
                is_apart: false,
                is_shared: false,
                helps: false,
            };
            engine.clear();
            let (report, bounds) = solve(&engine, &job);
            assert_eq!(report.bound, Bound::exact(exact(&engine, job.position)));
            let filled = !job.symmetry.position(job.position).empty();
            for found in bounds.iter().take(20) {
                assert_eq!(!found.position.empty() & filled, filled, "it lies below the job");
                let value = Bound::exact(exact(&engine, found.position));
                assert!(value.implies(found.bound), "{found:?} is {value}");
                told += 1;
            }
            assert!(bounds.is_sorted_by(|one, next| one.nodes >= next.nodes), "dearest first");
        }
        assert!(told > 40, "{told}");
    }

    /// So fleets tell of as many bounds in a second as they search shares of `inside_nodes_per_thread` nodes, at most:
    /// threads of 38 million nodes a second of about 140 in all, however many they are.
    #[test]
    fn searches_find_hardly_more_than_one_bound_for_each_share_of_their_nodes() {
        let settings = Settings { isa: Isa::detect(), table_bytes: 16 << 20 };
        let engine = Engine::new(&settings).expect("16 megabytes");
        for shares in [10, 30, 100] {
            let (mut found, positions) = (0, 8);
            for seed in 0..positions {
                let request = Request {
                    position: played(seed, 17),
                    window: Window::FULL,
                    node_limit: None,
                    threads: 1,
                    known: Vec::new(),
                };
                engine.clear();
                let all = engine.solve(&request, &Control::default()).nodes;
                engine.clear();
                let control = Control::default().with_found(Some(all / shares));
                let again = engine.solve(&request, &control);
                assert_eq!(again.nodes, all, "to tell of bounds changes nothing");
                let empties = request.position.empties();
                let bounds = control.take_found();
                found += bounds.iter().filter(|found| found.position.empties() < empties).count();
            }
            let each = found as f64 / (positions * shares) as f64;
            println!("{each:.2} bounds for each {shares}th of the nodes");
            assert!((0.3..1.5).contains(&each), "{each} for {shares}");
        }
    }
}
