use std::fs;

use super::*;

/// Returns a claim whose author is known if its number is odd.
fn claim(audit: u64) -> (AuditId, Doubt) {
    let (position, bound) = (Position::START.canonical(), Bound::at_least(Score::DRAW));
    let author = (audit % 2 == 1).then(|| format!("host/{audit}"));
    (AuditId(audit), Doubt { position, bound, author })
}

fn verdict(era: u64) -> Verdict {
    Verdict {
        era,
        workers: vec![format!("host/{era}")],
        reason: "it was wrong".to_owned(),
        is_refused: era == 1,
    }
}

#[test]
fn what_is_open_survives_whatever_the_last_write_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.jsonl");
    let mut docket = Docket::open(Some(&path)).unwrap();
    docket.doubt(vec![claim(1), claim(2), claim(3)]).unwrap();
    docket.clear(&[AuditId(2)]).unwrap();
    docket.convict(verdict(1)).unwrap();
    docket.carried_out(1).unwrap();
    docket.convict(verdict(2)).unwrap();
    drop(docket);
    let whole = fs::read_to_string(&path).unwrap();
    let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let lines = ends.iter().filter(|&&end| end <= cut).count();
        let docket = Docket::open(Some(&path)).unwrap();
        let open: Vec<AuditId> = docket.doubted().iter().map(|doubted| doubted.audit).collect();
        let expected: &[u64] =
            [&[][..], &[1], &[1, 2], &[1, 2, 3], &[1, 3], &[1, 3], &[1, 3], &[1, 3]][lines];
        assert_eq!(open, expected.iter().map(|&audit| AuditId(audit)).collect::<Vec<_>>());
        assert_eq!(docket.era(), [0, 0, 0, 0, 0, 1, 1, 2][lines]);
        assert_eq!(docket.pending().len(), [0, 0, 0, 0, 0, 1, 0, 1][lines]);
        for Doubted { audit, claim: doubted, author } in docket.doubted() {
            let (_, Doubt { position, bound, author: name }) = claim(audit.0);
            assert_eq!((doubted.position, doubted.bound), (position, bound));
            assert_eq!(author, name.as_deref().map(convert::process));
        }
        let excused = [convert::process("host/2")];
        assert_eq!(docket.excused(), excused[..docket.verdicts.len().saturating_sub(1)]);
    }
}

#[test]
fn whose_claims_were_taken_back_is_known_unless_a_verdict_may_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.jsonl");
    assert_eq!(taken_back(&path).unwrap(), TakenBack::UNKNOWN);
    let mut docket = Docket::open(Some(&path)).unwrap();
    let known = |workers: &[&str], is_all| {
        let workers = workers.iter().map(|&worker| worker.to_owned()).collect();
        assert_eq!(taken_back(&path).unwrap(), TakenBack { workers, is_all });
    };
    known(&[], true);
    for era in 1..=3 {
        docket.convict(verdict(era)).unwrap();
    }
    docket.carried_out(3).unwrap();
    let all = ["host/1", "host/2", "host/3"];
    known(&all, true);
    assert_eq!(reopen_verdicts(&path).unwrap(), 3);
    known(&all, true);
    // A line in the middle is lost, and at the end.
    let text = fs::read_to_string(&path).unwrap();
    let without = |name: &str| {
        let lines = text.lines().filter(|line| !line.contains(name));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    fs::write(&path, without("host/2")).unwrap();
    known(&["host/1", "host/3"], false);
    fs::write(&path, "{\"taken_back\":{\"era\":1}}\n").unwrap();
    known(&[], false);
    // A repair that could not read all has left the file aside.
    fs::write(&path, &text).unwrap();
    known(&all, true);
    fs::write(folder.path().join("docket.jsonl.aside-2"), "").unwrap();
    known(&all, false);
}

#[test]
fn a_damaged_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.jsonl");
    for bad in [
        "{\"cleared\":{\"audit\":-1}}",
        "{\"doubt\":{\"audit\":1,\"player\":1,\
                 \"opponent\":1,\"lower\":0,\"upper\":2}}",
        "nonsense",
    ] {
        fs::write(&path, format!("{{\"cleared\":{{\"audit\":7}}}}\n{bad}\n")).unwrap();
        let error = Docket::open(Some(&path)).unwrap_err().to_string();
        assert!(error.contains("offset 24") && error.contains("docket.jsonl"), "{error}");
    }
}

#[test]
fn the_file_does_not_grow_with_what_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.jsonl");
    let mut docket = Docket::open(Some(&path)).unwrap();
    docket.doubt(vec![claim(0)]).unwrap();
    for audit in 1..MANY_LINES as u64 {
        docket.add([Line::doubt(AuditId(audit), claim(0).1)]).unwrap();
        docket.clear(&[AuditId(audit)]).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap().lines().count() <= MANY_LINES + 3);
    drop(docket);
    let open = Docket::open(Some(&path)).unwrap().doubted;
    assert_eq!(open.into_iter().collect::<Vec<_>>(), [claim(0)]);
}

#[test]
fn what_was_carried_out_is_not_carried_out_again_however_often_the_file_is_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.jsonl");
    let mut docket = Docket::open(Some(&path)).unwrap();
    for era in 1..=2 {
        docket.convict(verdict(era)).unwrap();
        docket.carried_out(era).unwrap();
    }
    for _ in 0..3 {
        assert_eq!(Docket::open(Some(&path)).unwrap().pending(), []);
    }
    assert_eq!(reopen_verdicts(&path).unwrap(), 2);
    let again = [1, 2].map(|era| Verdict { era: era + 2, ..verdict(era) });
    for carried_out in 0..=2 {
        for _ in 0..3 {
            let docket = Docket::open(Some(&path)).unwrap();
            assert_eq!((docket.pending(), docket.era()), (again[carried_out..].into(), 4));
        }
        if let Some(next) = again.get(carried_out) {
            Docket::open(Some(&path)).unwrap().carried_out(next.era).unwrap();
        }
    }
    let none = folder.path().join("none.jsonl");
    assert_eq!((reopen_verdicts(&none).unwrap(), none.exists()), (0, false));
}

/// Campaigns were not reviewed where a repair had lost proofs and no worker had ever been found to be wrong.
#[test]
fn a_repair_that_may_have_lost_proofs_moves_the_era_also_without_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.jsonl");
    drop(Docket::open(Some(&path)).unwrap());
    for era in 1..=2 {
        assert_eq!(reopen_verdicts(&path).unwrap(), 0);
        let docket = Docket::open(Some(&path)).unwrap();
        assert_eq!((docket.era(), docket.pending()), (era, vec![]));
        let nobody = TakenBack { workers: vec![], is_all: true };
        assert_eq!(taken_back(&path).unwrap(), nobody);
    }
    Docket::open(Some(&path)).unwrap().convict(verdict(3)).unwrap();
    assert_eq!(reopen_verdicts(&path).unwrap(), 1);
    let again = Verdict { era: 4, ..verdict(3) };
    assert_eq!(Docket::open(Some(&path)).unwrap().pending(), [again]);
}

/// Each coordinator warned at its start of workers without a name.
#[test]
fn a_repair_refuses_nobody_but_those_who_were_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.jsonl");
    drop(Docket::open(Some(&path)).unwrap());
    reopen_verdicts(&path).unwrap();
    let mut docket = Docket::open(Some(&path)).unwrap();
    assert_eq!(docket.refused().count(), 0);
    let (refused, excused) = (Verdict { is_refused: true, ..verdict(2) }, verdict(3));
    for verdict in [&refused, &excused] {
        docket.convict(verdict.clone()).unwrap();
    }
    assert_eq!(docket.refused().collect::<Vec<_>>(), [&refused]);
}

/// With a verdict about nobody it would look as if there had never been another.
#[test]
fn a_repair_does_not_hide_that_a_verdict_was_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docket.jsonl");
    fs::write(&path, "{\"taken_back\":{\"era\":1}}\n").unwrap();
    assert_eq!(reopen_verdicts(&path).unwrap(), 0);
    assert_eq!(Docket::open(Some(&path)).unwrap().era(), 2, "proofs may be lost");
    assert_eq!(taken_back(&path).unwrap(), TakenBack::UNKNOWN);
}
