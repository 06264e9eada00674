//! `docs/kernels.md` names the variants that the engine enters, level by level.

use std::fs;
use std::path::Path;

use outflank_kernel::Level;
use outflank_kernel::choice::{
    COUNT, Choice, FLIP, HASH, LAST_FLIP_BOTH, MOBILITY, POTENTIAL, STABILITY, SYMMETRY,
    SYMMETRY_BEYOND,
};

/// The levels that have a column, in this order.
const COLUMNS: [Level; 4] = [Level::Sse2, Level::Avx2, Level::Avx512, Level::Neon];

#[test]
fn the_document_names_what_the_engine_enters() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = fs::read_to_string(root.join("../docs/kernels.md")).expect("the document");
    for choice in [FLIP, MOBILITY, LAST_FLIP_BOTH, STABILITY, POTENTIAL, HASH, COUNT, SYMMETRY] {
        let row = columns(&choice);
        let begin = format!("| `{}` |", choice.family);
        assert!(
            document.lines().any(|line| line.starts_with(&begin) && line.ends_with(&row)),
            "docs/kernels.md: expected a row of {begin} that ends with {row}"
        );
    }
}

/// The page has no column for the level `portable`: it says that there only the moves differ.
#[test]
fn the_portable_level_enters_what_the_document_says() {
    for choice in [FLIP, LAST_FLIP_BOTH, STABILITY, POTENTIAL, HASH, COUNT, SYMMETRY] {
        let [portable, sse2] = [Level::Portable, Level::Sse2].map(|on| choice.on(on).variant);
        assert_eq!(portable, sse2, "{}", choice.family);
    }
    assert_eq!(MOBILITY.on(Level::Portable).variant, "parallel_prefix");
}

/// Returns the last cells of a family's row.
fn columns(choice: &Choice) -> String {
    let cells = COLUMNS.map(|level| {
        let Choice { family, .. } = choice;
        let variant = choice.on(level).variant;
        if *family == SYMMETRY.family && level == SYMMETRY_BEYOND.level {
            format!(" {variant}, or {} if the CPU has it |", SYMMETRY_BEYOND.variant)
        } else {
            format!(" {variant} |")
        }
    });
    format!("|{}", cells.concat())
}
