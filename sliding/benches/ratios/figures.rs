//! Groups of methods measured in turns, and what came out.

use std::hint::black_box;
use std::time::Instant;

use crate::data::{Method, QUERIES};

/// Nanoseconds by group and method.
#[derive(Default)]
pub(crate) struct Figures(Vec<Group>);

type Group = (String, Vec<(&'static str, f64)>);

/// A ratio that is to be reached: of the reference's time to ours.
struct Goal {
    what: &'static str,
    ours: (&'static str, &'static str),
    reference: (&'static str, &'static str),
    goal: f64,
}

/// Queries in one measurement, so that reading the clock does not count.
const UNITS: usize = 4 * QUERIES;

impl Figures {
    /// Measures the methods in turns; a pass makes `units` queries.
    pub(crate) fn measure(
        &mut self,
        group: &str,
        units: usize,
        rounds: u32,
        mut methods: Vec<Method<'_>>,
    ) {
        let repeats = (UNITS / units).max(1);
        let mut best = vec![f64::INFINITY; methods.len()];
        for _ in 0..rounds {
            for (method, best) in methods.iter_mut().zip(&mut best) {
                black_box((method.pass)()); // brings the questions back that others have evicted
                let start = Instant::now();
                for _ in 0..repeats {
                    black_box((method.pass)());
                }
                let nanoseconds = start.elapsed().as_secs_f64() * 1e9;
                *best = best.min(nanoseconds / (units * repeats) as f64);
            }
        }
        let names = methods.iter().map(|method| method.name);
        self.add(group, names.zip(best).collect());
    }

    /// Adds the figures of a group.
    pub(crate) fn add(&mut self, group: &str, figures: Vec<(&'static str, f64)>) {
        self.0.push((group.to_owned(), figures));
    }

    /// Returns the figures of a group in the order in which they were added.
    pub(crate) fn group(&self, group: &str) -> &[(&'static str, f64)] {
        self.0.iter().find(|(name, _)| name == group).map_or(&[], |(_, figures)| figures)
    }

    fn get(&self, (group, method): (&str, &str)) -> Option<f64> {
        self.group(group).iter().find(|(name, _)| *name == method).map(|&(_, figure)| figure)
    }

    /// Prints a table for each group.
    pub(crate) fn print(&self) {
        for (group, figures) in &self.0 {
            println!("\n### {group}\n\n| method | ns |\n| --- | ---: |");
            for (name, nanoseconds) in figures {
                println!("| {name} | {nanoseconds:.2} |");
            }
        }
    }

    /// Prints the ratios to the baselines, and whether they are reached.
    pub(crate) fn print_ratios(&self) {
        println!("\n### Ratios\n\n| what | reference | ratio | goal | reached |");
        println!("| --- | --- | ---: | ---: | --- |");
        for Goal { what, ours, reference, goal } in GOALS {
            let (Some(mine), Some(other)) = (self.get(*ours), self.get(*reference)) else {
                continue;
            };
            let (ratio, method) = (other / mine, reference.1);
            let reached = if ratio >= *goal { "yes" } else { "no" };
            println!("| {what} | {method} | {ratio:.2} | {goal:.2} | {reached} |");
        }
    }
}

const MAGIC: &str = "G7 fancy magic";
const PEXT: &str = "G7 PEXT";
const OURS: &str = "best as compiled";

/// Makes a goal whose two figures are in the named groups.
const fn goal(
    what: &'static str,
    ours: (&'static str, &'static str),
    reference: (&'static str, &'static str),
    goal: f64,
) -> Goal {
    Goal { what, ours, reference, goal }
}

const GOALS: &[Goal] = &[
    goal("queen, throughput", ("queen, throughput", OURS), ("queen, throughput", MAGIC), 1.6),
    goal("queen, throughput", ("queen, throughput", OURS), ("queen, throughput", PEXT), 1.1),
    goal("rook, throughput", ("rook, throughput", OURS), ("rook, throughput", MAGIC), 1.1),
    goal("bishop, throughput", ("bishop, throughput", OURS), ("bishop, throughput", MAGIC), 1.1),
    goal("cold, 16 KiB", ("cold, 16 KiB", OURS), ("cold, 16 KiB", MAGIC), 8.0),
    goal("cold, 16 KiB", ("cold, 16 KiB", OURS), ("cold, 16 KiB", PEXT), 6.0),
    goal("8 queens", ("queens, batch of 8", OURS), ("queen, throughput", MAGIC), 3.3),
    goal("8 queens", ("queens, batch of 8", OURS), ("queen, throughput", PEXT), 2.2),
    goal("8 rooks", ("rooks, batch of 8", OURS), ("rook, throughput", MAGIC), 3.5),
    goal("8 rooks", ("rooks, batch of 8", OURS), ("rook, throughput", PEXT), 2.6),
    goal("8 bishops", ("bishops, batch of 8", OURS), ("bishop, throughput", MAGIC), 3.0),
    goal("8 bishops", ("bishops, batch of 8", OURS), ("bishop, throughput", PEXT), 2.0),
    goal("union of a side", ("union of a side", OURS), ("union of a side", MAGIC), 3.5),
    goal("union of a side", ("union of a side", OURS), ("union of a side", PEXT), 3.0),
    goal("pawn drop, Black", ("pawn drop, Black", OURS), ("pawn drop, Black", "pawn by pawn"), 7.0),
    goal(
        "pawn drop, Black",
        ("pawn drop, Black", OURS),
        ("pawn drop, Black", "add, PEXT, table"),
        1.7,
    ),
    goal(
        "8 pawn drops, Black",
        ("8 pawn drops, Black", OURS),
        ("8 pawn drops, Black", "add, PEXT, table"),
        1.7,
    ),
    goal("canonical positions", ("canonical, batch of 8", OURS), ("canonical", "naive"), 20.0),
];
