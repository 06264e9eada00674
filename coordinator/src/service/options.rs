//! What an operator can choose about a coordinator.

use std::path::PathBuf;
use std::time::Duration;

use super::{Encryption, Tokens};
use crate::core::Config;

/// How a coordinator presents itself and how long it waits.
#[derive(Clone, Debug)]
pub struct Options {
    /// The build, as `--version` says it.
    pub build: String,
    /// The name of this run; the provenance of every proof accepted in it says it. At most 1024
    /// bytes.
    pub run: String,
    /// The numbers that steer the core.
    pub core: Config,
    /// The folder of the campaigns; without one the coordinator keeps none.
    pub campaigns: Option<PathBuf>,
    /// The file that notes the audits that are under way and the workers that were found to be
    /// wrong, beside which `told.jsonl` notes what workers were told; without one, the next coordinator
    /// knows nothing of that.
    pub docket: Option<PathBuf>,
    /// What workers and clients over the network must show one of; without it, all are admitted and may
    /// do everything.
    pub tokens: Option<Tokens>,
    /// What connections over the network are encrypted with; without it, they are not.
    pub encryption: Option<Encryption>,
    /// The longest time between two heartbeats of a worker; 5 s. It must be well below the core's
    /// lease.
    pub heartbeat: Duration,
    /// How long a new connection over the network may take to make a call that is let in, other than for health and
    /// reflection; 30 s, so that a whole fleet may come at once.
    pub call_deadline: Duration,
    /// How long a worker's call may take to say hello; 10 s.
    pub hello_deadline: Duration,
    /// How long workers may take to hand back their results when the coordinator stops; 10 s.
    pub drain_deadline: Duration,
    /// The time between two ticks of the core, the grain of leases and progress; 100 ms.
    pub tick: Duration,
}

impl Options {
    /// Returns the longest time without an event that is taken for time in which workers could have
    /// spoken: a fifth of the lease, and some ticks.
    pub(super) fn longest_pause(&self) -> Duration {
        (self.core.lease / 5).max(self.tick * 4)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            build: concat!("outflank ", env!("CARGO_PKG_VERSION")).to_owned(),
            run: String::new(),
            core: Config::default(),
            campaigns: None,
            docket: None,
            tokens: None,
            encryption: None,
            heartbeat: Duration::from_secs(5),
            call_deadline: Duration::from_secs(30),
            hello_deadline: Duration::from_secs(10),
            drain_deadline: Duration::from_secs(10),
            tick: Duration::from_millis(100),
        }
    }
}
