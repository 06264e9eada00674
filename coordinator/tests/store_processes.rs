//! The proof store and other processes: killed ones, and a file system that is full.
//!
//! These tests start processes, which for a moment share the open files of this one: stores that
//! other tests close at that moment would stay locked. Hence a binary of their own.

#[path = "store/full_disk.rs"]
mod full_disk;
#[path = "store/kill.rs"]
mod kill;
#[allow(dead_code, reason = "shared with the other tests of the store")]
#[path = "store/support.rs"]
mod support;
#[path = "store/tmpfs.rs"]
mod tmpfs;
