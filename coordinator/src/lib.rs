//! The coordinator of an Outflank cluster: goals, splitting, leases and the proof store.

#![forbid(unsafe_code)]

pub mod advisor;
mod best_move;
mod bounded_map;
pub mod campaign;
pub mod client;
pub mod core;
mod durable;
mod haste;
mod meter;
pub mod proof;
mod reach;
pub mod service;
pub mod store;
mod text;
