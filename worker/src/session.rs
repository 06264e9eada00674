//! One connection to the coordinator, from hello to the end.

use std::pin::pin;
use std::time::Duration;

use outflank_proto::message::{FromWorker, ToWorker, Welcome};
use outflank_proto::v1::cluster_client::ClusterClient;
use outflank_proto::{Connection, Reached, is_made_up, is_role_refusal, v1, words};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status, Streaming};

use crate::jobs::Finished;
use crate::worker::Worker;

/// How long the coordinator may take to answer a hello.
const WELCOME_DEADLINE: Duration = Duration::from_secs(15);
/// The queue of messages to the coordinator; when it is full, the worker reads no more jobs.
const QUEUE: usize = 64;
/// How long jobs of earlier connections go on although the coordinator does not ask for them again.
const UNASKED: Duration = Duration::from_secs(300);
/// How often the searches of jobs that several workers share tell each other what they come to believe.
const SHARED_NEWS: Duration = Duration::from_millis(5);

/// How a connection ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The worker has left because it was told to.
    Left,
    /// The coordinator does not want this worker, for this reason.
    Refused(String),
    /// The coordinator has found this worker to be wrong, as it says here.
    Distrusted(String),
    /// The coordinator does not know this worker's token, wants one, or wants one for workers.
    Unknown(String),
    /// The connection is gone; another may be better.
    Lost {
        /// Why.
        cause: String,
        /// Whether there had been a welcome.
        welcomed: bool,
    },
}

impl Worker {
    /// Works over `connection` until the connection ends or, after `stop`, everything is handed back.
    pub(crate) async fn session(
        &mut self,
        Reached { connection, address }: Reached,
        stop: &CancellationToken,
    ) -> Ended {
        self.sessions += 1;
        let hello = self.hello();
        let name = hello.name();
        let greeting = greet(connection, FromWorker::Hello(hello));
        let greeting = tokio::time::timeout(WELCOME_DEADLINE, greeting);
        let Some(greeted) = self.wait_for(greeting, stop).await else { return Ended::Left };
        let greeted =
            greeted.unwrap_or_else(|_elapsed| Err(Status::deadline_exceeded("no welcome came")));
        let (outbound, inbound, welcome) = match greeted {
            Ok(greeted) => greeted,
            Err(status) => return refusal(&status),
        };
        tracing::info!(
            coordinator = %address,
            build = welcome.build,
            name,
            "connected to the coordinator"
        );
        self.words.clear(); // They were for others over another connection.
        let mut session = Session {
            worker: self,
            stop,
            outbound: Some(outbound),
            welcomed: Instant::now(),
            heartbeat: heartbeat(&welcome),
            interims: interims(&welcome),
            shared: every(SHARED_NEWS),
            leaving: None,
        };
        session.worker.options.gauges.connected();
        let worked = session.work(inbound).await;
        session.worker.options.gauges.disconnected();
        session.worker.jobs.disconnected();
        match worked {
            Ok(()) if stop.is_cancelled() => Ended::Left,
            Ok(()) => lost("the coordinator is stopping".to_owned()),
            Err(_status) if stop.is_cancelled() && session.worker.may_leave() => Ended::Left,
            Err(status) => lost(words::of_loss(&status)),
        }
    }
}

/// Says hello and waits for the welcome.
async fn greet(
    connection: Connection,
    hello: FromWorker,
) -> Result<(mpsc::Sender<v1::FromWorker>, Streaming<v1::ToWorker>, Welcome), Status> {
    let (outbound, messages) = mpsc::channel(QUEUE);
    send(&outbound, hello).await?;
    let mut client = ClusterClient::new(connection);
    let mut inbound = client.work(ReceiverStream::new(messages)).await?.into_inner();
    match receive(inbound.message().await?)? {
        Some(ToWorker::Welcome(welcome)) => Ok((outbound, inbound, welcome)),
        Some(ToWorker::Goodbye(reason)) => Err(Status::unavailable(reason)),
        _ => Err(Status::unavailable("the coordinator did not begin with a welcome")),
    }
}

fn lost(cause: String) -> Ended {
    Ended::Lost { cause, welcomed: true }
}

/// Returns what a failed greeting means: some answers will not change however often one asks.
fn refusal(status: &Status) -> Ended {
    match status.code() {
        _ if is_made_up(status) => Ended::Lost { cause: words::of_status(status), welcomed: false },
        Code::FailedPrecondition | Code::InvalidArgument | Code::Unimplemented => {
            Ended::Refused(status.message().to_owned())
        }
        _ if is_role_refusal(status) => Ended::Unknown(status.message().to_owned()),
        Code::PermissionDenied => Ended::Distrusted(status.message().to_owned()),
        Code::Unauthenticated => Ended::Unknown(status.message().to_owned()),
        _ => Ended::Lost { cause: words::of_status(status), welcomed: false },
    }
}

/// Returns the beat of the heart: twice as fast as the coordinator wants, for slow networks.
fn heartbeat(welcome: &Welcome) -> Interval {
    let wanted = Duration::from_millis(u64::from(welcome.heartbeat_millis));
    every((wanted / 2).max(Duration::from_millis(1)))
}

/// Returns the beat at which to tell of running jobs, if the coordinator wants that.
fn interims(welcome: &Welcome) -> Option<Interval> {
    let period = Duration::from_millis(u64::from(welcome.interim_millis));
    (!period.is_zero()).then(|| every(period))
}

fn every(period: Duration) -> Interval {
    let mut interval = tokio::time::interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

fn receive(message: Option<v1::ToWorker>) -> Result<Option<ToWorker>, Status> {
    Ok(message.map(ToWorker::try_from).transpose()?)
}

async fn send(outbound: &mpsc::Sender<v1::FromWorker>, message: FromWorker) -> Result<(), Status> {
    let gone = |_| Status::unavailable("the connection was lost while sending");
    outbound.send(message.into()).await.map_err(gone)
}

/// A connection after the welcome.
#[derive(Debug)]
struct Session<'a> {
    worker: &'a mut Worker,
    stop: &'a CancellationToken,
    /// The way to the coordinator, until the worker half-closes it.
    outbound: Option<mpsc::Sender<v1::FromWorker>>,
    /// When the welcome came.
    welcomed: Instant,
    heartbeat: Interval,
    /// The beat of the news of running jobs; `None` if the coordinator wants none.
    interims: Option<Interval>,
    /// The beat of the news of jobs that are shared with others.
    shared: Interval,
    /// When the worker leaves even if its reports are not acknowledged; `None` while it works.
    leaving: Option<Instant>,
}

impl Session<'_> {
    /// Works until the coordinator ends the stream, or the deadline for leaving is over.
    async fn work(&mut self, mut inbound: Streaming<v1::ToWorker>) -> Result<(), Status> {
        for report in self.worker.outbox.reports().to_vec() {
            self.say(FromWorker::Report(report)).await?;
        }
        loop {
            if self.worker.words.is_missing_a_word() {
                return Err(Status::unavailable(
                    "the coordinator does not take what is said to others",
                ));
            }
            if self.leaving.is_some() && self.worker.is_done() {
                self.outbound = None; // Half-closes: the coordinator will end the stream.
            }
            let deadline = self.leaving;
            tokio::select! {
                () = self.stop.cancelled(), if deadline.is_none() => {
                    let deadline = self.worker.stop();
                    self.leave(deadline).await?;
                }
                () = passed(deadline) => return Ok(()),
                message = inbound.message() => match receive(message?)? {
                    Some(message) => self.accept(message).await?,
                    None if self.outbound.is_none() => return Ok(()),
                    None => return Err(Status::unavailable("the coordinator closed the connection")),
                },
                Some(word) = self.worker.words.next() => self.say(word).await?,
                Some(finished) = self.worker.reports.recv() => self.report(finished).await?,
                _ = self.heartbeat.tick() => {
                    if self.welcomed.elapsed() >= UNASKED {
                        self.worker.jobs.stop_earlier(self.worker.sessions);
                    }
                    self.worker.show();
                    self.tell_progress().await?;
                }
                () = beat(&mut self.interims) => {
                    self.tell_news().await?;
                }
                _ = self.shared.tick(), if self.interims.is_some() && self.worker.jobs.have_company() => {
                    self.tell_found().await?;
                }
            }
        }
    }

    async fn accept(&mut self, message: ToWorker) -> Result<(), Status> {
        let worker = &mut *self.worker;
        match message {
            // A job that crossed our farewell goes back when we have left.
            ToWorker::Job(job) if self.leaving.is_some() => {
                tracing::debug!(job = job.id.0, "job refused while leaving");
            }
            ToWorker::Job(job) => worker.jobs.start(job, worker.sessions),
            ToWorker::Cancel(job) => worker.jobs.stop(job),
            ToWorker::Known(job, known) => worker.jobs.know(job, &known),
            ToWorker::Hints(hints) => worker.jobs.hear(&hints),
            ToWorker::Member(job, word) => worker.jobs.word(job, word),
            ToWorker::Forget => worker.jobs.forget(),
            ToWorker::Acknowledge(job) => worker.outbox.acknowledge(job),
            ToWorker::Drain if self.leaving.is_some() => {}
            ToWorker::Drain => {
                let deadline = Instant::now() + worker.options.drain_deadline;
                self.leave(deadline).await?;
            }
            ToWorker::Goodbye(reason) => return Err(Status::unavailable(reason)),
            ToWorker::Welcome(_) => return Err(Status::unavailable("a second welcome came")),
        }
        self.worker.show();
        Ok(())
    }

    /// Tells what is new of the running jobs. What the search believes comes before what follows from
    /// that.
    async fn tell_news(&mut self) -> Result<(), Status> {
        self.tell_found().await?;
        if self.worker.jobs.have_company() {
            self.tell_progress().await?; // Who leads may be done before the next beat of the heart.
        }
        for interim in self.worker.jobs.news(self.worker.sessions) {
            self.say(FromWorker::Interim(interim)).await?;
        }
        Ok(())
    }

    /// Tells how far the running jobs are.
    async fn tell_progress(&mut self) -> Result<(), Status> {
        let jobs = self.worker.jobs.progress(self.worker.sessions);
        self.say(FromWorker::Heartbeat(jobs)).await
    }

    /// Tells what the running jobs have come to believe, and to know, on their way.
    async fn tell_found(&mut self) -> Result<(), Status> {
        for (job, hints) in self.worker.jobs.hints(self.worker.sessions) {
            self.say(FromWorker::Hints(job, hints)).await?;
        }
        for found in self.worker.jobs.found(self.worker.sessions) {
            self.say(FromWorker::Found(found)).await?;
        }
        Ok(())
    }

    /// Keeps a report and sends it.
    async fn report(&mut self, Finished { report, has_run }: Finished) -> Result<(), Status> {
        // It is kept before anything is said: the connection may be gone.
        let session = self.worker.sessions;
        let found = has_run.then(|| self.worker.jobs.ended(report.job, session)).flatten();
        self.worker.options.gauges.ended(&report);
        self.worker.outbox.keep(report.clone());
        self.worker.show();
        if self.worker.outbox.is_too_full() {
            return Err(Status::unavailable("the coordinator acknowledges nothing"));
        }
        while let Some(word) = self.worker.words.next_now() {
            self.say(word).await?; // After its report nobody would take what a job has to say.
        }
        if let Some(found) = found {
            self.say(FromWorker::Found(found)).await?;
        }
        self.say(FromWorker::Report(report)).await
    }

    /// Takes no more jobs and stops those that run, until `deadline` at the latest.
    async fn leave(&mut self, deadline: Instant) -> Result<(), Status> {
        self.leaving = Some(deadline);
        self.worker.jobs.stop_all();
        self.say(FromWorker::Draining).await
    }

    /// Sends a message when there is room for it. A coordinator that does not read holds up what it is told, but
    /// neither the jobs' end when the worker is told to stop nor the worker when the time for leaving is over.
    async fn say(&mut self, message: FromWorker) -> Result<(), Status> {
        let Some(outbound) = &self.outbound else {
            return Ok(()); // Half-closed: the coordinator expects nothing more.
        };
        let mut sending = pin!(send(outbound, message));
        let deadline = match self.leaving {
            Some(deadline) => deadline,
            None => match self.stop.run_until_cancelled(&mut sending).await {
                Some(sent) => return sent,
                None => self.worker.stop(), // The farewell comes after this message.
            },
        };
        let sent = tokio::time::timeout_at(deadline, sending).await;
        sent.unwrap_or_else(|_elapsed| Err(Status::unavailable("the coordinator reads nothing")))
    }
}

/// Waits for the next beat, or for ever if there is none.
async fn beat(interval: &mut Option<Interval>) {
    match interval {
        Some(interval) => {
            interval.tick().await;
        }
        None => std::future::pending().await,
    }
}

/// Waits for a deadline, or for ever if there is none.
async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
