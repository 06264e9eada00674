//! A worker's life: connect, work, and connect again until told to stop.

use std::sync::Arc;
use std::time::Duration;

use outflank_engine::{Engine, Settings};
use outflank_proto::message::MOST_THREADS;
use outflank_proto::{Backoff, words};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::session::Ended;
use crate::worker::Worker;
use crate::{Coordinator, Options, Solver, WorkerError};

/// The time after which the same loss is worth another line in the log.
const SAID_AGAIN: Duration = Duration::from_secs(60);

/// The shortest and the longest time before a new try to reach the coordinator.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// A connection that has lasted for so long was a good one, so that the next try may come at once.
const LASTING: Duration = Duration::from_secs(10);

/// Works for `coordinator` with an engine of its own until `stop` is cancelled; then stops its
/// jobs, hands back what they have proved and leaves.
///
/// A coordinator that cannot be reached is tried again for ever.
///
/// # Errors
/// [`WorkerError`] if the worker cannot work at all, is refused, or has to leave with reports that
/// were not acknowledged.
pub async fn run(
    options: Options,
    coordinator: Coordinator,
    stop: CancellationToken,
) -> Result<(), WorkerError> {
    let settings = Settings { isa: options.isa, table_bytes: options.table_bytes };
    let engine = Engine::new(&settings)?;
    run_with(Arc::new(engine), options, coordinator, stop).await
}

/// Works like [`run`], with the solver that is given.
///
/// # Errors
/// As [`run`].
pub async fn run_with(
    solver: Arc<dyn Solver>,
    options: Options,
    coordinator: Coordinator,
    stop: CancellationToken,
) -> Result<(), WorkerError> {
    if !(1..=MOST_THREADS).contains(&options.threads) {
        return Err(WorkerError::Threads { threads: options.threads });
    }
    let mut worker = Worker::new(solver, options);
    if let Err(error) = until_stopped(&mut worker, &coordinator, &stop).await {
        worker.abandon();
        return Err(error);
    }
    let reports = worker.leave();
    if reports > 0 {
        return Err(WorkerError::Unacknowledged { coordinator: coordinator.to_string(), reports });
    }
    Ok(())
}

async fn until_stopped(
    worker: &mut Worker,
    coordinator: &Coordinator,
    stop: &CancellationToken,
) -> Result<(), WorkerError> {
    let mut backoff = Backoff::new(SHORTEST_WAIT, LONGEST_WAIT);
    let mut losses = Losses::default();
    loop {
        let (place, cause) = match worker.wait_for(coordinator.connect(), stop).await {
            None => return Ok(()),
            Some(Err(unreached)) => match unreached.refusal {
                Some(refusal) => return Err(refusal.into()),
                None => (coordinator.to_string(), unreached.cause),
            },
            Some(Ok(reached)) => {
                let address = reached.address.clone();
                let begin = Instant::now();
                let ended = worker.session(reached, stop).await;
                let Some((cause, welcomed)) = loss(ended, &address)? else { return Ok(()) };
                if welcomed {
                    if begin.elapsed() >= LASTING {
                        backoff.reset();
                        losses = Losses::default();
                    }
                    (address, cause)
                } else {
                    coordinator.pass_over();
                    let hint = coordinator.hint(&cause);
                    // With a hint the words are what it was drawn from.
                    let cause = if hint.is_empty() { words::in_short(cause) } else { cause };
                    (address, cause + hint)
                }
            }
        };
        let wait = backoff.draw();
        if losses.is_news(&cause, Instant::now()) {
            tracing::warn!(
                coordinator = %place,
                cause,
                seconds = %format_args!("{:.1}", wait.as_secs_f64()),
                "no connection to the coordinator, trying again"
            );
        }
        if worker.wait_for(tokio::time::sleep(wait), stop).await.is_none() {
            return Ok(());
        }
    }
}

/// Returns why the connection to the coordinator at `address` was lost and whether there had been a welcome,
/// or `None` if the worker has left.
fn loss(ended: Ended, address: &str) -> Result<Option<(String, bool)>, WorkerError> {
    let coordinator = address.to_owned();
    match ended {
        Ended::Left => Ok(None),
        Ended::Lost { cause, welcomed } => Ok(Some((cause, welcomed))),
        Ended::Refused(reason) => Err(WorkerError::Refused { coordinator, reason }),
        Ended::Distrusted(reason) => Err(WorkerError::Distrusted { coordinator, reason }),
        Ended::Unknown(reason) => Err(WorkerError::Unauthenticated { coordinator, reason }),
    }
}

/// What was said of a coordinator that is away, without the digits: some causes have the time in them, such as that a
/// certificate has expired. It may be away for hours, and is tried every few seconds.
#[derive(Debug, Default)]
struct Losses {
    said: Vec<(String, Instant)>,
}

impl Losses {
    /// Returns whether this cause was not said within the last minute; it is then.
    fn is_news(&mut self, cause: &str, now: Instant) -> bool {
        self.said.retain(|&(_, at)| now.duration_since(at) < SAID_AGAIN);
        let cause = cause.replace(|character: char| character.is_ascii_digit(), "");
        let is_news = self.said.iter().all(|(said, _)| *said != cause);
        if is_news {
            self.said.push((cause, now));
        }
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_loss_is_said_once_a_minute() {
        let (mut losses, start) = (Losses::default(), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!(losses.is_news("it stops", start));
        assert!(losses.is_news("connection refused", after(1)));
        assert!(!losses.is_news("it stops", after(2)));
        assert!(!losses.is_news("connection refused", after(60)));
        assert!(losses.is_news("connection refused", after(61)));
    }

    /// Of a certificate that had expired every worker said at each try by how many seconds.
    #[test]
    fn losses_that_differ_in_numbers_alone_are_the_same() {
        let (mut losses, now) = (Losses::default(), Instant::now());
        assert!(losses.is_news("certificate expired: not valid after 1609 (99 seconds ago)", now));
        assert!(
            !losses.is_news("certificate expired: not valid after 1609 (109 seconds ago)", now)
        );
        assert!(losses.is_news("certificate revoked", now));
    }
}
