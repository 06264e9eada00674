//! Names of workers on their way to the core, proofs on their way to the store.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::core::{Method, ProcessId, Proof};
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
