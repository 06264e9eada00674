//! What this process has used of the machine so far.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// Processor time and memory of the whole process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    /// Processor time of all threads in this program.
    pub(super) user: Duration,
    /// Processor time of all threads in the system's kernel.
    pub(super) system: Duration,
    /// The most memory the process ever had, in bytes; pages never touched do not count.
    pub(super) peak_memory: u64,
}

/// Returns what the process has used so far.
pub(super) fn usage() -> nix::Result<Usage> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok(Usage {
        user: duration(usage.user_time()),
        system: duration(usage.system_time()),
        peak_memory: usage.max_rss().cast_unsigned() * 1024, // Linux counts in KiB
    })
}

fn duration(time: TimeVal) -> Duration {
    // The fields are i64 on the platforms we build for, and the kernel gives no negative ones.
    Duration::new(time.tv_sec().cast_unsigned(), time.tv_usec().cast_unsigned() as u32 * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_touched_is_counted() {
        let before = usage().unwrap();
        let touched = vec![1_u8; 64 << 20];
        let after = usage().unwrap();
        assert!(touched.iter().all(|&byte| byte == 1));
        assert!(after.peak_memory >= 64 << 20, "{after:?}");
        assert!(after.user >= before.user && after.peak_memory >= before.peak_memory);
    }
}
