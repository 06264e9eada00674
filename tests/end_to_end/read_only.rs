//! Stores that the user may read and not write: a backup on a read-only mount, or the store of another user.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::cluster::coordinator;
use crate::harness::{Finished, Process, outflank, run};
use crate::known_scores::file;

/// A user and a group that own nothing.
const NOBODY: &str = "65534";

/// A home folder with a store that commands may only read.
struct Home {
    folder: TempDir,
    /// Whether a user has to be found whom file modes bind.
    is_root: bool,
}

impl Home {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("it is ours");
        fs::write(folder.path().join("problems.obf"), file(&[1])).expect("the folder is writable");
        let is_root = fs::metadata(folder.path()).expect("it is there").uid() == 0;
        Self { folder, is_root }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn store(&self) -> PathBuf {
        self.path().join("store")
    }

    /// Returns whether there is a way to be a user who may not write; says it where there is none.
    #[expect(clippy::print_stderr, reason = "a check that is skipped must be seen")]
    fn can_be_read_only(&self) -> bool {
        let works = !self.is_root
            || Command::new("setpriv")
                .args(as_nobody())
                .arg(env!("CARGO_BIN_EXE_outflank"))
                .arg("--version")
                .output()
                .is_ok_and(|output| output.status.success());
        if !works {
            eprintln!("SKIPPED: file modes do not bind root, and setpriv cannot start the command");
        }
        works
    }

    /// Takes the right to write from everybody but root, or gives it back.
    fn permit_writing(&self, permitted: bool) {
        for (path, is_folder) in parts(self.path()) {
            let mode = match (is_folder, permitted) {
                (true, true) => 0o755,
                (true, false) => 0o555,
                (false, true) => 0o644,
                (false, false) => 0o444,
            };
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
        }
    }

    /// Runs the command as somebody who may not write.
    fn run(&self, arguments: &[&str]) -> Finished {
        if !self.is_root {
            return run(self.path(), arguments);
        }
        let usual = outflank(self.path(), arguments);
        let mut command = Command::new("setpriv");
        command.args(as_nobody()).arg(usual.get_program()).args(usual.get_args());
        command.current_dir(self.path()).env("HOME", self.path()).env_remove("RUST_LOG");
        Process::start(command).finish()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.permit_writing(true);
    }
}

fn as_nobody() -> [String; 3] {
    [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}"), "--clear-groups".to_owned()]
}

/// Returns what is below `folder`, and `folder` itself, and whether each is a folder.
fn parts(folder: &Path) -> Vec<(PathBuf, bool)> {
    let mut parts = vec![(folder.to_owned(), true)];
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() { parts.extend(self::parts(&path)) } else { parts.push((path, false)) }
    }
    parts
}

/// Returns what the files below `folder` hold.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = parts(folder).into_iter().filter(|(_, is_folder)| !is_folder);
    files.map(|(path, _)| (path.clone(), fs::read(path).expect("a file"))).collect()
}

const LOOKS: [&[&str]; 4] = [
    &["store", "stats", "store"],
    &["store", "verify", "store"],
    &["store", "export", "store"],
    &["proof", "export", "problems.obf", "--store", "store"],
];

#[test]
fn a_store_that_can_only_be_read_is_looked_at_and_stays_as_it_is() {
    let home = Home::new();
    let solve = ["solve", "problems.obf", "--store", "store"];
    assert_eq!(run(home.path(), &solve).code, Some(0));
    let expected = LOOKS.map(|look| run(home.path(), look));
    if !home.can_be_read_only() {
        return;
    }
    home.permit_writing(false);
    let before = content(&home.store());
    for (look, expected) in LOOKS.iter().zip(&expected) {
        let seen = home.run(look);
        assert_eq!(seen.code, Some(0), "{look:?}: {seen:?}");
        let told = seen.stderr.join("\n");
        if look[1] == "verify" {
            assert_eq!(seen.stdout[0], expected.stdout[0]);
            assert!(seen.stdout[1].starts_with("the index was not checked"), "{seen:?}");
        } else {
            assert_eq!(seen.stdout, expected.stdout, "{look:?}");
            assert!(
                told.contains("the store can only be read: an index is made in memory"),
                "{told}"
            );
        }
    }
    // What has to write says what it lacks.
    let commands: [&[&str]; 4] = [
        &["store", "repair", "store"],
        &solve,
        &["campaign", "list", "--store", "store"],
        &["coordinator", "--store", "store", "--listen", "127.0.0.1:0", "--no-tls"],
    ];
    for command in commands {
        let refused = home.run(command);
        refused.assert_fails(3, "the store at store can only be read, expected a folder and files");
        assert!(refused.stderr[0].contains("store/LOCK: Permission denied"), "{refused:?}");
        assert_eq!(
            refused.stderr[0].contains("a copy of it can be repaired"),
            command[1] == "repair"
        );
    }
    assert_eq!(content(&home.store()), before);
}

#[test]
fn who_may_only_read_the_store_of_a_running_coordinator_is_told_what_to_do() {
    let home = Home::new();
    let (running, _) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let told = "; look at it when that has ended, or at a copy, which may be taken meanwhile";
    for look in &LOOKS[..3] {
        let refused = run(home.path(), look);
        refused.assert_fails(3, "the store at store is in use by process ");
        assert!(refused.stderr[0].contains(told), "{refused:?}");
    }
    if home.can_be_read_only() {
        home.permit_writing(false);
        for look in &LOOKS[..3] {
            let refused = home.run(look);
            refused.assert_fails(3, "the store at store is in use by process ");
            assert!(refused.stderr[0].contains(told), "{refused:?}");
        }
    }
    running.kill();
}

#[test]
fn a_store_that_may_not_even_be_read_is_not_called_missing() {
    let home = Home::new();
    let solve = ["solve", "problems.obf", "--store", "store"];
    assert_eq!(run(home.path(), &solve).code, Some(0));
    if !home.can_be_read_only() {
        return;
    }
    fs::set_permissions(home.store(), Permissions::from_mode(0o000)).expect("it is ours");
    for look in LOOKS {
        home.run(look).assert_fails(3, "looking into store: Permission denied");
    }
}

#[test]
fn a_folder_where_nothing_can_be_written_is_found_out_before_the_work() {
    let home = Home::new();
    if !home.can_be_read_only() {
        return;
    }
    home.permit_writing(false);
    let commands: [&[&str]; 3] = [
        &["simulate", "--svg", "out"],
        &["proof", "export", "f5", "--out", "out"],
        &["train", "all", "--work", "work", "--out", "out"],
    ];
    for command in commands {
        let refused = home.run(command);
        refused.assert_fails(2, "out: cannot be written: Permission denied");
        assert!(refused.stdout.is_empty(), "{refused:?}");
    }
}
