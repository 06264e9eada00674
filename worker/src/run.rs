//! A worker's life: connect, work, and connect again until told to stop.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use outflank_engine::{Engine, Settings};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::backoff::Backoff;
use crate::session::{Ended, Worker};
use crate::{Coordinator, Options, Solver, WorkerError};

/// The time after which the same loss is worth another line in the log.
const SAID_AGAIN: Duration = Duration::from_secs(60);

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
    if !(1..=1024).contains(&options.threads) {
        return Err(WorkerError::Threads { threads: options.threads });
    }
    let mut worker = Worker::new(solver, options);
    let worked = until_stopped(&mut worker, &coordinator, &stop).await;
    let reports = worker.abandon();
    worked?;
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
    let mut backoff = Backoff::new();
    let mut losses = Losses::default();
    loop {
        let connected = worker.wait_for(coordinator.connect(), stop).await;
        let cause = match connected {
            None => return Ok(()),
            Some(Err(error)) => hinted(coordinator, chain(&error)),
            Some(Ok(connection)) => match worker.session(connection, coordinator, stop).await {
                Ended::Left => return Ok(()),
                Ended::Refused(reason) => {
                    return Err(WorkerError::Refused {
                        coordinator: coordinator.to_string(),
                        reason,
                    });
                }
                Ended::Distrusted(reason) => {
                    let coordinator = coordinator.to_string();
                    return Err(WorkerError::Distrusted { coordinator, reason });
                }
                Ended::Unknown(reason) => {
                    let coordinator = coordinator.to_string();
                    return Err(WorkerError::Unauthenticated { coordinator, reason });
                }
                Ended::Lost { cause, welcomed } => {
                    if welcomed {
                        backoff.reset();
                        losses = Losses::default();
                        cause
                    } else {
                        hinted(coordinator, cause)
                    }
                }
            },
        };
        let wait = backoff.next();
        if losses.is_news(&cause, Instant::now()) {
            tracing::warn!(
                %coordinator,
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

/// Returns why there was no welcome, with what the worker may lack.
fn hinted(coordinator: &Coordinator, cause: String) -> String {
    let hint = coordinator.hint(&cause);
    cause + hint
}

/// What was said of a coordinator that is away. It may be away for hours, and is tried every few seconds.
#[derive(Debug, Default)]
struct Losses {
    said: Vec<(String, Instant)>,
}

impl Losses {
    /// Returns whether this cause was not said within the last minute; it is then.
    fn is_news(&mut self, cause: &str, now: Instant) -> bool {
        self.said.retain(|&(_, at)| now.duration_since(at) < SAID_AGAIN);
        let is_news = self.said.iter().all(|(said, _)| said != cause);
        if is_news {
            self.said.push((cause.to_owned(), now));
        }
        is_news
    }
}

/// Returns an error and its causes on one line; a cause that its error has told already is left out.
pub(crate) fn chain(error: &dyn Error) -> String {
    with_causes(error.to_string(), error)
}

/// Returns what a status says with its causes, as `chain` does of other errors: as text it shows its insides.
pub(crate) fn said(status: &Status) -> String {
    let text = match status.message() {
        "" => status.code().to_string(),
        message => message.to_owned(),
    };
    with_causes(text, status)
}

fn with_causes(mut text: String, error: &dyn Error) -> String {
    let mut cause = error.source();
    while let Some(error) = cause {
        let told = error.to_string();
        if !text.contains(&told) {
            text = format!("{text}: {told}");
        }
        cause = error.source();
    }
    text
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
}
