//! The service from outside: real core, real gRPC, workers and clients in the same process.

#![allow(
    clippy::disallowed_methods,
    reason = "each test joins the tasks it spawns, or ends with them"
)]

mod campaigns;
mod closing;
mod displaced;
mod end_to_end;
mod faults;
mod liars;
mod protocol;
mod reviews;
mod shared;
mod stops;
mod support;
mod verdicts;
