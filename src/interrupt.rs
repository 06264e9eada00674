//! Ctrl-C and SIGTERM: the first asks to stop, the second aborts.

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::exit::Exit;

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
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if token.is_cancelled() {
                abort();
            }
            token.cancel();
        }
    });
    Ok((stop, tasks))
}

/// Ends the process without waiting for anything; what has been acknowledged is on disk.
#[allow(clippy::exit, reason = "the user asked twice to stop")]
fn abort() -> ! {
    std::process::exit(Exit::Interrupted as i32)
}
