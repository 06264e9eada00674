//! Signals at awkward moments, and output that nobody takes.

use std::fs::File;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::cluster::{coordinator, worker};
use crate::harness::{Process, outflank, run, run_with_input};

#[test]
fn a_worker_that_is_told_to_stop_before_it_is_welcomed_leaves_with_code_0() {
    let home = TempDir::new().expect("a temporary folder");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("bound").to_string();
    // So soon after the first, a SIGTERM is the same request.
    for signals in [&["TERM"][..], &["INT"], &["TERM", "TERM"]] {
        let arguments = ["worker", "--connect", &address, "--threads", "1", "--hash", "16M"];
        let worker = Process::start(outflank(home.path(), &arguments));
        let connection = silent.accept().expect("the worker connects");
        signals.iter().for_each(|signal| worker.signal(signal));
        let finished = worker.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
        drop(connection);
    }
}

/// Starts a worker through another command, which decides what becomes of SIGHUP.
fn worker_through(through: &[&str], home: &TempDir, address: &str) -> Process {
    let arguments = ["worker", "--connect", address, "--threads", "1", "--hash", "16M"];
    let mut command = Command::new(through[0]);
    command.args(&through[1..]).arg(env!("CARGO_BIN_EXE_outflank")).args(arguments);
    command.current_dir(home.path()).env_remove("RUST_LOG");
    let worker = Process::start(command);
    worker.wait_for("connected to the coordinator");
    worker
}

#[test]
fn a_terminal_that_is_closed_stops_all_that_nohup_has_not_started() {
    let home = TempDir::new().expect("a temporary folder");
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let detached = worker_through(&["nohup"], &home, &address);
    // The tests themselves may have been started by nohup.
    let attached = worker_through(&["env", "--default-signal=HUP"], &home, &address);
    for worker in [&detached, &attached] {
        worker.signal("HUP");
    }
    let finished = attached.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let solve = ["solve", "--board", "4x4", "start", "--connect", &address];
    let solved = run(home.path(), &solve);
    assert_eq!(solved.code, Some(0), "the other worker is still there: {solved:?}");
    for process in [detached, coordinator] {
        process.signal("TERM");
        let finished = process.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "there is no runtime here")]
fn a_second_signal_ends_a_process_that_still_waits_for_others() {
    let home = TempDir::new().expect("a temporary folder");
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &[]);
    let stuck = worker(home.path(), &address);
    stuck.signal("STOP"); // The coordinator would wait ten seconds for it.
    coordinator.signal("TERM");
    coordinator.signal("TERM"); // The same request, so soon after the first.
    std::thread::sleep(Duration::from_millis(200)); // In the next tenth of a second it would be so, too.
    coordinator.signal("INT");
    assert_eq!(coordinator.finish().code, Some(130));
    stuck.kill();
}

#[test]
fn a_ctrl_c_that_comes_twice_at_once_is_one() {
    let home = TempDir::new().expect("a temporary folder");
    let coordinator = coordinator(home.path(), "127.0.0.1:0", &[]);
    // Nobody solves it.
    let solve =
        Process::start(outflank(home.path(), &["solve", "f5", "--connect", &coordinator.1]));
    solve.wait_for("no worker is connected");
    solve.signal_twice("INT");
    let finished = solve.finish();
    assert_eq!(finished.code, Some(130), "{finished:?}");
    assert!(finished.stderr.iter().any(|line| line.starts_with("interrupted; ")), "{finished:?}");
}

/// Makes a store and a campaign in `home`.
fn campaign(home: &TempDir) {
    let list = "start\nf5d6c3d3c4\nf5d6c3d3c4f4f6\n";
    let import = ["campaign", "import", "list", "-", "--store", "store", "--paused"];
    assert_eq!(run_with_input(home.path(), &import, list).code, Some(0));
    let solve = ["solve", "--board", "4x4", "start", "--store", "store"];
    assert_eq!(run(home.path(), &solve).code, Some(0));
}

/// Returns an address at which nobody listens.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("bound").to_string()
}

#[test]
fn a_signal_ends_a_command_that_still_opens_its_store() {
    let home = TempDir::new().expect("a temporary folder");
    campaign(&home);
    // A store that is never opened: it reads why its index is in doubt, and nobody says it.
    let doubt = home.path().join("store/INDEX-IN-DOUBT");
    let made = Command::new("mkfifo").arg(&doubt).status().expect("the command exists");
    assert!(made.success());
    let address = free_address();
    for (arguments, code) in [
        (&["coordinator", "--store", "store", "--listen", &address][..], 0),
        (&["campaign", "run", "--store", "store"], 130),
        (&["solve", "--board", "4x4", "start", "--store", "store"], 130),
    ] {
        let process = Process::start(outflank(home.path(), arguments));
        let writer = File::options().write(true).open(&doubt).expect("somebody reads");
        let refused = TcpStream::connect(&address).map(drop);
        assert!(refused.is_err(), "nobody could answer, and probes would not see that");
        process.signal("TERM");
        let finished = process.finish();
        assert_eq!(finished.code, Some(code), "{finished:?}");
        let says = if code == 0 { "told to stop" } else { "interrupted before anything had begun" };
        assert!(finished.stderr.iter().any(|line| line.contains(says)), "{finished:?}");
        drop(writer);
    }
    // An address in use is told before the store is opened.
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    for addresses in [[&address, "127.0.0.1:0"], ["127.0.0.1:0", &address]] {
        let [listen, web] = addresses;
        let arguments = ["coordinator", "--store", "store", "--listen", listen, "--web", web];
        run(home.path(), &arguments).assert_fails(4, &address);
    }
}

#[test]
fn of_an_import_that_is_interrupted_nothing_is_said_to_be_kept() {
    let home = TempDir::new().expect("a temporary folder");
    let mut command =
        outflank(home.path(), &["campaign", "import", "list", "-", "--store", "store"]);
    command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut import = command.spawn().expect("the command starts");
    let mut input = import.stdin.take().expect("a pipe");
    // More than the pipe takes, so that the import has begun.
    input.write_all(&b"f5\n".repeat(1 << 18)).expect("it is read");
    let kill = Command::new("kill").args(["-s", "TERM", &import.id().to_string()]).status();
    assert!(kill.expect("the command exists").success());
    let output = import.wait_with_output().expect("it ends");
    drop(input);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted; of a list that was not read to its end nothing"), "{said}");
    let status = ["campaign", "status", "list", "--store", "store"];
    run(home.path(), &status).assert_fails(2, "there is no campaign list");
}

fn printed_to(home: &TempDir, arguments: &[&str], output: impl Into<Stdio>) -> Output {
    let mut command = outflank(home.path(), arguments);
    command.stdout(output).stderr(Stdio::piped());
    command.spawn().expect("the command starts").wait_with_output().expect("it ends")
}

#[test]
fn a_reader_that_has_gone_is_no_failure_and_a_full_disk_is_one() {
    let home = TempDir::new().expect("a temporary folder");
    campaign(&home);
    for arguments in [
        &["campaign", "export", "list", "--store", "store"][..],
        &["campaign", "export", "list", "--form", "jsonl", "--store", "store"],
        &["campaign", "list", "--store", "store"],
        &["campaign", "status", "list", "--store", "store"],
        &["store", "export", "store"],
        &["store", "stats", "store"],
        &["solve", "--board", "4x4", "start", "--store", "store"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let closed = printed_to(&home, arguments, writer);
        let text = String::from_utf8_lossy(&closed.stderr).into_owned();
        assert_eq!((closed.status.code(), text.as_str()), (Some(141), ""), "{arguments:?}");
        let full = File::options().write(true).open("/dev/full").expect("Linux has one");
        let full = printed_to(&home, arguments, full);
        let text = String::from_utf8_lossy(&full.stderr).into_owned();
        assert_eq!(full.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.starts_with("error: writing ") && text.lines().count() == 1, "{text}");
    }
}
