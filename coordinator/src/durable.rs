//! Names in folders that outlive the machine, and files that are replaced as a whole: wherever the process or the
//! machine stops, such a file says what it said before, or all of what it is to say from now on.
//!
//! The proof log is not one of them: it only grows (`store::log`).

use std::fs::{self, File};
use std::io::{self, Write};
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
/// [`Refused`]; what was there before is there still, or the new file is complete and only its name may not be on disk.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), Refused> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    let mut file = File::create(&new).map_err(refused("creating", &new))?;
    file.write_all(content).map_err(refused("writing", &new))?;
    file.sync_all().map_err(refused("writing", &new))?;
    fs::rename(&new, path).map_err(refused("moving", &new))?;
    sync_folder(path.parent().unwrap_or(path)).map_err(refused("syncing", path))
}

fn refused(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Refused {
    move |source| Refused { action, path: path.to_owned(), source }
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
    }
}
