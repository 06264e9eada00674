//! The commands that messages tell the user to type next.

use std::path::Path;

use super::arguments::{Action, Run, Source, Where};
use crate::arguments::Access;
use crate::typed;

/// How further commands reach the campaigns of this one: what a message says works as it stands.
#[derive(Debug)]
pub(super) struct Next {
    options: String,
}

impl Next {
    /// Returns the way to the campaigns of `action`.
    pub(super) fn after(action: &Action) -> Self {
        let options = place(action.source()).into_iter();
        let typed = options.map(|(name, value)| match value {
            Some(value) => format!(" {name} {}", typed::quoted(&value)),
            None => format!(" {name}"),
        });
        Self { options: typed.collect() }
    }

    /// Returns a command for these campaigns, such as `resume NAME`.
    pub(super) fn command(&self, verb: &str) -> String {
        format!("{} campaign {verb}{}", typed::program(), self.options)
    }
}

/// Returns the options that name a place, with files of secrets in place of these.
fn place(source: Source<'_>) -> Vec<(&'static str, Option<String>)> {
    let path = |path: &Path| path.display().to_string();
    match source {
        Source::Named(Where { connect: Some(address), access, .. }) => {
            let Access { token_file, tls_ca, tls_name, tls_cert, tls_key, no_tls } = access;
            let options = [
                ("--connect", Some(address.clone())),
                ("--token-file", token_file.as_deref().map(path)),
                ("--tls-ca", tls_ca.as_deref().map(path)),
                ("--tls-name", tls_name.clone()),
                ("--tls-cert", tls_cert.as_deref().map(path)),
                ("--tls-key", tls_key.as_deref().map(path)),
            ];
            let valued = options.into_iter().filter_map(|(name, value)| Some((name, Some(value?))));
            valued.chain(no_tls.then_some(("--no-tls", None))).collect()
        }
        Source::Named(Where { store, .. }) | Source::Worked(Run { store, .. }) => {
            store.iter().map(|store| ("--store", Some(path(store)))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn after(line: &[&str]) -> String {
        let arguments = Arguments::try_parse_from([&["outflank", "campaign"], line].concat());
        let Command::Campaign(campaign) = arguments.unwrap().command else { panic!("{line:?}") };
        Next::after(&campaign.action).options
    }

    #[test]
    fn the_next_command_reaches_the_same_campaigns() {
        assert_eq!(after(&["list"]), "");
        assert_eq!(after(&["run", "a", "--threads", "1"]), "");
        assert_eq!(after(&["run", "a", "--store", "proofs"]), " --store proofs");
        assert_eq!(after(&["wait", "a", "--store", "my proofs"]), " --store 'my proofs'");
        let access = ["--token-file", "t", "--tls-ca", "c", "--tls-name", "n"];
        let line = [&["status", "a", "--json", "--connect", "host:1"], &access[..]].concat();
        assert_eq!(after(&line), format!(" --connect host:1 {}", access.join(" ")));
        let line = ["list", "--no-tls", "--token-file", "t", "--connect", "host:1"];
        assert_eq!(after(&line), " --connect host:1 --token-file t --no-tls");
    }
}
