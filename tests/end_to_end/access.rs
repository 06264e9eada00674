//! Tokens and certificates: who is admitted, and what those are told who are not.
//!
//! The certificates in `tests/data/tls` are for localhost and valid for a hundred years; the key that
//! signed them is gone.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cluster::coordinator;
use crate::harness::{Process, outflank, run};

fn certificate(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/data/tls", name].iter().collect();
    path.to_str().expect("the path is UTF-8").to_owned()
}

/// Returns a folder with the cluster's token and another one.
fn home() -> TempDir {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("token"), "0123456789abcdef\n").expect("the folder is writable");
    fs::write(home.path().join("other"), "0123456789abcdee\n").expect("the folder is writable");
    home
}

fn worker(home: &Path, address: &str, more: &[&str]) -> Process {
    let arguments = ["worker", "--connect", address, "--threads", "1", "--hash", "64M"];
    Process::start(outflank(home, &[&arguments, more].concat()))
}

#[test]
fn only_who_shows_the_token_is_admitted() {
    let home = home();
    let (coordinator, address) =
        coordinator(home.path(), "127.0.0.1:0", &["--token-file", "token"]);
    for verb in [&["solve", "f5"][..], &["campaign", "list"]] {
        let to = [verb, &["--connect", &address]].concat();
        run(home.path(), &to).assert_fails(9, "there is no token");
        let other = [&to[..], &["--token-file", "other"]].concat();
        run(home.path(), &other).assert_fails(9, "the token is wrong");
    }
    worker(home.path(), &address, &["--token-file", "other"]).finish().assert_fails(9, "wrong");

    let worker = worker(home.path(), &address, &["--token-file", "token"]);
    worker.wait_for("connected to the coordinator");
    let small = ["solve", "--board", "4x4", "start", "--json", "--connect", &address];
    let objects = run(home.path(), &[&small[..], &["--token-file", "token"]].concat()).objects();
    assert_eq!(objects[0]["value"], -10, "{objects:?}");
    worker.kill();
    coordinator.kill();
}

#[test]
fn bad_files_are_bad_input() {
    let home = home();
    fs::write(home.path().join("short"), "secret").expect("the folder is writable");
    let solve = |file| ["solve", "f5", "--connect", "127.0.0.1:1", "--token-file", file];
    let finished = run(home.path(), &solve("short"));
    finished.assert_fails(2, "at least 16 visible ASCII characters");
    assert!(!finished.stderr[0].contains("secret"), "{finished:?}");
    run(home.path(), &solve("missing")).assert_fails(2, "reading missing");
    let (cert, key) = (certificate("coordinator.pem"), certificate("authority.pem"));
    let open = ["coordinator", "--store", "store", "--tls-cert", &cert, "--tls-key", &key];
    run(home.path(), &open).assert_fails(2, "has no PRIVATE KEY, expected PEM");
}

#[test]
fn an_encrypted_cluster_works_and_its_coordinator_is_known() {
    let home = home();
    let (cert, key) = (certificate("coordinator.pem"), certificate("coordinator-key.pem"));
    let (coordinator, address) =
        coordinator(home.path(), "127.0.0.1:0", &["--tls-cert", &cert, "--tls-key", &key]);
    let (authority, another) = (certificate("authority.pem"), certificate("other-authority.pem"));
    let small = ["solve", "--board", "4x4", "start", "--json", "--connect", &address];
    let with = |more: &[&str]| run(home.path(), &[&small[..], more].concat());
    with(&[]).assert_fails(4, "perhaps it expects encryption: --tls-ca");
    with(&["--tls-ca", &another]).assert_fails(4, "UnknownIssuer");
    with(&["--tls-ca", &authority, "--tls-name", "elsewhere"])
        .assert_fails(4, "not valid for name");
    with(&["--tls-ca", "token"]).assert_fails(2, "token has no CERTIFICATE, expected PEM");

    let worker = worker(home.path(), &address, &["--tls-ca", &authority]);
    worker.wait_for("connected to the coordinator");
    assert_eq!(with(&["--tls-ca", &authority]).objects()[0]["value"], -10);
    worker.kill();
    coordinator.kill();
}

#[test]
fn a_coordinator_that_does_not_encrypt_is_found_out() {
    let home = home();
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let authority = certificate("authority.pem");
    let arguments = ["solve", "f5", "--connect", &address, "--tls-ca", &authority];
    run(home.path(), &arguments).assert_fails(4, "perhaps it does not encrypt");
    coordinator.kill();
}
