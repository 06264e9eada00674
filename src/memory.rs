//! How much memory there is for this process.

use std::fs;
use std::path::Path;

/// The hash table is no larger than this unless it is asked for.
const USUAL_HASH: u64 = 1 << 30;

/// The size of the hash table where the size of the memory is unknown.
const MODEST_HASH: u64 = 256 << 20;

/// Returns the size of the hash table unless it is asked for, in bytes: a quarter of the memory, with a limit.
pub(crate) fn usual_hash() -> u64 {
    whole().map_or(MODEST_HASH, |bytes| (bytes / 4).min(USUAL_HASH))
}

/// Returns the memory that this process may use at most, in bytes: the machine's, or less if its control group is limited;
/// `None` if the system does not say.
pub(crate) fn whole() -> Option<u64> {
    let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory(&text));
    let group = fs::read_to_string("/proc/self/cgroup").ok();
    let limit = group.and_then(|text| limit(Path::new("/sys/fs/cgroup"), group_of(&text)?));
    memory.into_iter().chain(limit).min()
}

/// Returns the memory in bytes that the text of `/proc/meminfo` states.
fn total_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns the control group (version 2) that the text of `/proc/self/cgroup` states.
fn group_of(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("0::/"))
}

/// Returns the least memory in bytes that the control group `group` below `root`, or one that it is in, may use;
/// `None` if none has a limit. Containers and batch systems set them.
fn limit(root: &Path, group: &str) -> Option<u64> {
    let own = root.join(group);
    let groups = own.ancestors().take_while(|group| group.starts_with(root));
    let limits = groups.filter_map(|group| fs::read_to_string(group.join("memory.max")).ok());
    limits.filter_map(|text| text.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn the_memory_is_read_from_its_line() {
        let text = "MemTotal:       24028388 kB\nMemFree:         1234 kB\n";
        assert_eq!(total_memory(text), Some(24_028_388 << 10));
        assert_eq!(total_memory("MemFree: 1 kB\n"), None);
    }

    #[test]
    fn the_least_limit_of_all_groups_counts() {
        assert_eq!(group_of("4:memory:/old\n0::/a/b\n"), Some("a/b"));
        assert_eq!(group_of("4:memory:/old\n"), None);
        let root = TempDir::new().expect("a temporary folder");
        let limited = |group| limit(root.path(), group);
        let set = |group: &str, text| {
            let folder = root.path().join(group);
            fs::create_dir_all(&folder).expect("it is writable");
            fs::write(folder.join("memory.max"), text).expect("it is writable");
        };
        assert_eq!(limited("a/b"), None);
        set("a/b", "max\n");
        assert_eq!(limited("a/b"), None, "no limit");
        set("a", "4294967296\n");
        assert_eq!(limited("a/b"), Some(4 << 30), "that of the group around it");
        set("a/b", "1073741824\n");
        assert_eq!((limited("a/b"), limited("a")), (Some(1 << 30), Some(4 << 30)));
        set("", "536870912\n");
        assert_eq!(limited(""), Some(512 << 20), "in a container the group is the root");
    }
}
