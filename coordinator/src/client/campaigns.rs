//! What a keeper of campaigns asks a coordinator.

use std::time::Duration;

use outflank_proto::campaign::{self, Campaign, Change, ExportRequest, ImportPart};
use outflank_proto::v1::campaigns_client;
use outflank_proto::{Connection, is_made_up, v1};
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use super::{ClientError, call_error};

/// How long a coordinator may take to answer a short question.
const PATIENCE: Duration = Duration::from_secs(60);

/// The way to a coordinator's campaigns.
#[derive(Clone, Debug)]
pub struct CampaignsClient {
    client: campaigns_client::CampaignsClient<Connection>,
}

/// The rows of an export, in parts of any size.
#[derive(Debug)]
pub struct Rows(Streaming<v1::ExportPart>);

impl CampaignsClient {
    /// Returns the way over `connection`.
    #[must_use]
    pub fn new(connection: Connection) -> Self {
        Self { client: campaigns_client::CampaignsClient::new(connection) }
    }

    /// Imports the list whose parts come in through `parts`, the end last, and returns the campaign
    /// and whether it was there already. When this returns, the campaign is on disk.
    ///
    /// # Errors
    /// [`ClientError::Rejected`] names the first bad line, or why the campaign cannot be.
    pub async fn import(
        &mut self,
        parts: mpsc::Receiver<ImportPart>,
    ) -> Result<(Campaign, bool), ClientError> {
        let parts = ReceiverStream::new(parts).map(v1::ImportPart::from);
        let answer = self.client.import(parts).await.map_err(|status| error(&status))?;
        campaign::imported(answer.into_inner()).map_err(|field| error(&field.into()))
    }

    /// Returns the state of the campaign `name`, or of all.
    ///
    /// # Errors
    /// [`ClientError::Rejected`] if there is none of this name.
    pub async fn list(&mut self, name: Option<&str>) -> Result<Vec<Campaign>, ClientError> {
        self.ask(name).await.map_err(|status| error(&status))
    }

    /// Returns the state of all campaigns, for those who watch; none if the coordinator keeps none.
    ///
    /// # Errors
    /// [`ClientError`] if there may be some, but they cannot be told.
    pub async fn kept(&mut self) -> Result<Vec<Campaign>, ClientError> {
        match self.ask(None).await {
            Err(status) if keeps_none(&status) => Ok(Vec::new()),
            answer => answer.map_err(|status| error(&status)),
        }
    }

    async fn ask(&mut self, name: Option<&str>) -> Result<Vec<Campaign>, Status> {
        let mut request = tonic::Request::new(v1::ListRequest { name: name.map(str::to_owned) });
        request.set_timeout(PATIENCE);
        let campaigns = self.client.list(request).await?.into_inner().campaigns.into_iter();
        Ok(campaigns.map(Campaign::try_from).collect::<Result<_, _>>()?)
    }

    /// Changes a campaign. When this returns, that is on disk.
    ///
    /// # Errors
    /// [`ClientError::Rejected`] if there is none of this name.
    pub async fn change(&mut self, change: Change) -> Result<Campaign, ClientError> {
        let request = v1::ChangeRequest::from(change);
        let answer = self.client.change(request).await.map_err(|status| error(&status))?;
        Campaign::try_from(answer.into_inner()).map_err(|field| error(&field.into()))
    }

    /// Removes the campaign `name`; one with open tasks only if `unfinished`.
    ///
    /// # Errors
    /// [`ClientError::Rejected`] if there is none of this name, or it has open tasks.
    pub async fn remove(&mut self, name: &str, unfinished: bool) -> Result<(), ClientError> {
        let request = v1::RemoveRequest { name: name.to_owned(), unfinished };
        self.client.remove(request).await.map_err(|status| error(&status))?;
        Ok(())
    }

    /// Begins an export.
    ///
    /// # Errors
    /// [`ClientError::Rejected`] if there is no campaign of this name.
    pub async fn export(&mut self, wanted: ExportRequest) -> Result<Rows, ClientError> {
        let request = v1::ExportRequest::from(wanted);
        let answer = self.client.export(request).await.map_err(|status| error(&status))?;
        Ok(Rows(answer.into_inner()))
    }
}

impl Rows {
    /// Returns the next bytes, or `None` behind the last ones.
    ///
    /// # Errors
    /// [`ClientError`] if the export broke off: what came before is not all.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        let part = self.0.message().await.map_err(|status| error(&status))?;
        Ok(part.map(|part| part.data))
    }
}

/// Returns whether a coordinator that was asked for all its campaigns says that it keeps none: it has no store on disk,
/// or is of a release without campaigns.
fn keeps_none(status: &Status) -> bool {
    match status.code() {
        Code::FailedPrecondition => std::error::Error::source(status).is_none(),
        Code::Unimplemented => !is_made_up(status),
        _ => false,
    }
}

/// Returns the error that a status stands for.
fn error(status: &Status) -> ClientError {
    let is_ours = std::error::Error::source(status).is_some();
    match status.code() {
        Code::InvalidArgument | Code::NotFound | Code::AlreadyExists | Code::FailedPrecondition
            if !is_ours =>
        {
            ClientError::Rejected { reason: status.message().to_owned() }
        }
        _ => call_error(status),
    }
}

#[cfg(test)]
mod tests {
    use tonic::metadata::{MetadataMap, MetadataValue};

    use super::*;

    #[test]
    fn only_a_coordinator_that_keeps_no_campaigns_has_none() {
        let mut headers = MetadataMap::new();
        headers.insert("content-type", MetadataValue::from_static("application/grpc"));
        let said = |code| Status::with_metadata(code, "no", headers.clone());
        assert!(keeps_none(&said(Code::FailedPrecondition)));
        assert!(keeps_none(&said(Code::Unimplemented)));
        let made_up = Status::with_metadata(Code::Unimplemented, "404", MetadataMap::new());
        assert!(!keeps_none(&made_up), "something else answers there");
        for code in
            [Code::InvalidArgument, Code::OutOfRange, Code::ResourceExhausted, Code::Internal]
        {
            assert!(!keeps_none(&said(code)), "{code:?}");
        }
    }
}
