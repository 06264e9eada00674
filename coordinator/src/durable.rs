//! Names in folders that outlive the machine, and files that are replaced as a whole: wherever the process or the
//! machine stops, such a file says what it said before, or all of what it is to say from now on. And whether an open file
//! still has the name by which it was opened: what is written to one that has lost it, nobody will find.
//!
//! The proof log is not one of them: it only grows (`store::log`).

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What the system refused when a file was to be replaced.
#[derive(Debug)]
pub(crate) struct Refused {
    /// What was tried, as in "writing".
    pub(crate) action: &'static str,
    /// The file that was to be replaced, or the new one beside it.
    pub(crate) path: PathBuf,
    /// The system's reason.
    pub(crate) source: io::Error,
}

/// Lets a file with this content take the place of `path`, which need not exist; returns when that is on disk.
///
/// The order makes it so: the content is on disk before it gets the name, and the name is with the folder, which is
/// synced last.
///
/// # Errors
/// [`Refused`]; what was there before is there still and nothing beside it, or the new file is complete and only its name
/// may not be on disk.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), Refused> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    let mut file = File::create(&new).map_err(refused("creating", &new))?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let moved = written
        .map_err(refused("writing", &new))
        .and_then(|()| fs::rename(&new, path).map_err(refused("moving", &new)));
    if let Err(refused) = moved {
        // On a full disk it takes room that others want. What stays is overwritten the next time.
        drop(fs::remove_file(&new));
        return Err(refused);
    }
    sync_folder(path.parent().unwrap_or(path)).map_err(refused("syncing", path))
}

fn refused(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Refused {
    move |source| Refused { action, path: path.to_owned(), source }
}

/// Returns whether `path`, by which `file` was opened, is its name still: otherwise it was moved, replaced or removed.
pub(crate) fn is_in_place(file: &File, path: &Path) -> io::Result<bool> {
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((held.dev(), held.ino()) == (named.dev(), named.ino())),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Fails unless `path`, by which `file` was opened, is its name still.
pub(crate) fn check_in_place(file: &File, path: &Path) -> io::Result<()> {
    if is_in_place(file, path)? {
        return Ok(());
    }
    let reason = "it was moved, replaced or removed while it was in use";
    Err(io::Error::new(ErrorKind::NotFound, reason))
}

/// Makes new, renamed and removed names in `folder` durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Makes the folder `path` and those above it that are missing; returns when that is on disk.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    fs::create_dir_all(path)?;
    let mut above = missing.iter().filter_map(|folder| folder.parent());
    // The one above a name alone has no name.
    above.try_for_each(|folder| sync_folder(&Path::new(".").join(folder)))
}

/// Returns the first name that nothing has, of those beside `path` for what is moved aside.
pub(crate) fn free_aside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut names = (1_u64..).map(|number| path.with_file_name(format!("{name}.aside-{number}")));
    names.find(|name| !name.exists()).expect("the names are endless")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_replaced_is_as_it_was_and_it_is_said_what_was_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [path, new] = ["notes.json", "notes.json.new"].map(|name| folder.path().join(name));
        replace(&path, b"a first text").unwrap();
        replace(&path, b"a text").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"a text");
        assert!(!new.exists());
        fs::create_dir(&new).unwrap();
        let refused = replace(&path, b"another").unwrap_err();
        assert_eq!((refused.action, refused.path), ("creating", new.clone()));
        assert_eq!(fs::read(&path).unwrap(), b"a text");
        fs::remove_dir(&new).unwrap();
        let occupied = folder.path().join("occupied");
        fs::create_dir_all(occupied.join("by this")).unwrap();
        let refused = replace(&occupied, b"text").unwrap_err();
        assert_eq!((refused.action, refused.path), ("moving", folder.path().join("occupied.new")));
        assert!(occupied.join("by this").exists());
        assert!(!folder.path().join("occupied.new").exists(), "it was left behind");
    }

    #[test]
    fn a_file_is_in_place_as_long_as_its_name_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["store/log", "moved"].map(|name| folder.path().join(name));
        let parent = path.parent().unwrap();
        fs::create_dir(parent).unwrap();
        let file = File::create(&path).unwrap();
        let is_there = || is_in_place(&file, &path).unwrap();
        assert!(is_there());
        fs::rename(parent, &other).unwrap();
        assert!(!is_there(), "it was moved with its folder");
        fs::write(parent, "no folder").unwrap();
        assert!(!is_there(), "its folder was replaced by a file");
        fs::remove_file(parent).unwrap();
        fs::create_dir(parent).unwrap();
        fs::write(&path, "").unwrap();
        assert!(!is_there(), "it was replaced");
        fs::remove_dir_all(parent).unwrap();
        fs::rename(&other, parent).unwrap();
        assert!(is_there(), "it is back");
        fs::remove_file(&path).unwrap();
        assert!(!is_there(), "it was removed");
        let refused = check_in_place(&file, &path).unwrap_err();
        assert_eq!(refused.to_string(), "it was moved, replaced or removed while it was in use");
    }
}
