//! What a check has found out, for people and for programs.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::expect::{Expectations, Unmet};
use crate::line::{Origin, Root};
use crate::printable::printable;
use crate::resolve::Resolved;
use crate::sample::{Leaf, Sample};
use crate::verify::Verified;

/// The roots that people are shown.
const ROOTS_SHOWN: usize = 10;

/// The findings of a check.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    verified: Verified,
    sampled: Vec<Leaf>,
    resolved: Resolved,
    by_empties: [u64; 65],
    population: u64,
    max_empties: usize,
    seed: u64,
    /// Whether the seed was given, so that it may have been known to who made the proof.
    is_seed_given: bool,
    expectations: Option<Expectations>,
    /// How long reading and verifying took.
    verifying: Duration,
}

/// The report as one JSON object.
#[derive(Serialize)]
struct Json<'a> {
    accepted: bool,
    roots: u64,
    /// The first roots.
    proved: Vec<JsonRoot>,
    /// How many roots are not among them.
    proved_left_out: u64,
    expected: Option<usize>,
    /// The lines of the expectations that no root meets.
    unmet_lines: Vec<usize>,
    rows: u64,
    by_move: u64,
    by_all: u64,
    leaves: u64,
    seal: &'a str,
    seed: u64,
    seed_given: bool,
    max_empties: usize,
    population: u64,
    sampled: usize,
    wrong: usize,
    wrong_rows: Vec<u64>,
    /// No more than this share of the population is wrong, at 95 % confidence.
    excluded_95: Option<f64>,
    excluded_99: Option<f64>,
    not_covered: u64,
    nodes: u64,
    verify_seconds: f64,
    solve_seconds: f64,
}

#[derive(Serialize)]
struct JsonRoot {
    position: String,
    lower: i32,
    upper: i32,
}

impl From<&Root> for JsonRoot {
    fn from(&Root { position, lower, upper, .. }: &Root) -> Self {
        Self { position: position.to_string(), lower, upper }
    }
}

impl Report {
    /// Puts together what was found.
    #[must_use]
    pub(crate) fn new(
        verified: Verified,
        sample: &Sample,
        sampled: Vec<Leaf>,
        resolved: Resolved,
        verifying: Duration,
    ) -> Self {
        let (by_empties, population) = (*sample.by_empties(), sample.population());
        let (max_empties, seed) = (sample.max_empties(), sample.seed());
        let (is_seed_given, expectations) = (false, None);
        Self {
            verified,
            sampled,
            resolved,
            by_empties,
            population,
            max_empties,
            seed,
            is_seed_given,
            expectations,
            verifying,
        }
    }

    /// Returns the same report about a sample whose seed was given instead of chosen at random.
    #[must_use]
    pub(crate) fn with_given_seed(self) -> Self {
        Self { is_seed_given: true, ..self }
    }

    /// Returns the same report of a proof of which something was expected.
    #[must_use]
    pub(crate) fn with_expectations(self, expectations: Option<Expectations>) -> Self {
        Self { expectations, ..self }
    }

    /// Returns the number of positions of which something was expected.
    #[must_use]
    pub(crate) fn expected(&self) -> usize {
        self.expectations.as_ref().map_or(0, Expectations::count)
    }

    /// Returns what was expected and is not proved.
    pub(crate) fn unmet(&self) -> impl Iterator<Item = Unmet> {
        self.expectations.iter().flat_map(Expectations::unmet)
    }

    /// Returns the leaves whose claims are false.
    pub(crate) fn wrong(&self) -> impl Iterator<Item = &Leaf> {
        let judged = self.sampled.iter().zip(&self.resolved.is_true);
        judged.filter(|(_, is_true)| !**is_true).map(|(leaf, _)| leaf)
    }

    /// Returns the number of leaves that were solved again.
    #[must_use]
    pub(crate) const fn sampled(&self) -> usize {
        self.sampled.len()
    }

    /// Returns the last state of the hash chain.
    #[must_use]
    pub(crate) fn seal(&self) -> &str {
        &self.verified.seal
    }

    /// Returns the share of the leaves in the population that may be wrong at most, at the given
    /// confidence; `None` if a leaf of the sample is wrong, or if there is no sample of them though there are leaves.
    fn excluded(&self, confidence: f64) -> Option<f64> {
        let sampled = self.sampled.len() as u64;
        match sampled {
            _ if self.wrong().next().is_some() => None,
            // Where all are too large to be drawn, nothing was looked at.
            0 => (self.verified.leaves == 0).then_some(0.0),
            all if all == self.population => Some(0.0),
            _ => Some(share(sampled, confidence)),
        }
    }

    /// Returns a description of a false claim and of who made it.
    #[must_use]
    pub(crate) fn describe(&self, leaf: &Leaf) -> String {
        let origin = (leaf.origin as usize).checked_sub(1);
        let origin = origin.and_then(|index| self.verified.origins.get(index));
        let Origin { build, worker, host, run, .. } = origin.cloned().unwrap_or_default();
        let [build, worker, host, run] = [build, worker, host, run].map(|text| printable(&text));
        format!(
            "line {}, row {}: solved again, {} is false; claimed by {worker} on {host}, build \
             {build}, run {run}",
            leaf.line, leaf.row, leaf.claim
        )
    }

    /// Returns the report as a line of JSON, with the verdict on the proof, to which more than the report may belong.
    ///
    /// # Errors
    /// Never in practice: the object has text keys and numbers only.
    pub(crate) fn json(&self, accepted: bool) -> serde_json::Result<String> {
        let wrong: Vec<u64> = self.wrong().map(|leaf| leaf.row).collect();
        serde_json::to_string(&Json {
            accepted,
            roots: self.verified.roots,
            proved: self.verified.first_roots.iter().map(JsonRoot::from).collect(),
            proved_left_out: self.verified.roots - self.verified.first_roots.len() as u64,
            expected: self.expectations.as_ref().map(Expectations::count),
            unmet_lines: self.unmet().map(|unmet| unmet.line).collect(),
            rows: self.verified.rows(),
            by_move: self.verified.by_move,
            by_all: self.verified.by_all,
            leaves: self.verified.leaves,
            seal: self.seal(),
            seed: self.seed,
            seed_given: self.is_seed_given,
            max_empties: self.max_empties,
            population: self.population,
            sampled: self.sampled.len(),
            wrong: wrong.len(),
            wrong_rows: wrong,
            excluded_95: self.excluded(0.95),
            excluded_99: self.excluded(0.99),
            not_covered: self.verified.leaves - self.population,
            nodes: self.resolved.nodes,
            verify_seconds: self.verifying.as_secs_f64(),
            solve_seconds: self.resolved.time.as_secs_f64(),
        })
    }

    /// Returns the report as lines for people.
    #[must_use]
    pub(crate) fn text(&self) -> String {
        let Verified { by_move, by_all, leaves, .. } = self.verified;
        let rows = self.verified.rows();
        let mut text = String::new();
        let mut line = |title: &str, words: String| {
            writeln!(text, "{title:<10} {words}").expect("a string takes everything");
        };
        line("inferences", "all hold".to_owned());
        self.roots().into_iter().for_each(|(title, words)| line(title, words));
        if let Some(expectations) = &self.expectations {
            let (count, unmet) = (expectations.count(), expectations.unmet().count());
            line(
                "expected",
                format!("{} of {count} positions are proved as expected", count - unmet),
            );
        }
        self.unmet().for_each(|unmet| line("NOT PROVED", unmet.words));
        line(
            "rows",
            format!("{rows}: {by_move} by one move, {by_all} by all moves, {leaves} searched"),
        );
        line("sample", self.sample());
        let per_size = self.by_empties.iter().enumerate().filter(|(_, count)| **count > 0);
        for (empties, count) in per_size {
            let drawn = self.sampled.iter().filter(|leaf| leaf.empties() == empties).count();
            line("", format!("{empties:>2} empties {count:>10} searched {drawn:>6} solved again"));
        }
        self.wrong().for_each(|leaf| line("FALSE", self.describe(leaf)));
        self.statements().into_iter().for_each(|(title, words)| line(title, words));
        let (verifying, solving) = (self.verifying.as_secs_f64(), self.resolved.time.as_secs_f64());
        line("time", format!("{verifying:.3} s to verify, {solving:.3} s to solve again"));
        line("seal", self.seal().to_owned());
        text
    }

    /// Returns what is proved: the first roots, and how many there are.
    fn roots(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("roots", self.verified.roots.to_string())];
        for root in self.verified.first_roots.iter().take(ROOTS_SHOWN) {
            let value = match (root.lower, root.upper) {
                (lower, upper) if lower == upper => format!("{lower:+}"),
                (lower, upper) => format!("{lower:+}..{upper:+}"),
            };
            lines.push(("", format!("{value:>8}  {}", root.position)));
        }
        if self.verified.roots > ROOTS_SHOWN as u64 {
            lines.push((
                "",
                format!("      …  line 2 and the following have all {}", self.verified.roots),
            ));
        }
        lines
    }

    fn sample(&self) -> String {
        let Self { population, max_empties, seed, .. } = self;
        let (sampled, wrong) = (self.sampled.len(), self.wrong().count());
        let verdict = match (sampled, wrong) {
            (0, _) if *population == 0 => "there are none".to_owned(),
            (0, _) => "nothing is known of them".to_owned(),
            (_, 0) => "all true".to_owned(),
            _ => format!("{wrong} false"),
        };
        format!(
            "{sampled} of the {population} searched rows with at most {max_empties} empties solved \
             again: {verdict} (seed {seed})"
        )
    }

    /// Returns what the sample says, and what it says nothing about.
    fn statements(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        match (self.excluded(0.95), self.excluded(0.99)) {
            (Some(likely), Some(surely)) if likely > 0.0 => {
                lines.push(("excluded", self.excluded_shares(likely, surely)));
                lines.push((
                    "",
                    "A share of rows, not of roots: one false row can make a root false."
                        .to_owned(),
                ));
                if self.is_seed_given {
                    let words =
                        "This holds only if the seed was chosen after the proof was sealed.";
                    lines.push(("", words.to_owned()));
                }
            }
            (Some(_), _) => lines.push(("excluded", "that any of these rows is false".to_owned())),
            _ => lines.push(("excluded", "nothing".to_owned())),
        }
        let larger = self.verified.leaves - self.population;
        if larger > 0 {
            let words =
                format!("{larger} searched rows with more than {} empties", self.max_empties);
            lines.push(("not drawn", format!("{words}: nothing is said about them")));
        }
        lines
    }

    fn excluded_shares(&self, likely: f64, surely: f64) -> String {
        format!(
            "that more than {} of these {} rows are false (95 % confidence), {} (99 %)",
            percent(likely),
            self.population,
            percent(surely)
        )
    }
}

/// Returns a share in percent, rounded up: what is excluded is never more than was shown.
fn percent(share: f64) -> String {
    format!("{:.3} %", (100_000.0 * share).ceil() / 1000.0)
}

/// Returns the share of false rows that a clean sample of `sampled` rows excludes at `confidence`:
/// were it larger, so clean a sample would have a probability below 1 − `confidence`.
///
/// The bound is for drawing with replacement; drawing without, as here, only makes it better.
#[must_use]
pub(crate) fn share(sampled: u64, confidence: f64) -> f64 {
    // 1 − (1 − confidence)^(1 / sampled), without the cancellation of a small share.
    -((1.0 - confidence).ln() / sampled as f64).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excluded_share_is_the_textbook_one() {
        // The rule of three: about 3 / n.
        assert!((share(100, 0.95) - 0.029_513).abs() < 1e-6);
        assert!((share(1000, 0.99) - 0.004_594_6).abs() < 1e-6);
        assert!((share(1, 0.95) - 0.95).abs() < 1e-12);
    }

    #[test]
    fn a_share_is_never_printed_smaller_than_it_is() {
        assert_eq!(percent(share(300, 0.95)), "0.994 %");
        assert_eq!(percent(share(100, 0.95)), "2.952 %", "it is 2.9513 %");
        assert_eq!(percent(share(10_000_000, 0.95)), "0.001 %", "not 0.000 %");
        assert_eq!(percent(1.0), "100.000 %");
    }
}
