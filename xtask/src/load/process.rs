//! The coordinator as a process, and what the system says of it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, ensure};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::folder;

/// The command, and the checker beside it.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Returns the path of the command that [`provide`] has chosen.
pub(crate) fn program() -> PathBuf {
    PROGRAM.get().cloned().unwrap_or_else(|| "target/release/outflank".into())
}

/// Takes the command at `path`, with `outflank-check` beside it, or builds both.
pub(crate) fn provide(path: Option<&Path>) -> anyhow::Result<()> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let built = target.join("release/outflank");
    if path.is_none() {
        build()?;
    }
    let chosen = path.unwrap_or(&built).canonicalize().context("finding the command")?;
    PROGRAM.set(chosen).ok().context("the command is chosen once")
}

fn build() -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = ["build", "--release", "--locked", "--quiet"];
    let packages = ["--package", "outflank", "--package", "outflank-checker"];
    let status = Command::new(cargo).args(build).args(packages).status();
    let status = status.context("starting cargo")?;
    ensure!(status.success(), "building outflank: {status}");
    Ok(())
}

/// Lets this process and those it starts have as many files open as the system permits.
pub(crate) fn allow_many_files() -> anyhow::Result<()> {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, most, most).context("raising the limit of open files")
}

/// Returns the load averages of the last 1, 5 and 15 minutes.
pub(crate) fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// A coordinator with a store of its own.
#[derive(Debug)]
pub(crate) struct Coordinator {
    child: Child,
    work: PathBuf,
    job_nodes: u64,
    address: String,
}

impl Coordinator {
    /// Starts one on a fresh store in the folder `work`.
    pub(crate) fn start(work: &Path, job_nodes: u64) -> anyhow::Result<Self> {
        folder::make_anew(work)?;
        let (child, address) = launch(work, job_nodes, "127.0.0.1:0")?;
        Ok(Self { child, work: work.to_owned(), job_nodes, address })
    }

    /// Returns the address it listens on.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Kills it and starts it again on its store and address.
    pub(crate) fn restart(&mut self) -> anyhow::Result<()> {
        self.kill()?;
        (self.child, self.address) = launch(&self.work, self.job_nodes, &self.address)?;
        Ok(())
    }

    /// Returns its resident memory in KiB.
    pub(crate) fn memory(&self) -> anyhow::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.context("the process has no VmRSS")
    }

    /// Returns the processor time it has used.
    pub(crate) fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok());
        // The fields after the name begin with the state; 100 ticks are a second on Linux.
        let (user, system) = ticks(11).zip(ticks(12)).context("no processor times")?;
        Ok((user + system) / 100.0)
    }

    /// Kills it, as a power cut would: what it has acknowledged is on disk.
    pub(crate) fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Ends it and removes its store.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        self.kill()?;
        fs::remove_dir_all(&self.work).context("removing the work folder")
    }
}

/// A coordinator whose work failed is no orphan.
impl Drop for Coordinator {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn launch(work: &Path, job_nodes: u64, listen: &str) -> anyhow::Result<(Child, String)> {
    let mut command = Command::new(program());
    command
        .args(["--quiet", "coordinator", "--listen", listen, "--store"])
        .arg(work.join("store"))
        .args(["--job-nodes", &job_nodes.to_string()]);
    started(command)
}

/// Starts a coordinator and returns it with the address it listens on.
fn started(mut command: Command) -> anyhow::Result<(Child, String)> {
    let name = command.get_program().to_owned();
    let what = || format!("starting {}", Path::new(&name).display());
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(what)?;
    let address = address_of(&mut child);
    if address.is_err() {
        // It is no orphan either; it may have ended already.
        drop(child.kill());
        drop(child.wait());
    }
    Ok((child, address?))
}

/// Reads the address on which a coordinator says that it listens.
fn address_of(child: &mut Child) -> anyhow::Result<String> {
    let stdout = child.stdout.take().context("standard output is a pipe")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let address = line.trim().strip_prefix("listening on ");
    Ok(address.with_context(|| format!("the coordinator said {line:?}"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinator_that_says_something_else_is_ended() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo $$; exec sleep 60 2>&-"]);
        let error = started(shell).unwrap_err().to_string();
        let number = error.split(|character: char| !character.is_ascii_digit());
        let number: u32 = number.filter_map(|text| text.parse().ok()).next().expect("its number");
        assert!(!Path::new(&format!("/proc/{number}")).exists(), "{error}");
    }
}
