//! Everything that users can get wrong: one line that says what and where, and the exit code.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::Command;

use outflank_coordinator::store::Store;
use tempfile::TempDir;

use crate::harness::{Finished, Process, outflank, run, run_with_input};
use crate::known_scores::file;

const BOARD: &str = "---------------------------OX------XO---------------------------";

fn home() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

#[test]
fn positions_that_are_none_are_refused_with_their_place() {
    let home = home();
    let over = format!("{}- X", "X".repeat(63));
    let cases = [
        (&BOARD[1..], "found a board of 63 squares, expected 64 squares and the side to move"),
        (&format!("{BOARD}---- X"), "found a board of 68 squares"),
        (BOARD, "column 65: the side to move is missing after the 64 squares, expected X or O"),
        (&format!("{BOARD} Z"), "column 66: found 'Z' as the side to move, expected X or O"),
        (&BOARD.replace("XO", "XQ"), "column 37: found 'Q' on the board, expected X (black)"),
        (&format!("{over}; PS:+64"), "a score is given for PS, which is illegal, expected no move"),
        ("f5f6a1", "column 5: move 3: a1 is illegal for black, expected one of"),
        ("f5z9", "column 3: move 2: found \"z9\", expected a square"),
        ("", "found no position, expected a board, a move list or a game"),
        ("missing.obf", "missing.obf: no such file"),
        (&format!("--{}", "a".repeat(100_000)), "aaa… is no option of solve"),
        (&format!("{}.obf", "a".repeat(100_000)), "aaa…: no such file"),
    ];
    for (position, message) in cases {
        let finished = run(home.path(), &["solve", position]);
        finished.assert_fails(2, message);
        assert!(finished.stderr[0].len() < 300, "{finished:?}");
    }
}

#[test]
fn files_are_checked_before_anything_is_solved() {
    let home = home();
    let file = |name: &str, text: &[u8]| {
        fs::write(home.path().join(name), text).expect("the folder is writable");
    };
    file("empty.obf", b"");
    file("comments.obf", b"% nothing\n\n# here\n");
    file("third.obf", format!("% two good lines\n{BOARD} X\nf5\nf5 f5\n").as_bytes());
    file("score.obf", format!("{BOARD} X; F5:+1;\n").as_bytes());
    file("binary.obf", b"f5\n\xff\xfe");
    let cases = [
        ("empty.obf", "empty.obf, line 1, column 1: found no position"),
        ("comments.obf", "comments.obf, line 1, column 1: found no position"),
        ("third.obf", "third.obf, line 4, column 4: move 2: f5 is illegal for white"),
        ("score.obf", "score.obf, line 1, column 72: found the score \"+1\", expected an even"),
        ("binary.obf", "binary.obf, line 2: byte 3 is not UTF-8 text"),
        (".", ". is a folder, expected a file of positions"),
        ("ring.obf", "reading ring.obf: Too many levels of symbolic links"),
    ];
    symlink("ring.obf", home.path().join("ring.obf")).expect("the folder is writable");
    for (name, message) in cases {
        let finished = run(home.path(), &["solve", name]);
        finished.assert_fails(2, message);
        assert!(finished.stdout.is_empty(), "{finished:?}");
    }
    run_with_input(home.path(), &["solve", "-"], "f5\n???")
        .assert_fails(2, "standard input, line 2");
    run(home.path(), &["simulate", "--fit", "binary.obf"])
        .assert_fails(2, "binary.obf, line 2: byte 3 is not UTF-8 text, expected recorded jobs");
}

#[test]
fn places_where_nothing_can_be_kept_are_refused_before_the_work() {
    let home = home();
    fs::write(home.path().join("file"), "no folder").expect("the folder is writable");
    let store = ["campaign", "import", "list", "-", "--store", "store"];
    assert_eq!(run_with_input(home.path(), &store, "f5\n").code, Some(0));
    let export = ["campaign", "export", "list", "--store", "store", "--out"];
    let cases: [(&[&str], &str, &str); 9] = [
        (&export, ".", "--out .: is a folder, expected a file"),
        (&export, "missing/out", "--out missing/out: expected a folder that is there"),
        (&["proof", "export", "f5", "--out"], "file/out", "--out file/out: expected a folder"),
        (&["simulate", "--svg"], ".", "--svg .: is a folder, expected a file"),
        (&["simulate", "--record"], "-", "--record -: expected the name of a file"),
        (&["simulate", "--fit"], "missing", "reading missing: No such file"),
        (&["train", "all", "--out", "out", "--work"], "file", "is a file, expected a folder"),
        (&["train", "curve", "--work"], "missing", "--work missing: expected a folder"),
        (&["train", "report", "--weights"], "missing", "reading missing: No such file"),
    ];
    for (arguments, path, message) in cases {
        let finished = run(home.path(), &[arguments, &[path]].concat());
        finished.assert_fails(2, message);
        assert!(finished.stdout.is_empty(), "{finished:?}");
    }
}

#[test]
fn a_speed_at_which_no_simulation_ends_is_refused() {
    let home = home();
    for speed in ["1e-9", "0.9", "0", "-1", "inf", "NaN", "fast"] {
        let finished = run(home.path(), &["simulate", &format!("--speed={speed}")]);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(
            finished.stderr[0].contains("expected a number of nodes, 1 or more"),
            "{finished:?}"
        );
    }
}

#[test]
fn a_simulation_that_takes_more_memory_than_there_is_is_refused_before_the_work() {
    let home = home();
    // Ten thousand tables take 4 TB.
    let finished = run(home.path(), &["simulate", "f5", "--workers", "1,10000"]);
    finished
        .assert_fails(2, "--workers 10000: so many real engines take 4000000 MiB of hash tables");
    assert!(finished.stdout.is_empty(), "{finished:?}");
}

#[test]
fn a_simulation_that_is_refused_leaves_its_record_as_it_was() {
    let home = home();
    let kept = home.path().join("kept");
    fs::write(&kept, "work of hours\n").expect("the folder is writable");
    let cases: [(&[&str], &str); 4] = [
        (&["no position"], "no file has that name"),
        (&["kept"], "is to be read as kept, expected another file"),
        (&["--fit", "kept"], "is to be read as kept, expected another file"),
        (&["--seed", "18446744073709551615", "--seeds", "2"], "there are no 2 seeds"),
    ];
    for (arguments, message) in cases {
        let simulate = [&["simulate", "--record", "kept"], arguments].concat();
        run(home.path(), &simulate).assert_fails(2, message);
        assert_eq!(fs::read_to_string(&kept).expect("it is there"), "work of hours\n");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_that_is_full_is_said_to_be() {
    let home = home();
    fs::write(home.path().join("problem.obf"), file(&[1])).expect("the folder is writable");
    run(home.path(), &["solve", "problem.obf", "--store", "store", "--json"]).objects();
    let export = ["proof", "export", "problem.obf", "--store", "store", "--out", "/dev/full"];
    run(home.path(), &export).assert_fails(1, "writing the proof: No space left");
    for text in ["--help", "--version"] {
        let shell = "\"$0\" \"$1\" >/dev/full";
        let mut command = Command::new("sh");
        command.args(["-c", shell, env!("CARGO_BIN_EXE_outflank"), text]);
        let full = Process::start(command).finish();
        full.assert_fails(1, "writing standard output: No space left");
    }
}

/// Returns what the command does in a process that may not have more than two gigabytes.
fn run_in_two_gigabytes(arguments: &[&str]) -> Finished {
    let home = home();
    let shell = "ulimit -v 2000000 && exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", shell, env!("CARGO_BIN_EXE_outflank")]).args(arguments);
    command.current_dir(home.path()).env("HOME", home.path()).env_remove("RUST_LOG");
    Process::start(command).finish()
}

#[test]
fn a_hash_table_that_does_not_fit_the_memory_is_refused_with_its_size() {
    let message = "no memory for a hash table of 4294967296 bytes: Cannot allocate memory";
    let commands: [&[&str]; 3] = [
        &["solve", "f5", "--no-store"],
        &["worker", "--connect", "127.0.0.1:1"],
        &["bench", "ffo", "--positions", "1"],
    ];
    for command in commands {
        let refused = run_in_two_gigabytes(&[command, &["--hash", "4G"]].concat());
        refused.assert_fails(2, message);
        assert!(refused.stdout.is_empty(), "nothing is begun: {refused:?}");
    }
    // Of this the system would give as much as it has.
    for command in commands {
        let refused = run(home().path(), &[command, &["--hash", "64T"]].concat());
        refused.assert_fails(2, "--hash: found 67108864 MiB, expected at most the ");
    }
    // Less is fine, so that it was the table.
    let commands = ["bench", "ffo", "--positions", "1", "--hash", "16M", "--threads", "1"];
    let fine = run_in_two_gigabytes(&commands);
    assert_eq!(fine.code, Some(0), "{fine:?}");
}

#[test]
fn wrong_arguments_are_explained() {
    let home = home();
    let cases: [(&[&str], &str); 20] = [
        (&[], "Usage: outflank"),
        (&["solv"], "unrecognized subcommand 'solv'"),
        (&["solve", "f5", "--window", "3..5"], "two even numbers from -64 to 64"),
        (&["solve", "f5", "--hash", "12X"], "such as 512M"),
        (&["solve", "f5", "--threads", "0"], "0 is not in 1..=1024"),
        (&["solve", "f5", "--threads", "-1"], "-1 is not in 1..=1024"),
        (&["solve", "f5", "--time", "-1"], "expected a number of seconds above 0"),
        (&["solve", "f5", "--nodes", "0"], "expected a number of at least 1"),
        (&["solve", "f5", "--job-nodes", "9"], "expected a number of at least 1000"),
        (&["solve", "f5", "--store", "a", "--no-store"], "cannot be used with"),
        (&["solve", "f5", "--connect", "localhost:1", "--threads", "2"], "cannot be used with"),
        (&["worker"], "--connect <ADDR>"),
        (&["solve", "f5", "--token-file", "t"], "--token-file needs --connect <ADDR>"),
        (&["simulate", "f5", "--seed", "2"], "cannot be used with"),
        (&["simulate", "f5", "--horizon", "20"], "cannot be used with"),
        (
            &["proof", "export", "f5", "--out", "-"],
            "without this option it goes to standard output",
        ),
        (&["campaign", "export", "a", "--out", "-"], "without this option it goes to standard"),
        (&["campaign", "priority", "a", "-1"], "-1 is not in 0..=255"),
        (&["campaign", "list", "--tls-ca", "t"], "--tls-ca needs --connect <ADDR>"),
        (&["solve", "f5", "--no-tls"], "--no-tls needs --connect <ADDR>"),
    ];
    for (arguments, message) in cases {
        let finished = run(home.path(), arguments);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(
            finished.stderr.iter().any(|line| line.contains(message)),
            "{message}: {finished:?}"
        );
    }
}

#[test]
fn options_of_access_that_lack_others_are_explained_with_the_usage_of_their_command() {
    let home = home();
    let cases: [(&[&str], &str); 3] = [
        (&["solve", "f5", "--tls-name", "x"], "Usage: outflank solve "),
        (&["campaign", "list", "--token-file", "t"], "Usage: outflank campaign list "),
        (&["top", "--connect", "h:1", "--tls-key", "t"], "Usage: outflank top "),
    ];
    for (arguments, usage) in cases {
        let refused = run(home.path(), arguments);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.iter().any(|line| line.starts_with(usage)), "{refused:?}");
    }
}

#[test]
fn unusable_stores_are_refused() {
    let home = home();
    fs::write(home.path().join("file"), "no folder").expect("the folder is writable");
    for arguments in [
        &["solve", "f5", "--store", "file"][..],
        &["store", "stats", "file"],
        &["coordinator", "--listen", "127.0.0.1:0", "--store", "file"],
    ] {
        run(home.path(), arguments).assert_fails(3, "file");
    }
    run(home.path(), &["store", "stats", "missing"]).assert_fails(3, "missing");
    drop(Store::open(&home.path().join("store")).expect("the folder is writable"));
    fs::write(home.path().join("store/campaigns"), "no folder").expect("the folder is writable");
    let coordinator = ["coordinator", "--quiet", "--listen", "127.0.0.1:0", "--store", "store"];
    let finished = run(home.path(), &coordinator);
    finished.assert_fails(3, "opening the campaigns: creating store/campaigns: ");
    assert_eq!(finished.stderr[0].matches("File exists").count(), 1, "{finished:?}");
}

#[test]
fn an_unreachable_coordinator_is_named() {
    let home = home();
    // A port that was free a moment ago has no listener.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound address").to_string();
    drop(listener);
    let solve = ["solve", "f5", "--connect", &address];
    run(home.path(), &[&solve[..], &["--quiet"]].concat()).assert_fails(4, &address);
    // It may be about to start, so that the user is told what is waited for.
    let finished = run(home.path(), &solve);
    assert!(finished.stderr[0].contains("no coordinator listens at"), "{finished:?}");
    assert!(finished.stderr[1].starts_with("error: "), "{finished:?}");
    assert_eq!((finished.code, finished.stderr.len()), (Some(4), 2), "{finished:?}");
}

#[test]
fn an_address_in_use_is_named() {
    let home = home();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a bound address").to_string();
    let arguments = ["coordinator", "--store", "store", "--listen", &address];
    run(home.path(), &arguments).assert_fails(4, &address);
}

#[test]
fn an_open_address_needs_a_flag() {
    let home = home();
    let arguments = ["coordinator", "--store", "store", "--listen", "0.0.0.0:0"];
    run(home.path(), &arguments).assert_fails(2, "--no-tls");
}

#[test]
fn a_bad_address_is_bad_input() {
    let home = home();
    run(home.path(), &["solve", "f5", "--connect", "nowhere"]).assert_fails(2, "nowhere");
    let arguments = ["coordinator", "--store", "store", "--listen", "nowhere"];
    run(home.path(), &arguments).assert_fails(2, "nowhere");
}

#[test]
fn a_host_that_is_not_found_may_be_found_later() {
    let home = home();
    let listens = ["coordinator", "--store", "store", "--listen"];
    let unknown = "no-such-host.invalid:0";
    for more in [&[unknown][..], &["127.0.0.1:0", "--web", unknown]] {
        let finished = run(home.path(), &[&listens, more].concat());
        finished.assert_fails(4, "finding no-such-host.invalid:0");
    }
}

#[test]
fn the_help_lists_the_exit_codes() {
    let home = home();
    for arguments in [
        &["--help"][..],
        &["solve", "--help"],
        &["coordinator", "-h"],
        &["campaign", "wait", "--help"],
        &["store", "verify", "--help"],
        &["train", "report", "--help"],
    ] {
        let finished = run(home.path(), arguments);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let text = finished.stdout.join("\n");
        for code in ["0  solved", "1  internal", "2  bad", "3  the proof", "4  the coord", "5  two"]
        {
            assert!(text.contains(code), "{code:?} is missing in {text}");
        }
        assert!(text.contains("130  interrupted"), "{text}");
    }
    let options = run(home.path(), &["solve", "-h"]).stdout;
    let place = |option: &str| options.iter().position(|line| line.contains(option));
    assert!(place("--json") < place("--verbose"), "the options of all come last: {options:?}");
}

#[test]
fn the_help_fits_the_terminal() {
    let home = home();
    let mut help = outflank(home.path(), &["solve", "--help"]);
    help.env("COLUMNS", "80");
    let finished = Process::start(help).finish();
    let is_long = |line: &&String| line.chars().count() > 80;
    // Exit codes are a table; a word that cannot be broken stays whole.
    let long: Vec<_> = finished.stdout.iter().filter(is_long).collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn the_version_names_the_instruction_set() {
    let home = home();
    let finished = run(home.path(), &["--version"]);
    let expected = format!("outflank {} (", env!("CARGO_PKG_VERSION"));
    assert!(finished.stdout[0].starts_with(&expected), "{finished:?}");
}
