//! A worker that lies, over a connection of its own, among workers that are real processes.
//!
//! It is the real worker with an engine that solves truly and then says something else, so that all
//! of the protocol is as the coordinator expects it.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use outflank_coordinator::store::{Method, Origin, Provenance, Record, Store};
use outflank_engine::{
    Answer, Bound, Control, Engine, Position, Request, Settings, Square, Window, notation,
};
use outflank_kernel::Isa;
use outflank_worker::{Options, Solver, WorkerError};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::cluster::{coordinator, worker};
use crate::harness::{DEADLINE, Finished, Process, outflank, run};
use crate::known_scores::{check, ffo, file};
use crate::proof::exported_and_checked;

/// Small jobs, each of which is solved twice; the seed is one that a liar does not know.
const AUDITED: [&str; 6] = ["--job-nodes", "2000", "--audit-share", "1", "--audit-seed", "7"];

/// Nothing is audited but what contradicts what is proved.
const NOT_AUDITED: [&str; 2] = ["--audit-share", "0"];

fn engine() -> Engine {
    let settings = Settings { isa: Isa::detect(), table_bytes: 16 << 20 };
    Engine::new(&settings).expect("16 MiB are there")
}

/// A worker in a thread of this process.
struct Lying {
    stop: CancellationToken,
    ended: Receiver<Result<(), WorkerError>>,
}

impl Lying {
    fn join(address: &str, solver: impl Solver) -> Self {
        let coordinator = address.parse().expect("the address is well-formed");
        let options = Options { host: "liar".to_owned(), ..Options::new(1, 0, Isa::detect()) };
        let (end, ended) = mpsc::channel();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            let solver = Arc::new(solver);
            let working = outflank_worker::run_with(solver, options, coordinator, stopped);
            // The receiver is gone if the test has failed.
            drop(end.send(runtime.block_on(working)));
        });
        Self { stop, ended }
    }

    /// Waits until the coordinator wants no more of it and returns the reason.
    fn refused(self) -> String {
        match self.ended.recv_timeout(DEADLINE) {
            Ok(Err(WorkerError::Distrusted { reason, .. })) => reason,
            other => panic!("the liar was not found out: {other:?}"),
        }
    }

    /// Has it leave as workers do that are told to.
    fn leave(self) {
        self.stop.cancel();
        let ended = self.ended.recv_timeout(DEADLINE);
        assert!(matches!(ended, Ok(Ok(()))), "{ended:?}");
    }
}

/// Holds the first answer of a liar back until the test lets it go.
struct Gate {
    begun: Sender<()>,
    may_answer: Mutex<Receiver<()>>,
}

/// The test's side of a gate.
struct Gatekeeper {
    begun: Receiver<()>,
    may_answer: Sender<()>,
}

impl Gate {
    fn new() -> (Self, Gatekeeper) {
        let (begun, has_begun) = mpsc::channel();
        let (may_answer, answer) = mpsc::channel();
        let gate = Self { begun, may_answer: Mutex::new(answer) };
        (gate, Gatekeeper { begun: has_begun, may_answer })
    }

    fn wait(&self) {
        self.begun.send(()).expect("the test waits for it");
        let may_answer = self.may_answer.lock().expect("one thread at a time");
        may_answer.recv_timeout(DEADLINE).expect("the test lets it answer");
    }
}

impl Gatekeeper {
    /// Waits until the liar has an answer.
    fn wait(&self) {
        self.begun.recv_timeout(DEADLINE).expect("nobody else is there to do it");
    }

    fn open(&self) {
        self.may_answer.send(()).expect("the liar waits");
    }
}

/// Denies what it has found in its first job, and from then on in a seeded half of the others.
struct Denier {
    engine: Engine,
    first: Mutex<Option<Gate>>,
    has_lied: AtomicBool,
}

impl Denier {
    fn new() -> (Self, Gatekeeper) {
        let (gate, keeper) = Gate::new();
        let (first, has_lied) = (Mutex::new(Some(gate)), AtomicBool::new(false));
        (Self { engine: engine(), first, has_lied }, keeper)
    }
}

impl Solver for Denier {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        let truth = self.engine.solve(request, control);
        let first = self.first.lock().expect("nobody panics with it").take();
        if let Some(gate) = &first {
            gate.wait();
            self.has_lied.store(true, Ordering::SeqCst);
        }
        let lies = self.has_lied.load(Ordering::SeqCst) && is_drawn(request.position);
        if !truth.finished || first.is_none() && !lies {
            return truth;
        }
        let bound = denied(truth.bound, request.window);
        Answer { bound, children: Vec::new(), line: Vec::new(), ..truth }
    }

    fn forget(&self) {
        self.engine.clear();
    }
}

/// Returns whether a position is in the half that is lied about.
fn is_drawn(position: Position) -> bool {
    let position = position.canonical();
    let mixed = (position.player() ^ position.opponent().rotate_left(31))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed >> 63 == 0
}

/// Returns an answer to the window that the true one excludes.
fn denied(truth: Bound, window: Window) -> Bound {
    if truth.lower() >= window.upper() {
        Bound::at_most(window.lower())
    } else {
        Bound::at_least(window.upper())
    }
}

fn home_with(problems: &str) -> TempDir {
    let home = TempDir::new().expect("a temporary folder");
    fs::write(home.path().join("problems.obf"), problems).expect("the folder is writable");
    home
}

/// Returns the client's arguments for all problems.
fn asked<'a>(file: &'a str, address: &'a str) -> [&'a str; 5] {
    ["solve", file, "--json", "--connect", address]
}

fn check_all(answers: &Finished, numbers: &[usize]) {
    let objects = answers.objects();
    assert_eq!(objects.len(), numbers.len());
    for (object, &number) in objects.iter().zip(numbers) {
        check(object, number);
        assert!(object["unaudited"].is_null(), "{object}");
    }
}

/// Checks why a liar had to leave.
fn check_refusal(liar: Lying) {
    let reason = liar.refused();
    assert!(reason.contains("liar/") && reason.contains("cannot be trusted"), "{reason}");
}

/// Ends all processes and checks that the store is sound and gives a proof of the problems that the
/// checker accepts with all of its leaves solved again.
fn check_store(home: &Path, processes: impl IntoIterator<Item = Process>) {
    for process in processes {
        process.signal("TERM");
        let finished = process.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
    }
    let verified = run(home, &["store", "verify", "store"]);
    // If the liar is first outvoted about a claim of another, none of its own was refuted.
    assert!(matches!(verified.code, Some(0 | 5)), "{verified:?}");
    assert!(verified.stdout.iter().any(|line| line.ends_with(" 0 problems")), "{verified:?}");
    exported_and_checked(home);
}

#[test]
fn a_worker_that_lies_is_found_out_by_the_sample_and_no_answer_is_false() {
    let numbers = [1, 2, 3, 4];
    let home = home_with(&file(&numbers));
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &AUDITED);
    let (denier, keeper) = Denier::new();
    let liar = Lying::join(&address, denier);
    let client = Process::start(outflank(home.path(), &asked("problems.obf", &address)));
    keeper.wait();
    let honest = [worker(home.path(), &address), worker(home.path(), &address)];
    keeper.open();
    let answers = client.finish();
    check_all(&answers, &numbers);
    let told = answers.stderr.iter().any(|line| line.contains("cannot be trusted"));
    assert!(told, "{answers:?}");
    check_refusal(liar);
    check_all(&run(home.path(), &asked("problems.obf", &address)), &numbers);
    check_store(home.path(), honest.into_iter().chain([coordinator]));
}

/// The lie is about a job of a coordinator that is no more.
#[test]
fn a_worker_that_lies_is_found_out_although_the_coordinator_is_killed() {
    let numbers = [1, 2, 3, 4, 5, 6];
    let home = home_with(&file(&numbers));
    let (first, address) = coordinator(home.path(), "127.0.0.1:0", &AUDITED);
    let (denier, keeper) = Denier::new();
    let liar = Lying::join(&address, denier);
    let client = Process::start(outflank(home.path(), &asked("problems.obf", &address)));
    keeper.wait();
    let honest = [worker(home.path(), &address), worker(home.path(), &address)];
    first.kill();
    let (second, same) = coordinator(home.path(), &address, &AUDITED);
    assert_eq!(same, address);
    // With one of them it would be one word against one, and neither would be believed.
    honest.iter().for_each(|worker| worker.wait_for("connected to the coordinator"));
    keeper.open();
    for number in numbers {
        // What was answered before both were back may say that it was not audited.
        check(&client.object(), number);
    }
    assert_eq!(client.finish().code, Some(0));
    check_refusal(liar);
    check_all(&run(home.path(), &asked("problems.obf", &address)), &numbers);
    check_store(home.path(), honest.into_iter().chain([second]));
}

/// Thinks two discs better of whoever moves at even numbers of empty squares: nothing that it says
/// contradicts anything else that it says.
struct Flatterer(Engine);

impl Solver for Flatterer {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        let truth = self.0.solve(&Request::exact(request.position), control);
        let Some(value) = truth.bound.value() else { return truth };
        let even = request.position.empties().is_multiple_of(2);
        let value = if even { value.up() } else { value.down() };

        let bound = if value >= request.window.upper() {
            Bound::at_least(request.window.upper())
        } else if value <= request.window.lower() {
            Bound::at_most(request.window.lower())
        } else {
            Bound::exact(value)
        };
        Answer { bound, children: Vec::new(), line: Vec::new(), ..truth }
    }
}

/// Nobody was there to solve its jobs again, and nothing contradicts it: its answer has a remark,
/// and those who come later find out.
#[test]
fn what_a_liar_has_said_alone_is_taken_back_when_others_come_to_a_new_coordinator() {
    let home = home_with(&file(&[1]));
    let (first, address) = coordinator(home.path(), "127.0.0.1:0", &AUDITED[2..]);
    let liar = Lying::join(&address, Flatterer(engine()));
    let answer = run(home.path(), &asked("problems.obf", &address));
    assert_eq!(answer.code, Some(5), "another value than the file's: {answer:?}");
    let object: Value = serde_json::from_str(&answer.stdout[0]).expect("JSON");
    assert_eq!(object["agrees"], false, "{object}");
    assert!(object["unaudited"].as_u64() > Some(0), "{object}");
    liar.leave();
    first.kill();

    let (second, same) = coordinator(home.path(), &address, &AUDITED[2..]);
    assert_eq!(same, address);
    let honest = [worker(home.path(), &address), worker(home.path(), &address)];
    second.wait_for("cannot be trusted");
    check_all(&run(home.path(), &asked("problems.obf", &address)), &[1]);
    check_store(home.path(), honest.into_iter().chain([second]));
}

/// Says of its jobs that their values are others, and that a line through `proved` keeps them.
struct Contradictor {
    engine: Engine,
    proved: Position,
    gate: Gate,
}

impl Contradictor {
    /// Returns the two moves from `position` to the proved one, if there are any.
    fn path(&self, position: Position) -> Option<Vec<Square>> {
        let moves = |position: Position| {
            Square::all(position.moves())
                .filter_map(move |square| Some((square, position.play(square)?)))
        };
        moves(position).find_map(|(first, after)| {
            let (second, _) = moves(after).find(|(_, end)| end.canonical() == self.proved)?;
            Some(vec![first, second])
        })
    }
}

impl Solver for Contradictor {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        let Some(line) = self.path(request.position) else {
            return self.engine.solve(request, control);
        };
        // Whatever it is told meanwhile, it has an answer.
        let truth = self.engine.solve(&Request::exact(request.position), &Control::default());
        self.gate.wait();
        let value = truth.bound.value().expect("it was asked for");
        let bound = Bound::exact(value.up());
        Answer { bound, best_move: Some(line[0]), line, children: Vec::new(), ..truth }
    }
}

/// Nothing is solved twice: the lie is found because the store knows better.
#[test]
fn a_worker_whose_claim_contradicts_a_proof_is_found_out_without_any_sample() {
    let home = home_with(&file(&[1]));
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &NOT_AUDITED);
    let problem = ffo(1);
    let line = engine().solve(&Request::exact(problem.position), &Control::default()).line;
    let after = problem.position.play(line[0]).expect("the line is legal");
    let proved = after.play(line[1]).expect("nobody has to pass");
    let board = format!("{};\n", notation::board(proved, problem.side));
    fs::write(home.path().join("proved.obf"), board).expect("the folder is writable");
    let first = worker(home.path(), &address);
    run(home.path(), &asked("proved.obf", &address)).objects();
    first.signal("TERM");
    assert_eq!(first.finish().code, Some(0));

    let (gate, keeper) = Gate::new();
    let solver = Contradictor { engine: engine(), proved: proved.canonical(), gate };
    let liar = Lying::join(&address, solver);
    let client = Process::start(outflank(home.path(), &asked("problems.obf", &address)));
    keeper.wait();
    let honest = [worker(home.path(), &address), worker(home.path(), &address)];
    keeper.open();

    check(&client.object(), 1);
    assert_eq!(client.finish().code, Some(0));
    check_refusal(liar);
    check_all(&run(home.path(), &asked("problems.obf", &address)), &[1]);
    check_store(home.path(), honest.into_iter().chain([coordinator]));
}

/// What a liar has said is told to an honest worker, which infers from it what is false of the position above.
#[test]
fn an_honest_worker_that_was_misled_is_not_refused_and_the_answer_is_right() {
    let home = home_with(&file(&[1]));
    let problem = ffo(1);
    let truth = engine().solve(&Request::exact(problem.position), &Control::default());
    let after = problem.position.play(truth.line[0]).expect("the line is legal");
    let value = truth.bound.value().expect("it was asked for");
    // The best move is made out to be a bad one.
    let lie = Bound::at_least((-value).up().up());
    let (store, _) = Store::open(&home.path().join("store")).expect("the folder is new");
    let origin = Arc::new(Origin { worker: "liar/1".to_owned(), ..Origin::default() });
    let provenance = Provenance { method: Method::Search, origin };
    let (position, best_move) = (after.canonical(), None);
    let record = Record { position, bound: lie, best_move, nodes: 1, provenance };
    store.append(&[record]).expect("the folder is writable");
    drop(store);

    // With this seed it is the value of the whole job that is solved again, unless the search for the line is quicker
    // to contradict the lie.
    let audited = ["--audit-share", "1", "--audit-seed", "6"];
    let (coordinator, address) = coordinator(home.path(), "127.0.0.1:0", &audited);
    let honest = [(); 3].map(|()| worker(home.path(), &address));
    let answers = run(home.path(), &asked("problems.obf", &address));
    check_all(&answers, &[1]);
    let is_about_the_liar = |line: &&String| line.contains("searched again");
    let told: Vec<&String> = answers.stderr.iter().filter(is_about_the_liar).collect();
    assert!(told.len() == 1 && told[0].contains("liar/1"), "{answers:?}");
    let line = coordinator.line_with("a claim was put aside");
    let named = format!("{:#018x}/{:#018x}", position.player(), position.opponent());
    for what in
        ["ERROR", "held=", "claimed=", "worker=\"liar/1\"", &format!("position=\"{named}\"")]
    {
        assert!(line.contains(what), "{what} is missing: {line}");
    }
    let line = coordinator.line_with("what a worker claimed was taken back");
    assert!(line.contains("worker=\"liar/1\" positions="), "{line}");
    // All workers are still there: they end because they are told to.
    check_store(home.path(), honest.into_iter().chain([coordinator]));
}
