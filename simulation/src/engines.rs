//! Real engines as the searchers of simulated workers.

use std::sync::Arc;
use std::thread;

use outflank_coordinator::core::{Interim, Job, Report};
use outflank_engine::{
    Answer, Belief, Bound, Control, Engine, EngineError, FoundBound, Position, Request, Settings,
    SharedHint,
};
use outflank_kernel::Isa;

use crate::crew::{Crew, Outlook, nothing};
use crate::pace::Pace;

/// The nodes that a search is let run ahead of the virtual clock: a hundredth of a second.
const STEP: u64 = 300_000;

/// One engine with a table of its own for each worker. A job on several threads is searched by one, which is given the speed of
/// all.
///
/// Each job is searched on a thread of its own that is held up whenever it is ahead of the virtual
/// clock, so that cancellations, what has been proved until then, and what is left in the tables
/// are those of a real cluster.
#[derive(Debug)]
pub struct Engines {
    searchers: Vec<Searcher>,
}

#[derive(Debug)]
struct Searcher {
    engine: Arc<Engine>,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    job: Job,
    control: Arc<Control>,
    pace: Arc<Pace>,
    search: thread::JoinHandle<Answer>,
    said: Option<Belief>,
}

impl Engines {
    /// Returns engines for so many workers of `threads` threads with tables of `table_bytes` bytes.
    ///
    /// # Errors
    /// [`EngineError`] if there is no memory for them.
    pub fn new(
        workers: usize,
        threads: u32,
        table_bytes: usize,
        isa: Isa,
    ) -> Result<Self, EngineError> {
        let settings = Settings { isa, table_bytes };
        let mut searchers = Vec::new();
        for _ in 0..workers {
            let engine = Arc::new(Engine::new(&settings)?);
            let of_worker =
                (0..threads).map(|_| Searcher { engine: Arc::clone(&engine), running: None });
            searchers.extend(of_worker);
        }
        Ok(Self { searchers })
    }
}

impl Crew for Engines {
    fn begin(&mut self, searcher: usize, job: &Job) {
        let state = &mut self.searchers[searcher];
        let request = Request {
            position: job.symmetry.position(job.position),
            window: job.window,
            node_limit: Some(job.node_limit),
            threads: 1,
            known: job.known.clone(),
        };
        let pace = Arc::new(Pace::default());
        let watch = Arc::clone(&pace);
        let control = Control::watched(move |nodes| watch.keep(nodes)).with_found(job.inside);
        let control = Arc::new(if job.hints { control.with_hints() } else { control });
        let (engine, watched) = (Arc::clone(&state.engine), Arc::clone(&control));
        let ended = Arc::clone(&pace);
        let search = thread::spawn(move || {
            let answer = engine.solve(&request, &watched);
            ended.end();
            answer
        });
        state.running = Some(Running { job: job.clone(), control, pace, search, said: None });
    }

    fn look(&mut self, searcher: usize, nodes: u64) -> Outlook {
        let Some(running) = &mut self.searchers[searcher].running else {
            return Outlook::default();
        };
        let interim = running.news();
        let ends = running.pace.allow(nodes + STEP);
        let until = if ends { running.control.nodes() } else { nodes + STEP };
        Outlook { until, ends, interim }
    }

    fn hints(&mut self, searcher: usize) -> Vec<SharedHint> {
        let running = &self.searchers[searcher].running;
        running.as_ref().map(|running| running.control.take_hints()).unwrap_or_default()
    }

    fn inside(&mut self, searcher: usize, _nodes: u64) -> Vec<FoundBound> {
        let running = &self.searchers[searcher].running;
        running.as_ref().map(|running| running.control.take_found()).unwrap_or_default()
    }

    fn hear(&mut self, searcher: usize, hints: &[SharedHint]) {
        self.searchers[searcher].engine.hear(hints);
    }

    fn know(&mut self, searcher: usize, _nodes: u64, known: &[(Position, Bound)]) -> bool {
        self.searchers[searcher].engine.know(known);
        false
    }

    fn end(&mut self, searcher: usize) -> Report {
        let running = self.searchers[searcher].running.take().expect("the searcher has a job");
        let answer = running.search.join().expect("the search does not panic");
        report(&running.job, answer)
    }

    fn stop(&mut self, searcher: usize, _nodes: u64) -> Report {
        if let Some(running) = &self.searchers[searcher].running {
            running.control.stop();
            running.pace.allow(u64::MAX);
        }
        self.end(searcher)
    }
}

impl Running {
    /// Returns what is believed now and was not said yet.
    fn news(&mut self) -> Option<Interim> {
        let belief = self.control.belief().filter(|&belief| Some(belief) != self.said)?;
        self.said = Some(belief);
        Some(Interim { job: self.job.id, belief: belief.turned(self.job.symmetry.inverse()) })
    }
}

fn report(job: &Job, answer: Answer) -> Report {
    let Answer { bound, best_move, line, children, order, nodes, finished } =
        answer.turned(job.symmetry.inverse());
    Report { bound, best_move, line, children, order, finished, ..nothing(job, nodes) }
}
