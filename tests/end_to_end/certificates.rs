//! `deploy/certificates`: what it is told wrongly. That it makes certificates which are accepted is for `.ci/slurm` to see.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::harness::{Finished, Process};

fn certificates(home: &Path, arguments: &[&str]) -> Finished {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/certificates"));
    command.args(arguments).current_dir(home);
    Process::start(command).finish()
}

#[test]
fn what_is_mistyped_makes_neither_a_folder_nor_a_certificate() {
    let home = TempDir::new().expect("a temporary folder");
    let cases: [(&[&str], &str); 8] = [
        (&[], "the folder is missing"),
        (&["--caller", "worker-1"], "found the option --caller"),
        (
            &["tls", "--callers", "worker-1"],
            "found \"--callers\", which is neither a host nor an IP",
        ),
        (&["tls", "host,IP:10.0.0.1"], "found \"host,IP:10.0.0.1\""),
        (&["tls", "300.1.1.1"], "found \"300.1.1.1\", which is neither a host nor an IP"),
        (&["tls", "1:2"], "found \"1:2\", which is neither a host nor an IP"),
        (&["tls", "--caller"], "the name of the caller is missing"),
        (&["tls", "--caller", "coordinator"], "coordinator cannot be the name of a caller"),
    ];
    for (arguments, message) in cases {
        let refused = certificates(home.path(), arguments);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.len() == 1 && refused.stderr[0].contains(message), "{refused:?}");
    }
    let help = certificates(home.path(), &["--help"]);
    assert_eq!(help.code, Some(0), "{help:?}");
    let usage = "  certificates FOLDER --caller NAME... ";
    assert!(help.stdout.iter().any(|line| line.starts_with(usage)), "{help:?}");
    assert_eq!(home.path().read_dir().expect("it is a folder").count(), 0, "nothing is made");
}

#[test]
fn a_host_with_digits_is_no_address() {
    let home = TempDir::new().expect("a temporary folder");
    let names = ["n1.2.3.4host", "10.0.0.25", "::1", "*.example", "n-1.2.3.4"];
    let made = certificates(home.path(), &[&["tls"][..], &names].concat());
    assert_eq!(made.code, Some(0), "{made:?}");
    let names = "DNS:n1.2.3.4host,IP:10.0.0.25,IP:::1,DNS:*.example,DNS:n-1.2.3.4,";
    assert!(made.stdout[0].contains(names), "{made:?}");
}

#[test]
fn a_renewal_that_fails_leaves_the_old_certificate_with_its_key() {
    let home = TempDir::new().expect("a temporary folder");
    let made = certificates(home.path(), &["tls", "10.0.0.25"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let files =
        ["coordinator.pem", "coordinator-key.pem"].map(|name| home.path().join("tls").join(name));
    let contents = || files.each_ref().map(|file| fs::read(file).expect("it was made"));
    let old = contents();
    let failed = certificates(home.path(), &["tls", "::10::1"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let message = "openssl makes no certificate for DNS:outflank-coordinator,IP:::10::1";
    assert!(failed.stderr[0].starts_with(message), "{failed:?}");
    assert_eq!(contents(), old);
    assert_eq!(fs::read_dir(home.path().join("tls")).expect("a folder").count(), 4, "nothing else");
    assert_eq!(certificates(home.path(), &["tls", "10.0.0.26"]).code, Some(0));
    assert!(contents().iter().zip(&old).all(|(new, old)| new != old), "both are renewed");
}

#[test]
fn half_an_authority_is_named_with_what_it_lacks() {
    for (there, missing) in
        [("authority.pem", "authority-key.pem"), ("authority-key.pem", "authority.pem")]
    {
        let home = TempDir::new().expect("a temporary folder");
        fs::write(home.path().join(there), "old").expect("the folder is writable");
        let refused = certificates(home.path(), &["."]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        let message = format!("{there} is there without {missing}");
        assert!(refused.stderr[0].contains(&message), "{refused:?}");
    }
}
