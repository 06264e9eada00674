//! The addresses at which this process listens: taken at once, served when there is somebody to answer.

use std::io;
use std::net::SocketAddr;

use anyhow::Context;
use outflank_proto::endpoint;
use tokio::net::{TcpListener, TcpSocket, lookup_host};

use crate::exit::{Exit, Failure, OrExit};

/// The connections that may wait until they are accepted: as many as Linux permits unless it is told otherwise. A whole
/// fleet comes back at once.
const WAITING: u32 = 4096;

/// An address that this process has taken. Who connects is refused until it listens.
#[derive(Debug)]
pub(crate) struct Port {
    /// The address as it was asked for.
    asked: String,
    socket: TcpSocket,
}

/// Returns the addresses that `asked`, which is HOST:PORT, stands for.
pub(crate) async fn addresses(asked: &str) -> Result<Vec<SocketAddr>, Failure> {
    let endpoint = endpoint(asked).or_exit(Exit::BadInput)?;
    let (host, port) = (endpoint.uri().host(), endpoint.uri().port_u16());
    let (host, port) = (host.unwrap_or_default(), port.unwrap_or_default()); // It has both.
    // Zones are known to what looks names up, and brackets are not.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let found = lookup_host((host, port)).await.with_context(|| format!("finding {asked}"));
    Ok(found.or_exit(Exit::Connection)?.collect())
}

/// Returns whether only this machine can reach `address`, which may be one of IPv4 in the form of IPv6.
pub(crate) fn is_loopback(address: &SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

impl Port {
    /// Takes the address `asked`, which is HOST:PORT, if nobody listens there.
    pub(crate) async fn take(asked: &str) -> Result<Self, Failure> {
        Self::first_of(asked, &addresses(asked).await?)
    }

    /// Takes the first of the addresses for which `asked` stands at which nobody listens.
    pub(crate) fn first_of(asked: &str, addresses: &[SocketAddr]) -> Result<Self, Failure> {
        let mut failure = anyhow::anyhow!("the name has no address");
        for &address in addresses {
            match bound(address) {
                Ok(socket) => return Ok(Self { asked: asked.to_owned(), socket }),
                Err(error) => failure = error.into(),
            }
        }
        Err(failure.context(format!("listening on {asked}"))).or_exit(Exit::Connection)
    }

    /// Begins to listen.
    pub(crate) fn listen(self) -> Result<TcpListener, Failure> {
        let Self { asked, socket } = self;
        // Whoever comes after this process must not wait until the last of its connections is quite over.
        let set = socket.set_reuseaddr(true).with_context(|| format!("listening on {asked}"));
        set.or_exit(Exit::Connection)?;
        // Only where such connections kept this process from having the address alone may another one have it, too:
        // then the second fails here.
        let listener = socket.listen(WAITING).with_context(|| format!("listening on {asked}"));
        listener.or_exit(Exit::Connection)
    }
}

/// Returns a socket at this address that nobody else can have: two that permit it to be reused could both have it until
/// one of them listens.
fn bound(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = || match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    };
    let alone = socket()?;
    match alone.bind(address) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            // The connections of an earlier process on this port may not be quite over.
            let shared = socket()?;
            shared.set_reuseaddr(true)?;
            shared.bind(address).map(|()| shared)
        }
        bound => bound.map(|()| alone),
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn who_connects_before_it_listens_is_refused_and_nobody_else_can_listen_there_later() {
        let port = Port::take("127.0.0.1:0").await.unwrap();
        let address = port.socket.local_addr().unwrap();
        let refused = TcpStream::connect(address).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        let listener = port.listen().unwrap();
        assert_eq!(listener.local_addr().unwrap(), address);
        assert!(TcpStream::connect(address).await.is_ok());
        assert!(Port::take(&address.to_string()).await.is_err());
    }

    #[tokio::test]
    async fn what_stands_for_addresses_has_a_port_and_perhaps_brackets_and_a_zone() {
        for (asked, expected) in [
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("[::1]:80", "[::1]:80"),
            ("[fe80::1%lo]:80", "[fe80::1%1]:80"),
        ] {
            let found = addresses(asked).await.unwrap();
            assert_eq!(found, [expected.parse().unwrap()], "{asked}");
        }
    }

    #[test]
    fn loopback_addresses_have_three_forms() {
        for (address, expected) in [
            ("127.0.0.1:1", true),
            ("[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("[::ffff:10.0.0.1]:1", false),
            ("[::]:1", false),
        ] {
            assert_eq!(is_loopback(&address.parse().unwrap()), expected, "{address}");
        }
    }

    #[tokio::test]
    async fn what_is_taken_is_taken_before_anybody_listens_there() {
        let first = Port::take("127.0.0.1:0").await.unwrap();
        let address = first.socket.local_addr().unwrap().to_string();
        let second = Port::take(&address).await.unwrap_err();
        assert!(format!("{second:?}").contains("Address already in use"), "{second:?}");
        assert!(first.listen().is_ok());
    }

    #[tokio::test]
    async fn connections_that_are_not_quite_over_keep_nobody_from_their_port() {
        let listener = Port::take("127.0.0.1:0").await.unwrap().listen().unwrap();
        let address = listener.local_addr().unwrap();
        let (near, far) = (TcpStream::connect(address).await.unwrap(), listener.accept().await);
        // Who closes first keeps the port of its side for a while.
        drop(far.unwrap());
        drop((near, listener));
        for _ in 0..2 {
            let next = Port::take(&address.to_string()).await.unwrap().listen().unwrap();
            assert_eq!(next.local_addr().unwrap(), address);
        }
    }
}
