//! Real engines as the searchers of simulated workers.

use outflank_coordinator::core::{Job, Report};
use outflank_engine::{Answer, Control, Engine, EngineError, Request, Settings};
use outflank_kernel::Isa;

use crate::crew::{Crew, Search, nothing};

/// One engine with a table of its own for each worker.
///
/// A job is searched to its end when it is handed out. If it is cancelled later, only the nodes
/// until then count and nothing is reported; what the rest of the search has left in the worker's
/// table stays there, which flatters the cluster a little.
#[derive(Debug)]
pub struct Engines {
    engines: Vec<Engine>,
}

impl Engines {
    /// Returns engines for so many workers with tables of `table_bytes` bytes.
    ///
    /// # Errors
    /// [`EngineError`] if there is no memory for them.
    pub fn new(workers: usize, table_bytes: usize, isa: Isa) -> Result<Self, EngineError> {
        let settings = Settings { isa, table_bytes };
        let engines = (0..workers).map(|_| Engine::new(&settings)).collect::<Result<_, _>>()?;
        Ok(Self { engines })
    }
}

impl Crew for Engines {
    fn search(&mut self, worker: usize, job: &Job) -> Search {
        let request = Request {
            position: job.position,
            window: job.window,
            node_limit: Some(job.node_limit),
            threads: 1,
            known: job.known.clone(),
        };
        let answer = {
            let n = self.engines.len();
            &self.engines[worker % n]
        }
        .solve(&request, &Control::default());
        Search { nodes: answer.nodes, report: report(job, answer) }
    }
}

fn report(job: &Job, answer: Answer) -> Report {
    let Answer { bound, best_move, line, children, order, nodes, finished } = answer;
    Report { bound, best_move, line, children, order, finished, ..nothing(job, nodes) }
}
