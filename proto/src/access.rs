//! How a caller shows a coordinator that it belongs to the cluster, and how it knows the coordinator:
//! a token with every call, and the certificate of whoever has signed the coordinator's.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;

use rustls::pki_types::ServerName;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};
use tonic::{Request, Status};

use crate::address::{InvalidAddress, host, is_loopback, with_scheme};
use crate::identity::Identity;
use crate::pem::{check_identity, check_trusted};
use crate::transport::Transport;

/// How a connection breaks that one side encrypts and the other does not, or whose caller the other side
/// does not want: which of these comes first is a matter of chance.
const MISUNDERSTOOD: [&str; 7] = [
    "frame with invalid size",
    "corrupt message",
    "connection closed",
    "connection was not ready",
    "broken pipe",
    "reset by peer",
    "handshake eof",
];

/// What a coordinator says that wants a certificate and was shown none.
const NO_CERTIFICATE: &str = "CertificateRequired";

/// What a coordinator says that was shown a certificate of another authority, or one that is no good.
const BAD_CERTIFICATE: [&str; 6] = [
    "UnknownCA",
    "DecryptError",
    "BadCertificate",
    "UnsupportedCertificate",
    "CertificateExpired",
    "CertificateUnknown",
];

/// What is found of a coordinator's certificate that is not signed by one of those to trust: one of them may have the
/// name of the one that did.
const UNTRUSTED: [&str; 2] = ["UnknownIssuer", "BadSignature"];

/// What is found of a coordinator's certificate that is not good at this time, as this machine has it.
const UNTIMELY: [&str; 2] = ["certificate expired", "certificate not valid yet"];

/// What is found of a coordinator's certificate that is for others.
const OTHER_NAME: &str = "certificate not valid for name";

/// A connection to a coordinator that shows the token with every call, if there is one.
pub type Connection = InterceptedService<Transport, Pass>;

/// The fewest characters of a token.
const SHORTEST_TOKEN: usize = 16;
/// The most: each call carries it in its head, which may have 16 KiB in all.
const LONGEST_TOKEN: usize = 4096;

/// The text cannot be a token. It is not repeated: it may be a secret that was meant for something
/// else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a text of {length} bytes is no token, expected {SHORTEST_TOKEN} to {LONGEST_TOKEN} visible ASCII \
     characters without blanks"
)]
pub struct InvalidToken {
    /// The length of the text.
    pub length: usize,
}

/// A secret that a coordinator shares with its workers and clients. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Returns the token `text`; white space around it is left out.
    ///
    /// # Errors
    /// [`InvalidToken`] if it is short, too long for the head of a call, or has other than visible ASCII characters.
    pub fn new(text: &str) -> Result<Self, InvalidToken> {
        let text = text.trim();
        let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !(SHORTEST_TOKEN..=LONGEST_TOKEN).contains(&text.len()) || !is_visible {
            return Err(InvalidToken { length: text.len() });
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns its characters.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Adds the token to calls.
#[derive(Clone, Debug, Default)]
pub struct Pass(Option<MetadataValue<Ascii>>);

impl Interceptor for Pass {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        Ok(request)
    }
}

/// What a caller shows and expects.
#[derive(Clone, Debug, Default)]
pub struct Access {
    pass: Pass,
    tls: Option<ClientTlsConfig>,
    /// Whether the token may be sent in clear to other machines.
    may_be_read: bool,
    /// Whether the name in the coordinator's certificate was given, or is the host of its address.
    has_name: bool,
    /// Whether there is a certificate to show.
    is_identified: bool,
}

impl Access {
    /// Shows `token` with every call.
    #[must_use]
    pub fn with_token(mut self, token: &Token) -> Self {
        let value = format!("Bearer {}", token.0).parse::<MetadataValue<Ascii>>();
        let mut value = value.expect("a token has visible ASCII characters only");
        value.set_sensitive(true);
        self.pass = Pass(Some(value));
        self
    }

    /// Encrypts, and talks only to a coordinator whose certificate is signed by one of those in `ca`
    /// (PEM), for `name` or, without one, for the host of the address. A coordinator that wants a
    /// certificate is shown `identity`.
    ///
    /// # Errors
    /// [`InvalidAddress::Certificates`] if there is none in `ca`, or one of those or `identity` cannot be used.
    /// [`InvalidAddress::Name`] if no certificate can be for `name`.
    pub fn with_tls(
        mut self,
        ca: &[u8],
        name: Option<&str>,
        identity: Option<&Identity>,
    ) -> Result<Self, InvalidAddress> {
        let own = |identity: &Identity| check_identity(identity).map(drop);
        let checked = check_trusted(ca).and_then(|()| identity.map_or(Ok(()), own));
        checked.map_err(|error| InvalidAddress::Certificates { cause: error.to_string() })?;
        let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca));
        if let Some(identity) = identity {
            tls = tls.identity(identity.into());
        }
        self.is_identified = identity.is_some();
        self.has_name = name.is_some();
        self.tls = Some(match name {
            Some(name) if ServerName::try_from(name).is_err() => {
                return Err(InvalidAddress::Name { name: name.to_owned() });
            }
            Some(name) => tls.domain_name(name),
            None => tls,
        });
        Ok(self)
    }

    /// Shows the token to other machines without encryption, too: in a network that is trusted.
    #[must_use]
    pub fn without_tls(mut self) -> Self {
        self.may_be_read = true;
        self
    }

    /// Returns whether there is a token that nobody but this machine may be shown.
    pub(crate) fn must_stay_here(&self) -> bool {
        self.pass.0.is_some() && self.tls.is_none() && !self.may_be_read
    }

    /// Returns what a connection that broke with `cause` may lack: words to put behind it, or none.
    #[must_use]
    pub fn hint(&self, cause: &str) -> &'static str {
        let is_one_of = |texts: &[&str]| texts.iter().any(|&text| cause.contains(text));
        match &self.tls {
            None if is_one_of(&MISUNDERSTOOD) => " (perhaps it expects encryption: --tls-ca)",
            None => "",
            Some(_) if cause.contains(NO_CERTIFICATE) => {
                " (it wants to be shown a certificate: --tls-cert)"
            }
            Some(_) if is_one_of(&UNTRUSTED) => {
                " (its certificate is not signed by one in --tls-ca)"
            }
            Some(_) if is_one_of(&UNTIMELY) => {
                " (renew its certificate, or this machine's clock is wrong)"
            }
            Some(_) if cause.contains(OTHER_NAME) => {
                " (one of the names in its certificate can be given as --tls-name NAME)"
            }
            Some(_) if cause.contains("CertificateExpired") => {
                " (it does not accept the certificate of --tls-cert: renew that, or a clock is wrong)"
            }
            Some(_) if is_one_of(&BAD_CERTIFICATE) => {
                " (it does not accept the certificate of --tls-cert)"
            }
            Some(_) if !is_one_of(&MISUNDERSTOOD) => "",
            Some(_) if self.is_identified => {
                " (perhaps it does not encrypt, or does not accept the certificate of --tls-cert)"
            }
            Some(_) => {
                " (perhaps it does not encrypt, or wants to be shown a certificate: --tls-cert)"
            }
        }
    }

    /// Returns the endpoint at `address`, which has the form `HOST:PORT` (an IPv6 host stands in
    /// brackets), with the keep-alive settings that find a dead peer within half a minute.
    ///
    /// # Errors
    /// [`InvalidAddress`] if the address has another form, or is one where the token would be sent in clear, or the
    /// certificates are none. What a name stands for is only known when it is connected to.
    pub fn endpoint(&self, address: &str) -> Result<Endpoint, InvalidAddress> {
        let Some(tls) = &self.tls else {
            let endpoint = with_scheme("http", address)?;
            let is_elsewhere = |address: IpAddr| !is_loopback(address);
            if self.must_stay_here() && host(&endpoint).parse().is_ok_and(is_elsewhere) {
                return Err(InvalidAddress::Unencrypted { address: address.to_owned() });
            }
            return Ok(endpoint);
        };
        let endpoint = with_scheme("https", address)?;
        let mut tls = tls.clone();
        if !self.has_name {
            // A zone is this machine's own name of a network, and in no certificate.
            let name = host(&endpoint);
            if ServerName::try_from(name).is_err() {
                return Err(InvalidAddress::Nameless { address: address.to_owned() });
            }
            tls = tls.domain_name(name);
        }
        endpoint.tls_config(tls).map_err(|error| {
            let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            InvalidAddress::Certificates { cause }
        })
    }

    /// Returns the connection over `transport`, such as a channel.
    #[must_use]
    pub fn over(&self, transport: impl Into<Transport>) -> Connection {
        InterceptedService::new(transport.into(), self.pass.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustls::CertificateError;
    use rustls::pki_types::UnixTime;

    use super::*;
    use crate::words;

    #[test]
    fn a_token_is_long_visible_and_never_printed() {
        let token = Token::new(" 0123456789abcdef\n").expect("a token");
        assert_eq!(token.as_bytes(), b"0123456789abcdef");
        assert_eq!(format!("{token:?}"), "Token(…)");
        let access = Access::default().with_token(&token);
        assert!(!format!("{access:?}").contains("0123"), "{access:?}");
        for bad in ["", "0123456789abcde", "0123456789 abcdef", "0123456789abcdeé"] {
            assert!(Token::new(bad).is_err(), "{bad:?}");
        }
        let [longest, longer] = [4096, 4097].map(|length| Token::new(&"x".repeat(length)));
        assert!(longest.is_ok() && longer.is_err());
    }

    #[test]
    fn the_token_is_shown_with_every_call() {
        let token = Token::new("0123456789abcdef").expect("a token");
        let mut pass = Access::default().with_token(&token).pass;
        let request = pass.call(Request::new(())).expect("it only adds");
        let shown = request.metadata().get("authorization").expect("it is there");
        assert_eq!(shown.as_bytes(), b"Bearer 0123456789abcdef");
        let request = Pass::default().call(Request::new(())).expect("it only adds");
        assert!(request.metadata().is_empty());
    }

    const AUTHORITY: &[u8] = include_bytes!("../../tests/data/tls/authority.pem");

    fn encrypted(identity: Option<&Identity>) -> Access {
        Access::default().with_tls(AUTHORITY, None, identity).expect("it can be read")
    }

    #[test]
    fn a_connection_that_breaks_leads_to_the_option_that_may_be_missing() {
        let certificates = include_bytes!("../../tests/data/tls/caller.pem").to_vec();
        let key = include_bytes!("../../tests/data/tls/caller-key.pem").to_vec();
        let identity = Identity { certificates, key };
        let (plain, nameless) = (Access::default(), encrypted(None));
        let named = encrypted(Some(&identity));
        for cause in MISUNDERSTOOD {
            assert!(plain.hint(cause).contains("encryption: --tls-ca"), "{cause}");
            assert!(nameless.hint(cause).contains("does not encrypt, or wants"), "{cause}");
            assert!(named.hint(cause).contains("does not encrypt, or does not accept"), "{cause}");
        }
        for access in [&nameless, &named] {
            assert!(access.hint("fatal alert: CertificateRequired").contains("to be shown"));
            for cause in UNTRUSTED {
                assert!(access.hint(cause).contains("not signed by one in --tls-ca"), "{cause}");
            }
            for cause in BAD_CERTIFICATE {
                assert!(access.hint(cause).starts_with(" (it does not accept"), "{cause}");
            }
        }
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        for (error, expected) in [
            (
                CertificateError::ExpiredContext { time: at(1_000_000_000), not_after: at(86_399) },
                "verification time 2001-09-09 01:46:40 UTC, but certificate is not valid after \
                 1970-01-01 23:59:59 UTC (999913601 seconds ago)",
            ),
            (
                CertificateError::NotValidYetContext { time: at(0), not_before: at(951_782_400) },
                "verification time 1970-01-01 00:00:00 UTC, but certificate is not valid before \
                 2000-02-29 00:00:00 UTC (951782400 seconds in future)",
            ),
        ] {
            let cause = words::with_dates(&error.to_string());
            assert!(cause.ends_with(expected), "{cause}");
            assert!(nameless.hint(&cause).contains("clock is wrong"), "{cause}");
        }
        let expected = ServerName::try_from("n1").expect("a name").to_owned();
        let other = CertificateError::NotValidForNameContext { expected, presented: Vec::new() };
        assert!(nameless.hint(&other.to_string()).ends_with("as --tls-name NAME)"), "{other}");
        // Nothing that can be given helps here.
        for access in [&plain, &nameless, &named] {
            assert_eq!(access.hint("connection refused"), "");
        }
        assert_eq!(plain.hint(NO_CERTIFICATE), "");
    }

    #[test]
    fn who_would_trust_nobody_is_told() {
        for ca in ["", "MIIB", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"] {
            let error = Access::default().with_tls(ca.as_bytes(), None, None).expect_err("nobody");
            assert!(matches!(error, InvalidAddress::Certificates { .. }), "{error}");
        }
    }

    /// With a zone no coordinator could be connected to, and of a wrong name the certificates were said to be no good.
    #[test]
    fn the_name_in_a_certificate_is_that_of_a_host_without_its_zone() {
        for good in ["[fe80::1%eth0]:1", "[fe80::1]:1", "10.0.0.1:1", "n_1.cluster:1"] {
            encrypted(None).endpoint(good).expect("a certificate can be for it");
        }
        let error = encrypted(None).endpoint("a..b:1").expect_err("no certificate can be for it");
        let said = error.to_string();
        assert_eq!(
            said,
            "no certificate can be for the host of \"a..b:1\", expected another one, or --tls-name"
        );
        let named = |name| Access::default().with_tls(AUTHORITY, Some(name), None);
        for good in ["outflank-coordinator", "10.0.0.1", "::1"] {
            named(good).expect("a name").endpoint("a..b:1").expect("its host does not matter");
        }
        for bad in ["no such!", "", "a..b", "fe80::1%eth0"] {
            let said = named(bad).expect_err("no name").to_string();
            let expected = "is no name, expected a host or an IP address";
            assert!(said.starts_with(&format!("--tls-name: {bad:?} {expected}")), "{said}");
        }
    }

    #[test]
    fn a_key_of_another_certificate_is_refused_before_anybody_is_called() {
        let certificates = include_bytes!("../../tests/data/tls/caller.pem").to_vec();
        let key = include_bytes!("../../tests/data/tls/stranger-key.pem").to_vec();
        let identity = Identity { certificates, key };
        let encrypted = Access::default().with_tls(AUTHORITY, None, Some(&identity));
        let error = encrypted.expect_err("the key is that of another");
        assert!(matches!(error, InvalidAddress::Certificates { .. }), "{error}");
    }
}
