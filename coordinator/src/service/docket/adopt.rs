//! What a docket takes over from that of another store, whose proofs are imported.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Docket, Doubt, Verdict};
use crate::core::AuditId;
use crate::service::journal;
use crate::store::StoreError;

/// What a docket has taken over from another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Verdicts that are to be carried out when a coordinator next begins with the docket.
    pub verdicts: usize,
    /// Claims that are still being solved again, which nobody here doubted.
    pub doubts: usize,
}

/// Lets the docket in the file `path`, of a store with proofs of the workers `own`, know what the one in the file
/// `from` knows, if there is one; to be done before the proofs beside that, which are of the workers `others`, are taken
/// over. Neither file need exist.
///
/// A verdict is carried out again where the other store has proofs of somebody whom it is about: what one has taken back
/// the other may bring, or hold.
///
/// # Errors
/// If a file cannot be read or written, or is damaged.
pub fn adopt_docket(
    path: &Path,
    own: &BTreeSet<String>,
    from: &Path,
    others: &BTreeSet<String>,
) -> Result<Adopted, StoreError> {
    let mut docket = Docket::open(Some(path))?;
    let mut other = Docket::default();
    if let Some(bytes) = journal::read(from)? {
        other.read(from, &bytes)?;
    }
    let doubts = docket.adopt_doubts(&other);
    let verdicts = docket.adopt_verdicts(own, &other, others);
    docket.write_anew()?;
    Ok(Adopted { verdicts, doubts })
}

impl Docket {
    /// Takes over the claims that are being solved again, and returns how many are new.
    fn adopt_doubts(&mut self, other: &Self) -> usize {
        let is_new = |doubt: &&Doubt| !self.doubted.values().any(|known| known == *doubt);
        let first = self.doubted.keys().next_back().map_or(0, |last| last.0 + 1);
        let new = other.doubted.values().filter(is_new).cloned();
        let new: Vec<_> = (first..).map(AuditId).zip(new).collect();
        let count = new.len();
        self.doubted.extend(new);
        count
    }

    /// Takes over the verdicts, and returns how many are to be carried out.
    fn adopt_verdicts(
        &mut self,
        own: &BTreeSet<String>,
        other: &Self,
        others: &BTreeSet<String>,
    ) -> usize {
        // Where anybody was found to be wrong, claims without an author are not believed: they may be theirs.
        let concerns = |verdict: &Verdict, workers: &BTreeSet<String>| {
            let is_nameless = !verdict.workers.is_empty() && workers.contains("");
            is_nameless || verdict.workers.iter().any(|worker| workers.contains(worker))
        };
        let is_open = |docket: &Self, verdict: &Verdict, workers| {
            verdict.era > docket.carried_out || concerns(verdict, workers)
        };
        let same = |one: &Verdict, two: &Verdict| Verdict { era: two.era, ..one.clone() } == *two;
        let is_new = |verdict: &&Verdict| {
            !verdict.workers.is_empty() && !self.verdicts.iter().any(|known| same(known, verdict))
        };
        let new: Vec<Verdict> = other.verdicts.iter().filter(is_new).cloned().collect();
        if new.is_empty() && !self.verdicts.iter().any(|verdict| concerns(verdict, others)) {
            return self.pending().len();
        }
        let (mut open, mut settled) = (Vec::new(), Vec::new());
        for verdict in &self.verdicts {
            let list = if is_open(self, verdict, others) { &mut open } else { &mut settled };
            list.push(verdict.clone());
        }
        for verdict in new {
            let list = if is_open(other, &verdict, own) { &mut open } else { &mut settled };
            list.push(verdict);
        }
        // All get new eras, so that none is lacking. One number says which are carried out, all up to it: so those come
        // first that are settled, and last those that are to be carried out.
        let next = self.era() + 1;
        self.carried_out = next + settled.len() as u64 - 1;
        let count = open.len();
        self.verdicts = settled;
        self.verdicts.append(&mut open);
        for (verdict, era) in self.verdicts.iter_mut().zip(next..) {
            verdict.era = era;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use outflank_engine::{Bound, Position, Score};

    use super::*;

    fn names(workers: &[&str]) -> BTreeSet<String> {
        workers.iter().map(|&worker| worker.to_owned()).collect()
    }

    fn verdict(era: u64, worker: &str) -> Verdict {
        let (workers, reason) = (vec![worker.to_owned()], "it was wrong".to_owned());
        Verdict { era, workers, reason, is_refused: true }
    }

    fn doubt(author: &str) -> Doubt {
        let (position, bound) = (Position::START.canonical(), Bound::at_least(Score::DRAW));
        Doubt { position, bound, author: Some(author.to_owned()) }
    }

    /// Makes a docket with verdicts about `workers`, of which the first `carried_out` are carried out.
    fn docket(path: &Path, workers: &[&str], carried_out: u64) -> Docket {
        let mut docket = Docket::open(Some(path)).unwrap();
        for (worker, era) in workers.iter().zip(1..) {
            docket.convict(verdict(era, worker)).unwrap();
        }
        if carried_out > 0 {
            docket.carried_out(carried_out).unwrap();
        }
        docket
    }

    fn pending(path: &Path) -> Vec<String> {
        let docket = Docket::open(Some(path)).unwrap();
        docket.pending().into_iter().flat_map(|verdict| verdict.workers).collect()
    }

    #[test]
    fn a_verdict_is_carried_out_again_where_the_other_store_has_proofs_of_that_worker() {
        let folder = tempfile::tempdir().unwrap();
        let [path, from] = ["here", "there"].map(|name| folder.path().join(name));
        drop(docket(&path, &["brought", "elsewhere"], 2));
        drop(docket(&from, &["held", "unknown", "open"], 2));
        let (own, others) = (names(&["good", "held"]), names(&["good", "brought", "unknown"]));
        let adopted = adopt_docket(&path, &own, &from, &others).unwrap();
        assert_eq!(adopted, Adopted { verdicts: 3, doubts: 0 });
        assert_eq!(pending(&path), ["brought", "held", "open"]);
        let docket = Docket::open(Some(&path)).unwrap();
        // What is carried out is still known, nothing lacks, and outcomes of campaigns are in doubt.
        let all: Vec<&str> =
            docket.verdicts.iter().map(|verdict| verdict.workers[0].as_str()).collect();
        assert_eq!(all, ["elsewhere", "unknown", "brought", "held", "open"]);
        assert!(docket.has_all_eras() && docket.era() > 2, "{docket:?}");
    }

    /// Such claims stood, whichever of the two stores had them: a repair keeps them without the name of the guilty.
    #[test]
    fn a_verdict_is_carried_out_again_where_the_other_store_has_proofs_of_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let [path, from] = ["here", "there"].map(|name| folder.path().join(name));
        let (own, others) = (names(&["good"]), names(&["good", ""]));
        let open = Adopted { verdicts: 1, doubts: 0 };
        drop(docket(&path, &["liar"], 1));
        assert_eq!(adopt_docket(&path, &own, &from, &others).unwrap(), open, "they come");
        assert_eq!(pending(&path), ["liar"]);
        let era = Docket::open(Some(&path)).unwrap().era();
        assert!(era > 1, "outcomes that were compared with what was proved before are in doubt");

        let [path, from] = ["nameless", "settled"].map(|name| folder.path().join(name));
        drop(docket(&from, &["liar"], 1));
        assert_eq!(adopt_docket(&path, &others, &from, &own).unwrap(), open, "they are there");
        assert_eq!(pending(&path), ["liar"]);
    }

    /// Each docket counts for itself: that so many were carried out here says nothing of those there.
    #[test]
    fn a_verdict_that_was_not_carried_out_there_is_carried_out_whatever_was_here() {
        let folder = tempfile::tempdir().unwrap();
        let [path, from] = ["here", "there"].map(|name| folder.path().join(name));
        drop(docket(&path, &["one", "two"], 2));
        drop(docket(&from, &["liar"], 0));
        let good = names(&["good"]);
        let adopted = adopt_docket(&path, &good, &from, &good).unwrap();
        assert_eq!(adopted, Adopted { verdicts: 1, doubts: 0 });
        assert_eq!(pending(&path), ["liar"]);
    }

    /// A repair has noted that proofs may be lost: nobody was wrong.
    #[test]
    fn claims_of_nobody_are_believed_where_nobody_was_found_to_be_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let [path, from] = ["here", "there"].map(|name| folder.path().join(name));
        let mut here = Docket::open(Some(&path)).unwrap();
        let nobody = Verdict { workers: vec![], ..verdict(1, "") };
        here.convict(nobody).unwrap();
        here.carried_out(1).unwrap();
        drop(here);
        let nameless = names(&[""]);
        let adopted = adopt_docket(&path, &nameless, &from, &nameless).unwrap();
        assert_eq!(adopted, Adopted::default());
        assert_eq!(pending(&path), [""; 0]);
    }

    #[test]
    fn what_concerns_nobody_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let [path, from] = ["here", "there"].map(|name| folder.path().join(name));
        let none = Adopted::default();
        let (own, others) = (names(&["good"]), names(&["better"]));
        assert_eq!(adopt_docket(&path, &own, &from, &others).unwrap(), none);
        assert!(!from.exists());
        drop(docket(&path, &["liar"], 1));
        let before = fs::read_to_string(&path).unwrap();
        assert_eq!(adopt_docket(&path, &own, &from, &others).unwrap(), none);
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
    }

    #[test]
    fn taking_over_twice_is_taking_over_once_but_for_the_eras() {
        let folder = tempfile::tempdir().unwrap();
        let [path, from] = ["here", "there"].map(|name| folder.path().join(name));
        let mut here = docket(&path, &[], 0);
        here.doubt(vec![(AuditId(7), doubt("a"))]).unwrap();
        let mut there = docket(&from, &["liar"], 0);
        there.doubt(vec![(AuditId(3), doubt("a")), (AuditId(7), doubt("b"))]).unwrap();
        drop((here, there));
        let (own, others) = (names(&["a"]), names(&["b"]));
        for doubts in [1, 0] {
            let adopted = adopt_docket(&path, &own, &from, &others).unwrap();
            assert_eq!(adopted, Adopted { verdicts: 1, doubts });
            let docket = Docket::open(Some(&path)).unwrap();
            let held: Vec<_> = docket.doubted.clone().into_iter().collect();
            assert_eq!(held, [(AuditId(7), doubt("a")), (AuditId(8), doubt("b"))]);
            assert_eq!(pending(&path), ["liar"]);
        }
    }

    #[test]
    fn a_damaged_docket_is_named_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let [path, from] = ["here", "there"].map(|name| folder.path().join(name));
        drop(docket(&path, &["liar"], 1));
        let before = fs::read_to_string(&path).unwrap();
        fs::write(&from, "nonsense\n").unwrap();
        let none = BTreeSet::new();
        let error = adopt_docket(&path, &none, &from, &none).unwrap_err().to_string();
        assert!(error.contains("there") && error.contains("expected a line about"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
    }
}
