//! The processes of a cluster, and what is done to them.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Soak;
use super::docket::TakenBack;
use super::judge::Judge;
use super::network::Network;
use crate::load::process;
use crate::random::Random;

/// What is done to a process, or to its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    CoordinatorKilled,
    WorkerKilled,
    ClientKilled,
    WorkerDrained,
    WorkerPaused,
    CoordinatorPaused,
    LinkCut,
    LinkCutOneWay,
    LinkLossy,
    LinkSlow,
    /// There is one more worker, which lies, or there was already.
    LiarCame,
    /// The coordinator was killed when it had found a liar out.
    KilledAtVerdict,
}

const ON_LOOPBACK: [Fault; 9] = [
    Fault::CoordinatorKilled,
    Fault::CoordinatorKilled,
    Fault::WorkerKilled,
    Fault::WorkerKilled,
    Fault::WorkerKilled,
    Fault::ClientKilled,
    Fault::WorkerDrained,
    Fault::WorkerPaused,
    Fault::CoordinatorPaused,
];

const IN_THE_NETWORK: [Fault; 6] = [
    Fault::LinkCut,
    Fault::LinkCutOneWay,
    Fault::LinkLossy,
    Fault::LinkSlow,
    Fault::WorkerKilled,
    Fault::CoordinatorKilled,
];

/// What is done on loopback where there are liars: as without them, and more often to the coordinator.
const WITH_LIARS: [Fault; 11] = [
    Fault::LiarCame,
    Fault::LiarCame,
    Fault::CoordinatorKilled,
    Fault::CoordinatorKilled,
    Fault::CoordinatorKilled,
    Fault::WorkerKilled,
    Fault::WorkerKilled,
    Fault::ClientKilled,
    Fault::WorkerDrained,
    Fault::WorkerPaused,
    Fault::CoordinatorPaused,
];

/// A process that is started again when it has ended.
#[derive(Debug)]
struct Process {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    log: PathBuf,
    namespace: Option<String>,
    child: Option<Child>,
}

impl Process {
    /// Starts it; what it says on standard output goes to `output`.
    fn start(&mut self, output: Stdio) -> anyhow::Result<&mut Child> {
        let mut command = match &self.namespace {
            None => Command::new(&self.program),
            Some(namespace) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", namespace]).arg(&self.program);
                command
            }
        };
        let log = OpenOptions::new().create(true).append(true).open(&self.log)?;
        command.args(&self.arguments).stdin(Stdio::null()).stdout(output).stderr(log);
        let child = command.spawn().with_context(|| format!("starting the {}", self.name))?;
        Ok(self.child.insert(child))
    }

    fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        let child = self.child.as_ref().context("it is running")?;
        kill(Pid::from_raw(child.id().cast_signed()), signal).context("sending a signal")
    }

    fn kill(&mut self) -> anyhow::Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
            child.wait()?;
        }
        Ok(())
    }

    /// Returns how it has ended by itself, if it has.
    fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        self.child.as_mut().map_or(Ok(None), Child::try_wait).context("asking for its end")
    }

    /// Tells it to stop and returns how it ended.
    fn stop(&mut self) -> anyhow::Result<ExitStatus> {
        self.signal(Signal::SIGTERM)?;
        let mut child = self.child.take().context("it is running")?;
        child.wait().context("waiting for its end")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already, unless something has failed.
        drop(self.kill());
    }
}

/// A coordinator, its workers and a client.
#[derive(Debug)]
pub(super) struct Cluster {
    coordinator: Process,
    address: String,
    workers: Vec<Process>,
    client: Process,
    answers: PathBuf,
    network: Option<Network>,
    /// One at a time, and the next one only when the last has been found out: two could uphold each other's lies.
    liar: Option<Process>,
    docket: PathBuf,
}

impl Cluster {
    /// Starts everything but a liar.
    pub(super) fn start(arguments: &Soak) -> anyhow::Result<Self> {
        let Soak { work, hash, .. } = arguments;
        let network = arguments.network.then(|| Network::up(arguments.workers)).transpose()?;
        let named = |name: String, arguments: Vec<String>, place: Option<String>| Process {
            log: work.join(format!("{name}.log")),
            namespace: place.and_then(|place| Some(network.as_ref()?.namespace(&place))),
            name,
            program: process::program(),
            arguments,
            child: None,
        };
        let listen = network.as_ref().map_or("127.0.0.1:0", |_| "198.18.0.1:6464").to_owned();
        let store = work.join("store").display().to_string();
        let share = if arguments.liars { "1" } else { "0.05" };
        let mut coordinator = named(
            "coordinator".to_owned(),
            words("coordinator --no-tls --audit-share"),
            Some("coordinator".to_owned()),
        );
        coordinator.arguments.push(share.to_owned());
        if !arguments.shared {
            let jobs = ["--job-nodes".to_owned(), arguments.job_nodes.to_string()];
            coordinator.arguments.extend(jobs);
        }
        coordinator.arguments.extend(["--store".to_owned(), store]);
        coordinator.arguments.push("--listen".to_owned());
        let address = launch(&mut coordinator, &listen)?;
        let worker = |number: usize| {
            let mut arguments = words("worker --threads 1 --hash");
            arguments.extend([hash.clone(), "--connect".to_owned(), address.clone()]);
            named(format!("worker-{number}"), arguments, Some(format!("worker-{number}")))
        };
        let mut workers: Vec<Process> = (0..arguments.workers).map(worker).collect();
        for worker in &mut workers {
            worker.start(Stdio::null())?;
        }
        let positions = work.join("positions.obf").display().to_string();
        let mut asked = words("solve --json --connect");
        asked.extend([address.clone(), positions]);
        let client = named("client".to_owned(), asked, Some("client".to_owned()));
        let liar = arguments.liars.then(|| {
            let asked = vec!["liar".to_owned(), "--connect".to_owned(), address.clone()];
            let mut liar = named("liar".to_owned(), asked, None);
            liar.program = std::env::current_exe()?;
            anyhow::Ok(liar)
        });
        let liar = liar.transpose().context("finding this program")?;
        let (answers, docket) = (work.join("answers.jsonl"), work.join("store/docket.jsonl"));
        let mut cluster =
            Self { coordinator, address, workers, client, answers, network, liar, docket };
        cluster.start_client()?;
        Ok(cluster)
    }

    fn start_client(&mut self) -> anyhow::Result<()> {
        let output = File::create(&self.answers)?;
        self.client.start(output.into()).map(drop)
    }

    /// Returns the address of the coordinator.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Returns whether the client has all its answers; one that has given up, or was told what a liar says while
    /// nobody else was there, is started again.
    pub(super) fn client_is_done(&mut self, judge: &mut Judge) -> anyhow::Result<bool> {
        let child = self.client.child.as_mut().context("the client runs")?;
        let Some(status) = child.try_wait()? else { return Ok(false) };
        self.client.child = None;
        match status.code() {
            Some(0) => return Ok(true),
            // The coordinator was away for longer than a client asks again.
            Some(4) => self.start_client()?,
            Some(5) if self.liar.is_some() => {
                judge.asked_again(&self.answers()?)?;
                self.start_client()?;
            }
            _ => bail!("the client ended with {status}; see {}", self.client.log.display()),
        }
        Ok(false)
    }

    /// Waits, but not beyond the end of the client.
    #[allow(clippy::disallowed_methods, reason = "this is no service: nothing else is to be done")]
    pub(super) fn wait(&mut self, time: Duration) -> anyhow::Result<()> {
        let until = Instant::now() + time;
        while Instant::now() < until {
            if let Some(child) = &mut self.client.child
                && child.try_wait()?.is_some()
            {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20).min(time));
        }
        Ok(())
    }

    /// Does something bad, and returns what.
    pub(super) fn strike(
        &mut self,
        random: &mut Random,
        judge: &mut Judge,
    ) -> anyhow::Result<Fault> {
        let kinds: &[Fault] = match (&self.network, &self.liar) {
            (Some(_), _) => &IN_THE_NETWORK,
            (None, Some(_)) => &WITH_LIARS,
            (None, None) => &ON_LOOPBACK,
        };
        let fault = kinds[random.below(kinds.len())];
        let worker = random.below(self.workers.len());
        let moment = Duration::from_secs_f64(0.1 + 3.0 * random.share());
        match fault {
            Fault::LiarCame => return self.lie(moment, judge),
            Fault::CoordinatorKilled => self.kill_coordinator(judge)?,
            Fault::WorkerKilled => {
                self.check_worker(worker)?;
                self.workers[worker].kill()?;
                self.workers[worker].start(Stdio::null())?;
            }
            Fault::ClientKilled => {
                self.client.kill()?;
                self.start_client()?;
            }
            Fault::WorkerDrained => {
                self.check_worker(worker)?;
                let status = self.workers[worker].stop()?;
                ensure!(has_left(status), "a worker that was told to stop ended with {status}");
                self.workers[worker].start(Stdio::null())?;
            }
            Fault::WorkerPaused => {
                self.workers[worker].signal(Signal::SIGSTOP)?;
                self.wait(moment)?;
                self.workers[worker].signal(Signal::SIGCONT)?;
            }
            Fault::CoordinatorPaused => {
                self.coordinator.signal(Signal::SIGSTOP)?;
                self.wait(moment)?;
                self.coordinator.signal(Signal::SIGCONT)?;
            }
            _ => self.disturb(fault, &format!("worker-{worker}"), moment)?,
        }
        Ok(fault)
    }

    fn kill_coordinator(&mut self, judge: &mut Judge) -> anyhow::Result<()> {
        self.coordinator.kill()?;
        judge.coordinator_died()?;
        let address = self.address.clone();
        launch(&mut self.coordinator, &address).map(drop)
    }

    /// Checks that a worker has not ended by itself: that of an honest one is no claim to be found wrong.
    fn check_worker(&mut self, number: usize) -> anyhow::Result<()> {
        let worker = &mut self.workers[number];
        match worker.ended()? {
            None => Ok(()),
            Some(status) => bail!("a worker ended with {status}; see {}", worker.log.display()),
        }
    }

    /// Lets the next liar come if the last has been found out, and kills the coordinator as soon as it has found
    /// somebody out, if it does within a moment.
    #[allow(clippy::disallowed_methods, reason = "this is no service: nothing else is to be done")]
    fn lie(&mut self, moment: Duration, judge: &mut Judge) -> anyhow::Result<Fault> {
        let before = TakenBack::read(&self.docket)?;
        let liar = self.liar.as_mut().context("there are liars")?;
        if let Some(status) = liar.ended()? {
            ensure!(status.success(), "a liar ended with {status}; see {}", liar.log.display());
            liar.child = None;
        }
        if liar.child.is_none() {
            liar.start(Stdio::null())?;
        }
        let until = Instant::now() + moment;
        while Instant::now() < until {
            if TakenBack::read(&self.docket)?.verdicts > before.verdicts {
                self.kill_coordinator(judge)?;
                return Ok(Fault::KilledAtVerdict);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Fault::LiarCame)
    }

    /// Ends a liar that has not been found out.
    pub(super) fn send_liar_away(&mut self) -> anyhow::Result<()> {
        self.liar.as_mut().map_or(Ok(()), Process::kill)
    }

    /// Has everything asked again, in peace, until no more is taken back meanwhile: proofs of what was answered may be
    /// among it.
    pub(super) fn prove_again(&mut self, judge: &mut Judge) -> anyhow::Result<()> {
        self.send_liar_away()?;
        loop {
            let before = TakenBack::read(&self.docket)?;
            self.start_client()?;
            while !self.client_is_done(judge)? {
                self.wait(Duration::from_secs(1))?;
            }
            if TakenBack::read(&self.docket)? == before {
                return Ok(());
            }
        }
    }

    fn disturb(&mut self, fault: Fault, place: &str, moment: Duration) -> anyhow::Result<()> {
        let network = self.network.as_ref().context("there is a network")?;
        network.disturb(fault, place)?;
        self.wait(moment)?;
        self.network.as_ref().context("there is a network")?.heal(place)
    }

    /// Returns what the client has printed.
    pub(super) fn answers(&self) -> anyhow::Result<String> {
        fs::read_to_string(&self.answers).context("reading the answers")
    }

    /// Stops everything as an operator would.
    pub(super) fn stop(mut self) -> anyhow::Result<()> {
        for worker in &mut self.workers {
            let status = worker.stop()?;
            ensure!(has_left(status), "a worker ended with {status}");
        }
        let status = self.coordinator.stop()?;
        ensure!(status.success(), "the coordinator ended with {status}");
        Ok(())
    }
}

/// Returns whether a worker that was told to stop ended as it may: with everything handed back, without a
/// coordinator to take it, or before it had begun to listen to signals.
fn has_left(status: ExitStatus) -> bool {
    matches!(status.code(), Some(0 | 4)) || status.signal() == Some(Signal::SIGTERM as i32)
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// Starts the coordinator and returns the address it listens on.
fn launch(coordinator: &mut Process, listen: &str) -> anyhow::Result<String> {
    coordinator.arguments.push(listen.to_owned());
    let started = coordinator.start(Stdio::piped()).and_then(|child| {
        let output = child.stdout.take().context("standard output is a pipe")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        Ok(line)
    });
    coordinator.arguments.pop();
    let line = started?;
    let address = line.trim().strip_prefix("listening on ");
    let log = coordinator.log.display();
    Ok(address.with_context(|| format!("the coordinator said {line:?}; see {log}"))?.to_owned())
}
