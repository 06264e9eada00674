//! What coordinators and workers say over HTTP to those who watch: numbers for Prometheus, and the
//! coordinator's page. Nothing can be changed here.

mod serve;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use axum::{Json, Router};
use outflank_coordinator::client::CampaignsClient;
use outflank_coordinator::service::Observer;
use outflank_proto::campaign::Campaign;
use outflank_worker::Gauges;

use crate::{metrics, overview};
pub(crate) use serve::{Limits, serve};

/// The page fetches nothing from elsewhere, and runs nothing but its own script.
const POLICY: &str = "default-src 'self'";

/// What a coordinator lets others see.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// The workers and what they do.
    pub(crate) observer: Observer,
    /// The campaigns.
    pub(crate) campaigns: CampaignsClient,
}

impl Shown {
    async fn campaigns(&self) -> Result<Vec<Campaign>, Trouble> {
        let mut client = self.campaigns.clone();
        client.kept().await.map_err(|error| Trouble(error.into()))
    }
}

/// An answer that there is none.
#[derive(Debug)]
struct Trouble(anyhow::Error);

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        (StatusCode::SERVICE_UNAVAILABLE, format!("{:#}\n", self.0)).into_response()
    }
}

/// Returns what a coordinator answers.
pub(crate) fn of_coordinator(shown: Shown) -> Router {
    Router::new()
        .route("/", still("text/html; charset=utf-8", include_str!("web/page.html")))
        .route("/page.js", still("text/javascript", include_str!("web/page.js")))
        .route("/page.css", still("text/css", include_str!("web/page.css")))
        .route("/overview.json", get(coordinator_json))
        .route("/metrics", get(coordinator_metrics))
        .with_state(shown)
        .merge(health())
}

/// Returns what a worker answers.
pub(crate) fn of_worker(gauges: Arc<Gauges>) -> Router {
    Router::new().route("/metrics", get(worker_metrics)).with_state(gauges).merge(health())
}

fn health<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/health", get(|| async { "ok\n" }))
}

/// Returns an answer that is always the same.
fn still(kind: &'static str, text: &'static str) -> MethodRouter<Shown> {
    get(([(CONTENT_TYPE, kind), (CONTENT_SECURITY_POLICY, POLICY)], text))
}

async fn coordinator_json(State(shown): State<Shown>) -> Result<impl IntoResponse, Trouble> {
    let campaigns = shown.campaigns().await?;
    Ok(Json(overview::value(&shown.observer.overview(), &campaigns).map_err(Trouble)?))
}

async fn coordinator_metrics(State(shown): State<Shown>) -> Result<impl IntoResponse, Trouble> {
    let campaigns = shown.campaigns().await?;
    let observer = &shown.observer;
    let (overview, resting) = (observer.overview(), observer.resting());
    let text =
        metrics::of_coordinator(&overview, resting, observer.certificate_expiry(), &campaigns);
    Ok(([(CONTENT_TYPE, metrics::TYPE)], text.map_err(Trouble)?))
}

async fn worker_metrics(State(gauges): State<Arc<Gauges>>) -> Result<impl IntoResponse, Trouble> {
    let text = metrics::of_worker(&gauges.read()).map_err(Trouble)?;
    Ok(([(CONTENT_TYPE, metrics::TYPE)], text))
}
