//! What is wrong with a message is refused by the name of its field.

use outflank_engine::{Bound, FoundBound, Position, Square, Window};
use outflank_proto::message::{FromWorker, Hello, Report, SolveRequest, SolveUpdate, ToWorker};
use outflank_proto::v1;

/// A valid report, to be spoiled.
fn good_report() -> v1::Report {
    let position = Position::START.canonical();
    v1::Report {
        position: Some(position.into()),
        bound: Some(Bound::UNKNOWN.into()),
        order: Square::all(position.moves()).map(Square::index).collect(),
        ..v1::Report::default()
    }
}

/// Returns the field that the error of a spoiled report names.
fn bad_field(spoil: impl FnOnce(&mut v1::Report)) -> String {
    let mut report = good_report();
    spoil(&mut report);
    let message = Some(v1::from_worker::Message::Report(report));
    FromWorker::try_from(v1::FromWorker { message }).expect_err("spoiled").field
}

#[test]
fn each_bad_field_is_named() {
    Report::try_from(good_report()).expect("valid before it is spoiled");
    let bound = |lower, upper| Some(v1::Bound { lower, upper });
    assert_eq!(bad_field(|report| report.position = None), "report.position");
    let overlap = Some(v1::Position { player: 3, opponent: 1 });
    assert_eq!(bad_field(|report| report.position = overlap), "report.position");
    let not_canonical = Some(v1::Position { player: 1 << 63, opponent: 1 });
    assert_eq!(bad_field(|report| report.position = not_canonical), "report.position");
    assert_eq!(bad_field(|report| report.bound = None), "report.bound");
    assert_eq!(bad_field(|report| report.bound = bound(4, 2)), "report.bound");
    assert_eq!(bad_field(|report| report.bound = bound(-3, 2)), "report.bound.lower");
    assert_eq!(bad_field(|report| report.bound = bound(-2, 66)), "report.bound.upper");
    assert_eq!(bad_field(|report| report.best_move = Some(64)), "report.best_move");
    assert_eq!(bad_field(|report| report.best_move = Some(0)), "report.best_move");
    assert_eq!(bad_field(|report| report.line = vec![0]), "report.line[0]");
    assert_eq!(bad_field(|report| report.line = vec![0; 65]), "report.line");
    assert_eq!(bad_field(|report| report.order[1] = 99), "report.order[1]");
    assert_eq!(bad_field(|report| report.order[1] = report.order[0]), "report.order");
    let child = |square| vec![v1::MoveBound { square, bound: None }];
    let legal = good_report().order[0];
    assert_eq!(bad_field(|report| report.children = child(legal)), "report.children[0].bound");
    assert_eq!(bad_field(|report| report.children = child(0)), "report.children[0].square");
    assert_eq!(bad_field(|report| report.nodes = u64::MAX), "report.nodes");
}

#[test]
fn a_worker_has_1_to_1024_threads() {
    let with = |threads| Hello::try_from(v1::Hello { threads, ..v1::Hello::default() });
    assert_eq!(with(0).expect_err("too few").field, "threads");
    assert_eq!(with(1025).expect_err("too many").field, "threads");
    assert_eq!(with(1024).expect("just enough").threads, 1024);
}

#[test]
fn what_a_worker_calls_itself_is_short_and_steers_no_terminal() {
    let with = |host: &str| {
        Hello::try_from(v1::Hello { threads: 1, host: host.to_owned(), ..v1::Hello::default() })
    };
    assert_eq!(with("näher.example").expect("a name").host, "näher.example");
    let error = with("node\u{1b}[2J").expect_err("it clears the terminal");
    assert_eq!(
        error.to_string(),
        r"field host is a text with '\u{1b}', expected no control characters"
    );
    assert_eq!(with("node\nERROR all is lost").expect_err("two lines").field, "host");
    assert_eq!(with(&"x".repeat(257)).expect_err("too long").field, "host");
}

#[test]
fn a_bad_field_becomes_invalid_argument_that_names_it() {
    let window = Some(v1::Window { lower: 2, upper: 2 });
    let position = Some(Position::START.into());
    let request = v1::SolveRequest { position, window, node_budget: None };
    let error = SolveRequest::try_from(request).expect_err("empty");
    let status = tonic::Status::from(error);
    assert_eq!(status.code(), tonic::Code::InvalidArgument);
    assert_eq!(status.message(), "field window is +2..+2, expected lower < upper");
}

#[test]
fn a_request_without_window_asks_for_the_exact_value() {
    let position = Some(Position::START.into());
    let request = v1::SolveRequest { position, ..v1::SolveRequest::default() };
    let request = SolveRequest::try_from(request).expect("valid");
    assert_eq!((request.window, request.node_budget), (Window::FULL, None));
}

#[test]
fn an_unknown_message_is_an_error_not_an_empty_one() {
    let error = FromWorker::try_from(v1::FromWorker { message: None }).expect_err("empty");
    assert_eq!(error.field, "message");
}

/// Returns the field that the error of a message from a worker names; `None` if the message is a good one.
fn bad_field_from(message: v1::from_worker::Message) -> Option<String> {
    let read = FromWorker::try_from(v1::FromWorker { message: Some(message) });
    read.err().map(|error| error.field)
}

/// Returns the field that the error of a message to a worker names; `None` if the message is a good one.
fn bad_field_to(message: v1::to_worker::Message) -> Option<String> {
    let read = ToWorker::try_from(v1::ToWorker { message: Some(message) });
    read.err().map(|error| error.field)
}

/// Returns the field that the error of an update for a client names; `None` if the update is a good one.
fn bad_field_of(update: v1::solve_update::Update) -> Option<String> {
    let read = SolveUpdate::try_from(v1::SolveUpdate { update: Some(update) });
    read.err().map(|error| error.field)
}

fn a_known_bound() -> v1::KnownBound {
    (Position::START, Bound::UNKNOWN).into()
}

fn a_found_bound() -> v1::FoundBound {
    FoundBound { position: Position::START, bound: Bound::UNKNOWN, nodes: 1 }.into()
}

fn good_job() -> v1::Job {
    v1::Job {
        position: Some(Position::START.canonical().into()),
        window: Some(Window::FULL.into()),
        threads: 1,
        ..v1::Job::default()
    }
}

#[test]
fn a_list_may_have_as_many_entries_as_fit_a_message_and_not_one_more() {
    use v1::from_worker::Message as From;
    use v1::to_worker::Message as To;
    let hint = v1::Hint { position: Some(Position::START.into()), word: 27 << 24 | 27 << 30 };
    let found = a_found_bound();
    let line = |count| v1::Solution {
        bound: Some(Bound::UNKNOWN.into()),
        line: vec![63; count],
        source: 1,
        ..v1::Solution::default()
    };
    type Read<'a> = (usize, &'a str, Box<dyn Fn(usize) -> Option<String> + 'a>);
    let lists: [Read<'_>; 7] = [
        (
            1024,
            "heartbeat.jobs",
            Box::new(|count| {
                let jobs = vec![v1::JobProgress::default(); count];
                bad_field_from(From::Heartbeat(v1::Heartbeat { jobs }))
            }),
        ),
        (
            4096,
            "hints.hints",
            Box::new(|count| {
                bad_field_from(From::Hints(v1::Hints { job: 1, hints: vec![hint; count] }))
            }),
        ),
        (
            4096,
            "found.bounds",
            Box::new(|count| {
                bad_field_from(From::Found(v1::Found {
                    bounds: vec![found; count],
                    ..v1::Found::default()
                }))
            }),
        ),
        (
            4096,
            "hints.hints",
            Box::new(|count| {
                bad_field_to(To::Hints(v1::Hints { job: 0, hints: vec![hint; count] }))
            }),
        ),
        (
            65_536,
            "job.known",
            Box::new(|count| {
                bad_field_to(To::Job(v1::Job { known: vec![a_known_bound(); count], ..good_job() }))
            }),
        ),
        (
            65_536,
            "known.known",
            Box::new(|count| {
                bad_field_to(To::Known(v1::Known { job: 1, known: vec![a_known_bound(); count] }))
            }),
        ),
        (
            64,
            "solution.line",
            Box::new(|count| bad_field_of(v1::solve_update::Update::Solution(line(count)))),
        ),
    ];
    for (most, field, read) in lists {
        assert_eq!(read(most), None, "{field}");
        assert_eq!(read(most + 1).as_deref(), Some(field));
    }
}

#[test]
fn a_count_is_at_most_two_to_the_power_of_53() {
    use v1::from_worker::Message as From;
    type Read = (&'static str, fn(u64) -> Option<String>);
    let counts: [Read; 4] = [
        ("report.nodes", |nodes| {
            bad_field_from(From::Report(v1::Report { nodes, ..good_report() }))
        }),
        ("report.millis", |millis| {
            bad_field_from(From::Report(v1::Report { millis, ..good_report() }))
        }),
        ("found.bounds[0].nodes", |nodes| {
            let bounds = vec![v1::FoundBound { nodes, ..a_found_bound() }];
            bad_field_from(From::Found(v1::Found { bounds, ..v1::Found::default() }))
        }),
        ("heartbeat.jobs[0].nodes", |nodes| {
            let jobs = vec![v1::JobProgress { job: 1, nodes }];
            bad_field_from(From::Heartbeat(v1::Heartbeat { jobs }))
        }),
    ];
    for (field, read) in counts {
        assert_eq!(read(1 << 53), None, "{field}");
        assert_eq!(read((1 << 53) + 1).as_deref(), Some(field));
    }
}

#[test]
fn a_text_for_log_lines_has_at_most_256_bytes() {
    use v1::from_worker::Message as From;
    let hello = || v1::Hello { threads: 1, ..v1::Hello::default() };
    type Read<'a> = (&'a str, &'a dyn Fn(String) -> Option<String>);
    let texts: [Read<'_>; 4] = [
        ("hello.build", &|build| bad_field_from(From::Hello(v1::Hello { build, ..hello() }))),
        ("hello.isa", &|isa| bad_field_from(From::Hello(v1::Hello { isa, ..hello() }))),
        ("hello.host", &|host| bad_field_from(From::Hello(v1::Hello { host, ..hello() }))),
        ("welcome.build", &|build| {
            let welcome = v1::Welcome { heartbeat_millis: 1, build, ..v1::Welcome::default() };
            bad_field_to(v1::to_worker::Message::Welcome(welcome))
        }),
    ];
    for (field, read) in texts {
        assert_eq!(read("a".repeat(256)), None, "{field}");
        assert_eq!(read("a".repeat(257)).as_deref(), Some(field));
    }
}

#[test]
fn what_a_worker_believes_is_a_value_from_one_end_of_the_board_to_the_other() {
    let told = |belief: v1::Belief| {
        let interim = v1::Interim { job: 1, belief: Some(belief) };
        bad_field_from(v1::from_worker::Message::Interim(interim))
    };
    let value = |value| told(v1::Belief { value, ..v1::Belief::default() });
    for good in [-64, -63, 0, 64] {
        assert_eq!(value(good), None, "{good}");
    }
    for bad in [-65, 65, i32::MIN, i32::MAX] {
        assert_eq!(value(bad).as_deref(), Some("interim.belief.value"), "{bad}");
    }
    let nowhere = v1::Belief { best_move: Some(64), ..v1::Belief::default() };
    assert_eq!(told(nowhere).as_deref(), Some("interim.belief.best_move"));
}

#[test]
fn each_bad_field_of_a_message_to_a_worker_is_named() {
    use v1::to_worker::Message as To;
    let job = |spoil: fn(&mut v1::Job)| {
        let mut job = good_job();
        spoil(&mut job);
        bad_field_to(To::Job(job)).expect("spoiled")
    };
    assert_eq!(bad_field_to(To::Job(good_job())), None);
    let not_canonical = |job: &mut v1::Job| {
        job.position = Some(v1::Position { player: 1 << 63, opponent: 1 });
    };
    assert_eq!(job(not_canonical), "job.position");
    assert_eq!(job(|job| job.window = Some(v1::Window { lower: 0, upper: 3 })), "job.window.upper");
    assert_eq!(job(|job| job.threads = 0), "job.threads");
    assert_eq!(job(|job| job.threads = 1025), "job.threads");
    assert_eq!(job(|job| job.symmetry = 8), "job.symmetry");
    let boundless = v1::KnownBound { bound: None, ..a_known_bound() };
    let known = vec![a_known_bound(), boundless];
    let told = To::Known(v1::Known { job: 1, known });
    assert_eq!(bad_field_to(told).as_deref(), Some("known.known[1].bound"));
    let hints = vec![v1::Hint { position: None, word: 0 }];
    let told = To::Hints(v1::Hints { job: 0, hints });
    assert_eq!(bad_field_to(told).as_deref(), Some("hints.hints[0].position"));
    let silent = To::Welcome(v1::Welcome::default());
    assert_eq!(bad_field_to(silent).as_deref(), Some("welcome.heartbeat_millis"));
}

#[test]
fn each_bad_field_of_an_update_is_named() {
    use v1::solve_update::Update;
    let progress = Update::Progress(v1::Progress::default());
    assert_eq!(bad_field_of(progress).as_deref(), Some("progress.bound"));
    let solution = |best_move, line| v1::Solution {
        bound: Some(Bound::UNKNOWN.into()),
        best_move,
        line,
        source: 1,
        ..v1::Solution::default()
    };
    let nowhere = Update::Solution(solution(Some(64), Vec::new()));
    assert_eq!(bad_field_of(nowhere).as_deref(), Some("solution.best_move"));
    let nowhere = Update::Solution(solution(None, vec![0, 64]));
    assert_eq!(bad_field_of(nowhere).as_deref(), Some("solution.line[1]"));
}

#[test]
fn a_report_that_names_a_move_twice_is_refused() {
    let twice = |report: &mut v1::Report| {
        let child = v1::MoveBound { square: report.order[0], bound: report.bound };
        report.children = vec![child, child];
    };
    assert_eq!(bad_field(twice), "report.children");
}

#[test]
fn boards_that_share_squares_are_refused_with_the_squares() {
    let error = Position::try_from(v1::Position { player: 6, opponent: 3 }).expect_err("shared");
    assert!(error.found.ends_with(" 0x0000000000000002"), "{error}");
}
