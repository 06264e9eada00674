//! How much memory there is for this process.

use std::fs;
use std::path::Path;

/// The hash table is no larger than this unless it is asked for.
const USUAL_HASH: u64 = 1 << 30;

/// The size of the hash table where the size of the memory is unknown.
const MODEST_HASH: u64 = 256 << 20;

/// Where control groups of version 2 are, and those of version 1 that limit memory.
const GROUPS: &str = "/sys/fs/cgroup";
const MEMORY_GROUPS: &str = "/sys/fs/cgroup/memory";

/// The files in which control groups of either version state their limit.
const LIMIT: &str = "memory.max";
const OLD_LIMIT: &str = "memory.limit_in_bytes";

/// A limit of at least so many bytes is none: version 1 has no word for that, but writes the greatest number that it can.
const NO_LIMIT: u64 = 1 << 62;

/// Returns the size of the hash table unless it is asked for, in bytes: a quarter of the memory, with a limit.
pub(crate) fn usual_hash() -> u64 {
    whole().map_or(MODEST_HASH, |bytes| (bytes / 4).min(USUAL_HASH))
}

/// Returns the memory that this process may use at most, in bytes: the machine's, or less if its control group is limited;
/// `None` if the system does not say.
pub(crate) fn whole() -> Option<u64> {
    let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let new = group_of(&groups).and_then(|group| limit(Path::new(GROUPS), group, LIMIT));
    let old = memory_group_of(&groups)
        .and_then(|group| limit(Path::new(MEMORY_GROUPS), group, OLD_LIMIT));
    memory.into_iter().chain(new).chain(old).min()
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

/// Returns the control group (version 1) for memory that the text of `/proc/self/cgroup` states.
fn memory_group_of(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let (controllers, group) = line.split_once(':')?.1.split_once(":/")?;
        controllers.split(',').any(|controller| controller == "memory").then_some(group)
    })
}

/// Returns the least memory in bytes that the control group `group` below `root`, or one that it is in, may use by the
/// files called `name`; `None` if none has a limit. Containers and batch systems set them.
fn limit(root: &Path, group: &str, name: &str) -> Option<u64> {
    let own = root.join(group);
    let groups = own.ancestors().take_while(|group| group.starts_with(root));
    let limits = groups.filter_map(|group| fs::read_to_string(group.join(name)).ok());
    let limits = limits.filter_map(|text| text.trim().parse().ok());
    limits.filter(|&bytes| bytes < NO_LIMIT).min()
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
        let limited = |group| limit(root.path(), group, LIMIT);
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

    #[test]
    fn groups_of_version_1_have_limits_too() {
        let text = "9:name=systemd:/a\n4:cpuset,memory:/slurm/job:7\n3:memory_other:/b\n0::/c\n";
        assert_eq!(memory_group_of(text), Some("slurm/job:7"));
        assert_eq!(memory_group_of("4:memory:/\n"), Some(""));
        assert_eq!(memory_group_of("9:name=memory:/a\n0::/memory:/c\n"), None);
        let root = TempDir::new().expect("a temporary folder");
        let limited = |group| limit(root.path(), group, OLD_LIMIT);
        let set = |group: &str, text| {
            let folder = root.path().join(group);
            fs::create_dir_all(&folder).expect("it is writable");
            fs::write(folder.join(OLD_LIMIT), text).expect("it is writable");
        };
        set("", "9223372036854771712\n");
        set("slurm/job", "9223372036854771712\n");
        assert_eq!(limited("slurm/job"), None, "no limit");
        set("slurm", "4294967296\n");
        assert_eq!(limited("slurm/job"), Some(4 << 30), "that of the group around it");
        set("slurm/job", "1073741824\n");
        assert_eq!(limited("slurm/job"), Some(1 << 30));
        assert_eq!(limited("host/path"), None, "a container sees only its own group, as the root");
        set("", "536870912\n");
        assert_eq!(limited("host/path"), Some(512 << 20));
    }
}
