//! The sizes of the simulated clusters, and whether there is memory for them.

use anyhow::anyhow;

use crate::exit::{Exit, Failure, OrExit};

/// The numbers of workers unless others are asked for.
const USUAL: [u16; 6] = [1, 4, 16, 64, 256, 1024];

/// Returns the numbers of workers of the model: those that are `asked` for, if any are.
pub(super) fn of_model(asked: &[u16]) -> Vec<u16> {
    if asked.is_empty() { USUAL.to_vec() } else { asked.to_vec() }
}

/// Returns the numbers of workers that are real engines, with a hash table of so many bytes each: those that are `asked`
/// for, otherwise the usual ones whose tables the `memory` holds, if it is known. One worker may try in any case.
///
/// # Errors
/// If a number that is asked for takes more memory than there is. The system would hand the tables out all the same,
/// and end the process in the middle of the work, when they fill.
pub(super) fn of_engines(
    asked: &[u16],
    table: u64,
    memory: Option<u64>,
) -> Result<Vec<u16>, Failure> {
    let most = memory.map_or(u64::MAX, |memory| memory / table).max(1);
    let fits = |&workers: &u16| u64::from(workers) <= most;
    if asked.is_empty() {
        return Ok(USUAL.into_iter().filter(fits).collect());
    }
    match asked.iter().find(|workers| !fits(workers)) {
        None => Ok(asked.to_vec()),
        Some(&workers) => {
            let [each, all] = [table, table * u64::from(workers)].map(|bytes| bytes >> 20);
            let error = anyhow!(
                "--workers {workers}: so many real engines take {all} MiB of hash tables, {each} MiB each, expected at \
                 most the {most} that this machine has the memory for"
            );
            Err(error).or_exit(Exit::BadInput)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: u64 = 400 << 20;

    #[test]
    fn real_engines_are_as_many_as_the_memory_holds() {
        let usual = |memory| of_engines(&[], TABLE, memory).expect("nothing is asked for");
        assert_eq!(usual(Some(24 << 30)), [1, 4, 16]);
        assert_eq!(usual(Some(400 << 30)), USUAL);
        assert_eq!(usual(Some(1)), [1], "one may try");
        assert_eq!(usual(None), USUAL, "who knows");
        assert_eq!(of_model(&[]), USUAL, "the model's workers have no tables");
    }

    #[test]
    fn more_real_engines_than_the_memory_holds_are_refused_with_the_most_that_it_does() {
        let asked = |workers: &[u16]| of_engines(workers, TABLE, Some(24 << 30));
        assert_eq!(asked(&[2, 61]).expect("they fit"), [2, 61]);
        let failure = format!("{:?}", asked(&[2, 62]).expect_err("they do not"));
        assert!(failure.contains("--workers 62"), "{failure}");
        assert!(failure.contains("24800 MiB") && failure.contains("at most the 61"), "{failure}");
    }
}
