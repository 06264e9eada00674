//! A coordinator that is a process of its own, which is killed.

#![allow(
    clippy::disallowed_methods,
    reason = "each test joins the tasks it spawns, or ends with them"
)]

#[path = "service/killed.rs"]
mod killed;
#[allow(dead_code, reason = "shared with the other tests of the service")]
#[path = "service/support.rs"]
mod support;
