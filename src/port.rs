//! The addresses at which this process listens: taken at once, served when there is somebody to answer.

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
    endpoint(asked).or_exit(Exit::BadInput)?;
    let found = lookup_host(asked).await.with_context(|| format!("finding {asked}"));
    Ok(found.or_exit(Exit::Connection)?.collect())
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
        // Of two processes that have taken an address neither listens at, the second fails here.
        let listener = socket.listen(WAITING).with_context(|| format!("listening on {asked}"));
        listener.or_exit(Exit::Connection)
    }
}

fn bound(address: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // The connections of an earlier process on this port may not be quite over.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
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
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
        let listener = port.listen().unwrap();
        assert_eq!(listener.local_addr().unwrap(), address);
        assert!(TcpStream::connect(address).await.is_ok());
        assert!(Port::take(&address.to_string()).await.is_err());
    }
}
