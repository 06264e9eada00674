//! Jobs whose search several workers share: the worker that leads, and the one that does errands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use outflank_engine::{
    Answer, Bound, Control, Engine, Errand, Position, Request, Settings, Square, brute_force,
};
use outflank_kernel::Isa;
use outflank_proto::message::{FromMember, FromWorker, Job, JobId, Report, ToMember, ToWorker};
use outflank_worker::Solver;
use tokio::sync::Notify;

use crate::script::{Connection, Script, in_time, leaves};
use crate::{Endless, job, position};

fn engine() -> Engine {
    Engine::new(&Settings { isa: Isa::detect(), table_bytes: 1 << 20 }).unwrap()
}

/// Solves its job again and again, as if it had never seen it, until it is stopped: on a busy machine a search may be
/// over before the threads of those who help have begun.
pub(crate) struct Tireless {
    engine: Engine,
    solved: Arc<AtomicUsize>,
}

impl Tireless {
    /// Returns the solver, and how often it has solved its job.
    pub(crate) fn new() -> (Self, Arc<AtomicUsize>) {
        let solved = Arc::new(AtomicUsize::new(0));
        (Self { engine: engine(), solved: Arc::clone(&solved) }, solved)
    }
}

impl Solver for Tireless {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        loop {
            self.engine.clear();
            let answer = self.engine.solve(request, control);
            if control.is_stopped() {
                return answer;
            }
            self.solved.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Solves each job as if it had never seen it.
struct Fresh(Engine);

impl Solver for Fresh {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        self.0.clear();
        self.0.solve(request, control)
    }
}

/// Does errands until they are stopped, and says so when it begins and ends one. In the end it has a value for some:
/// those in a window that begins above 0.
#[derive(Clone, Default)]
struct Dawdling {
    begun: Arc<Notify>,
    ended: Arc<Notify>,
    may_end: Arc<AtomicBool>,
}

impl Solver for Dawdling {
    fn solve(&self, request: &Request, control: &Control) -> Answer {
        Endless.solve(request, control)
    }

    fn run_errand(&self, errand: &Errand, _threads: usize, control: &Control) -> Option<i32> {
        self.begun.notify_one();
        while !control.is_stopped() {
            std::thread::yield_now();
        }
        self.ended.notify_one();
        let is_done = errand.window().0 > 0;
        while is_done && !self.may_end.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        is_done.then_some(2)
    }
}

/// Returns a shared job to lead, with 20 empty squares.
pub(crate) fn led(id: u64) -> Job {
    Job { position: position(20), node_limit: u64::MAX, is_shared: true, ..job(id) }
}

/// Returns a shared job to help with.
fn helped(id: u64) -> Job {
    Job { helps: true, ..led(id) }
}

/// Returns the errand to try the lowest move of a position with so many empty squares.
pub(crate) fn errand(empties: u32, window: (i32, i32)) -> Errand {
    let position = position(empties);
    let square = Square::lowest(position.moves()).unwrap();
    Errand::new(position, square, window, Errand::PROOF, 0).unwrap()
}

impl Connection {
    /// Tells the worker a word about job 1.
    pub(crate) async fn says(&self, word: ToMember) {
        self.tell(ToWorker::Member(JobId(1), word)).await;
    }

    /// Returns the next word about job 1; what the search believes and proves is passed over.
    async fn word(&mut self) -> FromMember {
        loop {
            match self.hear().await.expect("the worker has not left") {
                FromWorker::Member(JobId(1), word) => return word,
                FromWorker::Hints(JobId(1), _) | FromWorker::Found(_) => {}
                other => panic!("{other:?} in place of a word"),
            }
        }
    }

    /// Waits until the job was solved twice more, so that one whole search lies behind. Returns the words meanwhile.
    pub(crate) async fn words_while_solving(&mut self, solved: &AtomicUsize) -> Vec<FromMember> {
        let (before, mut words) = (solved.load(Ordering::SeqCst), Vec::new());
        while solved.load(Ordering::SeqCst) < before + 2 {
            if let FromWorker::Member(_, word) = self.hear_any().await {
                words.push(word);
            }
        }
        words
    }

    /// Waits until a hand has called, gives it somebody, and returns its errand with the hand and its number.
    async fn first_errand(&mut self) -> (u32, u64, Errand) {
        loop {
            match self.word().await {
                FromMember::Call(hand) => {
                    self.says(ToMember::Engaged { hand, is_there: true }).await;
                }
                FromMember::Errand { hand, number, errand } => return (hand, number, errand),
                FromMember::Release(_) => {}
                other => panic!("{other:?} before there was an errand"),
            }
        }
    }

    /// Returns the report, whatever is said before it.
    pub(crate) async fn report_at_last(&mut self) -> Report {
        loop {
            if let FromWorker::Report(report) = self.hear().await.expect("still connected") {
                return report;
            }
        }
    }
}

#[tokio::test]
async fn a_lead_calls_only_when_there_is_company() {
    let (solver, solved) = Tireless::new();
    let mut script = Script::start(None);
    let worker = script.worker(solver);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(led(1))).await;
    assert_eq!(connection.words_while_solving(&solved).await, []);
    connection.says(ToMember::Company(1)).await;
    assert_eq!(connection.word().await, FromMember::Call(0), "one helper is for one hand");
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert_eq!(connection.report_at_last().await.job, JobId(1));
    worker.kill();
}

#[tokio::test]
async fn a_lead_whose_errands_others_do_finds_the_value() {
    let truth = engine().solve(&Request::exact(led(1).position), &Control::default()).bound;
    let mut script = Script::start(None);
    let worker = script.worker(Fresh(engine()));
    let mut connection = script.connection().await;
    let (helper, mut answered) = (engine(), 0);
    // On a busy machine a search may be over before anybody helps.
    while answered == 0 {
        connection.tell(ToWorker::Job(led(1))).await;
        connection.says(ToMember::Company(1)).await;
        let report = loop {
            match connection.hear().await.expect("the worker has not left") {
                FromWorker::Member(JobId(1), FromMember::Call(hand)) => {
                    connection.says(ToMember::Engaged { hand, is_there: true }).await;
                }
                FromWorker::Member(JobId(1), FromMember::Errand { hand, number, errand }) => {
                    assert!(errand.position().empties() >= 16, "less is not worth the way");
                    let value = helper.run_errand(&errand, 1, &Control::default());
                    answered += 1;
                    connection.says(ToMember::Answer { hand, number, value }).await;
                }
                FromWorker::Report(report) => break report,
                _ => {}
            }
        };
        assert_eq!((report.finished, report.bound), (true, truth));
        connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    }
    worker.kill();
}

#[tokio::test]
async fn a_lead_goes_on_alone_when_whoever_it_has_is_gone() {
    let (solver, solved) = Tireless::new();
    let mut script = Script::start(None);
    let worker = script.worker(solver);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(led(1))).await;
    connection.says(ToMember::Company(1)).await;
    let (hand, ..) = connection.first_errand().await;
    // As the coordinator says it.
    connection.says(ToMember::Engaged { hand, is_there: false }).await;
    connection.says(ToMember::Company(0)).await;
    // What was on its way comes first; then there is nobody to talk to.
    in_time(async { while !connection.words_while_solving(&solved).await.is_empty() {} }).await;
    worker.kill();
}

#[tokio::test]
async fn a_lead_goes_on_alone_when_its_connection_is_cut_and_calls_again_over_the_next_one() {
    let (solver, solved) = Tireless::new();
    let mut script = Script::start(None);
    let worker = script.worker(solver);
    let mut first = script.connection().await;
    first.tell(ToWorker::Job(led(1))).await;
    first.says(ToMember::Company(1)).await;
    first.first_errand().await;
    drop(first);
    let mut second = script.connection().await;
    assert_eq!(second.words_while_solving(&solved).await, [], "nobody is known there");
    second.tell(ToWorker::Job(led(1))).await;
    second.says(ToMember::Company(1)).await;
    second.first_errand().await;
    worker.kill();
}

#[tokio::test]
async fn a_lead_that_is_stopped_ends_although_it_waits_for_an_errand() {
    let mut script = Script::start(None);
    let worker = script.worker(Tireless::new().0);
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(led(1))).await;
    connection.says(ToMember::Company(1)).await;
    connection.first_errand().await; // Nobody answers.
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert_eq!(connection.report_at_last().await.job, JobId(1));
    worker.kill();
}

#[tokio::test]
async fn a_helper_does_errands_truly_and_counts_their_nodes() {
    let mut script = Script::start(None);
    let worker = script.worker(engine());
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(helped(1))).await;
    connection.hear_beat_of(&[1]).await;
    let after = |errand: &Errand| -> Position { errand.position().play(errand.square()).unwrap() };
    let truth = -brute_force::value(after(&errand(9, (-65, 65)))).discs();
    let mut nodes_of_all = 0;
    let windows = [(-65, 65), (truth - 1, truth + 1), (truth, truth + 2), (truth - 2, truth)];
    for (number, window) in (1..).zip(windows) {
        connection.says(ToMember::Errand { number, errand: errand(9, window) }).await;
        let FromMember::Answer { number: answered, value: Some(value), nodes } =
            connection.word().await
        else {
            panic!("no value for {window:?}")
        };
        nodes_of_all += nodes;
        assert_eq!(answered, number);
        let (alpha, beta) = window;
        let is_right = if value <= alpha {
            truth <= value
        } else if value >= beta {
            truth >= value
        } else {
            truth == value
        };
        assert!(is_right, "{truth}, not {value} in {window:?}");
    }
    assert!(nodes_of_all > 0);
    // Heartbeats name them, and so does the report.
    while connection.hear_any().await != FromWorker::Heartbeat(vec![(JobId(1), nodes_of_all)]) {}
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    let report = connection.report_at_last().await;
    assert_eq!((report.bound, report.finished), (Bound::UNKNOWN, false));
    assert_eq!(report.nodes, nodes_of_all);
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}

#[tokio::test]
async fn an_errand_that_is_recalled_is_answered_without_a_value_and_no_other_is_stopped() {
    let (mut script, solver) = (Script::start(None), Dawdling::default());
    let worker = script.worker(solver.clone());
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(helped(1))).await;
    let errand = errand(20, (-1, 1));
    let unanswered = |number| FromMember::Answer { number, value: None, nodes: 0 };
    connection.says(ToMember::Errand { number: 1, errand }).await;
    in_time(solver.begun.notified()).await;
    connection.says(ToMember::Recall(1)).await;
    assert_eq!(connection.word().await, unanswered(1));
    connection.says(ToMember::Errand { number: 2, errand }).await;
    in_time(solver.begun.notified()).await;
    connection.says(ToMember::Recall(1)).await; // It is over already.
    connection.says(ToMember::Recall(2)).await;
    assert_eq!(connection.word().await, unanswered(2), "and only once");
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert!(!connection.report_at_last().await.finished);
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    worker.kill();
}

#[tokio::test]
async fn a_helper_without_errands_ends_when_it_is_stopped() {
    let mut script = Script::start(None);
    let worker = script.worker(engine());
    let mut connection = script.connection().await;
    connection.tell(ToWorker::Job(helped(1))).await;
    connection.hear_beat_of(&[1]).await;
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    let report = connection.hear_report().await;
    assert_eq!((report.nodes, report.finished, report.failed), (0, false, false));
    connection.tell(ToWorker::Acknowledge(JobId(1))).await;
    leaves(worker, connection).await;
}

#[tokio::test]
async fn a_helper_whose_connection_is_cut_stops_its_errand_and_waits_for_others() {
    let (mut script, solver) = (Script::start(None), Dawdling::default());
    let worker = script.worker(solver.clone());
    let first = script.connection().await;
    first.tell(ToWorker::Job(helped(1))).await;
    first.says(ToMember::Errand { number: 1, errand: errand(20, (-1, 1)) }).await;
    in_time(solver.begun.notified()).await;
    drop(first);
    in_time(solver.ended.notified()).await;
    let second = script.connection().await;
    second.tell(ToWorker::Job(helped(1))).await;
    second.says(ToMember::Errand { number: 1, errand: errand(20, (-1, 1)) }).await;
    in_time(solver.begun.notified()).await;
    worker.kill();
}

/// Returns the next connection of a worker that helps with job 1 when the first one is cut.
async fn after_helping(script: &mut Script) -> Connection {
    let mut first = script.connection().await;
    first.tell(ToWorker::Job(helped(1))).await;
    first.hear_beat_of(&[1]).await;
    drop(first);
    script.connection().await
}

#[tokio::test]
async fn who_has_helped_leads_when_it_is_given_the_job_to_lead() {
    let truth = engine().solve(&Request::exact(led(1).position), &Control::default()).bound;
    let mut script = Script::start(None);
    let worker = script.worker(engine());
    let mut second = after_helping(&mut script).await;
    second.tell(ToWorker::Job(led(1))).await;
    let report = loop {
        let report = second.report_at_last().await;
        if report.finished {
            break report;
        }
        assert_eq!(report.bound, Bound::UNKNOWN, "who has helped has nothing to say");
    };
    assert_eq!((report.job, report.bound), (JobId(1), truth));
    worker.kill();
}

/// The coordinator says how many others there are as soon as it has given the job, which ends first what it was before.
#[tokio::test]
async fn who_leads_what_it_has_helped_with_knows_of_its_company() {
    let mut script = Script::start(None);
    let worker = script.worker(Tireless::new().0);
    let mut second = after_helping(&mut script).await;
    second.tell(ToWorker::Job(led(1))).await;
    second.says(ToMember::Company(1)).await;
    assert!(!second.report_at_last().await.finished, "it has helped");
    assert_eq!(second.word().await, FromMember::Call(0));
    worker.kill();
}

#[tokio::test]
async fn who_has_led_helps_when_it_is_given_the_job_to_help_with() {
    let (mut script, solver) = (Script::start(None), Dawdling::default());
    let worker = script.worker(solver.clone());
    let mut first = script.connection().await;
    first.tell(ToWorker::Job(led(1))).await;
    first.hear_beat_of(&[1]).await;
    drop(first);
    let mut second = script.connection().await;
    second.tell(ToWorker::Job(helped(1))).await;
    assert!(!second.report_at_last().await.finished, "what it has led is over");
    second.says(ToMember::Errand { number: 1, errand: errand(20, (-1, 1)) }).await;
    in_time(solver.begun.notified()).await;
    worker.kill();
}

#[tokio::test]
async fn an_errand_that_nobody_will_do_is_answered_at_once() {
    let (mut script, solver) = (Script::start(None), Dawdling::default());
    let worker = script.worker(solver.clone());
    let mut connection = script.connection().await;
    let errand = errand(20, (1, 3));
    let unanswered = |number| FromMember::Answer { number, value: None, nodes: 0 };
    connection.says(ToMember::Errand { number: 1, errand }).await;
    assert_eq!(connection.word().await, unanswered(1), "it has no such job");
    connection.tell(ToWorker::Job(helped(1))).await;
    connection.says(ToMember::Errand { number: 2, errand }).await;
    in_time(solver.begun.notified()).await;
    connection.says(ToMember::Errand { number: 3, errand }).await;
    connection.tell(ToWorker::Cancel(JobId(1))).await;
    assert_eq!(
        connection.word().await,
        unanswered(3),
        "it waits behind another, and the job stops"
    );
    connection.says(ToMember::Errand { number: 4, errand }).await;
    assert_eq!(connection.word().await, unanswered(4), "the job stops");
    worker.kill();
}

#[tokio::test]
async fn an_answer_that_is_late_for_its_connection_is_none_to_the_errand_of_that_number_over_the_next()
 {
    let (mut script, solver) = (Script::start(None), Dawdling::default());
    let worker = script.worker(solver.clone());
    let first = script.connection().await;
    first.tell(ToWorker::Job(helped(1))).await;
    first.says(ToMember::Errand { number: 1, errand: errand(20, (1, 3)) }).await;
    in_time(solver.begun.notified()).await;
    drop(first);
    in_time(solver.ended.notified()).await;
    let mut second = script.connection().await;
    second.tell(ToWorker::Job(helped(1))).await;
    second.says(ToMember::Errand { number: 1, errand: errand(20, (-1, 1)) }).await;
    second.hear_beat_of(&[1]).await;
    solver.may_end.store(true, Ordering::SeqCst);
    in_time(solver.begun.notified()).await; // So the first is over.
    second.says(ToMember::Recall(1)).await;
    let answer = FromMember::Answer { number: 1, value: None, nodes: 0 };
    assert_eq!(second.word().await, answer);
    worker.kill();
}
