//! What operators see: the state of the coordinator and of its workers at one moment.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use outflank_proto::fleet::{Overview, Totals};
use outflank_proto::v1;
use outflank_proto::v1::fleet_server::Fleet;
use tokio::time::Instant;
use tonic::{Request, Response, Status};

use super::{Encryption, Shared};
use crate::core;

/// The service that operators call.
#[derive(Debug)]
pub(super) struct FleetService(pub(super) Arc<Shared>);

#[tonic::async_trait]
impl Fleet for FleetService {
    async fn look(
        &self,
        _request: Request<v1::LookRequest>,
    ) -> Result<Response<v1::Overview>, Status> {
        Ok(Response::new(overview(&self.0).into()))
    }
}

/// What is shown of the inside of the service.
#[derive(Debug)]
pub(super) struct Shown {
    started: Instant,
    /// The size of the core's state, as the core has shown it last.
    core: Mutex<core::Status>,
}

impl Shown {
    /// Returns what is shown of a service that starts now.
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), core: Mutex::default() }
    }

    /// Shows the size of the core's state.
    pub(super) fn show(&self, status: core::Status) {
        *self.core.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }

    fn core(&self) -> core::Status {
        *self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A way to see a coordinator at work for as long as one likes; it does not keep it running.
#[derive(Clone, Debug)]
pub struct Observer(pub(super) Arc<Shared>);

impl Observer {
    /// Returns what the coordinator and its workers do at this moment.
    #[must_use]
    pub fn overview(&self) -> Overview {
        overview(&self.0)
    }

    /// Returns the number of workers that get no jobs for a while, because theirs fail one after the other.
    #[must_use]
    pub fn resting(&self) -> u64 {
        self.0.shown.core().resting
    }

    /// Returns the time since 1970 began at which the coordinator's certificate expires, if it has one.
    #[must_use]
    pub fn certificate_expiry(&self) -> Option<Duration> {
        self.0.options.encryption.as_ref().map(Encryption::expiry)
    }
}

fn overview(shared: &Shared) -> Overview {
    let (workers, totals) = shared.links.look();
    let core = shared.shown.core();
    Overview {
        build: shared.options.build.clone(),
        up: shared.shown.started.elapsed(),
        workers,
        totals: Totals { errands: shared.circles.errands(), ..totals },
        proofs: shared.store.count(),
        requests: core.solves,
        questions: core.questions,
        positions: core.positions,
        audits_open: core.audits_open,
        unaudited: core.unaudited,
        given_up: core.given_up,
        illegal_claims: core.illegal_claims,
        refused: shared.links.found_out(),
    }
}
