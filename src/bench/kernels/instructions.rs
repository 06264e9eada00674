//! The instructions of a call, counted by single steps and stored.

/// A line a variant: family, variant, instructions a call; lines with `#` say how they were counted.
const COUNTS: &str = include_str!("instructions.tsv");

/// Returns the average number of instructions of a call on the recorded positions, its return
/// included, if it has been counted.
pub(super) fn of(family: &str, variant: &str) -> Option<f64> {
    COUNTS.lines().find_map(|line| {
        let mut words = line.split('\t');
        let found = words.next() == Some(family) && words.next() == Some(variant);
        found.then(|| words.next()?.parse().ok()).flatten()
    })
}

/// Returns how the instructions were counted.
pub(super) fn provenance() -> impl Iterator<Item = &'static str> {
    COUNTS.lines().filter_map(|line| line.strip_prefix("# "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_family_a_variant_and_a_number() {
        for line in COUNTS.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<_> = line.split('\t').collect();
            assert_eq!(words.len(), 3, "{line}");
            assert!(of(words[0], words[1]).is_some_and(|count| count >= 1.0), "{line}");
        }
    }

    #[test]
    fn what_was_not_counted_has_no_number() {
        assert_eq!(of("flip", "no_such_variant"), None);
    }
}
