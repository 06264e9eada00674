//! Files and folders that the command line names, checked before anything that takes time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use nix::unistd::{AccessFlags, access};
use tempfile::NamedTempFile;

use crate::exit::{Exit, Failure, OrExit};

/// A file that is written as a whole.
///
/// A new file, or one that takes the place of another, appears under its name when it is complete and on disk, with
/// the rights of the other one; a link goes on to lead to it. What is no regular file, such as a pipe or a device,
/// takes what is written as it comes.
#[derive(Debug)]
pub(crate) enum WholeFile {
    /// Written aside until it is complete.
    Aside {
        /// What is written.
        file: BufWriter<NamedTempFile>,
        /// The name that it gets.
        target: PathBuf,
    },
    /// Written through.
    Through(BufWriter<File>),
}

impl WholeFile {
    /// Begins the file `path`.
    ///
    /// # Errors
    /// If it, or a file beside it, cannot be made.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        Self::begin(path).with_context(|| format!("writing {}", path.display()))
    }

    fn begin(path: &Path) -> io::Result<Self> {
        let there = match fs::metadata(path) {
            Ok(there) => Some(there),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            return Ok(Self::Through(BufWriter::new(OpenOptions::new().write(true).open(path)?)));
        }
        let target = target(path)?;
        // What is killed leaves its file: the name says of what it is a part.
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let prefix = format!(".{}.", name.chars().take(64).collect::<String>());
        let file = with_usual_rights(&prefix).tempfile_in(folder(&target))?;
        if let Some(there) = there {
            file.as_file().set_permissions(there.permissions())?;
        }
        Ok(Self::Aside { file: BufWriter::new(file), target })
    }

    /// Ends the file: then it is on disk under its name.
    ///
    /// # Errors
    /// If the system does not take it; what was there before is there still, unless it was no regular file, or the
    /// new file is complete and only its name may not be on disk.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Aside { file, target } => {
                let file = file.into_inner().map_err(IntoInnerError::into_error)?;
                file.as_file().sync_all()?;
                file.persist(&target).map_err(|failed| failed.error)?;
                // The name is on disk with the folder.
                File::open(folder(&target))?.sync_all()
            }
            Self::Through(mut file) => file.flush(),
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Aside { file, .. } => file.write(bytes),
            Self::Through(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Aside { file, .. } => file.flush(),
            Self::Through(file) => file.flush(),
        }
    }
}

/// Writes the file `path` as a whole.
///
/// # Errors
/// If the system does not take it; what was there before is there still, unless it was no regular file.
pub(crate) fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let mut file = WholeFile::create(path)?;
    let written = file.write_all(content).and_then(|()| file.finish());
    written.with_context(|| format!("writing {}", path.display()))
}

/// Returns the folder in which a file lies.
fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// The most links that are followed, as by Linux.
const MOST_LINKS: usize = 40;

/// Follows links, also one that leads to a file which is not there yet.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        if !fs::symlink_metadata(&target).is_ok_and(|there| there.is_symlink()) {
            return Ok(target);
        }
        let next = fs::read_link(&target)?;
        target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    Err(io::Error::other("too many links"))
}

/// Returns a way to make files beside others that everybody may read and write whom the process lets.
fn with_usual_rights(prefix: &str) -> tempfile::Builder<'_, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

/// Refuses a path, given by `option`, at which no [`WholeFile`] can be written: hours later would be too late
/// to say so.
pub(crate) fn check_output(option: &str, file: &Path) -> Result<(), Failure> {
    check_place(option, file)?;
    let what = || format!("{option} {}: cannot be written", file.display());
    try_out(file).with_context(what).or_exit(Exit::BadInput)
}

/// Begins the file `path` and gives it up.
fn try_out(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        // To open a pipe is to wait for its reader, and to close it again has that believe that all is read.
        Ok(there) if !there.is_file() => Ok(access(path, AccessFlags::W_OK)?),
        _ => WholeFile::begin(path).map(drop),
    }
}

/// Refuses a path, given by `option`, that is a folder or in none.
pub(crate) fn check_place(option: &str, file: &Path) -> Result<(), Failure> {
    if file == Path::new("-") {
        return Err(refused(option, file, "expected the name of a file"));
    }
    if file.is_dir() {
        return Err(refused(option, file, "is a folder, expected a file"));
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_none_or(Path::is_dir) {
        return Ok(());
    }
    Err(refused(option, file, "expected a folder that is there"))
}

/// Refuses a path, given by `option`, at which no folder can be made.
pub(crate) fn check_folder(option: &str, folder: &Path) -> Result<(), Failure> {
    if folder.exists() && !folder.is_dir() {
        return Err(refused(option, folder, "is a file, expected a folder"));
    }
    Ok(())
}

/// Refuses a path, given by `option`, at which there is no folder.
pub(crate) fn check_existing_folder(option: &str, folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    Err(refused(option, folder, "expected a folder that is there"))
}

fn refused(option: &str, path: &Path, why: &str) -> Failure {
    Failure::new(Exit::BadInput, anyhow!("{option} {}: {why}", path.display()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn rights(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_appears_when_it_is_complete_and_has_the_usual_rights() {
        let folder = tempfile::tempdir().unwrap();
        let [path, usual] = ["new", "usual"].map(|name| folder.path().join(name));
        fs::write(&usual, "").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "what is not finished goes");
        write(&path, b"whole").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(rights(&path), rights(&usual));
    }

    #[test]
    fn what_is_replaced_keeps_its_rights_and_its_links() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, further] =
            ["file", "link", "further"].map(|name| folder.path().join(name));
        symlink("file", &link).unwrap();
        symlink("link", &further).unwrap();
        write(&further, b"first").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "first", "the link led nowhere");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        write(&link, b"second").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "second");
        assert_eq!(rights(&file), 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        symlink("ring", folder.path().join("ring")).unwrap();
        WholeFile::create(&folder.path().join("ring")).expect_err("a link to itself");
    }

    #[test]
    fn what_cannot_be_written_is_refused_and_nothing_is_left_of_the_trial() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, lost, pipe] =
            ["file", "link", "lost", "pipe"].map(|name| folder.path().join(name));
        fs::write(&file, "before").unwrap();
        symlink("new", &link).unwrap();
        symlink("missing/new", &lost).unwrap();
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for path in [&file, &link, &pipe, Path::new("/dev/null")] {
            check_output("--out", path).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
        assert_eq!(fs::read_to_string(&file).unwrap(), "before");
        for path in [&lost, Path::new("/proc/file")] {
            check_output("--out", path).expect_err("nothing can be made there");
        }
    }

    #[test]
    fn a_device_is_written_through() {
        write(Path::new("/dev/full"), b"text").expect_err("there is no space on it");
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
        write(Path::new("/dev/null"), b"text").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
