//! A worker that lies: the real one otherwise, so that its lies are reports like any.

use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use outflank_engine::{Answer, Bound, Control, Engine, Position, Request, Settings, Window};
use outflank_kernel::Isa;
use outflank_worker::{Options, Solver, WorkerError};
use tokio_util::sync::CancellationToken;

/// Be a worker that denies some of what it finds, until it is found out.
#[derive(Debug, Args)]
pub(crate) struct Liar {
    /// The coordinator.
    #[arg(long, value_name = "ADDR")]
    connect: String,
}

/// Works until the coordinator wants no more of it.
pub(crate) fn lie(arguments: &Liar) -> anyhow::Result<()> {
    let isa = Isa::detect();
    let engine = Engine::new(&Settings { isa, table_bytes: 16 << 20 }).context("the engine")?;
    let coordinator = arguments.connect.parse().context("--connect")?;
    let options = Options { host: "liar".to_owned(), ..Options::new(1, 0, isa) };
    let runtime = tokio::runtime::Runtime::new().context("the runtime")?;
    let stop = CancellationToken::new();
    let working = outflank_worker::run_with(Arc::new(Denier(engine)), options, coordinator, stop);
    match runtime.block_on(working) {
        Err(WorkerError::Distrusted { reason, .. }) => {
            println!("found out: {reason}");
            Ok(())
        }
        ended => ended.context("the worker"),
    }
}

/// Solves truly, and says the opposite of one position in eight.
struct Denier(Engine);

impl Solver for Denier {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        let truth = self.0.solve(request, control);
        if !truth.finished || !is_drawn(request.position) {
            return truth;
        }
        let bound = denied(truth.bound, request.window);
        Answer { bound, children: Vec::new(), line: Vec::new(), ..truth }
    }

    fn forget(&self) {
        self.0.clear();
    }
}

/// Returns whether a position is one that is lied about, however it is turned.
fn is_drawn(position: Position) -> bool {
    let position = position.canonical();
    let mixed = (position.player() ^ position.opponent().rotate_left(31))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed >> 61 == 0
}

/// Returns an answer to the window that the true one excludes.
fn denied(truth: Bound, window: Window) -> Bound {
    if truth.lower() >= window.upper() {
        Bound::at_most(window.lower())
    } else {
        Bound::at_least(window.upper())
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::Score;

    use super::*;

    #[test]
    fn what_is_said_of_a_position_that_is_lied_about_contradicts_the_truth() {
        let score = |discs| Score::new(discs).expect("even and in range");
        let window = Window::new(score(-2), score(4)).expect("it is not empty");
        let inside = [-64, -2, 0, 2, 4, 64].map(|discs| Bound::exact(score(discs)));
        let outside = [Bound::at_least(score(4)), Bound::at_most(score(-2))];
        for truth in inside.into_iter().chain(outside) {
            assert!(truth.merge(denied(truth, window)).is_err(), "{truth}");
        }
    }
}
