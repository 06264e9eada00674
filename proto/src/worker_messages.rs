//! The messages between worker and coordinator.

use outflank_engine::{Belief, FoundBound, Position, SharedHint, Square, Symmetry};

use crate::domain::square;
use crate::invalid::{InvalidField, count, list, needed, required, short, within};
use crate::message::{Found, FromWorker, Hello, Interim, Job, JobId, Report, ToWorker, Welcome};
use crate::v1;
use crate::v1::from_worker::Message as FromMessage;
use crate::v1::to_worker::Message as ToMessage;

/// The most threads a worker can have.
pub const MOST_THREADS: u32 = 1024;
/// The most jobs in a heartbeat: each takes a thread of the worker, or more.
const MOST_JOBS: usize = MOST_THREADS as usize;
/// The most bounds that travel with a job: about 2 MB, half of what gRPC takes in one message.
const MOST_KNOWN: usize = 65_536;
const KNOWN: &str = "at most 65536 bounds";
/// The most bounds from inside a job in a message: about 150 kB.
pub const MOST_FOUND: usize = 4096;
/// The most hints in a message: about 130 kB.
pub const MOST_HINTS: usize = 4096;

fn threads(number: u32) -> Result<u32, InvalidField> {
    if (1..=MOST_THREADS).contains(&number) {
        Ok(number)
    } else {
        Err(InvalidField::new("threads", &number, "1 to 1024 threads"))
    }
}

fn canonical(position: Position) -> Result<Position, InvalidField> {
    if position == position.canonical() {
        Ok(position)
    } else {
        let (player, opponent) = (position.player(), position.opponent());
        let found = format!("player {player:#018x}, opponent {opponent:#018x}");
        Err(InvalidField::new("position", &found, "the canonical form of the position"))
    }
}

/// Returns the square of a legal move; the error's field is left empty for the caller to fill.
fn legal(position: Position, index: u32) -> Result<Square, InvalidField> {
    let square = square(index)?;
    if position.play(square).is_some() {
        Ok(square)
    } else {
        Err(InvalidField::new("", &square, "a legal move"))
    }
}

/// Checks that no move is named twice.
fn distinct(field: &str, moves: impl Iterator<Item = Square>) -> Result<(), InvalidField> {
    let mut seen = 0;
    for square in moves {
        if seen & square.bit() != 0 {
            return Err(InvalidField::new(field, &format!("{square} twice"), "each move once"));
        }
        seen |= square.bit();
    }
    Ok(())
}

/// Returns a line of legal moves, in which forced passes are left out.
fn line(mut position: Position, squares: Vec<u32>) -> Result<Vec<Square>, InvalidField> {
    const A_LINE: &str = "at most 64 moves";
    let squares = list("line", squares, 64, A_LINE, square)?;
    for (index, &square) in squares.iter().enumerate() {
        if position.must_pass() {
            position = position.pass();
        }
        position = position.play(square).ok_or_else(|| {
            InvalidField::new(&format!("line[{index}]"), &square, "a legal move at that point")
        })?;
    }
    Ok(squares)
}

impl From<Hello> for v1::Hello {
    fn from(hello: Hello) -> Self {
        Self {
            oldest_protocol: hello.oldest_protocol,
            newest_protocol: hello.newest_protocol,
            build: hello.build,
            isa: hello.isa,
            host: hello.host,
            threads: hello.threads,
            table_bytes: hello.table_bytes,
            instance: hello.instance,
            listens: hello.listens,
            shares: hello.shares,
        }
    }
}

impl TryFrom<v1::Hello> for Hello {
    type Error = InvalidField;

    fn try_from(wire: v1::Hello) -> Result<Self, InvalidField> {
        Ok(Self {
            oldest_protocol: wire.oldest_protocol,
            newest_protocol: wire.newest_protocol,
            build: short("build", wire.build)?,
            isa: short("isa", wire.isa)?,
            host: short("host", wire.host)?,
            threads: threads(wire.threads)?,
            table_bytes: wire.table_bytes,
            instance: wire.instance,
            listens: wire.listens,
            shares: wire.shares,
        })
    }
}

impl From<Report> for v1::Report {
    fn from(report: Report) -> Self {
        Self {
            job: report.job.0,
            position: Some(report.position.into()),
            bound: Some(report.bound.into()),
            best_move: report.best_move.map(Square::index),
            line: report.line.into_iter().map(Square::index).collect(),
            children: report.children.into_iter().map(Into::into).collect(),
            order: report.order.into_iter().map(Square::index).collect(),
            nodes: report.nodes,
            millis: report.millis,
            finished: report.finished,
            failed: report.failed,
            era: report.era,
        }
    }
}

impl TryFrom<v1::Report> for Report {
    type Error = InvalidField;

    fn try_from(wire: v1::Report) -> Result<Self, InvalidField> {
        const MOVES: &str = "at most 64 moves";
        let position = canonical(needed("position", wire.position, "a position")?)?;
        let a_move = |index| legal(position, index);
        let a_child = |child: v1::MoveBound| {
            legal(position, child.square).map_err(|error| error.within("square"))?;
            child.try_into()
        };
        let best_move = wire.best_move.map(a_move).transpose();
        let children = list("children", wire.children, 64, MOVES, a_child)?;
        distinct("children", children.iter().map(|&(square, _): &(Square, _)| square))?;
        let order = list("order", wire.order, 64, MOVES, a_move)?;
        distinct("order", order.iter().copied())?;
        Ok(Self {
            job: JobId(wire.job),
            position,
            bound: needed("bound", wire.bound, "a bound")?,
            best_move: best_move.map_err(|error| error.within("best_move"))?,
            line: line(position, wire.line)?,
            children,
            order,
            nodes: count("nodes", wire.nodes)?,
            millis: count("millis", wire.millis)?,
            finished: wire.finished,
            failed: wire.failed,
            era: wire.era,
        })
    }
}

impl From<Belief> for v1::Belief {
    fn from(belief: Belief) -> Self {
        let Belief { value, best_move, searches, is_last } = belief;
        Self { value, best_move: best_move.map(Square::index), searches, is_last }
    }
}

impl TryFrom<v1::Belief> for Belief {
    type Error = InvalidField;

    fn try_from(wire: v1::Belief) -> Result<Self, InvalidField> {
        if !(-64..=64).contains(&wire.value) {
            return Err(InvalidField::new("value", &wire.value, "-64 to 64 discs"));
        }
        let best_move = wire.best_move.map(square).transpose();
        Ok(Self {
            value: wire.value,
            best_move: best_move.map_err(|error| error.within("best_move"))?,
            searches: wire.searches,
            is_last: wire.is_last,
        })
    }
}

impl From<Interim> for v1::Interim {
    fn from(interim: Interim) -> Self {
        Self { job: interim.job.0, belief: Some(interim.belief.into()) }
    }
}

impl TryFrom<v1::Interim> for Interim {
    type Error = InvalidField;

    fn try_from(wire: v1::Interim) -> Result<Self, InvalidField> {
        Ok(Self { job: JobId(wire.job), belief: needed("belief", wire.belief, "a belief")? })
    }
}

impl From<SharedHint> for v1::Hint {
    fn from(hint: SharedHint) -> Self {
        Self { position: Some(hint.position().into()), word: hint.word() }
    }
}

impl TryFrom<v1::Hint> for SharedHint {
    type Error = InvalidField;

    fn try_from(wire: v1::Hint) -> Result<Self, InvalidField> {
        let position = needed("position", wire.position, "a position")?;
        Self::new(position, wire.word)
            .ok_or_else(|| InvalidField::new("word", &format!("{:#x}", wire.word), "a hint"))
    }
}

impl From<FoundBound> for v1::FoundBound {
    fn from(found: FoundBound) -> Self {
        let FoundBound { position, bound, nodes } = found;
        Self { position: Some(position.into()), bound: Some(bound.into()), nodes }
    }
}

impl TryFrom<v1::FoundBound> for FoundBound {
    type Error = InvalidField;

    fn try_from(wire: v1::FoundBound) -> Result<Self, InvalidField> {
        Ok(Self {
            position: needed("position", wire.position, "a position")?,
            bound: needed("bound", wire.bound, "a bound")?,
            nodes: count("nodes", wire.nodes)?,
        })
    }
}

impl From<Found> for v1::Found {
    fn from(found: Found) -> Self {
        let Found { job, era, bounds } = found;
        Self { job: job.0, era, bounds: bounds.into_iter().map(Into::into).collect() }
    }
}

impl TryFrom<v1::Found> for Found {
    type Error = InvalidField;

    fn try_from(wire: v1::Found) -> Result<Self, InvalidField> {
        const BOUNDS: &str = "at most 4096 bounds";
        let bounds = list("bounds", wire.bounds, MOST_FOUND, BOUNDS, TryInto::try_into)?;
        Ok(Self { job: JobId(wire.job), era: wire.era, bounds })
    }
}

fn hints(job: u64, hints: Vec<SharedHint>) -> v1::Hints {
    v1::Hints { job, hints: hints.into_iter().map(Into::into).collect() }
}

fn hints_of(wire: v1::Hints) -> Result<Vec<SharedHint>, InvalidField> {
    let hints = list("hints", wire.hints, MOST_HINTS, "at most 4096 hints", TryInto::try_into);
    hints.map_err(|error| error.within("hints"))
}

const FROM_MEMBER: &str = "call, release, errand, recall, offer or answer";
const TO_MEMBER: &str = "company, engaged, errand, recall or answer";

/// Returns what one member says to others, which must be there.
fn needed_word<T, U>(word: Option<T>, expected: &'static str) -> Result<U, InvalidField>
where
    U: TryFrom<T, Error = InvalidField>,
{
    let word = required("member.word", word, expected)?;
    word.try_into().map_err(|error: InvalidField| error.within("member"))
}

impl From<FromWorker> for v1::FromWorker {
    fn from(message: FromWorker) -> Self {
        let message = match message {
            FromWorker::Hello(hello) => FromMessage::Hello(hello.into()),
            FromWorker::Heartbeat(jobs) => {
                let progress = |(job, nodes): (JobId, u64)| v1::JobProgress { job: job.0, nodes };
                FromMessage::Heartbeat(v1::Heartbeat {
                    jobs: jobs.into_iter().map(progress).collect(),
                })
            }
            FromWorker::Interim(interim) => FromMessage::Interim(interim.into()),
            FromWorker::Hints(job, said) => FromMessage::Hints(hints(job.0, said)),
            FromWorker::Found(found) => FromMessage::Found(found.into()),
            FromWorker::Member(job, word) => {
                FromMessage::Member(v1::FromMember { job: job.0, word: Some(word.into()) })
            }
            FromWorker::Report(report) => FromMessage::Report(report.into()),
            FromWorker::Draining => FromMessage::Draining(v1::Draining {}),
        };
        Self { message: Some(message) }
    }
}

impl TryFrom<v1::FromWorker> for FromWorker {
    type Error = InvalidField;

    fn try_from(wire: v1::FromWorker) -> Result<Self, InvalidField> {
        const ONE: &str = "hello, heartbeat, interim, hints, found, member, report or draining";
        match required("message", wire.message, ONE)? {
            FromMessage::Hello(hello) => within("hello", hello).map(Self::Hello),
            FromMessage::Heartbeat(heartbeat) => {
                let jobs = list("jobs", heartbeat.jobs, MOST_JOBS, "at most 1024 jobs", |job| {
                    Ok((JobId(job.job), count("nodes", job.nodes)?))
                });
                jobs.map(Self::Heartbeat).map_err(|error| error.within("heartbeat"))
            }
            FromMessage::Interim(interim) => within("interim", interim).map(Self::Interim),
            FromMessage::Hints(wire) => Ok(Self::Hints(JobId(wire.job), hints_of(wire)?)),
            FromMessage::Found(found) => within("found", found).map(Self::Found),
            FromMessage::Member(wire) => {
                Ok(Self::Member(JobId(wire.job), needed_word(wire.word, FROM_MEMBER)?))
            }
            FromMessage::Report(report) => within("report", report).map(Self::Report),
            FromMessage::Draining(v1::Draining {}) => Ok(Self::Draining),
        }
    }
}

impl From<Job> for v1::Job {
    fn from(job: Job) -> Self {
        Self {
            id: job.id.0,
            position: Some(job.position.into()),
            window: Some(job.window.into()),
            node_limit: job.node_limit,
            threads: job.threads,
            known: job.known.into_iter().map(Into::into).collect(),
            symmetry: job.symmetry.index(),
            era: job.era,
            hints: job.hints,
            inside: job.inside,
            apart: job.is_apart,
            shared: job.is_shared,
            helps: job.helps,
        }
    }
}

impl TryFrom<v1::Job> for Job {
    type Error = InvalidField;

    fn try_from(wire: v1::Job) -> Result<Self, InvalidField> {
        Ok(Self {
            id: JobId(wire.id),
            position: canonical(needed("position", wire.position, "a position")?)?,
            window: needed("window", wire.window, "a window")?,
            node_limit: wire.node_limit,
            threads: threads(wire.threads)?,
            known: list("known", wire.known, MOST_KNOWN, KNOWN, TryInto::try_into)?,
            symmetry: Symmetry::new(wire.symmetry)
                .ok_or_else(|| InvalidField::new("symmetry", &wire.symmetry, "0 to 7"))?,
            era: wire.era,
            hints: wire.hints,
            inside: wire.inside,
            is_apart: wire.apart,
            is_shared: wire.shared,
            helps: wire.helps,
        })
    }
}

impl From<Welcome> for v1::Welcome {
    fn from(welcome: Welcome) -> Self {
        let Welcome { protocol, heartbeat_millis, build, interim_millis } = welcome;
        Self { protocol, heartbeat_millis, build, interim_millis }
    }
}

impl TryFrom<v1::Welcome> for Welcome {
    type Error = InvalidField;

    fn try_from(wire: v1::Welcome) -> Result<Self, InvalidField> {
        let v1::Welcome { protocol, heartbeat_millis, build, interim_millis } = wire;
        if heartbeat_millis == 0 {
            return Err(InvalidField::new("heartbeat_millis", &0, "at least 1 millisecond"));
        }
        Ok(Self { protocol, heartbeat_millis, build: short("build", build)?, interim_millis })
    }
}

impl From<ToWorker> for v1::ToWorker {
    fn from(message: ToWorker) -> Self {
        let message = match message {
            ToWorker::Welcome(welcome) => ToMessage::Welcome(welcome.into()),
            ToWorker::Job(job) => ToMessage::Job(job.into()),
            ToWorker::Cancel(job) => ToMessage::Cancel(v1::Cancel { job: job.0 }),
            ToWorker::Acknowledge(job) => ToMessage::Acknowledge(v1::Acknowledge { job: job.0 }),
            ToWorker::Drain => ToMessage::Drain(v1::Drain {}),
            ToWorker::Known(job, known) => {
                let known = known.into_iter().map(Into::into).collect();
                ToMessage::Known(v1::Known { job: job.0, known })
            }
            ToWorker::Hints(said) => ToMessage::Hints(hints(0, said)),
            ToWorker::Member(job, word) => {
                ToMessage::Member(v1::ToMember { job: job.0, word: Some(word.into()) })
            }
            ToWorker::Forget => ToMessage::Forget(v1::Forget {}),
            ToWorker::Goodbye(reason) => ToMessage::Goodbye(v1::Goodbye { reason }),
        };
        Self { message: Some(message) }
    }
}

impl TryFrom<v1::ToWorker> for ToWorker {
    type Error = InvalidField;

    fn try_from(wire: v1::ToWorker) -> Result<Self, InvalidField> {
        const ONE: &str =
            "welcome, job, cancel, acknowledge, drain, forget, hints, known, member or goodbye";
        Ok(match required("message", wire.message, ONE)? {
            ToMessage::Welcome(welcome) => Self::Welcome(within("welcome", welcome)?),
            ToMessage::Job(job) => Self::Job(within("job", job)?),
            ToMessage::Cancel(cancel) => Self::Cancel(JobId(cancel.job)),
            ToMessage::Acknowledge(acknowledge) => Self::Acknowledge(JobId(acknowledge.job)),
            ToMessage::Drain(v1::Drain {}) => Self::Drain,
            ToMessage::Hints(wire) => Self::Hints(hints_of(wire)?),
            ToMessage::Member(wire) => {
                Self::Member(JobId(wire.job), needed_word(wire.word, TO_MEMBER)?)
            }
            ToMessage::Known(wire) => {
                let known = list("known", wire.known, MOST_KNOWN, KNOWN, TryInto::try_into);
                Self::Known(JobId(wire.job), known.map_err(|error| error.within("known"))?)
            }
            ToMessage::Forget(v1::Forget {}) => Self::Forget,
            ToMessage::Goodbye(goodbye) => Self::Goodbye(goodbye.reason),
        })
    }
}
