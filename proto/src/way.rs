//! The way to a coordinator that may be at several addresses, or move from one to another.

use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use crate::access::{Access, Connection};
use crate::address::InvalidAddress;
use crate::line::{BoxError, Elsewhere, Line, Reach};
use crate::transport::Transport;
use crate::whereabouts::Whereabouts;
use crate::words;

/// The addresses of a coordinator, what it is shown there, and which of them comes next.
#[derive(Debug)]
pub struct Way {
    whereabouts: Whereabouts,
    access: Access,
    turn: Mutex<Turn>,
}

/// Where the next search for the coordinator begins.
#[derive(Debug, Default)]
struct Turn {
    /// The address to which the last connection was made.
    last: Option<String>,
    /// Whether nobody has answered over that connection.
    is_mute: bool,
}

/// A connection that was made.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The connection.
    pub connection: Connection,
    /// The address to which it leads.
    pub address: String,
}

/// No connection could be made.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{cause}")]
pub struct Unreached {
    /// Why, for each address.
    pub cause: String,
    /// Whether nothing listens at any of them, or no address is known: a coordinator may be about to start.
    pub is_nobody_there: bool,
    /// The reason if a token would be sent in clear to one of the addresses: trying again does not help.
    pub refusal: Option<InvalidAddress>,
}

impl Way {
    /// Returns the way to the coordinator at `whereabouts`: addresses of the form `HOST:PORT` (an IPv6 host
    /// stands in brackets) with commas between them, or `@` and the name of a file that has such a text. The file
    /// is read before each connection, and need not be there yet.
    ///
    /// # Errors
    /// [`InvalidAddress`] if it has another form, or `access` has certificates that are none, or a token that an address
    /// would be sent in clear.
    pub fn new(whereabouts: &str, access: Access) -> Result<Self, InvalidAddress> {
        // The certificates are the same wherever it is.
        access.endpoint("localhost:1")?;
        let whereabouts: Whereabouts = whereabouts.parse()?;
        for address in whereabouts.listed() {
            access.endpoint(address)?;
        }
        Ok(Self { whereabouts, access, turn: Mutex::default() })
    }

    /// Returns what was given to find the coordinator.
    #[must_use]
    pub fn whereabouts(&self) -> String {
        self.whereabouts.to_string()
    }

    /// Returns the address to which the last connection was made.
    #[must_use]
    pub fn last_address(&self) -> Option<String> {
        self.turn().last.clone()
    }

    /// Returns the last address at which the coordinator was, if it has answered there.
    pub(crate) fn answered_at(&self) -> Option<String> {
        let turn = self.turn();
        turn.last.clone().filter(|_| !turn.is_mute)
    }

    /// Returns how many addresses there are now, at least 1.
    pub async fn count(&self) -> usize {
        self.whereabouts.addresses().await.map_or(1, |addresses| addresses.len())
    }

    /// Returns what a connection that broke with `cause` may lack, as [`Access::hint`] does.
    #[must_use]
    pub fn hint(&self, cause: &str) -> &'static str {
        self.access.hint(cause)
    }

    /// Connects to the first address at which that is possible. They are tried in turn, from that of the last
    /// connection on, or from the one behind it if nobody has answered there.
    ///
    /// # Errors
    /// [`Unreached`] says what happened at each of them.
    pub async fn connect(&self) -> Result<Reached, Unreached> {
        let (line, address) = self.reach().await?;
        Ok(Reached { connection: self.access.over(line), address })
    }

    /// Lets the next search begin behind the address of the last connection: nobody has answered there.
    pub fn pass_over(&self) {
        self.turn().is_mute = true;
    }

    /// Returns a connection that looks for the coordinator again whenever it is lost. It begins with the first
    /// call.
    #[must_use]
    pub fn follow(self: &Arc<Self>) -> Connection {
        self.access.over(Transport::along(Arc::clone(self)))
    }

    /// Connects as [`Way::connect`] does.
    pub(crate) async fn reach(&self) -> Result<(Line, String), Unreached> {
        let addresses = self.whereabouts.addresses().await;
        let unknown = |cause| Unreached { cause, is_nobody_there: true, refusal: None };
        let addresses = addresses.map_err(unknown)?;
        let (mut causes, mut is_nobody_there, mut refusal) = (Vec::new(), true, None);
        for address in self.in_turn(addresses) {
            match self.connect_to(&address).await {
                Ok(line) => {
                    *self.turn() = Turn { last: Some(address.clone()), is_mute: false };
                    return Ok((line, address));
                }
                Err(error) => {
                    is_nobody_there &= is_refused(&*error);
                    let exposed =
                        cause::<InvalidAddress>(&*error).filter(|error| error.is_exposed());
                    refusal = refusal.or_else(|| exposed.cloned());
                    let cause = words::with_dates(&words::of_error(&*error));
                    let hint = self.access.hint(&cause);
                    causes.push(format!("{address}: {cause}{hint}"));
                }
            }
        }
        Err(Unreached { cause: causes.join("; "), is_nobody_there, refusal })
    }

    async fn connect_to(&self, address: &str) -> Result<Line, BoxError> {
        let endpoint = self.access.endpoint(address)?;
        if !self.access.must_stay_here() {
            return Line::connect(&endpoint, Reach::Anywhere).await;
        }
        let connected = Line::connect(&endpoint, Reach::Loopback).await;
        connected.map_err(|error| match cause::<Elsewhere>(&*error) {
            Some(_) => InvalidAddress::Unencrypted { address: address.to_owned() }.into(),
            None => error,
        })
    }

    fn in_turn(&self, mut addresses: Vec<String>) -> Vec<String> {
        let turn = self.turn();
        let place = |last| addresses.iter().position(|address| address == last);
        if let Some(place) = turn.last.as_ref().and_then(place) {
            addresses.rotate_left(place + usize::from(turn.is_mute));
        }
        addresses
    }

    fn turn(&self) -> std::sync::MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether the system says that nothing listens.
fn is_refused(error: &(dyn Error + 'static)) -> bool {
    let is_refusal = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    cause::<io::Error>(error).is_some_and(is_refusal)
}

/// Returns the error of type `E` among `error` and its causes, if there is one.
pub(crate) fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    error.downcast_ref().or_else(|| error.source().and_then(cause))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn order(way: &Way) -> String {
        let addresses = ["a:1", "b:2", "c:3"].map(str::to_owned).to_vec();
        way.in_turn(addresses).concat()
    }

    #[test]
    fn the_search_goes_on_where_the_coordinator_answered_last() {
        let way = Way::new("a:1,b:2,c:3", Access::default()).expect("addresses");
        assert_eq!(order(&way), "a:1b:2c:3");
        way.turn().last = Some("b:2".to_owned());
        assert_eq!(order(&way), "b:2c:3a:1");
        way.pass_over();
        assert_eq!(order(&way), "c:3a:1b:2");
        way.turn().last = Some("c:3".to_owned());
        assert_eq!(order(&way), "a:1b:2c:3");
        // The file may not have it any more.
        way.turn().last = Some("d:4".to_owned());
        assert_eq!(order(&way), "a:1b:2c:3");
        assert_eq!(way.whereabouts(), "a:1,b:2,c:3");
    }

    /// Returns an address at which nothing listens.
    fn deserted() -> String {
        listener().1
    }

    /// Returns somebody who listens and says nothing, and its address.
    fn listener() -> (TcpListener, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it listens").to_string();
        (listener, address)
    }

    #[tokio::test]
    async fn the_first_address_where_somebody_listens_is_remembered() {
        let ((_listener, there), nobody) = (listener(), deserted());
        let way = Way::new(&format!("{nobody},{there}"), Access::default()).expect("addresses");
        assert_eq!((way.count().await, way.last_address()), (2, None));
        way.pass_over(); // That nobody has answered an earlier connection says nothing of this one.
        assert_eq!(way.connect().await.expect("one of them listens").address, there);
        assert_eq!((way.last_address(), way.answered_at()), (Some(there.clone()), Some(there)));
        way.pass_over();
        assert_eq!(way.answered_at(), None);
        let file = Way::new("@no such folder/address", Access::default()).expect("a file");
        assert_eq!(file.count().await, 1);
    }

    /// Returns what shows a token and has nothing to encrypt with.
    fn showing() -> Access {
        Access::default().with_token(&crate::Token::new("0123456789abcdef").expect("a token"))
    }

    /// A worker sent its token in clear, again at every try, to a coordinator that encrypts, if it lacked --tls-ca.
    #[tokio::test]
    async fn a_token_is_not_sent_in_clear_to_other_machines() {
        for bad in ["10.0.0.1:1", "0.0.0.0:1", "[fe80::1%lo]:1", "[::1]:1,[::ffff:10.0.0.1]:2"] {
            let error = Way::new(bad, showing()).expect_err("it is another machine's");
            assert!(matches!(error, InvalidAddress::Unencrypted { .. }), "{error}");
            assert!(Way::new(bad, showing().without_tls()).is_ok());
            assert!(Way::new(bad, Access::default()).is_ok(), "there is no token");
        }
        // What a name stands for, or a file says, is known when it is connected to; these names need no server.
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("address");
        std::fs::write(&path, "10.0.0.2:1\n").expect("the folder is there");
        for (bad, address) in
            [("10.1:1", "10.1:1"), (&*format!("@{}", path.display()), "10.0.0.2:1")]
        {
            let way = Way::new(bad, showing()).expect("it may be this machine");
            let unreached = way.connect().await.expect_err("it is another one");
            let address = address.to_owned();
            assert_eq!(unreached.refusal, Some(InvalidAddress::Unencrypted { address }));
        }
        let (_listener, there) = listener();
        let port = there.rsplit(':').next().expect("it has a port");
        for good in [format!("127.1:{port}"), format!("localhost:{port}"), there.clone()] {
            let way = Way::new(&good, showing()).expect("an address");
            way.connect().await.expect("it is this machine");
        }
    }

    #[tokio::test]
    async fn where_nobody_listens_is_told_from_what_cannot_be_reached() {
        let (first, second) = (deserted(), deserted());
        let unreached = |addresses: String| async move {
            let way = Way::new(&addresses, Access::default()).expect("addresses");
            way.connect().await.expect_err("nobody is there")
        };
        let nobody = unreached(format!("{first},{second}")).await;
        assert!(nobody.is_nobody_there, "{nobody}");
        let (one, other) = nobody.cause.split_once("; ").expect("a cause for each");
        assert!(one.starts_with(&first) && other.starts_with(&second), "{nobody}");
        // No connection leads to all machines of a network at once.
        let unreachable = unreached(format!("255.255.255.255:1,{first}")).await;
        assert!(!unreachable.is_nobody_there, "{unreachable}");
    }
}
