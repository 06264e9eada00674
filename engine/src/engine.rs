//! The engine: an instruction set, a hash table, and the way in.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

use outflank_kernel::Isa;

use crate::search::root;
use crate::table::Table;
use crate::{Answer, Control, Position, Request, Score};

/// How to set an engine up.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The instruction set to use.
    pub isa: Isa,
    /// Size of the hash table in bytes; at least one line of 64 bytes is used.
    pub table_bytes: usize,
}

/// The engine cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The system has not got the memory.
    #[error("no memory for a hash table of {bytes} bytes")]
    Memory {
        /// The size asked for.
        bytes: usize,
        /// What the system said.
        source: io::Error,
    },
}

/// A solver with its hash table. Several threads may solve at once; they share the table.
#[derive(Debug)]
pub struct Engine {
    isa: Isa,
    table: Table,
    generation: AtomicU8,
}

impl Engine {
    /// Sets up an engine.
    ///
    /// # Errors
    /// [`EngineError::Memory`] if there is no memory for the table.
    pub fn new(settings: &Settings) -> Result<Self, EngineError> {
        let bytes = settings.table_bytes;
        let table = Table::new(bytes).map_err(|source| EngineError::Memory { bytes, source })?;
        Ok(Self { isa: settings.isa, table, generation: AtomicU8::new(0) })
    }

    /// Returns the instruction set in use.
    #[must_use]
    pub const fn isa(&self) -> Isa {
        self.isa
    }

    /// Forgets everything, so that the next search is as the first one.
    pub fn clear(&self) {
        if self.generation.swap(0, Ordering::Relaxed) != 0 {
            self.table.clear(); // A table never used is clear: do not touch all its pages.
        }
    }

    /// Searches until the window is answered, the node limit is reached or `control` says stop.
    ///
    /// On one thread the same engine settings and the same sequence of requests since [`clear`]
    /// give the same answers and node counts.
    ///
    /// [`clear`]: Self::clear
    #[must_use]
    pub fn solve(&self, request: &Request, control: &Control) -> Answer {
        let generation = self.generation.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let table = &self.table;
        table.prepare(request.position.empties());
        match self.isa {
            Isa::Scalar(set) => root::solve(set, table, generation, request, control),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(set) => root::solve(set, table, generation, request, control),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(set) => root::solve(set, table, generation, request, control),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon(set) => root::solve(set, table, generation, request, control),
        }
    }

    /// Returns the exact values of many positions and nothing else, solved one after the other on
    /// this thread. For positions of few empty squares this is quicker than as many requests.
    #[must_use]
    pub fn values(&self, positions: &[Position]) -> Vec<Score> {
        let generation = self.generation.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let table = &self.table;
        table.prepare(positions.iter().map(|position| position.empties()).max().unwrap_or(0));
        match self.isa {
            Isa::Scalar(set) => root::values(set, table, generation, positions),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(set) => root::values(set, table, generation, positions),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(set) => root::values(set, table, generation, positions),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon(set) => root::values(set, table, generation, positions),
        }
    }
}
