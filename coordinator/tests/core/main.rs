//! The coordinator core, driven by lists of events and by whole simulated clusters.
//!
//! `fuzz/fuzz_targets/storm.rs` has this file as a module and uses those that are visible there.

pub(crate) mod advisor;
mod campaigns;
#[cfg(fuzzing)]
pub(crate) mod choices;
mod claims;
mod debts;
pub(crate) mod disk;
mod doubts;
mod excuses;
mod hung;
mod inside;
mod jobs;
mod late;
mod lead;
mod leases;
mod liars;
mod misled;
pub(crate) mod oracle;
pub(crate) mod random;
mod requests;
mod scenarios;
pub(crate) mod script;
mod slots;
mod small_boards;
mod stay;
pub(crate) mod storms;
pub(crate) mod tables;
mod verdicts;
pub(crate) mod worker;
pub(crate) mod world;
