//! The coordinator core, driven by lists of events and by whole simulated clusters.
//!
//! `fuzz/fuzz_targets/storm.rs` has this file as a module, where all others have to be visible.

pub(crate) mod advisor;
pub(crate) mod affinity;
pub(crate) mod baseless;
pub(crate) mod burden;
pub(crate) mod campaigns;
#[cfg(fuzzing)]
pub(crate) mod choices;
pub(crate) mod claims;
pub(crate) mod debts;
pub(crate) mod disk;
pub(crate) mod doubts;
pub(crate) mod excuses;
pub(crate) mod inside;
pub(crate) mod jobs;
pub(crate) mod leases;
pub(crate) mod liars;
pub(crate) mod misled;
pub(crate) mod oracle;
pub(crate) mod progress;
pub(crate) mod random;
pub(crate) mod requests;
pub(crate) mod rests;
pub(crate) mod scenarios;
pub(crate) mod script;
pub(crate) mod share;
pub(crate) mod slots;
pub(crate) mod small_boards;
pub(crate) mod split_running;
pub(crate) mod storms;
pub(crate) mod tables;
pub(crate) mod thoughts;
pub(crate) mod undecided;
pub(crate) mod unjudged;
pub(crate) mod urgent;
pub(crate) mod verdicts;
pub(crate) mod watchdog;
pub(crate) mod worker;
pub(crate) mod world;
