//! The service that the keepers of campaigns call.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use outflank_proto::campaign::{
    Campaign, Change, ExportRequest, ImportHead, ImportPart, valid_name,
};
use outflank_proto::v1::campaigns_server;
use outflank_proto::{store_failed, v1};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use super::Campaigns;
use super::best_move::best_move;
use crate::campaign::{CampaignError, Export, ExportError, Import, Imported, Rival};
use crate::service::links::Counts;
use crate::service::{Shared, stopping};

/// The number of parts of a list that wait to be read or written.
const PARTS: usize = 8;
/// An export of so many rows at most does not wait for its client: it fits into the parts that wait to be read.
const FEW_ROWS: u64 = 1_000;
/// The size of the parts of an export, in bytes.
const PART_BYTES: usize = 64 << 10;

/// The service that the keepers of campaigns call.
#[derive(Debug)]
pub(in crate::service) struct CampaignsService(pub(in crate::service) Arc<Shared>);

/// Returns the answer that stands for an error.
fn status(error: &CampaignError) -> Status {
    let text = error.to_string();
    match error {
        CampaignError::Row { .. } | CampaignError::Empty { .. } => Status::invalid_argument(text),
        CampaignError::Exists { .. } => Status::already_exists(text),
        CampaignError::Unknown { .. } => Status::not_found(text),
        CampaignError::Unfinished { .. } | CampaignError::Unreadable { .. } => {
            Status::failed_precondition(text)
        }
        CampaignError::InDoubt { .. }
        | CampaignError::Io { .. }
        | CampaignError::Damaged { .. } => store_failed(text),
    }
}

impl CampaignsService {
    /// Returns a campaign's state as clients get it: with the workers that there are.
    fn told(&self, campaign: Campaign) -> v1::Campaign {
        let Counts { workers, unaudited, .. } = self.0.links.counts();
        Campaign { workers, unaudited, ..campaign }.into()
    }

    /// Waits for one of the `places` for lists, unless the coordinator stops.
    async fn place(&self, places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Status> {
        let place = Arc::clone(places).acquire_owned();
        let place = self.0.stopping.run_until_cancelled(place).await;
        place.ok_or_else(stopping)?.map_err(|_closed| stopping())
    }

    /// Returns the next part of a list, unless the coordinator stops: who sends may take as long as it likes.
    async fn next(
        &self,
        parts: &mut Streaming<v1::ImportPart>,
    ) -> Result<Option<ImportPart>, Status> {
        let part = self.0.stopping.run_until_cancelled(parts.message()).await;
        Ok(part.ok_or_else(stopping)??.map(ImportPart::try_from).transpose()?)
    }
}

#[tonic::async_trait]
impl campaigns_server::Campaigns for CampaignsService {
    type ExportStream = Exported;

    async fn import(
        &self,
        request: Request<Streaming<v1::ImportPart>>,
    ) -> Result<Response<v1::ImportResponse>, Status> {
        let campaigns = &self.0.campaigns;
        let folder = campaigns.folder()?.to_owned();
        let mut parts = request.into_inner();
        let Some(ImportPart::Head(head)) = self.next(&mut parts).await? else {
            return Err(Status::invalid_argument("field part is no head, expected a head first"));
        };
        let place = self.place(&campaigns.places).await?;
        let wanted = head.clone();
        let rival = campaigns.call(move |roster| roster.rival(&wanted)).await?;
        let rival = rival.map_err(|error| status(&error))?;
        let name = head.name.clone();
        let (sender, receiver) = mpsc::channel(PARTS);
        let taking = self.0.tasks.spawn_blocking(move || {
            let _place = place; // As long as it takes.
            take(&folder, &head, rival, receiver)
        });
        loop {
            let part = tokio::select! {
                part = self.next(&mut parts) => part?,
                // It has found a fault, or has all; who sends may take its time with what comes next.
                () = sender.closed() => break,
            };
            let Some(part) = part else { break };
            if sender.send(part).await.is_err() {
                break;
            }
        }
        drop(sender);
        let taken = taking.await.map_err(|error| Status::internal(error.to_string()))?;
        let imported = taken?;
        let adopted = campaigns.call(move |roster| roster.adopt(imported)).await?;
        let (campaign, repeated) = adopted.map_err(|error| status(&error))?;
        tracing::info!(campaign = name, rows = campaign.rows, repeated, "campaign imported");
        let campaign = Some(self.told(campaign));
        Ok(Response::new(v1::ImportResponse { campaign, repeated }))
    }

    async fn list(
        &self,
        request: Request<v1::ListRequest>,
    ) -> Result<Response<v1::ListResponse>, Status> {
        let name = request.into_inner().name;
        let listed = self.0.campaigns.look(move |roster| roster.list(name.as_deref())).await?;
        let listed = listed.map_err(|error| status(&error))?;
        let campaigns = listed.into_iter().map(|campaign| self.told(campaign)).collect();
        Ok(Response::new(v1::ListResponse { campaigns }))
    }

    async fn change(
        &self,
        request: Request<v1::ChangeRequest>,
    ) -> Result<Response<v1::Campaign>, Status> {
        let change: Change = request.into_inner().try_into()?;
        let changed = self.0.campaigns.call(move |roster| roster.change(&change)).await?;
        Ok(Response::new(self.told(changed.map_err(|error| status(&error))?)))
    }

    async fn remove(
        &self,
        request: Request<v1::RemoveRequest>,
    ) -> Result<Response<v1::RemoveResponse>, Status> {
        let v1::RemoveRequest { name, unfinished } = request.into_inner();
        if !valid_name(&name) {
            return Err(Status::invalid_argument("field name can be no campaign's name"));
        }
        let remove = self.0.campaigns.call(move |roster| roster.remove(&name, unfinished)).await?;
        remove.map_err(|error| status(&error))?;
        Ok(Response::new(v1::RemoveResponse {}))
    }

    async fn export(
        &self,
        request: Request<v1::ExportRequest>,
    ) -> Result<Response<Self::ExportStream>, Status> {
        let wanted: ExportRequest = request.into_inner().try_into()?;
        let Campaigns { places, short_places, .. } = &self.0.campaigns;
        let is_short = wanted.limit.is_some_and(|rows| rows <= FEW_ROWS);
        let place = self.place(if is_short { short_places } else { places }).await?;
        let export = self.0.campaigns.call(move |roster| roster.export(&wanted)).await?;
        let export = export.map_err(|error| status(&error))?;
        let (sender, receiver) = mpsc::channel(PARTS);
        let (shared, outcome) = (Arc::clone(&self.0), Arc::default());
        let exported = Exported { parts: ReceiverStream::new(receiver), outcome };
        let outcome = Arc::clone(&exported.outcome);
        self.0.tasks.spawn_blocking(move || {
            let _place = place; // As long as it takes.
            // Nobody else sets it; the sender goes afterwards, so that who reads to the end finds it.
            outcome.get_or_init(|| give(&shared, &export, sender.clone()));
        });
        Ok(Response::new(exported))
    }
}

/// Takes a list; without its end, because the client has gone, say, nothing is left of it.
fn take(
    folder: &Path,
    head: &ImportHead,
    rival: Option<Rival>,
    mut parts: mpsc::Receiver<ImportPart>,
) -> Result<Imported, Status> {
    let import = Import::begin(folder, head).map_err(|error| status(&error))?;
    let mut import = import.against(rival);
    let mut taken = 0;
    while let Some(part) = parts.blocking_recv() {
        match part {
            ImportPart::Data(data) => {
                taken += data.len() as u64;
                import.feed(&data).map_err(|error| status(&error))?;
            }
            ImportPart::End(bytes) if bytes == taken => {
                return import.finish().map_err(|error| status(&error));
            }
            ImportPart::End(bytes) => {
                let found = format!("field end is {bytes}, expected {taken}, the bytes before it");
                return Err(Status::invalid_argument(found));
            }
            ImportPart::Head(_) => {
                return Err(Status::invalid_argument("field part is a second head, expected data"));
            }
        }
    }
    Err(Status::invalid_argument("the stream ended, expected the end of the list"))
}

/// The parts of an export, and in the end what became of it: without success it is not complete.
#[derive(Debug)]
pub(in crate::service) struct Exported {
    parts: ReceiverStream<Result<v1::ExportPart, Status>>,
    /// Set before the parts end.
    outcome: Arc<OnceLock<Result<(), Status>>>,
}

impl Stream for Exported {
    type Item = Result<v1::ExportPart, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let part = ready!(Pin::new(&mut self.parts).poll_next(context));
        let failure = || match self.outcome.get() {
            Some(outcome) => outcome.clone().err(),
            None => Some(Status::internal("the export ended before its end")),
        };
        Poll::Ready(part.or_else(|| failure().map(Err)))
    }
}

/// Sends a campaign's rows until they end, the client has gone or the coordinator stops.
fn give(
    shared: &Shared,
    export: &Export,
    parts: mpsc::Sender<Result<v1::ExportPart, Status>>,
) -> Result<(), Status> {
    let best_move = |position, value| best_move(&*shared.store, position, value);
    let mut out = BufWriter::with_capacity(PART_BYTES, Parts { shared, parts });
    let rows = export.run(&best_move, &mut out).map_err(|error| match error {
        ExportError::Campaign(error) => status(&error),
        ExportError::Output(error) => Status::unavailable(error.to_string()),
    })?;
    tracing::debug!(rows, "campaign exported");
    Ok(())
}

/// Where the bytes of an export go.
struct Parts<'a> {
    shared: &'a Shared,
    parts: mpsc::Sender<Result<v1::ExportPart, Status>>,
}

impl Write for Parts<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = self.parts.send(Ok(v1::ExportPart { data: bytes.to_vec() }));
        // A client that does not read must not hold up the coordinator's end.
        let sent = Handle::current().block_on(self.shared.stopping.run_until_cancelled(part));
        match sent {
            Some(Ok(())) => Ok(bytes.len()),
            Some(Err(_gone)) => Err(io::ErrorKind::BrokenPipe.into()),
            None => Err(io::Error::other(stopping().message())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
