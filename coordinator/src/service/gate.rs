//! Who may call what: whoever shows a token of a role that the method is for. And whose connection may last: that of
//! who was let through.

pub(super) mod refusals;

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};

use outflank_proto::role_refused;
use tokio_util::either::Either;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, HeaderValue, Request, Response};
use tonic::server::NamedService;
use tower::Service;

use super::incoming::IsAdmitted;
use super::{Role, Tokens};
use refusals::{Refusals, Refused};

/// The place of the token in a call.
const KEY: &str = "authorization";
const SCHEME: &[u8] = b"Bearer ";

/// The methods that are not for admins alone. What is not here changes or removes what others have asked
/// for, or is new: then somebody has to decide.
const ROLES: [(&str, Role); 8] = [
    ("/outflank.v1.Cluster/Work", Role::Worker),
    ("/outflank.v1.Solver/Solve", Role::Client),
    ("/outflank.v1.Solver/Fetch", Role::Client),
    ("/outflank.v1.Solver/Status", Role::Client),
    ("/outflank.v1.Campaigns/Import", Role::Client),
    ("/outflank.v1.Campaigns/List", Role::Client),
    ("/outflank.v1.Campaigns/Export", Role::Client),
    ("/outflank.v1.Fleet/Look", Role::Client),
];

/// The other end of a connection. Each of its calls has this among its extensions.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) is_admitted: IsAdmitted,
    pub(super) address: Option<SocketAddr>,
}

/// Lets calls through that show a token which may make them; all of them if there are no tokens.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    tokens: Option<Arc<Tokens>>,
    refusals: Arc<Refusals>,
}

impl Gate {
    pub(super) fn new(tokens: Option<&Tokens>) -> Self {
        Self {
            tokens: tokens.cloned().map(Arc::new),
            refusals: Arc::new(Refusals::new(Refused::Calls)),
        }
    }

    /// Returns what it says of the calls that it does not let through.
    pub(super) fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    /// Returns `service`, reached through this gate.
    pub(super) fn before<S>(&self, service: S) -> Gated<S> {
        Gated { gate: self.clone(), service }
    }

    fn check(&self, path: &str, headers: &HeaderMap) -> Result<(), Status> {
        let Some(tokens) = &self.tokens else { return Ok(()) };
        let shown = headers.get(KEY).map(HeaderValue::as_bytes);
        let Some(token) = shown.and_then(|value| value.strip_prefix(SCHEME)) else {
            let reason = "there is no token, expected one of the coordinator's";
            return Err(Status::unauthenticated(reason));
        };
        let Some(role) = tokens.role(token) else {
            let reason = "the token is wrong, expected one of the coordinator's";
            return Err(Status::unauthenticated(reason));
        };
        let needed = needed(path);
        if role == needed || role == Role::Admin {
            return Ok(());
        }
        let expected = match needed {
            Role::Admin => "admin".to_owned(),
            Role::Worker | Role::Client => format!("{needed} or admin"),
        };
        Err(role_refused(&format!("the token has the role {role}, expected {expected}")))
    }
}

fn needed(path: &str) -> Role {
    let found = ROLES.iter().find(|&&(method, _)| method == path);
    found.map_or(Role::Admin, |&(_, role)| role)
}

/// A service behind a gate.
#[derive(Clone, Debug)]
pub(super) struct Gated<S> {
    gate: Gate,
    service: S,
}

impl<S: NamedService> NamedService for Gated<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Gated<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let peer = request.extensions().get::<Peer>();
        if let Err(status) = self.gate.check(request.uri().path(), request.headers()) {
            self.gate.refusals.note(peer.and_then(|peer| peer.address), status.message());
            return Either::Right(ready(Ok(status.into_http())));
        }
        if let Some(peer) = peer {
            peer.is_admitted.note();
        }
        Either::Left(self.service.call(request))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use outflank_proto::is_role_refusal;
    use tonic::Code;

    use super::*;

    const PROTOCOL: [&str; 3] = [
        include_str!("../../../proto/outflank/v1/cluster.proto"),
        include_str!("../../../proto/outflank/v1/campaigns.proto"),
        include_str!("../../../proto/outflank/v1/fleet.proto"),
    ];

    const WORK: &str = "/outflank.v1.Cluster/Work";
    const SOLVE: &str = "/outflank.v1.Solver/Solve";
    const REMOVE: &str = "/outflank.v1.Campaigns/Remove";

    fn gate(tokens: &str) -> Gate {
        Gate::new(Some(&tokens.parse().expect("tokens")))
    }

    fn answer(gate: &Gate, path: &str, shown: Option<&str>) -> Result<(), Status> {
        let mut headers = HeaderMap::new();
        if let Some(shown) = shown {
            headers.insert(KEY, shown.parse().expect("ASCII"));
        }
        gate.check(path, &headers)
    }

    /// Returns the paths of all methods that the files of the protocol have.
    fn methods() -> BTreeSet<String> {
        let mut methods = BTreeSet::new();
        for file in PROTOCOL {
            let mut service = "";
            for line in file.lines().map(str::trim) {
                if let Some(rest) = line.strip_prefix("service ") {
                    service = rest.trim_end_matches('{').trim();
                } else if let Some(rest) = line.strip_prefix("rpc ") {
                    let method = rest.split('(').next().expect("a split has a first part");
                    assert!(methods.insert(format!("/outflank.v1.{service}/{method}")));
                }
            }
        }
        methods
    }

    #[test]
    fn every_method_is_somebodys_and_only_these_are_for_admins_alone() {
        let mut methods = methods();
        for (path, _) in ROLES {
            assert!(methods.remove(path), "{path} is no method, or twice there");
        }
        let admins = ["/outflank.v1.Campaigns/Change", REMOVE].map(str::to_owned);
        assert_eq!(methods, BTreeSet::from(admins));
    }

    #[test]
    fn only_a_token_opens_the_gate() {
        let gate = gate("0123456789abcdef");
        for path in [WORK, SOLVE, REMOVE] {
            assert!(answer(&gate, path, Some("Bearer 0123456789abcdef")).is_ok());
            for wrong in ["Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer "] {
                let status = answer(&gate, path, Some(wrong)).expect_err("wrong");
                assert_eq!(status.code(), Code::Unauthenticated);
                assert!(status.message().contains("wrong"), "{status}");
            }
            for none in [None, Some("0123456789abcdef"), Some("Basic 0123456789abcdef")] {
                let status = answer(&gate, path, none).expect_err("none");
                assert_eq!(status.code(), Code::Unauthenticated);
                assert!(status.message().contains("no token"), "{status}");
            }
            assert!(answer(&Gate::new(None), path, None).is_ok());
        }
    }

    #[test]
    fn a_role_opens_what_is_for_it_and_the_others_are_named() {
        let gate = gate(
            "worker worker-worker-worker\nclient client-client-client\nadmin admin-admin-admin-admin",
        );
        let worker = Some("Bearer worker-worker-worker");
        let client = Some("Bearer client-client-client");
        let admin = Some("Bearer admin-admin-admin-admin");
        let refused = |path, shown, expected: &str| {
            let status = answer(&gate, path, shown).expect_err("of another role");
            assert_eq!((status.code(), status.message()), (Code::PermissionDenied, expected));
            assert!(is_role_refusal(&status), "{status:?}");
        };
        for path in methods() {
            assert!(answer(&gate, &path, admin).is_ok(), "{path}");
        }
        for (path, role) in ROLES {
            let (right, wrong, name) = match role {
                Role::Worker => (worker, client, "client"),
                _ => (client, worker, "worker"),
            };
            assert!(answer(&gate, path, right).is_ok(), "{path}");
            let expected = format!("the token has the role {name}, expected {role} or admin");
            refused(path, wrong, &expected);
        }
        refused(REMOVE, client, "the token has the role client, expected admin");
        refused(REMOVE, worker, "the token has the role worker, expected admin");
        refused("/outflank.v1.New/Method", client, "the token has the role client, expected admin");
    }
}
