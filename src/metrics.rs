//! What Prometheus gets of a coordinator or a worker, in the text form of OpenMetrics.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use anyhow::Context;
use outflank_proto::campaign::Campaign;
use outflank_proto::fleet::{JobCounts, Overview};
use outflank_worker::Reading;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::overview;

/// The type of the text, as HTTP says it.
pub(crate) const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

type Numbers = Family<Vec<(&'static str, String)>, Gauge<f64, AtomicU64>>;

/// Returns the metrics of a coordinator, so many of whose workers rest, and whose certificate, if it has one, expires so long
/// after 1970 began.
pub(crate) fn of_coordinator(
    overview: &Overview,
    resting: u64,
    certificate_expiry: Option<Duration>,
    campaigns: &[Campaign],
) -> anyhow::Result<String> {
    let mut registry = Registry::with_prefix("outflank");
    let gauges = [
        ("workers", "Connected workers", overview.workers.len() as f64),
        (
            "workers_resting",
            "Connected workers that get no jobs for a while, since theirs fail one after the other",
            resting as f64,
        ),
        ("threads", "Search threads of the connected workers", overview::threads(overview) as f64),
        ("jobs_running", "Jobs that workers search", overview::running(overview) as f64),
        (
            "nodes_per_second",
            "Positions that the connected workers searched each second of the last minute",
            overview::nodes_per_second(overview),
        ),
        (
            "heard_seconds_max",
            "Time since the connected worker was heard that was not heard longest",
            overview.workers.iter().map(|worker| worker.heard.as_secs_f64()).fold(0.0, f64::max),
        ),
        ("up_seconds", "Time since the coordinator was started", overview.up.as_secs_f64()),
        (
            "requests",
            "Requests of clients and rows of campaigns that are open",
            overview.requests as f64,
        ),
        (
            "questions",
            "Questions about positions that are open for them",
            overview.questions as f64,
        ),
        ("positions", "Positions that are held in memory for them", overview.positions as f64),
        ("proofs", "Positions of which the store has a proved bound", overview.proofs as f64),
        ("audits_open", "Claims that another worker is solving again", overview.audits_open as f64),
        ("unaudited", "Claims that no other worker could audit yet", overview.unaudited as f64),
    ];
    for (name, help, value) in gauges {
        gauge(&mut registry, name, help, value);
    }
    if let Some(expiry) = certificate_expiry {
        let help = "When the coordinator's certificate expires, in seconds since 1970";
        gauge(&mut registry, "certificate_expiry_seconds", help, expiry.as_secs_f64());
    }
    let totals = &overview.totals;
    counter(&mut registry, "connections", "Connections of workers", totals.joined);
    counter(&mut registry, "nodes", "Positions searched, as workers have told", totals.nodes);
    jobs(&mut registry, totals.jobs);
    counter(
        &mut registry,
        "errands",
        "Moves that workers have tried for each other",
        totals.errands,
    );
    counter(
        &mut registry,
        "given_up",
        "Jobs that were lost or failed so often that their positions were split",
        overview.given_up,
    );
    counter(
        &mut registry,
        "illegal_claims",
        "Claims of workers that made no sense",
        overview.illegal_claims,
    );
    counter(
        &mut registry,
        "refused_processes",
        "Worker processes that were found to be wrong, and are refused",
        overview.refused,
    );
    lists(&mut registry, campaigns);
    text(&registry)
}

/// Returns the metrics of a worker.
pub(crate) fn of_worker(reading: &Reading) -> anyhow::Result<String> {
    let mut registry = Registry::with_prefix("outflank_worker");
    let gauges = [
        (
            "connected",
            "1 if there is a connection to the coordinator",
            f64::from(u8::from(reading.is_connected)),
        ),
        ("threads", "Search threads", f64::from(reading.threads)),
        ("jobs_running", "Jobs that are searched", reading.running as f64),
        (
            "unacknowledged",
            "Reports that are not known to be on disk yet",
            reading.unacknowledged as f64,
        ),
    ];
    for (name, help, value) in gauges {
        gauge(&mut registry, name, help, value);
    }
    counter(&mut registry, "connections", "Connections to coordinators", reading.connections);
    counter(&mut registry, "nodes", "Positions searched, by the last sign of life", reading.nodes);
    jobs(&mut registry, reading.jobs);
    text(&registry)
}

fn gauge(registry: &mut Registry, name: &str, help: &str, value: f64) {
    let gauge = Gauge::<f64, AtomicU64>::default();
    gauge.set(value);
    registry.register(name, help, gauge);
}

fn counter(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let counter = Counter::<u64>::default();
    counter.inc_by(value);
    registry.register(name, help, counter);
}

fn jobs(registry: &mut Registry, counts: JobCounts) {
    let jobs = Family::<[(&'static str, &'static str); 1], Counter>::default();
    let JobCounts { done, stopped, failed } = counts;
    for (end, count) in [("answered", done), ("stopped", stopped), ("failed", failed)] {
        jobs.get_or_create(&[("end", end)]).inc_by(count);
    }
    registry.register("jobs", "Jobs that have ended, by how", jobs);
}

fn lists(registry: &mut Registry, campaigns: &[Campaign]) {
    let [tasks, nodes, stopped, unreviewed] = [(); 4].map(|()| Numbers::default());
    for campaign in campaigns {
        let states = [
            ("open", campaign.open),
            ("proved", campaign.proved),
            ("refuted", campaign.refuted),
            ("solved", campaign.solved),
            ("disputed", campaign.disputed),
        ];
        for (state, count) in states {
            let labels = vec![("campaign", campaign.name.clone()), ("state", state.to_owned())];
            tasks.get_or_create(&labels).set(count as f64);
        }
        let labels = vec![("campaign", campaign.name.clone())];
        nodes.get_or_create(&labels).set(campaign.predicted_nodes_left);
        stopped.get_or_create(&labels).set(f64::from(u8::from(!campaign.fault.is_empty())));
        unreviewed.get_or_create(&labels).set(campaign.unreviewed as f64);
    }
    registry.register("campaign_tasks", "Tasks of campaigns; disputed ones are open, too", tasks);
    registry.register(
        "campaign_nodes_left",
        "Positions that a campaign will probably take still",
        nodes,
    );
    registry.register(
        "campaign_stopped",
        "1 if a campaign cannot be read or written: its status says why",
        stopped,
    );
    registry.register(
        "campaign_unreviewed",
        "Rows that are to be compared with what is still proved: some may be open again",
        unreviewed,
    );
}

fn text(registry: &Registry) -> anyhow::Result<String> {
    let mut text = String::new();
    encode(&mut text, registry).context("writing metrics")?;
    Ok(text)
}
