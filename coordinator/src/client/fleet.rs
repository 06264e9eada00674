//! What an operator asks a coordinator.

use std::time::Duration;

use outflank_proto::fleet::Overview;
use outflank_proto::v1::fleet_client;
use outflank_proto::{Connection, is_made_up, v1};
use tonic::{Code, Status};

use super::{ClientError, call_error};

/// How long a coordinator may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The largest answer that is read, in bytes: room for 10,000 workers with 100 jobs each.
const MOST_BYTES: usize = 256 << 20;

/// The way to a coordinator for those who watch it.
#[derive(Clone, Debug)]
pub struct FleetClient {
    client: fleet_client::FleetClient<Connection>,
}

impl FleetClient {
    /// Returns the way over `connection`.
    #[must_use]
    pub fn new(connection: Connection) -> Self {
        let client = fleet_client::FleetClient::new(connection);
        Self { client: client.max_decoding_message_size(MOST_BYTES) }
    }

    /// Returns what the coordinator and its workers do at this moment.
    ///
    /// # Errors
    /// [`ClientError::Broken`] if the connection is lost, [`ClientError::Unreachable`] if there is none,
    /// [`ClientError::Refused`] if the coordinator is of a release that does not tell.
    pub async fn look(&mut self) -> Result<Overview, ClientError> {
        let mut request = tonic::Request::new(v1::LookRequest {});
        request.set_timeout(PATIENCE);
        let answer = self.client.look(request).await.map_err(|status| error(&status))?;
        Overview::try_from(answer.into_inner()).map_err(|field| error(&field.into()))
    }
}

fn error(status: &Status) -> ClientError {
    if status.code() == Code::Unimplemented && !is_made_up(status) {
        let reason = "it is of an earlier release, which does not tell what its workers do";
        return ClientError::Refused { reason: reason.to_owned() };
    }
    call_error(status)
}
