//! What the worker needs of an engine.

use outflank_engine::{Answer, Control, Engine, Request};

/// Something that answers questions: the engine, or a stand-in for it in tests.
pub trait Solver: Send + Sync + 'static {
    /// Searches until the request's window is answered, its node limit is reached or `control` says
    /// stop. Several requests may be solved at the same time.
    fn solve(&self, request: &Request, control: &Control) -> Answer;

    /// Forgets what earlier requests have left; no request is being solved meanwhile.
    fn forget(&self) {}
}

impl Solver for Engine {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        self.solve(request, control)
    }

    fn forget(&self) {
        self.clear();
    }
}
