//! Addresses of coordinators.

use std::net::IpAddr;
use std::time::Duration;

use tonic::transport::{Endpoint, Uri};

/// The way to a coordinator cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAddress {
    /// The text cannot be the address of a coordinator.
    #[error("{address:?} is no address, expected HOST:PORT")]
    Address {
        /// What was given.
        address: String,
    },
    /// The text does not say where a coordinator is.
    #[error(
        "--connect: {address:?} is no address, expected HOST:PORT, several of these with commas between them, or @FILE"
    )]
    Whereabouts {
        /// What was given.
        address: String,
    },
    /// The token would be sent in clear to what may be another machine: it is shown to nobody there.
    #[error(
        "the token would reach {address} without encryption: expected --tls-ca, a loopback address, or --no-tls in a network that you trust"
    )]
    Unencrypted {
        /// Where it would be sent.
        address: String,
    },
    /// What was given as the name in the coordinator's certificate cannot be in one.
    #[error(
        "--tls-name: {name:?} is no name, expected a host or an IP address that the coordinator's certificate is for"
    )]
    Name {
        /// What was given.
        name: String,
    },
    /// The host of an address can be in no certificate.
    #[error(
        "no certificate can be for the host of {address:?}, expected another one, or --tls-name"
    )]
    Nameless {
        /// What was given.
        address: String,
    },
    /// The certificate that signs the coordinator's, or the one to show it and its key, cannot be used.
    #[error("the certificates or the key cannot be used: {cause}")]
    Certificates {
        /// Why.
        cause: String,
    },
}

impl InvalidAddress {
    /// Returns whether the address could be used if the token might be sent in clear.
    pub(crate) fn is_exposed(&self) -> bool {
        matches!(self, Self::Unencrypted { .. })
    }
}

/// Returns the endpoint at `address` without encryption and token; [`crate::Access`] has both.
///
/// # Errors
/// [`InvalidAddress`] if the address has another form than `HOST:PORT`.
pub fn endpoint(address: &str) -> Result<Endpoint, InvalidAddress> {
    with_scheme("http", address)
}

/// Returns the endpoint at `address`, with the keep-alive settings that find a dead peer within half
/// a minute.
pub(crate) fn with_scheme(scheme: &str, address: &str) -> Result<Endpoint, InvalidAddress> {
    let invalid = || InvalidAddress::Address { address: address.to_owned() };
    let uri: Uri = format!("{scheme}://{address}").parse().map_err(|_invalid| invalid())?;
    let no_host = uri.host().is_none_or(str::is_empty);
    if no_host || uri.port_u16().is_none() || address.contains(['/', '@', '?', '#']) {
        return Err(invalid());
    }
    Ok(Endpoint::from(uri)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(true))
}

/// Returns the host of an endpoint as names are looked up and certificates have them: without brackets and zone.
pub(crate) fn host(endpoint: &Endpoint) -> &str {
    let host = endpoint.uri().host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.split_once('%').map_or(host, |(host, _zone)| host)
}

/// Returns whether only this machine can be at this address, which may be one of IPv4 in the form of IPv6.
pub(crate) fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        for good in ["localhost:7654", "127.0.0.1:1", "[::1]:7654", "node-7.cluster:65535"] {
            let uri = endpoint(good).expect("an address").uri().to_string();
            assert_eq!(uri, format!("http://{good}/"));
        }
        for bad in [
            "",
            "localhost",
            ":7654",
            "a:b",
            "a:70000",
            "http://a:1",
            "a:1/",
            "u@a:1",
            "a b:1",
            "a:1?b",
            "a:1#b",
        ] {
            let error = endpoint(bad).expect_err("no address");
            assert_eq!(error.to_string(), format!("{bad:?} is no address, expected HOST:PORT"));
        }
    }
}
