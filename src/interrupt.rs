//! Ctrl-C and SIGTERM: the first asks to stop, a later one aborts.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::exit::Exit;
use crate::{machine, output};

/// A SIGTERM so soon after the first signal is the same request: batch systems send it to a process and to all
/// processes of its job.
const SAME: Duration = Duration::from_secs(1);

/// Returns a token that the first Ctrl-C or SIGTERM cancels. The second one ends the process.
///
/// The watch ends when the returned set is dropped.
pub(crate) fn watch() -> std::io::Result<(CancellationToken, JoinSet<()>)> {
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stop = CancellationToken::new();
    let token = stop.clone();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut first = None;
        loop {
            let is_repeated = tokio::select! {
                biased;
                _ = terminate.recv() => first.is_some_and(|first: Instant| first.elapsed() > SAME),
                _ = interrupt.recv() => first.is_some(),
            };
            if is_repeated {
                abort();
            }
            first.get_or_insert_with(Instant::now);
            token.cancel();
        }
    });
    Ok((stop, tasks))
}

/// Says that a command was interrupted before it could ask anything: its store was not open, or its coordinator not
/// reached.
pub(crate) fn before_the_begin() -> Exit {
    let again = machine::command_line();
    output::note(&format!("interrupted before anything had begun; to go on: {again}"));
    Exit::Interrupted
}

/// Ends the process without waiting for anything; what has been acknowledged is on disk.
#[allow(clippy::exit, reason = "the user asked twice to stop")]
fn abort() -> ! {
    std::process::exit(Exit::Interrupted as i32)
}
