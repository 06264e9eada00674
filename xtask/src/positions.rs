//! Positions of the FFO set by their numbers.

use anyhow::Context;

/// Returns the numbers of the first and the last position that `numbers` names.
pub(crate) fn range(numbers: &str) -> anyhow::Result<(usize, usize)> {
    read(numbers).with_context(|| {
        format!("--positions {numbers}: expected FIRST-LAST from 1 to 79, such as 20-44")
    })
}

fn read(numbers: &str) -> Option<(usize, usize)> {
    let (first, last) = numbers.split_once('-')?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (1 <= first && first <= last && last <= 79).then_some((first, last))
}
