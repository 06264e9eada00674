//! What the worker needs of an engine.

use outflank_engine::{Answer, Bound, Control, Engine, Errand, Position, Request, SharedHint};

/// Something that answers questions: the engine, or a stand-in for it in tests.
pub trait Solver: Send + Sync + 'static {
    /// Searches until the request's window is answered, its node limit is reached or `control` says
    /// stop. Several requests may be solved at the same time.
    fn solve(&self, request: &Request, control: &Control) -> Answer;

    /// Searches as `solve`, but without what earlier requests have left, and leaves nothing itself.
    fn solve_apart(&self, request: &Request, control: &Control) -> Answer {
        self.solve(request, control)
    }

    /// Does an errand for another solver's search, on so many threads. Returns what the move is worth, as
    /// [`Engine::run_errand`] says it; `None` if it finds none, as where `control` stopped it, or this solver does none.
    fn run_errand(&self, errand: &Errand, threads: usize, control: &Control) -> Option<i32> {
        let _ = (errand, threads, control);
        None
    }

    /// Takes bounds that were proved elsewhere into account, which the running request will meet.
    fn know(&self, known: &[(Position, Bound)]) {
        let _ = known;
    }

    /// Takes what other solvers believe into account; nothing is proved by it.
    fn hear(&self, hints: &[SharedHint]) {
        let _ = hints;
    }

    /// Forgets what earlier requests have left; no request is being solved meanwhile.
    fn forget(&self) {}
}

impl Solver for Engine {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        self.solve(request, control)
    }

    fn solve_apart(&self, request: &Request, control: &Control) -> Answer {
        self.solve_apart(request, control).unwrap_or_else(|error| {
            tracing::warn!(%error, "no search apart: somebody else must judge");
            nothing(0)
        })
    }

    fn run_errand(&self, errand: &Errand, threads: usize, control: &Control) -> Option<i32> {
        self.run_errand(errand, threads, control)
    }

    fn know(&self, known: &[(Position, Bound)]) {
        self.know(known);
    }

    fn hear(&self, hints: &[SharedHint]) {
        self.hear(hints);
    }

    fn forget(&self) {
        self.clear();
    }
}

/// Returns the answer of who has found out nothing in so many nodes.
pub(crate) fn nothing(nodes: u64) -> Answer {
    Answer {
        bound: Bound::UNKNOWN,
        best_move: None,
        line: Vec::new(),
        children: Vec::new(),
        order: Vec::new(),
        nodes,
        finished: false,
    }
}
