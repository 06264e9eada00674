//! Messages survive the wire, and whatever arrives on it is either a message or a named error.

use outflank_engine::{
    Belief, Bound, FoundBound, Position, Score, SharedHint, Square, Symmetry, Window,
};
use outflank_proto::message::{
    Found, FromWorker, Hello, Interim, Job, Progress, Report, Solution, SolveRequest, SolveUpdate,
    Source, ToWorker, Welcome,
};
use outflank_proto::{InvalidField, v1};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use prost::Message as _;

fn position() -> impl Strategy<Value = Position> {
    any::<(u64, u64)>()
        .prop_map(|(player, other)| Position::new(player, other & !player).expect("disjoint"))
}

fn score() -> impl Strategy<Value = Score> {
    (-32..=32).prop_map(|half| Score::new(2 * half).expect("even and in range"))
}

fn bound() -> impl Strategy<Value = Bound> {
    (score(), score()).prop_map(|(a, b)| Bound::new(a.min(b), a.max(b)).expect("ordered"))
}

fn window() -> impl Strategy<Value = Window> {
    (score(), score()).prop_filter_map("empty", |(a, b)| Window::new(a.min(b), a.max(b)))
}

fn squares() -> impl Strategy<Value = Vec<Square>> {
    vec((0_u32..64).prop_map(|index| Square::new(index).expect("in range")), 0..64)
}

fn text() -> impl Strategy<Value = String> {
    "[ -~]{0,40}"
}

/// A position that a game can reach, so that there are moves to report.
fn played() -> impl Strategy<Value = Position> {
    vec(any::<prop::sample::Index>(), 0..50).prop_map(|choices| {
        let mut position = Position::START;
        for choice in choices {
            if position.must_pass() {
                position = position.pass();
            }
            let moves: Vec<Square> = Square::all(position.moves()).collect();
            if moves.is_empty() {
                break;
            }
            position = position.play(*choice.get(&moves)).expect("legal");
        }
        position.canonical()
    })
}

fn first_line(mut position: Position) -> Vec<Square> {
    let mut line = Vec::new();
    loop {
        if position.must_pass() {
            position = position.pass();
        }
        let Some(square) = Square::lowest(position.moves()) else { return line };
        line.push(square);
        position = position.play(square).expect("legal");
    }
}

fn report() -> impl Strategy<Value = Report> {
    (played(), bound(), vec(bound(), 64), any::<(u64, u32, u32, bool, bool)>()).prop_map(
        |(position, bound, children, (job, nodes, millis, finished, failed))| Report {
            job,
            position,
            bound,
            best_move: Square::lowest(position.moves()),
            line: first_line(position),
            children: Square::all(position.moves()).zip(children).collect(),
            order: Square::all(position.moves()).collect(),
            nodes: u64::from(nodes),
            millis: u64::from(millis),
            finished,
            failed,
            era: job ^ 0x5a5a,
        },
    )
}

fn hello() -> impl Strategy<Value = Hello> {
    (any::<(u32, u32, u64)>(), (text(), text(), text()), 1_u32..=1024).prop_map(
        |((oldest_protocol, newest_protocol, table_bytes), (build, isa, host), threads)| Hello {
            instance: table_bytes ^ 0x5a5a,
            listens: threads.is_multiple_of(2),
            oldest_protocol,
            newest_protocol,
            build,
            isa,
            host,
            threads,
            table_bytes,
        },
    )
}

fn interim() -> impl Strategy<Value = Interim> {
    (any::<u64>(), -64..=64_i32, played(), any::<u8>(), any::<bool>()).prop_map(
        |(job, value, position, searches, is_last)| {
            let (best_move, searches) = (Square::lowest(position.moves()), searches.into());
            Interim { job, belief: Belief { value, best_move, searches, is_last } }
        },
    )
}

fn hint() -> impl Strategy<Value = SharedHint> {
    (played(), 0..1_u64 << 13, 0..4_u64, 0..8_u64).prop_map(|(position, value, kind, level)| {
        let [first, second] = [Square::lowest(position.moves()), None]
            .map(|square| square.map_or(27, |square: Square| u64::from(square.index())));
        let plies = u64::from(position.empties());
        let value = value % 4097;
        let word = value | kind << 13 | plies << 15 | level << 21 | first << 24 | second << 30;
        SharedHint::new(position, word).expect("it makes sense")
    })
}

fn found() -> impl Strategy<Value = Found> {
    let bound = (position(), bound(), 0..1_u64 << 53);
    let bound = bound.prop_map(|(position, bound, nodes)| FoundBound { position, bound, nodes });
    (any::<(u64, u64)>(), vec(bound, 0..10)).prop_map(|((job, era), bounds)| Found {
        job,
        era,
        bounds,
    })
}

fn from_worker() -> impl Strategy<Value = FromWorker> {
    let heartbeat = vec((any::<u64>(), 0..1_u64 << 53), 0..10);
    prop_oneof![
        hello().prop_map(FromWorker::Hello),
        heartbeat.prop_map(FromWorker::Heartbeat),
        interim().prop_map(FromWorker::Interim),
        (any::<u64>(), vec(hint(), 0..10)).prop_map(|(job, hints)| FromWorker::Hints(job, hints)),
        found().prop_map(FromWorker::Found),
        report().prop_map(FromWorker::Report),
        Just(FromWorker::Draining),
    ]
}

fn job() -> impl Strategy<Value = Job> {
    let known = vec((position(), bound()), 0..5);
    (any::<(u64, u64)>(), played(), window(), 1_u32..=1024, known, 0_u32..8).prop_map(
        |((id, node_limit), position, window, threads, known, symmetry)| Job {
            id,
            position,
            window,
            node_limit,
            threads,
            known,
            symmetry: Symmetry::new(symmetry).expect("there are eight"),
            era: id ^ 0x5a5a,
            hints: threads.is_multiple_of(2),
            assistant: Some(threads).filter(|threads| threads.is_multiple_of(3)),
            inside: Some(node_limit).filter(|nodes| nodes.is_multiple_of(2)),
            is_apart: node_limit.is_multiple_of(3),
        },
    )
}

fn welcome() -> impl Strategy<Value = Welcome> {
    (any::<(u32, u32)>(), 1..=u32::MAX, text()).prop_map(
        |((protocol, interim_millis), heartbeat_millis, build)| Welcome {
            protocol,
            heartbeat_millis,
            build,
            interim_millis,
        },
    )
}

fn to_worker() -> impl Strategy<Value = ToWorker> {
    prop_oneof![
        welcome().prop_map(ToWorker::Welcome),
        job().prop_map(ToWorker::Job),
        any::<u64>().prop_map(ToWorker::Cancel),
        any::<u64>().prop_map(ToWorker::Acknowledge),
        Just(ToWorker::Drain),
        vec(hint(), 0..10).prop_map(ToWorker::Hints),
        (any::<u64>(), vec((position(), bound()), 0..5))
            .prop_map(|(job, known)| ToWorker::Known(job, known)),
        Just(ToWorker::Forget),
        text().prop_map(ToWorker::Goodbye),
    ]
}

fn progress() -> impl Strategy<Value = Progress> {
    (bound(), window(), any::<[u64; 6]>()).prop_map(|(bound, window, counts)| {
        let [jobs_open, jobs_done, reused, nodes, predicted_nodes, workers] = counts;
        Progress { bound, window, jobs_open, jobs_done, reused, nodes, predicted_nodes, workers }
    })
}

fn solution() -> impl Strategy<Value = Solution> {
    let source = prop_oneof![Just(Source::Store), Just(Source::Search), Just(Source::Both)];
    (bound(), squares(), any::<[u64; 4]>(), source).prop_map(
        |(bound, line, [nodes, jobs, reused, unaudited], source)| Solution {
            bound,
            best_move: line.first().copied(),
            line,
            nodes,
            jobs,
            reused,
            source,
            unaudited,
        },
    )
}

fn solve_update() -> impl Strategy<Value = SolveUpdate> {
    prop_oneof![
        progress().prop_map(SolveUpdate::Progress),
        solution().prop_map(SolveUpdate::Solution),
        text().prop_map(SolveUpdate::Notice),
    ]
}

/// Sends `message` through bytes and back.
fn travelled<M, W>(message: M) -> M
where
    W: prost::Message + Default + From<M>,
    M: TryFrom<W, Error = InvalidField>,
{
    let bytes = W::from(message).encode_to_vec();
    W::decode(bytes.as_slice()).expect("just encoded").try_into().expect("a valid message")
}

proptest! {
    #[test]
    fn messages_survive_the_wire(
        from in from_worker(),
        to in to_worker(),
        update in solve_update(),
        (position, window) in (position(), window()),
        node_budget in any::<Option<u64>>(),
    ) {
        prop_assert_eq!(travelled::<_, v1::FromWorker>(from.clone()), from);
        prop_assert_eq!(travelled::<_, v1::ToWorker>(to.clone()), to);
        prop_assert_eq!(travelled::<_, v1::SolveUpdate>(update.clone()), update);
        let request = SolveRequest { position, window, node_budget };
        prop_assert_eq!(travelled::<_, v1::SolveRequest>(request), request);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..300)) {
        if let Ok(wire) = v1::FromWorker::decode(bytes.as_slice()) {
            named(FromWorker::try_from(wire));
        }
        if let Ok(wire) = v1::ToWorker::decode(bytes.as_slice()) {
            named(ToWorker::try_from(wire));
        }
        if let Ok(wire) = v1::SolveUpdate::decode(bytes.as_slice()) {
            named(SolveUpdate::try_from(wire));
        }
    }

    #[test]
    fn arbitrary_fields_never_panic(
        boards in any::<(u64, u64)>(),
        scores in any::<(i32, i32)>(),
        numbers in vec(0_u32..70, 0..70),
        best_move in option::of(0_u32..70),
        counts in any::<(u64, u64)>(),
    ) {
        let position = Some(v1::Position { player: boards.0, opponent: boards.1 });
        let bound = Some(v1::Bound { lower: scores.0, upper: scores.1 });
        let children = numbers.iter().map(|&square| v1::MoveBound { square, bound }).collect();
        named(Report::try_from(v1::Report {
            job: counts.0,
            position,
            bound,
            best_move,
            line: numbers.clone(),
            children,
            order: numbers,
            nodes: counts.0,
            millis: counts.1,
            finished: true,
            failed: false,
            era: counts.1,
        }));
        let window = Some(v1::Window { lower: scores.0, upper: scores.1 });
        let node_budget = Some(counts.1);
        named(SolveRequest::try_from(v1::SolveRequest { position, window, node_budget }));
    }
}

/// Checks that an error names a field.
fn named<T>(result: Result<T, InvalidField>) {
    if let Err(error) = result {
        assert!(!error.field.is_empty(), "{error}");
    }
}

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
