//! Ctrl-C, SIGTERM and SIGHUP: the first asks to stop, a later one aborts.

use std::fs;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::exit::Exit;
use crate::{output, typed};

/// A SIGTERM or SIGHUP so soon after the first signal is the same request: batch systems send it to a process and to all
/// processes of its job, and of a terminal that is closed both the shell and the system tell.
const SAME: Duration = Duration::from_secs(1);

/// As soon as nobody types it twice, a Ctrl-C is the same request, too: `timeout -s INT` sends it to a process and to its
/// group, of which the process is one.
const SAME_INTERRUPT: Duration = Duration::from_millis(100);

/// The number of SIGHUP, which is the same on all Linux systems.
const HANGUP: u32 = 1;

/// Returns a token that the first Ctrl-C, SIGTERM or SIGHUP cancels. The second one ends the process.
///
/// Whoever starts the process with SIGHUP ignored, as `nohup` does, wants it to outlive the terminal: then it stays
/// ignored. The watch ends when the returned set is dropped.
pub(crate) fn watch() -> std::io::Result<(CancellationToken, JoinSet<()>)> {
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut hangup = heard_hangup()?;
    let stop = CancellationToken::new();
    let token = stop.clone();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut first = None;
        loop {
            let same = tokio::select! {
                biased;
                _ = terminate.recv() => SAME,
                () = received(hangup.as_mut()) => SAME,
                _ = interrupt.recv() => SAME_INTERRUPT,
            };
            if first.is_some_and(|first: Instant| first.elapsed() > same) {
                abort();
            }
            first.get_or_insert_with(Instant::now);
            token.cancel();
        }
    });
    Ok((stop, tasks))
}

/// Returns the SIGHUPs to come, unless the process was started with that signal ignored.
fn heard_hangup() -> std::io::Result<Option<Signal>> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if ignores(&status, HANGUP) {
        return Ok(None);
    }
    signal(SignalKind::hangup()).map(Some)
}

/// Returns whether a process with this `/proc/…/status` ignores the signal with the number `signal`.
fn ignores(status: &str, signal: u32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Waits for the signal, for ever if it is not listened for.
async fn received(signal: Option<&mut Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Says that a command was interrupted before it could ask anything: its store was not open, or its coordinator not
/// reached.
pub(crate) fn before_the_begin() -> Exit {
    let again = typed::command_line();
    output::note(&format!("interrupted before anything had begun; to go on: {again}"));
    Exit::Interrupted
}

/// Ends the process without waiting for anything; what has been acknowledged is on disk.
#[allow(clippy::exit, reason = "the user asked twice to stop")]
fn abort() -> ! {
    std::process::exit(Exit::Interrupted as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_that_are_ignored_stand_in_the_status() {
        let status =
            |mask| format!("Name:\toutflank\nSigBlk:\tffffffffffffffff\nSigIgn:\t{mask}\n");
        assert!(ignores(&status("0000000000000001"), HANGUP));
        assert!(ignores(&status("0000000000001007"), HANGUP));
        assert!(!ignores(&status("0000000000001006"), HANGUP));
        assert!(!ignores("", HANGUP), "the system does not say");
    }
}
