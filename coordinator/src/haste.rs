//! The wish that whoever thinks about positions comes to an end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The wish for haste, shared by those who have it and those who heed it.
///
/// The core hears nothing while its advisor searches, which may take seconds: without a sign from aside who stops, or
/// gives up what is thought about, would wait for an opinion that nobody needs.
#[derive(Clone, Debug, Default)]
pub struct Haste(Arc<AtomicBool>);

impl Haste {
    /// Asks for haste until [`Haste::end`].
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes the wish back.
    pub fn end(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Returns whether haste is asked for.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
