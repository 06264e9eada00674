//! Processes of the command, their output as lines, and deadlines.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than anything here takes on a slow and busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(180);

/// Returns the command with the arguments, whose home folder is `home`.
pub(crate) fn outflank(home: &Path, arguments: &[&str]) -> Command {
    outflank_at(Path::new(env!("CARGO_BIN_EXE_outflank")), home, arguments)
}

/// Returns the command as [`outflank`] does, as another program.
pub(crate) fn outflank_at(program: &Path, home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(home).env("HOME", home);
    command.env("XDG_DATA_HOME", home.join("data")).env_remove("RUST_LOG");
    command
}

/// Runs the command to its end.
pub(crate) fn run(home: &Path, arguments: &[&str]) -> Finished {
    run_with_input(home, arguments, "")
}

/// Runs the command to its end with `input` on standard input.
pub(crate) fn run_with_input(home: &Path, arguments: &[&str], input: &str) -> Finished {
    let mut process = Process::start(outflank(home, arguments));
    let mut stdin = process.child.stdin.take().expect("standard input is a pipe");
    // A command that fails before it reads closes the pipe.
    drop(stdin.write_all(input.as_bytes()));
    drop(stdin);
    process.finish()
}

/// What a process has left behind.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// The lines of standard output that had not been read.
    pub(crate) stdout: Vec<String>,
    /// The lines of standard error that had not been read.
    pub(crate) stderr: Vec<String>,
}

impl Finished {
    /// Returns the JSON objects of the output, after checking that the command succeeded.
    pub(crate) fn objects(&self) -> Vec<Value> {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.stdout.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Checks that the command failed with `code` and one line that contains `message`.
    pub(crate) fn assert_fails(&self, code: i32, message: &str) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stderr.len(), 1, "one line: {self:?}");
        assert!(self.stderr[0].starts_with("error: "), "{self:?}");
        assert!(self.stderr[0].contains(message), "{message:?} is missing: {self:?}");
    }
}

/// A running process; it is killed when the test ends.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

impl Process {
    /// Starts a command with pipes for input and output.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let stdout = lines(child.stdout.take().expect("standard output is a pipe"));
        let stderr = lines(child.stderr.take().expect("standard error is a pipe"));
        Self { child, stdout, stderr }
    }

    /// Waits for the next line of standard output.
    pub(crate) fn line(&self) -> String {
        match self.stdout.recv_timeout(DEADLINE) {
            Ok(line) => line,
            Err(error) => {
                panic!("{error}; standard error: {:?}", self.stderr.try_iter().collect::<Vec<_>>())
            }
        }
    }

    /// Waits for the next line of standard output and reads it as JSON.
    pub(crate) fn object(&self) -> Value {
        serde_json::from_str(&self.line()).expect("JSON")
    }

    /// Waits for a line of standard error that contains `text`.
    pub(crate) fn wait_for(&self, text: &str) {
        let _line = self.line_with(text);
    }

    /// Waits for a line of standard error that contains `text`, and returns it.
    pub(crate) fn line_with(&self, text: &str) -> String {
        // Of all lines together: a process that waits for what never comes may say so once a minute.
        let (mut seen, deadline) = (Vec::new(), Instant::now() + DEADLINE);
        while !seen.last().is_some_and(|line: &String| line.contains(text)) {
            match self.stderr.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => seen.push(line),
                Err(error) => panic!("{error} before {text:?}; standard error: {seen:?}"),
            }
        }
        seen.pop().expect("the last one contains it")
    }

    /// Writes to standard input, which stays open.
    pub(crate) fn write(&mut self, input: &[u8]) {
        let stdin = self.child.stdin.as_mut().expect("standard input is a pipe");
        stdin.write_all(input).expect("somebody reads it");
    }

    /// Sends the signal called `name`, such as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status().expect("kill exists");
        assert!(status.success(), "the process is alive");
    }

    /// Sends the signal called `name` twice within microseconds.
    pub(crate) fn signal_twice(&self, name: &str) {
        let shell = format!("kill -s {name} $0 && kill -s {name} $0");
        let id = self.child.id().to_string();
        let status = Command::new("sh").args(["-c", &shell, &id]).status().expect("a shell exists");
        assert!(status.success(), "the process is alive");
    }

    /// Kills the process at once, as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("the process is ours");
        self.child.wait().expect("the process is ours");
    }

    /// Waits until the process ends by itself.
    pub(crate) fn finish(mut self) -> Finished {
        let until = Instant::now() + DEADLINE;
        let (stdout, stderr) = (rest(&self.stdout, until), rest(&self.stderr, until));
        let (stdout, stderr) = match (stdout, stderr) {
            (Ok(stdout), Ok(stderr)) => (stdout, stderr),
            unfinished => panic!("the process did not end; output and errors: {unfinished:?}"),
        };
        let code = self.child.wait().expect("the process is ours").code();
        Finished { code, stdout, stderr }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already, unless a test failed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Reads lines in a thread of its own, so that a full pipe never stops the process.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            // The receiver is gone when the test does not care any more.
            drop(sender.send(line));
        }
    });
    receiver
}

/// Returns the lines that are left; those until the deadline as an error if there may be more.
fn rest(lines: &Receiver<String>, until: Instant) -> Result<Vec<String>, Vec<String>> {
    let mut read = Vec::new();
    loop {
        match lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => read.push(line),
            Err(RecvTimeoutError::Disconnected) => return Ok(read),
            Err(RecvTimeoutError::Timeout) => return Err(read),
        }
    }
}
