//! The core's messages on the wire, and the wire's messages for the core.

use std::sync::Arc;

use outflank_proto::message;

use crate::core::{Job, JobId, Method, Progress, Proof, Report, Solution, Source};
use crate::store;

/// Returns a job as the worker gets it.
pub(super) fn job(job: Job) -> message::Job {
    message::Job {
        id: job.id.0,
        position: job.position,
        window: job.window,
        node_limit: job.node_limit,
        threads: job.threads,
        known: job.known,
    }
}

/// Returns a worker's report as the core gets it.
pub(super) fn report(report: message::Report) -> Report {
    Report {
        job: JobId(report.job),
        position: report.position,
        bound: report.bound,
        best_move: report.best_move,
        line: report.line,
        children: report.children,
        order: report.order,
        nodes: report.nodes,
        millis: report.millis,
        finished: report.finished,
        failed: report.failed,
    }
}

/// Returns progress as the client gets it.
pub(super) fn progress(progress: &Progress) -> message::Progress {
    message::Progress {
        bound: progress.bound,
        window: progress.window,
        jobs_open: progress.jobs_open,
        jobs_done: progress.jobs_done,
        reused: progress.reused,
        nodes: progress.nodes,
        predicted_nodes: progress.predicted_nodes,
        workers: progress.workers,
    }
}

/// Returns a solution as the client gets it.
pub(super) fn solution(solution: Solution) -> message::Solution {
    message::Solution {
        bound: solution.bound,
        best_move: solution.best_move,
        line: solution.line,
        nodes: solution.nodes,
        jobs: solution.jobs,
        reused: solution.reused,
        source: match solution.source {
            Source::Store => message::Source::Store,
            Source::Search => message::Source::Search,
            Source::Both => message::Source::Both,
        },
    }
}

/// Returns progress as a client of this crate sees it.
pub(crate) fn progress_seen(progress: &message::Progress) -> Progress {
    Progress {
        bound: progress.bound,
        window: progress.window,
        jobs_open: progress.jobs_open,
        jobs_done: progress.jobs_done,
        reused: progress.reused,
        nodes: progress.nodes,
        predicted_nodes: progress.predicted_nodes,
        workers: progress.workers,
    }
}

/// Returns a solution as a client of this crate sees it.
pub(crate) fn solution_seen(solution: message::Solution) -> Solution {
    Solution {
        bound: solution.bound,
        best_move: solution.best_move,
        line: solution.line,
        nodes: solution.nodes,
        jobs: solution.jobs,
        reused: solution.reused,
        source: match solution.source {
            message::Source::Store => Source::Store,
            message::Source::Search => Source::Search,
            message::Source::Both => Source::Both,
        },
    }
}

/// Returns a proof as the store keeps it.
pub(super) fn record(proof: &Proof, origin: Arc<store::Origin>) -> store::Record {
    let method = match proof.method {
        Method::Search => store::Method::Search,
        Method::Inference => store::Method::Inference,
    };
    store::Record {
        position: proof.position,
        bound: proof.bound,
        best_move: proof.best_move,
        nodes: proof.nodes,
        provenance: store::Provenance { method, origin },
    }
}
