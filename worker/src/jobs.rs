//! The jobs that are running, each on a thread of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;
use std::time::Instant;

use outflank_engine::{Answer, Bound, Control, Position, Request, SharedHint, Symmetry};
use outflank_proto::message::{
    Found, FromMember, FromWorker, Interim, Job, JobId, MOST_FOUND, MOST_HINTS, Report, ToMember,
};
use outflank_proto::words;
use tokio::sync::mpsc;

use crate::Solver;
use crate::interim::InterimReporter;
use crate::member::Member;
use crate::speech::{self, Speaker, Speech};

/// Room for the reports of all threads that a worker can have, so that none has to wait while the
/// worker looks for its coordinator.
const FINISHED: usize = 2048;

/// What a worker does for a job: the same search cannot do something else for it.
#[derive(Clone, Copy)]
struct Part {
    is_shared: bool,
    helps: bool,
    /// How the boards are turned that it searches, and that others speak of.
    symmetry: Symmetry,
}

impl Part {
    fn of(job: &Job) -> Self {
        let Job { is_shared, helps, symmetry, .. } = *job;
        Self { is_shared, helps, symmetry }
    }

    /// Returns whether who does this can go on where `other` is wanted: who leads can alone, too.
    fn serves(self, other: Self) -> bool {
        let as_one = self.is_shared && self.symmetry == other.symmetry;
        self.helps == other.helps && (as_one || !other.is_shared)
    }
}

/// The end of a job.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) report: Report,
    /// Whether it is the end of a running job. One that was stopped while it waited never was one, but another of the
    /// same name may still be searching for an earlier connection.
    pub(crate) has_run: bool,
}

/// A job that waits until the solver has forgotten what it remembers.
struct Waiting {
    job: Job,
    session: u64,
    /// How many others share its search, by the last word of the coordinator.
    company: u32,
}

struct Running {
    part: Part,
    control: Arc<Control>,
    /// Its place among those that share the search, if several workers do.
    member: Option<Arc<Member>>,
    interim: InterimReporter,
    threads: u32,
    era: u64,
    /// The connection over which the coordinator asked for it last.
    session: u64,
    /// Whether it was told to stop.
    stops: bool,
    /// The same job, if it was given again since then: it begins when this has ended.
    again: Option<Job>,
    /// How many others share the search of the job as it was given last, by the last word of the coordinator.
    company: u32,
}

impl Running {
    /// Has the job stop; nobody wants it any more.
    fn stop(&mut self) {
        self.control.stop();
        if let Some(member) = &self.member {
            member.stop();
        }
        (self.stops, self.again) = (true, None);
    }

    /// Returns the nodes searched so far, those for others included.
    fn nodes(&self) -> u64 {
        self.control.nodes() + self.member.as_ref().map_or(0, |member| member.nodes())
    }

    /// Returns the searches of the errands that it does for others.
    fn errands(&self) -> Vec<Arc<Control>> {
        self.member.as_ref().map_or_else(Vec::new, |member| member.errands())
    }

    /// Returns what the search has come to believe and not told of, as far as a message has room for it.
    fn hints(&self) -> Vec<SharedHint> {
        let mut hints = self.control.take_hints();
        for errand in self.errands() {
            hints.extend(errand.take_hints());
        }
        hints.truncate(MOST_HINTS);
        hints
    }

    /// Returns what has been found inside the job, whose name this is, and not been told of, if there is anything, as
    /// far as a message has room for it.
    fn found(&self, job: JobId) -> Option<Found> {
        let mut bounds = self.control.take_found();
        for errand in self.errands() {
            bounds.extend(errand.take_found());
        }
        bounds.truncate(MOST_FOUND);
        (!bounds.is_empty()).then_some(Found { job, era: self.era, bounds })
    }
}

/// The running jobs.
pub(crate) struct Jobs {
    solver: Arc<dyn Solver>,
    threads: u32,
    running: BTreeMap<JobId, Running>,
    /// Jobs that wait; `None` unless the solver is to forget.
    waiting: Option<Vec<Waiting>>,
    /// The era of the last job: what the solver remembers is of this one.
    era: u64,
    finished: mpsc::Sender<Finished>,
    /// Where those speak that share a search with other workers.
    words: Speaker,
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").field("running", &self.running.keys()).finish_non_exhaustive()
    }
}

impl Jobs {
    /// Returns no jobs, for a worker with so many threads, where their reports will come out, and where what they say
    /// to others who search with them.
    pub(crate) fn new(
        solver: Arc<dyn Solver>,
        threads: u32,
    ) -> (Self, mpsc::Receiver<Finished>, Speech) {
        let (finished, reports) = mpsc::channel(FINISHED);
        let (words, said) = speech::channel();
        let running = BTreeMap::new();
        (Self { solver, threads, running, waiting: None, era: 0, finished, words }, reports, said)
    }

    /// Starts a job that the coordinator gave over connection number `session`.
    ///
    /// If it is running already, since an earlier connection, it simply goes on. It begins again if it was
    /// told to stop meanwhile, since what that leaves is no answer to who asks again, and if the worker has
    /// another part in it now: who has led may be to help. If the threads are taken by jobs of earlier
    /// connections that the coordinator has not asked for again, those are stopped: it counts these threads
    /// as free.
    ///
    /// If the coordinator has taken proofs back since the last job, everything is forgotten first: the
    /// worker may not have been there to be told.
    pub(crate) fn start(&mut self, job: Job, session: u64) {
        if job.era != self.era {
            self.era = job.era;
            self.forget();
        }
        if let Some(waiting) = &mut self.waiting {
            waiting.retain(|waits| waits.job.id != job.id); // It was given over an earlier connection, too.
            waiting.push(Waiting { job, session, company: 0 });
            return;
        }
        if let Some(running) = self.running.get_mut(&job.id) {
            (running.session, running.company) = (session, 0);
            if !running.part.serves(Part::of(&job)) {
                running.stop();
            }
            running.again = running.stops.then_some(job);
            if let Some(member) = &running.member {
                member.connected();
            }
            return;
        }
        let busy: u32 = self.running.values().map(|running| running.threads).sum();
        if busy.saturating_add(job.threads) > self.threads {
            self.stop_earlier(session);
        }
        let control = Control::default().with_found(job.inside);
        let control = if job.hints { control.with_hints() } else { control };
        let member = job.is_shared.then(|| Member::new(&job, self.words.clone()));
        let control = Arc::new(match &member {
            Some(member) if !job.helps => control.with_hands(Member::hands(member)),
            _ => control,
        });
        let running = Running {
            part: Part::of(&job),
            control: Arc::clone(&control),
            member: member.clone(),
            interim: InterimReporter::new(&job),
            threads: job.threads,
            era: job.era,
            session,
            stops: false,
            again: None,
            company: 0,
        };
        self.running.insert(job.id, running);
        self.spawn(job, control, member);
    }

    fn spawn(&self, job: Job, control: Arc<Control>, member: Option<Arc<Member>>) {
        let (solver, finished) = (Arc::clone(&self.solver), self.finished.clone());
        let refused = Report { failed: true, ..Report::unproved(&job) };
        let work = move || {
            let report = solve(solver.as_ref(), job, &control, member.as_ref());
            // The queue has room for all; if nobody listens any more, the worker has left.
            drop(finished.blocking_send(Finished { report, has_run: true }));
        };
        if let Err(error) = Builder::new().name("outflank job".to_owned()).spawn(work) {
            tracing::error!(%error, job = refused.job.0, "the system gives no thread for a job");
            // As above: there is room, and who does not listen does not care.
            drop(self.finished.try_send(Finished { report: refused, has_run: true }));
        }
    }

    /// Stops a job; it will report what it has proved.
    pub(crate) fn stop(&mut self, job: JobId) {
        if let Some(waiting) = &mut self.waiting
            && let Some(place) = waiting.iter().position(|waits| waits.job.id == job)
        {
            let waited = waiting.remove(place).job;
            // As in `spawn`: there is room, and who does not listen does not care.
            let report = Report::unproved(&waited);
            drop(self.finished.try_send(Finished { report, has_run: false }));
        }
        if let Some(running) = self.running.get_mut(&job) {
            running.stop();
        }
    }

    /// Stops the jobs that the coordinator gave over connections before number `session`, and not again since.
    pub(crate) fn stop_earlier(&mut self, session: u64) {
        if let Some(waiting) = &mut self.waiting {
            waiting.retain(|waits| waits.session >= session); // Nothing of them is proved.
        }
        let earlier = self.running.values_mut().filter(|running| running.session < session);
        earlier.for_each(Running::stop);
    }

    /// Has the solver forget what it remembers, as soon as the running jobs have been stopped; jobs
    /// that come meanwhile wait.
    pub(crate) fn forget(&mut self) {
        self.running.values_mut().for_each(Running::stop);
        self.waiting.get_or_insert_default();
        self.forget_when_idle();
    }

    fn forget_when_idle(&mut self) {
        if self.running.is_empty()
            && let Some(waiting) = self.waiting.take()
        {
            self.solver.forget();
            for Waiting { job, session, company } in waiting {
                self.start_among(job, session, company);
            }
        }
    }

    /// Stops all jobs; they will report what they have proved.
    pub(crate) fn stop_all(&mut self) {
        if let Some(waiting) = &mut self.waiting {
            waiting.clear(); // They go back when the worker has left.
        }
        self.running.values_mut().for_each(Running::stop);
    }

    /// Notes that a running job has reported; returns what it has found and not told of, if it was given over connection
    /// number `session`.
    pub(crate) fn ended(&mut self, job: JobId, session: u64) -> Option<Found> {
        let mut running = self.running.remove(&job)?;
        self.forget_when_idle();
        if let Some(again) = running.again.take() {
            self.start_among(again, running.session, running.company);
        }
        Some(running).filter(|running| running.session == session)?.found(job)
    }

    /// Starts a job of whose search the coordinator has said before how many others share it.
    fn start_among(&mut self, job: Job, session: u64, company: u32) {
        let id = job.id;
        self.start(job, session);
        self.word(id, ToMember::Company(company));
    }

    /// Returns the number of running jobs.
    pub(crate) fn len(&self) -> usize {
        self.running.len()
    }

    /// Returns the nodes that the running jobs have searched so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.running.values().map(Running::nodes).sum()
    }

    /// Returns whether no job is running.
    pub(crate) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Returns the jobs of connection number `session` with the nodes searched so far.
    pub(crate) fn progress(&self, session: u64) -> Vec<(JobId, u64)> {
        let ours = self.running.iter().filter(|(_, running)| running.session == session);
        ours.map(|(&job, running)| (job, running.nodes())).collect()
    }

    /// Returns what the jobs of connection number `session` have come to believe since the last time,
    /// with their names.
    pub(crate) fn hints(&self, session: u64) -> Vec<(JobId, Vec<SharedHint>)> {
        let ours = self.running.iter().filter(|(_, running)| running.session == session);
        let hints = ours.map(|(&job, running)| (job, running.hints()));
        hints.filter(|(_, hints)| !hints.is_empty()).collect()
    }

    /// Returns what the jobs of connection number `session` have found inside since the last time.
    pub(crate) fn found(&self, session: u64) -> Vec<Found> {
        let ours = self.running.iter().filter(|(_, running)| running.session == session);
        ours.filter_map(|(&job, running)| running.found(job)).collect()
    }

    /// Has the solver know what was proved for a running job. What comes for another one is dropped, so
    /// that nothing gets past [`forget`](Self::forget).
    pub(crate) fn know(&self, job: JobId, known: &[(Position, Bound)]) {
        if self.waiting.is_none() && self.running.contains_key(&job) {
            self.solver.know(known);
        }
    }

    /// Hands on what others say that share the search of a job. Whoever waits for an errand of one that is not running hears
    /// at once that nobody does it: it may wait here until something is forgotten.
    pub(crate) fn word(&mut self, job: JobId, word: ToMember) {
        if let ToMember::Company(company) = word {
            self.note_company(job, company);
        }
        match (self.running.get(&job).and_then(|running| running.member.as_ref()), word) {
            (Some(member), word) => member.hear(word),
            (None, ToMember::Errand { number, .. }) => {
                let answer = FromMember::Answer { number, value: None, nodes: 0 };
                self.words.say(FromWorker::Member(job, answer));
            }
            (None, _) => {}
        }
    }

    /// Keeps how many others share the search of a job, which may have to begin first.
    fn note_company(&mut self, job: JobId, company: u32) {
        if let Some(running) = self.running.get_mut(&job) {
            running.company = company;
        }
        let mut waiting = self.waiting.iter_mut().flatten();
        if let Some(waits) = waiting.find(|waits| waits.job.id == job) {
            waits.company = company;
        }
    }

    /// Notes that there is nobody to share a search with: the connection is gone.
    pub(crate) fn disconnected(&mut self) {
        for running in self.running.values_mut() {
            running.company = 0;
            if let Some(member) = &running.member {
                member.disconnected();
            }
        }
        self.waiting.iter_mut().flatten().for_each(|waits| waits.company = 0);
    }

    /// Returns whether others share the search of any job.
    pub(crate) fn have_company(&self) -> bool {
        self.running
            .values()
            .filter_map(|running| running.member.as_ref())
            .any(|member| member.has_company())
    }

    /// Has the solver hear what others believe.
    pub(crate) fn hear(&self, hints: &[SharedHint]) {
        self.solver.hear(hints);
    }

    /// Returns what is new of the jobs of connection number `session`.
    pub(crate) fn news(&mut self, session: u64) -> Vec<Interim> {
        let ours = self.running.values_mut().filter(|running| running.session == session);
        ours.filter_map(|running| running.interim.next(&running.control)).collect()
    }
}

/// Searches with what was told. Where that turns out to be false, what is true can only be found without it, and without
/// those who help: they were told the same. `None` if that search gives up, too, as it does where it gets no memory.
fn solve_told(solver: &dyn Solver, request: &Request, control: &Control) -> Option<Answer> {
    let has_given_up = |answer: &Answer| !answer.finished && !control.is_stopped();
    let answer = solver.solve(request, control);
    if !has_given_up(&answer) {
        return Some(answer);
    }
    let position = request.position;
    tracing::warn!(
        ?position,
        "what was told of a position is false: it is searched again without that"
    );
    control.send_hands_home();
    let answer = solver.solve_apart(&Request { known: Vec::new(), ..request.clone() }, control);
    if has_given_up(&answer) {
        tracing::error!(
            ?position,
            "the search without what was told gave up, too: the job has failed"
        );
        return None;
    }
    Some(answer)
}

/// Solves a job. A panic of the solver becomes a report that says so.
pub(crate) fn solve(
    solver: &dyn Solver,
    job: Job,
    control: &Control,
    member: Option<&Arc<Member>>,
) -> Report {
    let start = Instant::now();
    let unproved = Report::unproved(&job);
    let back = job.symmetry.inverse();
    let request = Request {
        position: job.symmetry.position(job.position),
        window: job.window,
        node_limit: Some(job.node_limit),
        threads: usize::try_from(job.threads).unwrap_or(usize::MAX),
        known: job.known,
    };
    let search = || match member {
        Some(member) if job.helps => Some(Member::serve(member, solver, &request, control)),
        _ if job.is_apart => Some(solver.solve_apart(&request, control)),
        _ => solve_told(solver, &request, control),
    };
    let searched = catch_unwind(AssertUnwindSafe(search));
    let missing = control.missing_threads();
    if missing > 0 {
        tracing::warn!(
            job = job.id.0,
            threads = job.threads,
            missing,
            "the system gives no more threads"
        );
    }
    let report = match searched {
        Ok(Some(answer)) => unproved.with(answer.turned(back)),
        Ok(None) => Report { failed: true, ..unproved },
        Err(panic) => {
            let cause = words::of_panic(panic.as_ref());
            tracing::error!(job = job.id.0, ?request.position, cause, "the search panicked");
            Report { failed: true, ..unproved }
        }
    };
    // A helper's report has them already: it has done nothing else.
    let for_others = member.filter(|_| !job.helps).map_or(0, |member| member.nodes());
    let nodes = report.nodes.saturating_add(for_others);
    let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    Report { nodes, millis, ..report }
}
