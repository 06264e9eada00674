//! Tokens and certificates: who is admitted, and what those are told who are not.
//!
//! The certificates in `tests/data/tls` are for localhost and for two callers, and valid for a hundred
//! years, but for `expired.pem` and `early.pem`; the keys that signed them are gone.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cluster::coordinator;
use crate::harness::{Process, outflank, run, run_with_input};
use crate::known_scores::file;
use crate::watch::{get, metric};

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
    let line = coordinator.line_with("refusing calls");
    let parts = ["WARN", "address=127.0.0.1:", "reason=\"there is no token", "calls=1"];
    assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    let line = coordinator.line_with("worker joined");
    assert!(line.contains("address=127.0.0.1:"), "{line}");
    let small = ["solve", "--board", "4x4", "start", "--json", "--connect", &address];
    // As an editor of another system leaves it.
    fs::write(home.path().join("edited"), "\u{feff}0123456789abcdef\r\n").expect("it is ours");
    let objects = run(home.path(), &[&small[..], &["--token-file", "edited"]].concat()).objects();
    assert_eq!(objects[0]["value"], -10, "{objects:?}");
    worker.kill();
    // The first of them had a line of its own, the others wait for the next minute, or the end.
    coordinator.signal("TERM");
    let line = coordinator.line_with("refusing calls");
    assert!(line.contains("the token is wrong"), "{line}");
    assert_eq!(coordinator.finish().code, Some(0));
}

const WORKER: &str = "worker-worker-worker";
const OTHER_WORKER: &str = "another-worker-token";
const CLIENT: &str = "client-client-client";
const ADMIN: &str = "admin-admin-admin";

fn write(home: &TempDir, name: &str, text: &str) {
    fs::write(home.path().join(name), text).expect("the folder is writable");
}

/// Returns a folder with a file of each role's token, and one of all for the coordinator.
fn home_with_roles() -> TempDir {
    let home = home();
    for (name, token) in [("worker", WORKER), ("client", CLIENT), ("admin", ADMIN)] {
        write(&home, name, token);
    }
    let roles = format!("# who may what\nworker {WORKER}\nclient {CLIENT}\n\nadmin {ADMIN}\n");
    write(&home, "roles", &roles);
    home
}

#[test]
fn a_token_opens_what_its_role_is_for() {
    let home = home_with_roles();
    let (coordinator, address) =
        coordinator(home.path(), "127.0.0.1:0", &["--token-file", "roles"]);
    let to = |verb: &[&str], role: &str, input: &str| {
        let how = ["--connect", &address, "--token-file", role];
        run_with_input(home.path(), &[verb, &how].concat(), input)
    };
    let small = ["solve", "--board", "4x4", "start", "--json"];
    for verb in [&small[..], &["campaign", "list"], &["top"]] {
        to(verb, "worker", "")
            .assert_fails(9, "the token has the role worker, expected client or admin");
    }
    worker(home.path(), &address, &["--token-file", "client"])
        .finish()
        .assert_fails(9, "the token has the role client, expected worker or admin");
    to(&["campaign", "list"], "token", "").assert_fails(9, "the token is wrong");

    // A client may ask and look, and not steer what others have asked.
    let import = ["campaign", "import", "list", "-", "--paused"];
    assert_eq!(to(&import, "client", "f5\n").code, Some(0));
    assert_eq!(to(&["campaign", "export", "list"], "client", "").stdout.len(), 1);
    let status = ["campaign", "status", "list", "--json"];
    assert_eq!(to(&status, "client", "").objects()[0]["paused"], true);
    let steering: [&[&str]; 4] = [
        &["pause", "list"],
        &["resume", "list"],
        &["priority", "list", "200"],
        &["remove", "list"],
    ];
    for verb in steering {
        to(&[&["campaign"], verb].concat(), "client", "").assert_fails(9, "client, expected admin");
    }
    let removed = to(&["campaign", "remove", "list", "--unfinished"], "admin", "");
    assert_eq!(removed.code, Some(0), "{removed:?}");

    for (joins, asks) in [("worker", "client"), ("admin", "admin")] {
        let worker = worker(home.path(), &address, &["--token-file", joins]);
        worker.wait_for("connected to the coordinator");
        assert_eq!(to(&small, asks, "").objects()[0]["value"], -10);
        assert_eq!(to(&["top"], asks, "").code, Some(0));
        worker.kill();
    }
    coordinator.kill();
}

#[test]
fn a_token_is_exchanged_while_workers_of_the_old_one_go_on() {
    let home = home_with_roles();
    write(&home, "new", OTHER_WORKER);
    let guarded = ["--token-file", "roles"];
    let (coordinator_of_the_old, address) = coordinator(home.path(), "127.0.0.1:0", &guarded);
    let old = worker(home.path(), &address, &["--token-file", "worker"]);
    old.wait_for("connected to the coordinator");
    worker(home.path(), &address, &["--token-file", "new"]).finish().assert_fails(9, "wrong");

    coordinator_of_the_old.kill();
    write(&home, "roles", &format!("worker {WORKER}\nworker {OTHER_WORKER}\nclient {CLIENT}\n"));
    let (coordinator_of_both, _) = coordinator(home.path(), &address, &guarded);
    old.wait_for("connected to the coordinator");
    let new = worker(home.path(), &address, &["--token-file", "new"]);
    new.wait_for("connected to the coordinator");

    coordinator_of_both.kill();
    write(&home, "roles", &format!("worker {OTHER_WORKER}\nclient {CLIENT}\n"));
    let (coordinator_of_the_new, _) = coordinator(home.path(), &address, &guarded);
    new.wait_for("connected to the coordinator");
    let refused = old.finish();
    assert_eq!(refused.code, Some(9), "{refused:?}");
    coordinator_of_the_new.kill();
}

#[test]
fn a_bad_line_of_the_coordinators_tokens_is_named_and_not_shown() {
    let home = home();
    for (text, expected) in [
        (format!("worker {WORKER}\nclerk {CLIENT}\n"), "line 2 does not begin with a role"),
        (format!("worker {WORKER}\n{CLIENT}\n"), "line 2 has 1 word, expected"),
        ("# later\n".to_owned(), "there is no token"),
    ] {
        write(&home, "roles", &text);
        let open = ["coordinator", "--store", "store", "--token-file", "roles"];
        let finished = run(home.path(), &open);
        finished.assert_fails(2, expected);
        finished.assert_fails(2, "reading roles");
        finished.assert_fails(2, "expected lines of a role (worker, client or admin) and a token");
        assert!(!finished.stderr[0].contains(CLIENT), "{finished:?}");
    }
}

#[test]
fn bad_files_are_bad_input() {
    let home = home();
    fs::write(home.path().join("short"), "secret").expect("the folder is writable");
    let solve = |file| ["solve", "f5", "--connect", "127.0.0.1:1", "--token-file", file];
    let finished = run(home.path(), &solve("short"));
    finished.assert_fails(2, "expected 16 to 4096 visible ASCII characters");
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
    with(&["--tls-ca", &another])
        .assert_fails(4, "UnknownIssuer (its certificate is not signed by one in --tls-ca)");
    with(&["--tls-ca", &authority, "--tls-name", "elsewhere"])
        .assert_fails(4, "not valid for name");
    with(&["--tls-ca", "token"]).assert_fails(2, "token has no CERTIFICATE, expected PEM");

    let worker = worker(home.path(), &address, &["--tls-ca", &authority]);
    worker.wait_for("connected to the coordinator");
    assert_eq!(with(&["--tls-ca", &authority]).objects()[0]["value"], -10);
    worker.kill();
    // Only the callers knew of that.
    let line = coordinator.line_with("no encrypted connection was made");
    let parts = ["WARN", "address=127.0.0.1:", "reason=\"it does not encrypt\"", "connections=1"];
    assert!(parts.iter().all(|part| line.contains(part)), "{line}");
    coordinator.signal("TERM");
    let line = coordinator.line_with("no encrypted connection was made");
    assert!(line.contains("reason=\"its TLS handshake failed\""), "{line}");
    assert_eq!(coordinator.finish().code, Some(0));
}

/// It could not be reached, was said of it, by no address, and a link to the manual of a library was the reason.
#[test]
fn a_coordinator_that_dies_is_named_and_so_is_what_to_do() {
    let home = home();
    let (cert, key) = (certificate("coordinator.pem"), certificate("coordinator-key.pem"));
    let authority = certificate("authority.pem");
    write(&home, "problem.obf", &file(&[58]));
    for (own, shown) in
        [(&["--tls-cert", &cert, "--tls-key", &key][..], &["--tls-ca", &authority][..]), (&[], &[])]
    {
        let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", own);
        let worker = worker(home.path(), &address, shown);
        worker.wait_for("connected to the coordinator");
        let to = |verb: &[&str]| {
            let arguments = [verb, &["--connect", &address], shown].concat();
            Process::start(outflank(home.path(), &arguments))
        };
        let solver = to(&["solve", "problem.obf"]);
        solver.wait_for("jobs");
        let mut importer = to(&["campaign", "import", "list", "-"]);
        // More than is read ahead and lies in the pipe: the coordinator is reading.
        importer.write(&b"# nothing\n".repeat(200_000));
        coordinator.kill();
        importer.finish().assert_fails(
            4,
            &format!(
                "the connection to the coordinator at {address} broke: it has ended, or the network \
                 failed; run the same command again"
            ),
        );
        let line = solver.line_with("lost the coordinator, trying again");
        assert!(line.ends_with(": the connection broke"), "{line}");
        let line = worker.line_with("no connection to the coordinator, trying again");
        assert!(line.contains("cause=\"the connection broke\""), "{line}");
        for process in [solver, worker] {
            process.kill();
        }
    }
}

#[test]
fn a_coordinator_that_wants_certificates_admits_only_those_of_its_authority() {
    let home = home();
    let (cert, key) = (certificate("coordinator.pem"), certificate("coordinator-key.pem"));
    let callers = certificate("callers-authority.pem");
    let guarded = ["--tls-cert", &cert, "--tls-key", &key, "--tls-client-ca", &callers];
    let guarded = [&guarded[..], &["--token-file", "token"]].concat();
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &guarded);
    let authority = certificate("authority.pem");
    let show =
        |name: &str| [certificate(&format!("{name}.pem")), certificate(&format!("{name}-key.pem"))];
    let (caller, stranger) = (show("caller"), show("stranger"));
    let common = ["--connect", &address, "--tls-ca", &authority];
    let small = [&["solve", "--board", "4x4", "start", "--json"][..], &common].concat();
    let with = |more: &[&str]| run(home.path(), &[&small[..], more].concat());
    let shown = ["--tls-cert", &caller[0], "--tls-key", &caller[1]];
    let token = ["--token-file", "token"];

    // How the connection breaks is a matter of chance, and so is how sure the advice is.
    with(&token).assert_fails(4, "wants to be shown a certificate: --tls-cert)");
    let strange = ["--tls-cert", &stranger[0], "--tls-key", &stranger[1]];
    with(&strange).assert_fails(4, "does not accept the certificate of --tls-cert)");
    // The coordinator's own certificate is not one for callers.
    with(&["--tls-cert", &cert, "--tls-key", &key])
        .assert_fails(4, "does not accept the certificate");
    // A certificate is no token.
    with(&shown).assert_fails(9, "there is no token");

    let refused = worker(home.path(), &address, &["--tls-ca", &authority]);
    let line = refused.line_with("no connection to the coordinator, trying again");
    assert!(line.contains("wants to be shown a certificate: --tls-cert)"), "{line}");
    refused.signal("TERM");
    assert_eq!(refused.finish().code, Some(0));

    let arguments = ["worker", "--connect", &address, "--threads", "1", "--hash", "64M"];
    let mut command = outflank(home.path(), &arguments);
    command.env("OUTFLANK_TLS_CA", &authority).env("OUTFLANK_TOKEN_FILE", "token");
    command.env("OUTFLANK_TLS_CERT", &caller[0]).env("OUTFLANK_TLS_KEY", &caller[1]);
    let worker = Process::start(command);
    worker.wait_for("connected to the coordinator");
    assert_eq!(with(&[&shown[..], &token].concat()).objects()[0]["value"], -10);
    worker.kill();
    coordinator.kill();
}

#[test]
fn bad_certificates_are_bad_input() {
    let home = home();
    let (cert, key) = (certificate("coordinator.pem"), certificate("coordinator-key.pem"));
    let (caller, caller_key) = (certificate("caller.pem"), certificate("caller-key.pem"));
    let authority = certificate("authority.pem");
    write(&home, "wide", "-\0-\0-\0");
    write(&home, "torn", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
    let open = |more: &[&str]| {
        let arguments = ["coordinator", "--store", "store", "--listen", "127.0.0.1:0"];
        run(home.path(), &[&arguments, more].concat())
    };
    let solve = |more: &[&str]| {
        let arguments = ["solve", "f5", "--connect", "127.0.0.1:1", "--tls-ca", &authority];
        run(home.path(), &[&arguments, more].concat())
    };
    let own = ["--tls-cert", &cert, "--tls-key", &key];
    open(&[&own[..], &["--tls-client-ca", "token"]].concat())
        .assert_fails(2, "token has no CERTIFICATE, expected PEM");
    open(&[&own[..], &["--tls-client-ca", "torn"]].concat())
        .assert_fails(2, "reading torn: certificate 1 cannot be read");
    let worker = ["worker", "--connect", "127.0.0.1:1", "--tls-ca", "torn"];
    run(home.path(), &worker).assert_fails(2, "reading torn: ");
    let another =
        format!("{cert} and {caller_key}: the key does not belong to the first certificate");
    open(&["--tls-cert", &cert, "--tls-key", &caller_key]).assert_fails(2, &another);
    open(&["--tls-cert", "wide", "--tls-key", &key])
        .assert_fails(2, "error: wide has no CERTIFICATE, expected PEM");
    solve(&["--tls-cert", "token", "--tls-key", &caller_key])
        .assert_fails(2, "token has no CERTIFICATE, expected PEM");
    solve(&["--tls-cert", &caller, "--tls-key", &caller])
        .assert_fails(2, "has no PRIVATE KEY, expected PEM");
    let other = format!("{caller} and {key}: the key does not belong to the first certificate");
    solve(&["--tls-cert", &caller, "--tls-key", &key]).assert_fails(2, &other);
    solve(&["--tls-name", "no such!"]).assert_fails(2, "--tls-name: \"no such!\" is no name");
    // Clap explains these on several lines.
    for (finished, missing) in [
        (solve(&["--tls-cert", &caller]), "--tls-key <FILE>"),
        (solve(&["--tls-key", &caller_key]), "--tls-cert <FILE>"),
        (open(&["--tls-client-ca", &authority]), "--tls-cert <FILE>"),
    ] {
        assert_eq!(finished.code, Some(2), "{finished:?}");
        let text = finished.stderr.join("\n");
        assert!(text.contains("required arguments were not provided"), "{text}");
        assert!(text.contains(missing), "{text}");
    }
}

/// It served without a word, and its workers alone could say why none of them came.
#[test]
fn a_coordinator_warns_of_a_certificate_that_is_not_valid_now_and_refuses_one_that_never_is() {
    let home = home();
    let key = certificate("coordinator-key.pem");
    for (name, warning, ends) in [
        ("expired.pem", "certificate expired so many days ago", 1_769_817_600.0),
        ("early.pem", "certificate is not valid for so many days yet", 4_736_102_400.0),
    ] {
        let cert = certificate(name);
        let more = ["--tls-cert", &cert, "--tls-key", &key, "--web", "127.0.0.1:0"];
        let (coordinator, _) = coordinator(home.path(), "127.0.0.1:0", &more);
        let line = coordinator.line_with(warning);
        assert!(line.contains("WARN") && line.contains("days="), "{line}");
        let page = coordinator.line();
        let page = page.trim_start_matches("to watch: http://").trim_end_matches('/');
        let expiry = metric(&get(page, "/metrics").1, "outflank_certificate_expiry_seconds");
        assert!((expiry - ends).abs() < 1.0, "{expiry}");
        coordinator.kill();
    }
    let (cert, key) = (certificate("caller.pem"), certificate("caller-key.pem"));
    let open = ["coordinator", "--store", "store", "--tls-cert", &cert, "--tls-key", &key];
    run(home.path(), &open).assert_fails(2, "caller.pem is a certificate for callers or other");
}

/// Without --tls-ca a token went in clear to whoever was there, and again at every try.
#[test]
fn a_token_is_sent_in_clear_to_no_other_machine_unless_that_is_permitted() {
    let home = home();
    let (coordinator, address) =
        coordinator(home.path(), "127.0.0.1:0", &["--token-file", "token"]);
    // No address of loopback, and yet this machine's.
    let elsewhere = address.replace("127.0.0.1", "0.0.0.0");
    write(&home, "address", &elsewhere);
    let list = |more: &[&str], variables: &[(&str, &str)]| {
        let arguments = [&["campaign", "list", "--token-file", "token"], more].concat();
        let mut command = outflank(home.path(), &arguments);
        command.envs(variables.iter().copied());
        Process::start(command).finish()
    };
    let message = format!(
        "the token would reach {elsewhere} without encryption: expected --tls-ca, a loopback address, or --no-tls"
    );
    for whereabouts in [&elsewhere, "@address"] {
        list(&["--connect", whereabouts], &[]).assert_fails(2, &message);
        list(&["--connect", whereabouts], &[("OUTFLANK_TLS_CA", "")]).assert_fails(2, &message);
        list(&["--connect", whereabouts], &[("OUTFLANK_NO_TLS", "")]).assert_fails(2, &message);
        list(&["--connect", whereabouts], &[("OUTFLANK_NO_TLS", "0")]).assert_fails(2, &message);
        worker(home.path(), whereabouts, &["--token-file", "token"])
            .finish()
            .assert_fails(2, &message);
        for permitted in [
            list(&["--connect", whereabouts, "--no-tls"], &[]),
            list(&["--connect", whereabouts], &[("OUTFLANK_NO_TLS", "1")]),
        ] {
            assert_eq!(permitted.code, Some(0), "{permitted:?}");
        }
    }
    let worker = worker(home.path(), "@address", &["--token-file", "token", "--no-tls"]);
    worker.wait_for("connected to the coordinator");
    worker.kill();
    coordinator.kill();
    let both = list(&["--connect", &elsewhere, "--no-tls", "--tls-ca", "x"], &[]);
    assert_eq!(both.code, Some(2), "{both:?}");
    assert!(both.stderr[0].contains("--no-tls excludes --tls-ca"), "{both:?}");
}

/// Of these the system's or the library's own words were all that was said: no file, or no reason.
#[test]
fn a_file_that_is_no_pem_as_expected_is_named_with_what_it_is() {
    let home = home();
    let path = |name: &str| home.path().join(name);
    let authority = fs::read_to_string(certificate("authority.pem")).expect("it is there");
    write(
        &home,
        "encrypted",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n",
    );
    let torn = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    write(&home, "half", &format!("{authority}{torn}"));
    fs::write(path("der"), [0x30, 0x82, 0xff]).expect("the folder is writable");
    let wide: Vec<u8> = "\u{feff}-----".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(path("wide"), wide).expect("the folder is writable");
    let caller = certificate("caller.pem");
    let solve = |more: &[&str]| {
        let arguments = ["solve", "f5", "--connect", "127.0.0.1:1"];
        run(home.path(), &[&arguments, more].concat())
    };
    solve(&["--tls-ca", "der"]).assert_fails(2, "der is DER, expected PEM in UTF-8");
    solve(&["--tls-ca", "wide"]).assert_fails(2, "wide is UTF-16, expected PEM in UTF-8");
    solve(&["--token-file", "wide"]).assert_fails(2, "wide is UTF-16, expected a token in UTF-8");
    solve(&["--tls-ca", "half"]).assert_fails(2, "reading half: certificate 2 cannot be read");
    let authority = certificate("authority.pem");
    solve(&["--tls-ca", &authority, "--tls-cert", &caller, "--tls-key", "encrypted"])
        .assert_fails(2, "reading encrypted: the key is encrypted, expected one without");
    let (cert, key) = (certificate("coordinator.pem"), certificate("coordinator-key.pem"));
    let open = ["coordinator", "--store", "store", "--tls-cert", &cert, "--tls-key", &key];
    run(home.path(), &[&open[..], &["--tls-client-ca", "half"]].concat())
        .assert_fails(2, "reading half: certificate 2 cannot be read");
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

#[test]
fn a_variable_that_is_empty_or_not_needed_is_not_there() {
    let home = home();
    let mut command = outflank(home.path(), &["solve", "--board", "4x4", "start", "--no-store"]);
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let mut list = outflank(home.path(), &["campaign", "list", "--connect", &address]);
    for name in ["TOKEN_FILE", "TLS_CA", "TLS_NAME", "TLS_CERT", "TLS_KEY"] {
        command.env(format!("OUTFLANK_{name}"), "");
        list.env(format!("OUTFLANK_{name}"), "");
    }
    // The certificate to show is there for those who ask a cluster: of one half the other is missing only then.
    let mut half = outflank(home.path(), &["solve", "--board", "4x4", "start", "--no-store"]);
    half.env("OUTFLANK_TLS_CERT", "certificate.pem");
    for command in [command, list, half] {
        let finished = Process::start(command).finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
    coordinator.kill();
}
