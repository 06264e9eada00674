//! The coordinator of an Outflank cluster: goals, splitting, leases and the proof store.

#![forbid(unsafe_code)]

pub mod core;
pub mod store;
