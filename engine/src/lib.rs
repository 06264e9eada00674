//! Exact Othello endgame search: one position in, one proof out.
//!
//! The crate has no runtime, no file and no socket: it takes a [`Position`] and a [`Window`] and
//! returns a proved [`Bound`].
//!
//! ```
//! use outflank_engine::{Control, Engine, Isa, Request, Score, Settings, notation};
//!
//! let line = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
//! let problem = notation::problems("FFO #1", line).next().expect("a line")?;
//! let engine = Engine::new(&Settings { isa: Isa::chosen_or_best(), table_bytes: 16 << 20 })?;
//! let answer = engine.solve(&Request::exact(problem.position), &Control::default());
//! assert_eq!(answer.bound.value(), Score::new(18));
//! assert_eq!(answer.best_move, "g8".parse().ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod board_size;
mod bound;
pub mod brute_force;
mod engine;
mod errand;
mod estimate;
pub mod evaluation;
mod memory;
pub mod notation;
mod position;
mod score;
mod search;
mod small;
mod square;
mod symmetry;
mod table;

pub use answer::{Answer, Belief, Control, FoundBound, Request};
pub use board_size::{BoardSize, NotABoardSize};
pub use bound::{Bound, Contradiction, Window};
pub use engine::{Engine, EngineError, Settings};
pub use errand::{Errand, Hands};
pub use estimate::{Estimate, estimate};
pub use outflank_kernel::Isa;
pub use position::Position;
pub use score::Score;
pub use search::cost_sample::CostSample;
#[cfg(feature = "statistics")]
pub use search::statistics::{Counts, Row, Statistics};
pub use search::turns::Rehearsal;
pub use square::{NotASquare, Square};
pub use symmetry::Symmetry;
pub use table::SharedHint;
