//! Messages survive the wire, and whatever arrives on it is either a message or a named error.

use outflank_engine::{
    Belief, Bound, Errand, FoundBound, Position, Score, SharedHint, Square, Symmetry, Window,
};
use outflank_proto::message::{
    Found, FromMember, FromWorker, Hello, Interim, Job, JobId, Progress, Report, Solution,
    SolveRequest, SolveUpdate, Source, ToMember, ToWorker, Welcome,
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
            job: JobId(job),
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
            shares: threads.is_multiple_of(3),
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
            Interim { job: JobId(job), belief: Belief { value, best_move, searches, is_last } }
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
        job: JobId(job),
        era,
        bounds,
    })
}

/// An errand that a search can ask for: any legal move in any window at any level.
fn errand() -> impl Strategy<Value = Errand> {
    let window = (-65..=64_i32, 1..=130_i32);
    let window = window.prop_map(|(alpha, width)| (alpha, (alpha + width).min(65)));
    let estimate = -2048..=2048_i32;
    let asked = (played(), any::<prop::sample::Index>(), window, 0..=Errand::PROOF, estimate);
    asked.prop_filter_map("no moves", |(position, choice, window, level, estimate)| {
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        let square = *moves.get(choice.index(moves.len().max(1)))?;
        Some(Errand::new(position, square, window, level, estimate).expect("it can be asked"))
    })
}

fn hand() -> impl Strategy<Value = u32> {
    0..64_u32
}

/// What a move is worth, if anybody has found out.
fn worth() -> impl Strategy<Value = Option<i32>> {
    option::of(-64..=64_i32)
}

fn from_member() -> impl Strategy<Value = FromMember> {
    prop_oneof![
        hand().prop_map(FromMember::Call),
        hand().prop_map(FromMember::Release),
        (hand(), any::<u64>(), errand()).prop_map(|(hand, number, errand)| FromMember::Errand {
            hand,
            number,
            errand
        }),
        (hand(), any::<u64>()).prop_map(|(hand, number)| FromMember::Recall { hand, number }),
        (any::<u64>(), worth(), 0..=1_u64 << 53)
            .prop_map(|(number, value, nodes)| FromMember::Answer { number, value, nodes }),
        any::<u64>().prop_map(FromMember::Offer),
    ]
}

fn to_member() -> impl Strategy<Value = ToMember> {
    prop_oneof![
        any::<u32>().prop_map(ToMember::Company),
        (hand(), any::<bool>()).prop_map(|(hand, is_there)| ToMember::Engaged { hand, is_there }),
        (any::<u64>(), errand()).prop_map(|(number, errand)| ToMember::Errand { number, errand }),
        any::<u64>().prop_map(ToMember::Recall),
        (hand(), any::<u64>(), worth()).prop_map(|(hand, number, value)| ToMember::Answer {
            hand,
            number,
            value
        }),
    ]
}

/// The name of any job.
fn job_id() -> impl Strategy<Value = JobId> {
    any::<u64>().prop_map(JobId)
}

fn from_worker() -> impl Strategy<Value = FromWorker> {
    let heartbeat = vec((job_id(), 0..1_u64 << 53), 0..10);
    prop_oneof![
        hello().prop_map(FromWorker::Hello),
        heartbeat.prop_map(FromWorker::Heartbeat),
        interim().prop_map(FromWorker::Interim),
        (job_id(), vec(hint(), 0..10)).prop_map(|(job, hints)| FromWorker::Hints(job, hints)),
        found().prop_map(FromWorker::Found),
        (job_id(), from_member()).prop_map(|(job, word)| FromWorker::Member(job, word)),
        report().prop_map(FromWorker::Report),
        Just(FromWorker::Draining),
    ]
}

fn job() -> impl Strategy<Value = Job> {
    let known = vec((position(), bound()), 0..5);
    (any::<(u64, u64)>(), played(), window(), 1_u32..=1024, known, 0_u32..8).prop_map(
        |((id, node_limit), position, window, threads, known, symmetry)| Job {
            id: JobId(id),
            position,
            window,
            node_limit,
            threads,
            known,
            symmetry: Symmetry::new(symmetry).expect("there are eight"),
            era: id ^ 0x5a5a,
            hints: threads.is_multiple_of(2),
            inside: Some(node_limit).filter(|nodes| nodes.is_multiple_of(2)),
            is_apart: node_limit.is_multiple_of(3),
            is_shared: node_limit.is_multiple_of(5),
            helps: threads.is_multiple_of(3),
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
        job_id().prop_map(ToWorker::Cancel),
        job_id().prop_map(ToWorker::Acknowledge),
        Just(ToWorker::Drain),
        vec(hint(), 0..10).prop_map(ToWorker::Hints),
        (job_id(), vec((position(), bound()), 0..5))
            .prop_map(|(job, known)| ToWorker::Known(job, known)),
        (job_id(), to_member()).prop_map(|(job, word)| ToWorker::Member(job, word)),
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
        let (square, level) = (best_move.unwrap_or(0), numbers.len() as u32);
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
        let (hand, number) = (boards.0 as u32, counts.0);
        let (alpha, beta, estimate) = (scores.0, scores.1, scores.0);
        let errand = v1::Errand { hand, number, position, square, alpha, beta, level, estimate };
        let answer = v1::Answer { hand, number, value: Some(scores.0), nodes: counts.1 };
        let (call, release) = (v1::Call { hand }, v1::Release { hand });
        let recall = v1::Recall { hand, number };
        use v1::from_member::Word as Said;
        for said in [
            Said::Call(call),
            Said::Release(release),
            Said::Errand(errand),
            Said::Recall(recall),
            Said::Answer(answer),
        ] {
            let member = v1::FromMember { job: number, word: Some(said) };
            let message = Some(v1::from_worker::Message::Member(member));
            named(FromWorker::try_from(v1::FromWorker { message }));
        }
        use v1::to_member::Word as Heard;
        let engaged = v1::Engaged { hand, is_there: true };
        for heard in [
            Heard::Company(v1::Company { helpers: hand }),
            Heard::Engaged(engaged),
            Heard::Errand(errand),
            Heard::Recall(recall),
            Heard::Answer(answer),
        ] {
            let member = v1::ToMember { job: number, word: Some(heard) };
            let message = Some(v1::to_worker::Message::Member(member));
            named(ToWorker::try_from(v1::ToWorker { message }));
        }
    }
}

/// Checks that an error names a field.
fn named<T>(result: Result<T, InvalidField>) {
    if let Err(error) = result {
        assert!(!error.field.is_empty(), "{error}");
    }
}
