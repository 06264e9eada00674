//! What the core believes of positions: the engine's estimates, which are never proofs.

use std::sync::{Arc, Weak};

use outflank_engine::{Control, Engine, EngineError, Estimate, Position, Settings, Window};
use outflank_kernel::Isa;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::core::{Advisor, FEWEST_NODES, Haste};

/// Memory for the careful estimates.
const TABLE_BYTES: usize = 64 << 20;

/// Asks the engine.
#[derive(Debug)]
pub struct EngineAdvisor {
    pool: ThreadPool,
    /// One for each thread.
    engines: Vec<Engine>,
    haste: Haste,
}

impl EngineAdvisor {
    /// Returns an advisor with so many threads, at least one, and a small engine for each.
    ///
    /// # Errors
    /// [`AdvisorError`] if there is no memory for an engine, or the system has no thread left.
    pub fn new(threads: usize) -> Result<Self, AdvisorError> {
        let threads = threads.max(1);
        let name = |number| format!("advisor-{number}");
        let pool = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()?;
        let settings = Settings { isa: Isa::chosen_or_best(), table_bytes: TABLE_BYTES };
        let engines = (0..threads).map(|_| Engine::new(&settings)).collect::<Result<_, _>>()?;
        Ok(Self { pool, engines, haste: Haste::default() })
    }

    /// Returns what `engine` believes of `position` after so many nodes, in discs.
    fn believe(&self, engine: &Engine, position: Position, nodes: u64) -> i32 {
        let is_quick = nodes < FEWEST_NODES || self.haste.is_wanted();
        let careful = (!is_quick).then(|| self.careful(engine, position, nodes)).flatten();
        careful.unwrap_or_else(|| outflank_engine::estimate(position)).discs()
    }

    /// Returns what `engine` believes after so many nodes, or `None` if haste has come before.
    fn careful(&self, engine: &Engine, position: Position, nodes: u64) -> Option<Estimate> {
        let control = Arc::new_cyclic(|control: &Weak<Control>| {
            let (control, haste) = (control.clone(), self.haste.clone());
            Control::watched(move |_| {
                if haste.is_wanted()
                    && let Some(control) = control.upgrade()
                {
                    control.stop();
                }
            })
        });
        let estimate = engine.believe_until_stopped(position, nodes, &control);
        // The core, which ends haste when it hears of a request, hears of none meanwhile.
        (!self.haste.is_wanted()).then_some(estimate)
    }
}

/// The coordinator cannot have estimates of its own.
#[derive(Debug, thiserror::Error)]
pub enum AdvisorError {
    /// The system gives no threads.
    #[error("starting the threads of the coordinator's estimates")]
    Threads(#[from] ThreadPoolBuildError),
    /// An engine cannot be made.
    #[error("making an engine for the coordinator's estimates")]
    Engine(#[from] EngineError),
}

impl Advisor for EngineAdvisor {
    fn estimate(&self, position: Position) -> i32 {
        outflank_engine::estimate(position).discs()
    }

    fn careful_estimate(&self, position: Position, nodes: u64) -> i32 {
        self.believe(&self.engines[0], position, nodes)
    }

    fn threads(&self) -> usize {
        self.engines.len()
    }

    fn estimates(&self, positions: &[Position]) -> Vec<i32> {
        let estimate = |&position| self.estimate(position);
        self.pool.install(|| positions.par_iter().map(estimate).collect())
    }

    fn careful_estimates(&self, positions: &[Position], nodes: u64) -> Vec<i32> {
        let at_once = |positions: &[Position]| -> Vec<i32> {
            let searches = positions.par_iter().zip(&self.engines);
            searches.map(|(&position, engine)| self.believe(engine, position, nodes)).collect()
        };
        let rounds = positions.chunks(self.engines.len());
        self.pool.install(|| rounds.flat_map(at_once).collect())
    }

    fn haste(&self) -> Haste {
        self.haste.clone()
    }

    fn predicted_nodes(&self, position: Position, window: Window, estimate: i32) -> f64 {
        predicted_nodes(position, window, estimate)
    }
}

/// Returns about how many nodes a search of `position`, whose likely value is `estimate` discs, will
/// take in `window`: right within a factor of two and a half two times out of three if all is asked, of
/// three and a half if a goal is. Fitted to positions of 20 to 31 empties; `docs/simulation.md` has
/// the fit.
#[must_use]
pub fn predicted_nodes(position: Position, window: Window, estimate: i32) -> f64 {
    if position.walls() != 0 {
        return predicted_small(position, window, estimate);
    }
    let whole = 0.63 * f64::from(position.empties()) + 0.85 * f64::from(choice(position)).ln();
    if !window.is_null() {
        return whole.exp();
    }
    let distance = f64::from((estimate - (window.upper().discs() - 1)).abs());
    (whole - 0.9 - 0.11 * distance).exp()
}

/// Returns the number of moves, at least 1; after a pass those of the other side.
fn choice(position: Position) -> u32 {
    let mover = if position.must_pass() { position.pass() } else { position };
    mover.moves().count_ones().max(1)
}

/// The same on boards smaller than 8x8, where moves are fewer: fitted to 6x6 positions of 16 to 31
/// empties.
fn predicted_small(position: Position, window: Window, estimate: i32) -> f64 {
    let null = (-1.6 + 0.72 * f64::from(position.empties())).exp();
    if !window.is_null() {
        return 2.0 * null;
    }
    let distance = f64::from((estimate - (window.upper().discs() - 1)).abs());
    null * (-0.08 * distance).exp()
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use outflank_engine::Square;

    use super::*;

    #[test]
    fn several_threads_think_what_one_thinks() {
        let after = |position: Position| {
            Square::all(position.moves()).filter_map(move |square| position.play(square))
        };
        let positions: Vec<Position> = after(Position::START).flat_map(after).collect();
        let several = EngineAdvisor::new(5).expect("there is memory");
        assert_eq!((several.threads(), positions.len()), (5, 12));
        let quick = |&position| several.estimate(position);
        assert_eq!(several.estimates(&positions), positions.iter().map(quick).collect::<Vec<_>>());
        // The first five are searched by engines that remember nothing.
        let fresh = |&position| {
            let advisor = EngineAdvisor::new(1).expect("there is memory");
            advisor.careful_estimate(position, FEWEST_NODES)
        };
        let careful = several.careful_estimates(&positions, FEWEST_NODES);
        assert_eq!(careful.len(), 12);
        assert_eq!(careful[..5], positions[..5].iter().map(fresh).collect::<Vec<_>>());
    }

    #[test]
    fn in_haste_quick_looks_must_do() {
        let advisor = EngineAdvisor::new(1).expect("there is memory");
        let position = Position::START.play("f5".parse().expect("a square")).expect("it is legal");
        let quick = advisor.estimate(position);
        let careful = || {
            advisor.engines[0].clear();
            let alone = advisor.careful_estimate(position, FEWEST_NODES);
            (alone, advisor.careful_estimates(&[position], FEWEST_NODES)[0])
        };
        let thorough = careful();
        advisor.haste().begin();
        assert_eq!(careful(), (quick, quick));
        advisor.haste().end();
        assert_eq!(careful(), thorough);
        assert_ne!(thorough.0, quick, "the test says nothing where they agree");
    }

    #[test]
    fn a_careful_look_ends_when_haste_comes() {
        let advisor = EngineAdvisor::new(1).expect("there is memory");
        let begin = Instant::now();
        let estimate = thread::scope(|scope| {
            // With so many nodes it takes years.
            let looking = scope.spawn(|| advisor.careful_estimate(Position::START, u64::MAX));
            thread::park_timeout(Duration::from_millis(50));
            advisor.haste().begin();
            looking.join().expect("it does not panic")
        });
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        assert_eq!(estimate, advisor.estimate(Position::START));
    }
}
