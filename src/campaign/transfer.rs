//! Lists on their way in and out, in parts, so that their length does not matter.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::Context;
use outflank_coordinator::client::{CampaignsClient, Rows};
use outflank_engine::Window;
use outflank_proto::campaign::{ExportRequest, ImportHead, ImportPart, Selection};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::arguments::{Export, Import};
use super::next::Next;
use super::wait::Work;
use super::{one, show};
use crate::exit::{Exit, Failure, OrExit, client_failure};
use crate::files::WholeFile;
use crate::{files, output};

/// The size of the parts of a list, in bytes.
const PART_BYTES: usize = 64 << 10;
/// The number of parts that are read ahead.
const PARTS: usize = 8;

/// Imports the list that the arguments name.
pub(super) async fn import(
    arguments: &Import,
    client: &mut CampaignsClient,
    next: &Next,
) -> Result<Exit, Failure> {
    let (reader, source) = open(&arguments.file).or_exit(Exit::BadInput)?;
    let head = ImportHead {
        name: arguments.named.name.clone(),
        source,
        form: arguments.form,
        priority: arguments.priority,
        split_to: arguments.split_to,
        window: arguments.window.unwrap_or(Window::FULL),
        board: arguments.board,
        paused: arguments.paused,
    };
    let what = format!("reading {}", head.source);
    let (parts, receiver) = mpsc::channel(PARTS);
    let (failed, mut failure) = oneshot::channel();
    let mut reading = JoinSet::new();
    reading.spawn_blocking(move || send(head, reader, parts, failed));
    let imported = client.import(receiver).await;
    // A list that could not be read to its end has no end for the coordinator either. Nobody waits for the reader
    // where that wants no more of a list: standard input may have no end.
    if let Ok(error) = failure.try_recv() {
        return Err(error).context(what).or_exit(Exit::BadInput);
    }
    let (campaign, repeated) = imported.map_err(client_failure)?;
    show::imported(&campaign, repeated)?;
    show::remark_on_kept(&campaign, arguments, next);
    Ok(Exit::Done)
}

fn open(path: &Path) -> anyhow::Result<(Box<dyn Read + Send>, String)> {
    if path == Path::new("-") {
        return Ok((Box::new(io::stdin()), "standard input".to_owned()));
    }
    let name = path.display().to_string();
    if path.is_dir() {
        anyhow::bail!("{name} is a folder, expected a file of positions");
    }
    let file = File::open(path).with_context(|| format!("opening {name}"))?;
    Ok((Box::new(file), name))
}

/// Sends a list until it ends, or until nobody wants more of it. Where it cannot be read, that has `failed` before the
/// parts end.
fn send(
    head: ImportHead,
    reader: impl Read,
    parts: mpsc::Sender<ImportPart>,
    failed: oneshot::Sender<io::Error>,
) {
    if let Err(error) = send_all(head, reader, &parts) {
        drop(failed.send(error)); // Who listens no more has no use for it.
    }
    drop(parts);
}

fn send_all(
    head: ImportHead,
    mut reader: impl Read,
    parts: &mpsc::Sender<ImportPart>,
) -> io::Result<()> {
    let mut bytes = 0;
    let mut next = Some(ImportPart::Head(head));
    while let Some(part) = next.take() {
        let is_last = matches!(part, ImportPart::End(_));
        if parts.blocking_send(part).is_err() || is_last {
            break;
        }
        let mut buffer = vec![0; PART_BYTES];
        let count = reader.read(&mut buffer)?;
        buffer.truncate(count);
        bytes += count as u64;
        next = Some(if count > 0 { ImportPart::Data(buffer) } else { ImportPart::End(bytes) });
    }
    Ok(())
}

/// Exports the rows that the arguments name.
pub(super) async fn export(
    arguments: &Export,
    client: &mut CampaignsClient,
    work: Work,
    next: &Next,
) -> Result<Exit, Failure> {
    let name = &arguments.named.name;
    if let Some(path) = &arguments.out {
        files::check_output("--out", path)?;
    }
    let campaign = one(client, name, work).await?;
    let wanted = ExportRequest {
        name: name.clone(),
        form: arguments.form,
        selection: arguments.only.map_or(Selection::All, Into::into),
        limit: arguments.limit,
    };
    let rows = client.export(wanted).await.map_err(client_failure)?;
    match &arguments.out {
        None => copy(rows, &mut output::bulk()).await.map(drop)?,
        Some(path) => write(rows, path).await?,
    }
    show::remark_on_refuted(&campaign, next);
    Ok(Exit::Done)
}

async fn copy(mut rows: Rows, out: &mut impl Write) -> Result<u64, Failure> {
    let mut bytes = 0;
    while let Some(part) = rows.next().await.map_err(client_failure)? {
        out.write_all(&part).context("writing the rows")?;
        bytes += part.len() as u64;
    }
    out.flush().context("writing the rows")?;
    Ok(bytes)
}

/// Writes the file `path`.
async fn write(rows: Rows, path: &Path) -> Result<(), Failure> {
    let mut file = WholeFile::create(path).or_exit(Exit::BadInput)?;
    copy(rows, &mut file).await?;
    file.finish().with_context(|| format!("writing {}", path.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use outflank_engine::BoardSize;

    use super::*;

    /// A file on a disk that fails.
    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("a bad block"))
        }
    }

    #[tokio::test]
    async fn who_sees_a_list_end_too_early_finds_why_it_could_not_be_read() {
        for _ in 0..1000 {
            let head = ImportHead {
                name: "list".to_owned(),
                source: "list.obf".to_owned(),
                form: None,
                priority: 100,
                split_to: None,
                window: Window::FULL,
                board: BoardSize::STANDARD,
                paused: false,
            };
            let (parts, mut receiver) = mpsc::channel(PARTS);
            let (failed, mut failure) = oneshot::channel();
            let mut reading = JoinSet::new();
            reading.spawn_blocking(move || send(head, Failing, parts, failed));
            while let Some(part) = receiver.recv().await {
                assert!(!matches!(part, ImportPart::End(_)));
            }
            assert_eq!(failure.try_recv().expect("it is there").to_string(), "a bad block");
        }
    }
}
