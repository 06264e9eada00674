//! The families whose variants the engine can be built with.

use outflank_kernel::bits::count;
use outflank_kernel::catalogue::{Entry, Variant};
use outflank_kernel::mobility::potential;
use outflank_kernel::{Level, flip, hash, last_flip, lines, mobility, stability, symmetry};

/// A family of the engine.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// The environment variable that selects a variant when the kernels are compiled.
    pub(crate) variable: &'static str,
    /// What the engine enters on a level.
    pub(crate) choice: fn(Level) -> &'static str,
    pub(crate) entries: Vec<&'static Entry>,
}

impl Family {
    /// Returns the variants that the engine can enter on `level`, without the slow reference.
    pub(crate) fn on(&self, level: Level) -> impl Iterator<Item = &'static str> {
        let able = move |entry: &&&Entry| entry.name != "reference" && entry.can_be_entered(level);
        self.entries.iter().filter(able).map(|entry| entry.name)
    }
}

fn entries<F: Copy>(variants: &'static [Variant<F>]) -> Vec<&'static Entry> {
    variants.iter().map(Variant::entry).collect()
}

/// Returns all families of the engine.
pub(crate) fn all() -> Vec<Family> {
    macro_rules! family {
        ($name:literal, $variable:literal, $($module:ident)::+) => {
            Family {
                name: $name,
                variable: $variable,
                choice: $($module)::+::engine_choice,
                entries: entries($($module)::+::VARIANTS),
            }
        };
    }
    vec![
        family!("flip", "OUTFLANK_KERNEL_FLIP", flip),
        family!("last_flip", "OUTFLANK_KERNEL_LAST_FLIP", last_flip::one),
        family!("last_flip_both", "OUTFLANK_KERNEL_LAST_FLIP_BOTH", last_flip::both),
        family!("mobility", "OUTFLANK_KERNEL_MOBILITY", mobility),
        family!("potential", "OUTFLANK_KERNEL_POTENTIAL", potential),
        family!("lines", "OUTFLANK_KERNEL_LINES", lines),
        family!("stability", "OUTFLANK_KERNEL_STABILITY", stability),
        family!("hash", "OUTFLANK_KERNEL_HASH", hash),
        family!("symmetry", "OUTFLANK_KERNEL_SYMMETRY", symmetry),
        family!("count", "OUTFLANK_KERNEL_COUNT", count),
    ]
}
