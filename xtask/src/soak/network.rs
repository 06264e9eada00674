//! A network for the processes of one cluster: a namespace for each, a bridge in one more, and links
//! that can be cut, made lossy, and made slow.
//!
//! Nothing is added to the system's own network; the addresses, 198.18.0.0/24, are for tests
//! (RFC 2544) and have no way out. Cuts and losses are rules of nftables at the bridge: both ends keep
//! their link, packets vanish, as in a real partition. The link of worker 0 is a cable in user space
//! (`xtask/network/netwire.py`), since few kernels can delay packets otherwise.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, ensure};
use tempfile::TempDir;

use super::cluster::Fault;

/// The worker whose packets can be delayed.
const DELAYED: &str = "worker-0";
/// A fifth of the packets is lost on a lossy link.
const LOSSY: &str = "numgen random mod 1000 < 200 drop";
const SLOW: &str = r#"{"delay_ms": 80, "jitter_ms": 40, "loss": 0.02, "reorder": true}"#;

/// The namespaces of a cluster; dropping it removes them.
#[derive(Debug)]
pub(super) struct Network {
    prefix: String,
    places: Vec<String>,
    control: TempDir,
    cable: Option<Child>,
}

/// Returns why there can be no network here.
pub(super) fn unavailable() -> Option<String> {
    for tool in [&["ip", "-V"][..], &["nft", "--version"], &["python3", "--version"]] {
        if run(tool).is_err() {
            return Some(format!("{} cannot be run", tool[0]));
        }
    }
    let name = format!("of{}-try", std::process::id());
    let made = run(&["ip", "netns", "add", &name]);
    if made.is_ok()
        && let Err(error) = run(&["ip", "netns", "del", &name])
    {
        return Some(format!("{error:#}"));
    }
    let tun = fs::metadata("/dev/net/tun").err().map(|error| format!("/dev/net/tun: {error}"));
    made.err().map(|error| format!("{error:#}")).or(tun)
}

impl Network {
    /// Makes the namespaces of a coordinator, a client and so many workers.
    pub(super) fn up(workers: usize) -> anyhow::Result<Self> {
        let mut places = vec!["coordinator".to_owned(), "client".to_owned()];
        places.extend((0..workers).map(|number| format!("worker-{number}")));
        let prefix = format!("of{}", std::process::id());
        let mut network = Self { prefix, places, control: TempDir::new()?, cable: None };
        let switch = network.namespace("switch");
        run(&["ip", "netns", "add", &switch])?;
        let bridge = ["ip", "-n", &switch, "link", "add", "br0", "type", "bridge", "forward_delay"];
        run(&[&bridge[..], &["0"]].concat())?;
        run(&["ip", "-n", &switch, "link", "set", "br0", "up"])?;
        for (index, place) in network.places.clone().iter().enumerate() {
            network.connect(&switch, place, index)?;
        }
        let chains =
            (0..network.places.len()).flat_map(|index| {
                ["ingress", "egress"].map(|way| {
            format!("chain {way}{index} {{ type filter hook {way} device p{index} priority 0; }}\n")
        })
            });
        let chains: String = chains.collect();
        network.nft(&format!("table netdev faults {{\n{chains}}}\n"))?;
        Ok(network)
    }

    fn connect(&mut self, switch: &str, place: &str, index: usize) -> anyhow::Result<()> {
        let (own, port) = (self.namespace(place), format!("p{index}"));
        run(&["ip", "netns", "add", &own])?;
        run(&["ip", "-n", &own, "link", "set", "lo", "up"])?;
        if place == DELAYED {
            self.cable = Some(self.lay_cable(&own, switch, &port)?);
        } else {
            let link = ["ip", "link", "add", "eth0", "netns", &own, "type", "veth", "peer", "name"];
            run(&[&link[..], &[&port, "netns", switch]].concat())?;
        }
        run(&["ip", "-n", switch, "link", "set", &port, "master", "br0", "up"])?;
        let address = format!("198.18.0.{}/24", index + 1);
        run(&["ip", "-n", &own, "addr", "add", &address, "dev", "eth0"])?;
        run(&["ip", "-n", &own, "link", "set", "eth0", "up"])
    }

    /// Joins two namespaces by a cable in user space.
    fn lay_cable(&self, own: &str, switch: &str, port: &str) -> anyhow::Result<Child> {
        self.tell_cable("{}")?;
        let mut cable = Command::new("python3")
            .arg("xtask/network/netwire.py")
            .args(["--a", &format!("{own}:eth0"), "--b", &format!("{switch}:{port}")])
            .arg("--ctl")
            .arg(self.control.path().join("cable.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting the cable")?;
        let output = cable.stdout.take().context("standard output is a pipe")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        ensure!(line.trim() == "ready", "the cable said {line:?}");
        Ok(cable)
    }

    fn tell_cable(&self, settings: &str) -> anyhow::Result<()> {
        let (new, file) = ("cable.json.new", "cable.json");
        let folder = self.control.path();
        fs::write(folder.join(new), settings)?;
        fs::rename(folder.join(new), folder.join(file)).context("telling the cable")
    }

    /// Returns the name of the namespace of `place`.
    pub(super) fn namespace(&self, place: &str) -> String {
        format!("{}-{place}", self.prefix)
    }

    /// Disturbs the link of `place`; only one link can be slow, which takes the place of the one
    /// named.
    pub(super) fn disturb(&self, fault: Fault, place: &str) -> anyhow::Result<()> {
        let index = self.index(place)?;
        match fault {
            Fault::LinkSlow => self.tell_cable(SLOW),
            Fault::LinkCutOneWay => self.rule("ingress", index, "drop"),
            Fault::LinkLossy => self.both_ways(index, LOSSY),
            _ => self.both_ways(index, "drop"),
        }
    }

    /// Makes the link of `place` whole.
    pub(super) fn heal(&self, place: &str) -> anyhow::Result<()> {
        let index = self.index(place)?;
        self.tell_cable("{}")?;
        self.nft(&format!(
            "flush chain netdev faults ingress{index}\nflush chain netdev faults egress{index}\n"
        ))
    }

    fn index(&self, place: &str) -> anyhow::Result<usize> {
        self.places.iter().position(|name| name == place).context("a place of this network")
    }

    fn both_ways(&self, index: usize, rule: &str) -> anyhow::Result<()> {
        self.rule("ingress", index, rule)?;
        self.rule("egress", index, rule)
    }

    fn rule(&self, way: &str, index: usize, rule: &str) -> anyhow::Result<()> {
        self.nft(&format!("add rule netdev faults {way}{index} {rule}\n"))
    }

    /// Hands rules to the bridge's namespace.
    fn nft(&self, rules: &str) -> anyhow::Result<()> {
        let mut nft = Command::new("ip")
            .args(["netns", "exec", &self.namespace("switch"), "nft", "-f", "-"])
            .stdin(Stdio::piped())
            .spawn()
            .context("starting nft")?;
        let mut input = nft.stdin.take().context("standard input is a pipe")?;
        input.write_all(rules.as_bytes())?;
        drop(input);
        let status = nft.wait()?;
        ensure!(status.success(), "nft refuses:\n{rules}");
        Ok(())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if let Some(cable) = &mut self.cable {
            // It may have ended already.
            drop(cable.kill());
            drop(cable.wait());
        }
        for place in self.places.iter().map(String::as_str).chain(["switch"]) {
            // What was never made cannot be removed.
            drop(run(&["ip", "netns", "del", &self.namespace(place)]));
        }
    }
}

/// Runs a command to its end, which must be a success.
fn run(words: &[&str]) -> anyhow::Result<()> {
    let (program, arguments) = words.split_first().context("a command")?;
    let output = Command::new(program).args(arguments).output();
    let output = output.with_context(|| format!("starting {program}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {}", words.join(" "), said.trim());
    Ok(())
}
