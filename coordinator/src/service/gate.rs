//! Who may call: whoever shows the token of the cluster, if it has one.

use outflank_proto::Token;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tonic::metadata::MetadataValue;
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// The place of the token in a call.
const KEY: &str = "authorization";
const SCHEME: &[u8] = b"Bearer ";

/// Lets calls through that show the token; all of them if there is none.
#[derive(Clone, Debug)]
pub(super) struct Gate(Option<[u8; 32]>);

impl Gate {
    /// Only a digest of the token is kept: compared in constant time, it tells neither the token nor
    /// its length.
    pub(super) fn new(token: Option<&Token>) -> Self {
        Self(token.map(|token| digest(token.as_bytes())))
    }
}

impl Interceptor for Gate {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let Some(expected) = &self.0 else { return Ok(request) };
        let shown = request.metadata().get(KEY).map(MetadataValue::as_bytes);
        match shown.and_then(|value| value.strip_prefix(SCHEME)) {
            Some(token) if bool::from(digest(token).ct_eq(expected)) => Ok(request),
            Some(_) => {
                Err(Status::unauthenticated("the token is wrong, expected the coordinator's"))
            }
            None => Err(Status::unauthenticated("there is no token, expected the coordinator's")),
        }
    }
}

fn digest(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(gate: &Gate, shown: Option<&str>) -> Result<(), String> {
        let mut request = Request::new(());
        if let Some(shown) = shown {
            request.metadata_mut().insert(KEY, shown.parse().expect("ASCII"));
        }
        let answer = gate.clone().call(request);
        answer.map(|_| ()).map_err(|status| status.message().to_owned())
    }

    #[test]
    fn only_the_token_opens_the_gate() {
        let token = Token::new("0123456789abcdef").expect("a token");
        let gate = Gate::new(Some(&token));
        assert_eq!(answer(&gate, Some("Bearer 0123456789abcdef")), Ok(()));
        for wrong in ["Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer "] {
            assert!(answer(&gate, Some(wrong)).is_err_and(|text| text.contains("wrong")));
        }
        for none in [None, Some("0123456789abcdef"), Some("Basic 0123456789abcdef")] {
            assert!(answer(&gate, none).is_err_and(|text| text.contains("no token")));
        }
        assert_eq!(answer(&Gate::new(None), None), Ok(()));
    }
}
