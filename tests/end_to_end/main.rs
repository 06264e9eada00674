//! The real command: its answers, its exit codes, and what survives when its processes are killed.
//!
//! Nothing here waits for time to pass: a test waits for a line or for the end of a process, and
//! fails when that takes longer than any machine needs.

mod access;
mod bad_input;
mod bench;
mod campaign;
mod certificates;
mod cluster;
mod harness;
mod known_scores;
mod liar;
mod log_lines;
mod moved;
mod over;
mod proof;
mod read_only;
mod signals;
mod simulate;
mod small_boards;
mod solve;
mod store;
mod train;
mod versions;
mod watch;
