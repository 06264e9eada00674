//! The coordinator core, driven by lists of events and by whole simulated clusters.

mod advisor;
mod campaigns;
mod claims;
mod debts;
mod disk;
mod doubts;
mod hung;
mod inside;
mod jobs;
mod late;
mod lead;
mod leases;
mod liars;
mod misled;
mod oracle;
mod random;
mod requests;
mod scenarios;
mod script;
mod slots;
mod small_boards;
mod stay;
mod storms;
mod tables;
mod worker;
mod world;
