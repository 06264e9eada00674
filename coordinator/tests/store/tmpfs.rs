//! A disk that is soon full, for tests of the store from outside and from inside.

use std::path::Path;
use std::process::Command;

/// A small file system in memory; unmounted when dropped.
pub(crate) struct Tmpfs(tempfile::TempDir);

impl Tmpfs {
    /// Returns `None` where mounting is not permitted.
    pub(crate) fn mount(megabytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "none"]).arg(folder.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        mounted.then_some(Self(folder))
    }

    /// Returns the folder in which it is mounted.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.path()).status();
        assert!(std::thread::panicking() || unmounted.unwrap().success());
    }
}
