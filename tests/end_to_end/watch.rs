//! What those see who watch a cluster: on the terminal, as JSON, over HTTP.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{DEADLINE, Process, outflank, run};
use crate::known_scores::file;

/// Asks `authority` for `path` and returns head and body of the answer.
pub(crate) fn get(authority: &str, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(authority).expect("somebody listens");
    stream.set_read_timeout(Some(DEADLINE)).expect("a deadline is possible");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers in UTF-8");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head ends with an empty line");
    (head.to_owned(), body.to_owned())
}

/// Returns the number of the metric `name`, labels included.
pub(crate) fn metric(text: &str, name: &str) -> f64 {
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let number = found.unwrap_or_else(|| panic!("{name} is missing in\n{text}"));
    number.parse().expect("a number")
}

/// Looks until what is seen is as it should be.
#[allow(clippy::disallowed_methods, reason = "there is no runtime here")]
pub(crate) fn until<T>(look: impl Fn() -> T, is_right: impl Fn(&T) -> bool) -> T {
    let begin = Instant::now();
    loop {
        let seen = look();
        if is_right(&seen) {
            return seen;
        }
        assert!(begin.elapsed() < DEADLINE, "it never became so");
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_cluster_at_work_is_seen_by_those_who_watch() {
    let home = TempDir::new().expect("a temporary folder");
    // 29 empties: work for a minute on the fastest machine.
    fs::write(home.path().join("long.obf"), file(&[55])).expect("the folder is writable");
    fs::write(home.path().join("list.obf"), file(&[1, 2])).expect("the folder is writable");
    let arguments = ["coordinator", "--store", "store", "--listen", "127.0.0.1:0"];
    let web = ["--web", "127.0.0.1:0"];
    let coordinator = Process::start(outflank(home.path(), &[&arguments[..], &web].concat()));
    let after = |line: String, start: &str| {
        line.strip_prefix(start).unwrap_or_else(|| panic!("{line}")).to_owned()
    };
    let address = after(coordinator.line(), "listening on ");
    let page = after(coordinator.line(), "to watch: http://");
    let page = page.trim_end_matches('/');

    let look = || run(home.path(), &["top", "--connect", &address, "--json"]).objects();
    let empty = look();
    let [empty] = &empty[..] else { panic!("one look, {empty:?}") };
    assert_eq!((&empty["workers"], &empty["threads"]), (&Value::Array(Vec::new()), &0.into()));

    let arguments = ["worker", "--connect", &address, "--threads", "1", "--hash", "64M"];
    let metrics = ["--metrics", "127.0.0.1:0"];
    let worker = Process::start(outflank(home.path(), &[&arguments[..], &metrics].concat()));
    let line = worker.line_with("numbers for Prometheus");
    let (_, numbers) = line.split_once("http://").expect("the address");
    let numbers = numbers.trim_end_matches("/metrics");
    worker.wait_for("connected to the coordinator");
    let imported =
        run(home.path(), &["campaign", "import", "two", "list.obf", "--connect", &address]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let waited = run(home.path(), &["campaign", "wait", "two", "--connect", &address]);
    assert_eq!(waited.code, Some(0), "{waited:?}");
    let client =
        Process::start(outflank(home.path(), &["solve", "long.obf", "--connect", &address]));

    let busy = |seen: &Vec<Value>| {
        let worker = &seen[0]["workers"][0];
        let has_told = worker["running"][0]["nodes"].as_u64().is_some_and(|nodes| nodes > 0);
        has_told && seen[0]["requests"] == 1
    };
    let seen = until(look, busy);
    let (cluster, seen) = (&seen[0], &seen[0]["workers"][0]);
    assert_eq!(
        (&cluster["threads"], &cluster["jobs_running"]),
        (&1.into(), &1.into()),
        "{cluster}"
    );
    assert_eq!((&seen["threads"], &seen["table_bytes"]), (&1.into(), &(64 << 20).into()), "{seen}");
    assert!(seen["jobs_done"].as_u64() >= Some(2), "the campaign's rows: {seen}");
    assert!(
        seen["running"][0]["position"].as_str().is_some_and(|board| board.len() == 66),
        "{seen}"
    );
    let campaign = &cluster["campaigns"][0];
    assert_eq!((&campaign["name"], &campaign["proved"]), (&"two".into(), &2.into()), "{campaign}");

    let text = run(home.path(), &["top", "--connect", &address]);
    assert_eq!(text.code, Some(0), "{text:?}");
    assert!(text.stdout[0].starts_with("1 worker, 1 thread, 1 job running, "), "{text:?}");
    assert!(text.stdout.last().is_some_and(|line| line.contains(" empties ")), "{text:?}");

    let (head, body) = get(page, "/overview.json");
    assert!(head.starts_with("HTTP/1.1 200") && head.contains("application/json"), "{head}");
    let body: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!(body["workers"][0]["name"], seen["name"], "the same as on the terminal");
    let (head, body) = get(page, "/metrics");
    assert!(head.contains("application/openmetrics-text"), "{head}");
    for (name, number) in [
        ("outflank_workers", 1.0),
        ("outflank_workers_resting", 0.0),
        ("outflank_threads", 1.0),
        ("outflank_connections_total", 1.0),
        ("outflank_requests", 1.0),
        ("outflank_jobs_total{end=\"failed\"}", 0.0),
        ("outflank_campaign_tasks{campaign=\"two\",state=\"proved\"}", 2.0),
    ] {
        assert!((metric(&body, name) - number).abs() < 1e-9, "{name} is not {number} in\n{body}");
    }
    assert!(metric(&body, "outflank_nodes_total") > 0.0, "{body}");
    assert!(body.ends_with("# EOF\n"), "{body}");
    let (_, body) = get(numbers, "/metrics");
    for name in ["outflank_worker_connected", "outflank_worker_connections_total"] {
        assert!((metric(&body, name) - 1.0).abs() < 1e-9, "{name} is not 1 in\n{body}");
    }
    assert!(metric(&body, "outflank_worker_jobs_total{end=\"answered\"}") >= 2.0, "{body}");
    for (path, kind) in
        [("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css")]
    {
        let (head, body) = get(page, path);
        assert!(head.contains(kind) && head.contains("content-security-policy"), "{head}");
        assert!(!body.contains("http://") && !body.contains("https://"), "nothing from elsewhere");
    }
    assert!(get(page, "/health").1 == "ok\n" && get(numbers, "/health").1 == "ok\n");
    assert!(get(page, "/nothing").0.starts_with("HTTP/1.1 404"));

    // Who watches sees that the coordinator is gone, and that it is back.
    let arguments = ["top", "--connect", &address, "--json", "--interval", "0.2"];
    let watcher = Process::start(outflank(home.path(), &arguments));
    assert_eq!(watcher.object()["workers"][0]["threads"], 1);
    client.kill();
    coordinator.kill();
    watcher.wait_for("trying again");
    until(|| get(numbers, "/metrics").1, |body| metric(body, "outflank_worker_connected") < 0.5);
    let arguments = ["coordinator", "--store", "store", "--listen", &address];
    let _again = Process::start(outflank(home.path(), &arguments));
    until(|| watcher.object(), |seen| seen["workers"][0]["threads"] == 1);
    watcher.signal("INT");
    let ended = watcher.finish();
    assert_eq!(ended.code, Some(0), "{:?}", ended.stderr);
}

#[test]
fn who_cannot_watch_is_told_why() {
    let home = TempDir::new().expect("a temporary folder");
    let nobody = run(home.path(), &["top", "--connect", "127.0.0.1:1"]);
    assert_eq!(nobody.code, Some(4), "{nobody:?}");
    let often = run(home.path(), &["top", "--connect", "127.0.0.1:1", "--interval", "0"]);
    assert_eq!(often.code, Some(2), "{often:?}");
    assert!(often.stderr.join(" ").contains("expected seconds, 0.1 to 86400"), "{often:?}");
    let arguments =
        ["coordinator", "--store", "store", "--listen", "127.0.0.1:0", "--web", "nowhere"];
    run(home.path(), &arguments).assert_fails(2, "nowhere");
}
