//! Jobs on their way to workers, reports on their way to the core, proofs on their way to the store.

use std::sync::Arc;

use outflank_proto::message;
use sha2::{Digest, Sha256};

use crate::core::{Interim, Job, JobId, Method, ProcessId, Proof, Report};
use crate::store;

/// Returns the first 64 bits of a SHA-256: nobody finds what was said from them, nor anything else that has the same.
pub(super) fn fingerprint(said: &[u8]) -> u64 {
    let digest: [u8; 32] = Sha256::digest(said).into();
    digest.iter().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

/// Returns the worker process of a name: no host can be called so that its workers are taken for those of another.
pub(super) fn process(name: &str) -> ProcessId {
    ProcessId(fingerprint(name.as_bytes()))
}

/// Returns a job as the worker gets it.
pub(super) fn job(job: Job) -> message::Job {
    message::Job {
        id: job.id.0,
        position: job.position,
        window: job.window,
        node_limit: job.node_limit,
        threads: job.threads,
        known: job.known,
        symmetry: job.symmetry,
        era: job.era,
        hints: job.hints,
        helps: job.helps,
        inside: job.inside,
        is_apart: job.is_apart,
        is_shared: job.is_shared,
    }
}

/// Returns what a worker believes of a running job as the core gets it.
pub(super) fn interim(interim: message::Interim) -> Interim {
    Interim { job: JobId(interim.job), belief: interim.belief }
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
        era: report.era,
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
