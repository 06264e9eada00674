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
    let longest = "x".repeat(63);
    let wild = format!("*.{longest}.example");
    let names = ["n1.2.3.4host", "10.0.0.25", "::1", &wild, "n-1.2.3.4_", "1.2.a-b"];
    let made = certificates(home.path(), &[&["tls"][..], &names].concat());
    assert_eq!(made.code, Some(0), "{made:?}");
    let names =
        format!("DNS:n1.2.3.4host,IP:10.0.0.25,IP:::1,DNS:{wild},DNS:n-1.2.3.4_,DNS:1.2.a-b,");
    assert!(made.stdout[0].contains(&names), "{made:?}");
}

/// The tokens and keys of this folder went into the image's first stage, and to whoever builds it elsewhere.
#[test]
fn what_git_leaves_out_is_in_no_image() {
    let lines = |name: &str| {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
        text.expect("it is there").lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let left_out = lines(".dockerignore");
    // Git takes a name without a slash for that of any file; nothing secret has one.
    for name in lines(".gitignore").iter().filter_map(|line| line.strip_prefix('/')) {
        assert!(left_out.iter().any(|line| line == name), "{name} is not in .dockerignore");
    }
}

/// They were put into certificates, which nobody could use by that name.
#[test]
fn a_name_that_no_caller_can_read_is_refused() {
    let home = TempDir::new().expect("a temporary folder");
    let (label, name) = ("x".repeat(64), format!("{}.example", "x.".repeat(130)));
    for bad in [
        "a..b",
        "x-.y",
        "-x.y",
        "x.-y",
        ".x",
        "x.",
        "n.1",
        "n-1.2.3.4",
        "*.example",
        "*",
        "*.*.x.y",
        &label,
        &name,
    ] {
        let refused = certificates(home.path(), &["tls", bad]);
        assert_eq!(refused.code, Some(2), "{bad}: {refused:?}");
        let message = format!("found \"{bad}\", which is neither a host nor an IP address");
        assert!(refused.stderr[0].starts_with(&message), "{refused:?}");
    }
    assert_eq!(home.path().read_dir().expect("it is a folder").count(), 0, "nothing is made");
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
