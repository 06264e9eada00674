//! What cannot be read of a docket, and a docket without it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use outflank_engine::notation::excerpt;

use super::{Docket, EXPECTED, whole_lines};
use crate::durable;
use crate::service::journal::{self, Journal};
use crate::store::{Problem, StoreError};

/// What mending a docket came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MendedDocket {
    /// Where the damaged file lies now.
    pub aside: PathBuf,
    /// The lines that were kept.
    pub kept: usize,
    /// The lines that could not be read.
    pub lost: usize,
}

/// Returns what is wrong with the docket in the file `path`, which need not exist; changes nothing.
///
/// # Errors
/// If the file cannot be read.
pub fn docket_problems(path: &Path) -> Result<Vec<Problem>, StoreError> {
    let bytes = journal::read(path)?.unwrap_or_default();
    let mut docket = Docket::default();
    let damaged = |(offset, line)| {
        let found = docket.take(line).err()?;
        let what = format!("found {found}, expected {EXPECTED}");
        Some(Problem { path: path.to_owned(), offset: Some(offset), what })
    };
    let mut problems: Vec<Problem> = whole_lines(&bytes).filter_map(damaged).collect();
    if let Some((offset, line)) = unfinished_line(&bytes)
        && may_have_ended(line)
    {
        let what = format!("found {} without an end, expected {EXPECTED}", shown(line));
        problems.push(Problem { path: path.to_owned(), offset: Some(offset), what });
    }
    Ok(problems)
}

/// Returns what stands behind the last line that has an end, and where, if there is anything.
pub(super) fn unfinished_line(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let offset = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let line = &bytes[offset..];
    (!line.is_empty()).then_some((offset as u64, line))
}

/// Returns a line that cannot be read, or its beginning, as it can be printed.
pub(super) fn shown(line: &[u8]) -> String {
    match line.trim_ascii_end() {
        [] => "a blank line".to_owned(),
        line => excerpt(&String::from_utf8_lossy(line).escape_debug().to_string()),
    }
}

/// Returns whether an unfinished line may be more than a write that nobody was told of: one that says all but for its
/// end, or one with bytes that a file system puts where others were, or should have been.
pub(super) fn may_have_ended(line: &[u8]) -> bool {
    line.contains(&0) || Docket::default().take(line).is_ok()
}

/// Lets a docket that says what can be read take the place of a damaged one in the file `path`, of which a copy is kept
/// beside it. Returns `None` if nothing is wrong with it.
///
/// # Errors
/// If the file cannot be read, or the system refuses to write.
pub fn mend_docket(path: &Path) -> Result<Option<MendedDocket>, StoreError> {
    let bytes = journal::read(path)?.unwrap_or_default();
    let mut docket = Docket::default();
    let (mut kept, mut lost) = (Vec::new(), 0);
    for (_, line) in whole_lines(&bytes) {
        match docket.take(line) {
            Ok(()) => kept.push(String::from_utf8_lossy(line).into_owned()),
            Err(_) => lost += 1,
        }
    }
    match unfinished_line(&bytes).filter(|(_, line)| may_have_ended(line)) {
        Some((_, line)) if docket.take(line).is_ok() => {
            kept.push(String::from_utf8_lossy(line).into_owned() + "\n");
        }
        Some(_) => lost += 1,
        None if lost == 0 => return Ok(None),
        None => {}
    }
    // A copy first: there is a docket at every moment.
    let aside = durable::free_aside(path);
    if let Err(error) = copy(path, &aside).and_then(|()| Journal::begin(path, &kept).map(drop)) {
        // It would say that lines are lost which are all there.
        if let Err(second) = fs::remove_file(&aside) {
            tracing::warn!(path = %aside.display(), error = %second, "a copy of the docket stays");
        }
        return Err(error);
    }
    Ok(Some(MendedDocket { aside, kept: kept.len(), lost }))
}

/// Copies the file `from`; returns when the copy is on disk.
fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::copy(from, to).map_err(StoreError::io("copying", from))?;
    File::open(to).and_then(|file| file.sync_all()).map_err(StoreError::io("syncing", to))
}

/// Returns whether lines of the docket in the file `path` were lost: the damaged file lies beside it, unless somebody
/// has removed that.
pub(super) fn has_lost_lines(path: &Path) -> Result<bool, StoreError> {
    let aside = format!("{}.aside-", path.file_name().unwrap_or_default().to_string_lossy());
    let folder = path.parent().unwrap_or(path);
    for file in fs::read_dir(folder).map_err(StoreError::io("listing", folder))? {
        let name = file.map_err(StoreError::io("listing", folder))?.file_name();
        if name.to_string_lossy().starts_with(&aside) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::docket::Verdict;

    /// They were cut off as if nobody had been told of them.
    #[test]
    fn a_last_line_that_may_have_had_an_end_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docket.jsonl");
        let good = "{\"taken_back\":{\"era\":3}}\n";
        let (whole, zeros) = ("{\"taken_back\":{\"era\":4}}", "{\"taken_back\":{\"er\0\0\0");
        for (last, kept, era) in [(whole, 2, 4), (zeros, 1, 3)] {
            fs::write(&path, [good, last].concat()).unwrap();
            let problems = docket_problems(&path).unwrap();
            assert_eq!(problems.len(), 1, "{last:?}");
            assert_eq!(problems[0].offset, Some(good.len() as u64));
            assert!(problems[0].what.contains("without an end"), "{}", problems[0].what);
            let mended = mend_docket(&path).unwrap().expect("it is damaged");
            assert_eq!((mended.kept, mended.lost), (kept, 2 - kept));
            assert_eq!(docket_problems(&path).unwrap(), []);
            assert_eq!(Docket::open(Some(&path)).unwrap().carried_out, era);
        }
    }

    #[test]
    fn a_damaged_docket_is_seen_and_keeps_the_lines_that_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docket.jsonl");
        assert_eq!((docket_problems(&path).unwrap(), mend_docket(&path).unwrap()), (vec![], None));
        let (good, odd) = ("{\"taken_back\":{\"era\":3}}\n", "{\"cleared\":{\"audit\":-1}}\n");
        let damaged = [good, "nonsense\n", odd, good, "{\"taken_ba"].concat();
        fs::write(&path, &damaged).unwrap();
        let problems = docket_problems(&path).unwrap();
        let offsets: Vec<_> = problems.iter().map(|problem| problem.offset.unwrap()).collect();
        assert_eq!(offsets, [good.len() as u64, good.len() as u64 + 9]);
        let text = problems[0].to_string();
        assert!(
            text.contains("docket.jsonl") && text.contains("found nonsense, expected a line about"),
            "{text}"
        );
        assert!(Docket::open(Some(&path)).is_err());
        let aside = folder.path().join("docket.jsonl.aside-1");
        let expected = MendedDocket { aside: aside.clone(), kept: 2, lost: 2 };
        assert_eq!(mend_docket(&path).unwrap(), Some(expected));
        assert_eq!(fs::read_to_string(aside).unwrap(), damaged);
        assert_eq!((docket_problems(&path).unwrap(), mend_docket(&path).unwrap()), (vec![], None));
        assert_eq!(Docket::open(Some(&path)).unwrap().carried_out, 3);
    }

    /// What was left beside it said that lines were lost.
    #[test]
    fn a_docket_that_cannot_be_mended_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docket.jsonl");
        fs::write(&path, "nonsense\n").unwrap();
        fs::create_dir(folder.path().join("docket.jsonl.new")).unwrap();
        let error = mend_docket(&path).unwrap_err().to_string();
        assert!(error.starts_with("creating ") && error.ends_with("docket.jsonl.new"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"nonsense\n");
        assert!(!has_lost_lines(&path).unwrap());
    }

    /// The verdict that came next had the era of the one that was lost: it counted as carried out before it was.
    #[test]
    fn a_verdict_after_damage_is_not_taken_for_the_one_that_was_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docket.jsonl");
        fs::write(&path, "what was a verdict\n{\"taken_back\":{\"era\":3}}\n").unwrap();
        mend_docket(&path).unwrap().expect("it is damaged");
        let mut docket = Docket::open(Some(&path)).unwrap();
        let (era, workers) = (docket.era() + 1, vec!["liar".to_owned()]);
        let verdict = Verdict { era, workers, reason: "it was wrong".to_owned(), is_refused: true };
        docket.convict(verdict.clone()).unwrap();
        assert_eq!(Docket::open(Some(&path)).unwrap().pending(), [verdict]);
    }
}
