//! What makes the proofs of a store doubtful, though it is sound.

use std::error::Error;
use std::path::Path;

use outflank_coordinator::service;
use outflank_coordinator::store::Store;

use crate::exit::{Exit, Failure, OrExit};
use crate::machine;

/// Warns whoever takes proofs out of the store in the folder `path` that `what` may rest on false ones.
pub(crate) fn warn(store: &Store, path: &Path, what: &str) -> Result<(), Failure> {
    if store.quarantine_bytes().or_exit(Exit::Store)? > 0 {
        tracing::warn!(
            store = %path.display(),
            "claims that contradict others were put aside in this store: {what} may rest on one of two that exclude \
             each other; `outflank store verify` counts them"
        );
    }
    match service::pending_verdicts(&machine::docket(path)) {
        Ok(0) => {}
        Ok(verdicts) => tracing::warn!(
            store = %path.display(),
            verdicts,
            "workers were found to be wrong whose claims are not taken back in this store yet: {what} may rest on them; \
             that is done when solve, a coordinator or a campaign command next opens the store"
        ),
        // The proofs are whole all the same, and whoever may not write cannot mend the docket.
        Err(error) => tracing::warn!(
            store = %path.display(),
            error = &error as &dyn Error,
            "it cannot be read which workers were found to be wrong: {what} may rest on their claims"
        ),
    }
    Ok(())
}
