//! What this machine and this process are: names, threads, folders.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, process, thread};

use anyhow::{Context, anyhow, bail};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use outflank_coordinator::core::Config;
use outflank_coordinator::service;
use outflank_engine::evaluation::Weights;
use outflank_kernel::Isa;
use outflank_proto::message::MOST_THREADS;

use crate::arguments::{self, Search};
use crate::exit::{Exit, Failure, OrExit};
use crate::memory;

/// Returns the options of a coordinator in this process, whose jobs have at most about `job_nodes`
/// nodes.
pub(crate) fn coordinator_options(job_nodes: Option<u64>) -> service::Options {
    let mut core = Config::default();
    if let Some(nodes) = job_nodes {
        core.longest_job = nodes as f64;
        core.shortest_job = core.shortest_job.min(core.longest_job);
        // Jobs this small need no more than a thread.
        core.small_up_to = 0;
    }
    service::Options { build: build(), run: run_name(), core, ..service::Options::default() }
}

/// Returns the folder of the campaigns that are kept beside the proofs of the store `store`.
pub(crate) fn campaigns(store: &Path) -> PathBuf {
    store.join("campaigns")
}

/// Returns the file beside the proofs of the store `store` that notes doubts and verdicts.
pub(crate) fn docket(store: &Path) -> PathBuf {
    store.join("docket.jsonl")
}

/// A coordinator that may have fewer files open is told to be short of them.
const FEW_FILES: u64 = 1024;

/// Lets this process have as many files open as the system permits: every worker is a connection.
pub(crate) fn allow_many_files() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, most)| setrlimit(Resource::RLIMIT_NOFILE, most, most).map(|()| most));
    match raised {
        Ok(open_files) if open_files < FEW_FILES => tracing::warn!(
            open_files,
            "few workers and clients can connect, each needs an open file: expected a hard limit (ulimit -Hn) of \
             {FEW_FILES} at least"
        ),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the limit of open files stays as it is"),
    }
}

/// Returns a number that nobody can guess.
///
/// # Panics
/// If the system has no random numbers.
pub(crate) fn unguessable() -> u64 {
    getrandom::u64().expect("the system draws random numbers for everybody")
}

fn processors() -> u32 {
    thread::available_parallelism().map_or(1, |count| count.get() as u32)
}

/// A coordinator's own searches take no more threads than this unless they are asked for.
pub(crate) const MOST_OF_COORDINATOR: u32 = 4;

/// Returns the threads that a coordinator's own searches take unless they are asked for.
pub(crate) fn threads_of_coordinator() -> u32 {
    processors().min(MOST_OF_COORDINATOR)
}

/// Warns if the weights cannot be used: answers are the same without them, and nobody would look for what takes longer.
pub(crate) fn warn_without_weights() {
    if let Err(error) = Weights::embedded() {
        tracing::warn!(%error, "the weights cannot be used: solving without them takes longer");
    }
}

/// Returns the options of a worker in this process.
pub(crate) fn worker_options(search: &Search) -> Result<outflank_worker::Options, Failure> {
    let threads = search.threads.unwrap_or_else(|| processors().min(MOST_THREADS));
    let bytes = search.hash.unwrap_or_else(memory::usual_hash);
    let bytes = table_bytes(bytes, memory::whole()).or_exit(Exit::BadInput)?;
    let isa = Isa::chosen().or_exit(Exit::BadInput)?;
    warn_without_weights();
    let mut options = outflank_worker::Options::new(threads, bytes, isa);
    options.build = build();
    options.host = host();
    Ok(options)
}

/// Returns the size of a hash table of so many bytes, if the memory, where it is known, holds it. The system would hand
/// out more all the same, and end the process in the middle of the work, when it fills.
fn table_bytes(asked: u64, memory: Option<u64>) -> anyhow::Result<usize> {
    if let Some(memory) = memory.filter(|&memory| asked > memory) {
        let [asked, memory] = [asked, memory].map(|bytes| bytes >> 20);
        bail!(
            "--hash: found {asked} MiB, expected at most the {memory} MiB of memory that this machine has or permits \
             this process"
        );
    }
    usize::try_from(asked).context("--hash is more than this machine can address")
}

/// Returns the folder of the store that `solve` uses unless another is named.
pub(crate) fn default_store() -> Result<PathBuf, Failure> {
    let folder = |variable| env::var_os(variable).filter(|value| !value.is_empty());
    let home = || folder("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    folder("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(home)
        .map(|data| data.join("outflank/store"))
        .ok_or_else(|| anyhow!("no home folder for the proof store: give --store or --no-store"))
        .or_exit(Exit::BadInput)
}

/// Returns what searches here: version, instruction set and weights, for the provenance of proofs.
pub(crate) fn build() -> String {
    let weights = match Weights::embedded() {
        Ok(weights) => format!("{:016x}", weights.id()),
        Err(error) => format!("none: {error}"),
    };
    format!("outflank {}, weights {weights}", arguments::VERSION.as_str())
}

/// Returns a name for this run that no other run on this machine has.
#[expect(
    clippy::disallowed_methods,
    reason = "the time only tells runs apart whose processes have the same number"
)]
fn run_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    format!("{}-{now}-{}", host(), process::id())
}

fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "unnamed".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_table_larger_than_the_memory_is_refused_with_both_sizes() {
        let memory = 24 << 30;
        assert_eq!(table_bytes(memory, Some(memory)).expect("it fits"), 24 << 30);
        assert_eq!(table_bytes(1 << 40, None).expect("who knows"), 1 << 40);
        let refused = table_bytes(memory + (1 << 20), Some(memory)).expect_err("too large");
        assert!(refused.to_string().contains("24577 MiB, expected at most the 24576"), "{refused}");
    }
}
