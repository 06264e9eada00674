//! Where a coordinator may be: at one of some addresses, or wherever a file says.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::address::{InvalidAddress, endpoint};

/// What stands before the name of a file that has the address.
const IN_FILE: char = '@';

/// The addresses at which a coordinator may be, or the file that has them.
#[derive(Clone, Debug)]
pub(crate) struct Whereabouts {
    given: String,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Listed(Vec<String>),
    File(PathBuf),
}

impl Whereabouts {
    /// Returns the addresses that were given themselves: none where a file has them.
    pub(crate) fn listed(&self) -> &[String] {
        match &self.source {
            Source::Listed(addresses) => addresses,
            Source::File(_) => &[],
        }
    }

    /// Returns the addresses as they are now, one at least; a file is read again.
    ///
    /// # Errors
    /// Why there is none: nobody may have written it yet.
    pub(crate) async fn addresses(&self) -> Result<Vec<String>, String> {
        let path = match &self.source {
            Source::Listed(addresses) => return Ok(addresses.clone()),
            Source::File(path) => path,
        };
        // Off the runtime: the folder may be that of another machine, which does not answer.
        let text = tokio::fs::read_to_string(path).await;
        let text = text.map_err(|error| format!("reading {}: {error}", path.display()))?;
        if text.trim().is_empty() {
            return Err(format!("{} is empty, expected the coordinator's address", path.display()));
        }
        listed(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Reads addresses of the form HOST:PORT with commas between them, or @ and the name of a file that has such
/// a text.
impl FromStr for Whereabouts {
    type Err = InvalidAddress;

    fn from_str(given: &str) -> Result<Self, InvalidAddress> {
        let source = match given.strip_prefix(IN_FILE) {
            Some("") => return Err(InvalidAddress::Whereabouts { address: given.to_owned() }),
            Some(path) => Source::File(path.into()),
            None => Source::Listed(listed(given).map_err(|error| match error {
                InvalidAddress::Address { address } => InvalidAddress::Whereabouts { address },
                other => other,
            })?),
        };
        Ok(Self { given: given.to_owned(), source })
    }
}

/// As it was given.
impl fmt::Display for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.given)
    }
}

fn listed(text: &str) -> Result<Vec<String>, InvalidAddress> {
    // Some editors begin a file with a mark that nobody sees.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let addresses = text.split(',').map(str::trim);
    addresses.map(|address| endpoint(address).map(|_| address.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stand_between_commas() {
        for (text, expected) in
            [("\u{feff}a:1\r\n", &["a:1"][..]), ("a:1,[::1]:2 , b:3\n", &["a:1", "[::1]:2", "b:3"])]
        {
            assert_eq!(listed(text).expect("addresses"), expected);
        }
        for (text, bad) in [("", ""), ("a:1,", ""), ("a:1,b", "b"), ("a:1;b:2", "a:1;b:2")] {
            let error = text.parse::<Whereabouts>().expect_err("no addresses");
            let said = error.to_string();
            let expected = format!("--connect: {bad:?} is no address, expected HOST:PORT, several");
            assert!(said.starts_with(&expected) && said.ends_with(" or @FILE"), "{said}");
        }
        assert!("@".parse::<Whereabouts>().is_err());
        // A file names no other one.
        assert!(listed("@address").is_err());
    }

    #[tokio::test]
    async fn a_file_is_read_again_each_time_and_named_when_it_has_no_address() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("address");
        let whereabouts: Whereabouts = format!("@{}", path.display()).parse().expect("a file");
        let name = path.display().to_string();
        let failure = whereabouts.addresses().await.expect_err("there is no file");
        assert!(failure.starts_with(&format!("reading {name}: ")), "{failure}");
        for (text, expected) in [
            (" \n", format!("{name} is empty, expected the coordinator's address")),
            ("a:1,b", format!("{name}: \"b\" is no address, expected HOST:PORT")),
        ] {
            std::fs::write(&path, text).expect("the folder is there");
            assert_eq!(whereabouts.addresses().await, Err(expected));
        }
        for (text, expected) in [("a:1,b:2\n", &["a:1", "b:2"][..]), ("c:3", &["c:3"])] {
            std::fs::write(&path, text).expect("the folder is there");
            assert_eq!(whereabouts.addresses().await.expect("addresses"), expected);
        }
    }
}
