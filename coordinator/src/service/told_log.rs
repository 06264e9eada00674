//! What workers were told, on disk: the next coordinator must know what may have misled them.
//!
//! A file of JSON lines beside the docket. A line is written before what it notes is said, so that a coordinator that
//! is killed has told nobody what is not in it. It is not synced, since workers would wait for that: only the system can
//! lose what was written, when it dies itself. So the file says in which life of the system it was written; where
//! that is another one, and the coordinator did not end in order, or where a line cannot be read, something may be
//! missing. The next coordinator is told so, and excuses somebody once whom it need not excuse: nothing worse comes of a loss.
//!
//! A line may be written, and a worker told what it notes, before the bound is on disk: whoever shares a search does not
//! wait for that. So where the coordinator did not end in order, and the store does not hold a bound that a worker was
//! told, nobody knows any more who claimed it, and the worker counts as one that was told more than is noted. What is taken
//! back while the coordinator lives is struck out at once, so that it is not taken for such a bound.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use outflank_engine::{Bound, Position, Score};
use serde::{Deserialize, Serialize};

use super::convert;
use super::journal::{self, Journal};
use crate::core::Memory;
use crate::store::StoreError;

/// The most bounds that a coordinator takes over: half of what it remembers, so that there is room for others.
const MOST_KEPT: usize = 1 << 19;

/// The file is written anew, without what was said twice and what there is no room for, when it has grown by so many bytes:
/// some 600,000 bounds.
const MOST_GROWN: usize = 1 << 25;

/// The number of the life of the system, on Linux.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    /// In which life of the system the file was begun; empty if nobody knows.
    Boot(String),
    /// Workers may have been told what is not noted here.
    Gaps,
    /// A worker is told bounds: player, opponent, lower, upper.
    Told { worker: String, bounds: Vec<(u64, u64, i32, i32)> },
    /// A worker is told others, for which there was no room.
    More { worker: String },
    /// The coordinator has ended in order, and everything is on disk.
    Closed,
}

/// What a worker is told.
#[derive(Debug)]
pub(super) struct Note {
    /// The name of its process.
    pub(super) worker: String,
    pub(super) bounds: Vec<(Position, Bound)>,
    /// Whether it is told others, for which there is no room.
    pub(super) and_more: bool,
}

/// The file in which everything is noted.
#[derive(Debug, Default)]
pub(super) struct ToldLog {
    /// `None` for a coordinator that keeps nothing on disk.
    file: Option<Journal>,
    /// The bytes that were written since the file was begun, and how many may be.
    grown: usize,
    most_grown: usize,
}

/// What the file says.
#[derive(Debug, Default)]
struct Content {
    boot: String,
    has_gaps: bool,
    is_closed: bool,
    more: BTreeSet<String>,
    /// The bounds of each worker, and the number of the last line about it.
    told: BTreeMap<String, (usize, BTreeMap<Position, Bound>)>,
}

impl Content {
    /// Returns what a file says, up to the first line that cannot be read.
    fn read(path: &Path, bytes: &[u8]) -> Self {
        let mut content = Self::default();
        for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            if !line.ends_with(b"\n") {
                break; // The coordinator was killed before it could say what it was about to note.
            }
            let read = serde_json::from_slice(line).ok();
            if read.and_then(|line| content.enter(number, line)).is_none() {
                let line = number + 1;
                tracing::warn!(
                    path = %path.display(),
                    line,
                    "this line and what follows cannot be read, expected a note of what a worker was told: \
                     a worker that lies may be refused only for its second lie"
                );
                content.has_gaps = true;
                break;
            }
        }
        content
    }

    /// Takes note of a line; `None` if what it says cannot be.
    fn enter(&mut self, number: usize, line: Line) -> Option<()> {
        self.is_closed = false;
        match line {
            Line::Boot(boot) => self.boot = boot,
            Line::Gaps => self.has_gaps = true,
            Line::More { worker } => _ = self.more.insert(worker),
            Line::Closed => self.is_closed = true,
            Line::Told { worker, bounds } => {
                let (last, told) = self.told.entry(worker).or_default();
                *last = number;
                for (player, opponent, lower, upper) in bounds {
                    let bound = Bound::new(Score::new(lower)?, Score::new(upper)?)?;
                    // The last line about a position says all.
                    told.insert(Position::new(player, opponent)?, bound);
                }
            }
        }
        Some(())
    }

    /// Forgets what nobody holds any more. Returns the workers that were told of it.
    fn forget(&mut self, is_held: impl Fn(Position, Bound) -> bool) -> Vec<String> {
        let mut names = Vec::new();
        for (name, (_, bounds)) in &mut self.told {
            let before = bounds.len();
            bounds.retain(|&position, &mut bound| is_held(position, bound));
            names.extend((bounds.len() < before).then(|| name.clone()));
        }
        self.told.retain(|_, (_, bounds)| !bounds.is_empty());
        names
    }

    /// Forgets what there is no room for: of those workers who were told something longest ago it is known then that they
    /// were told more.
    fn trim(&mut self, most: usize) {
        let mut count: usize = self.told.values().map(|(_, bounds)| bounds.len()).sum();
        let mut by_age: Vec<(usize, String)> =
            self.told.iter().map(|(name, (last, _))| (*last, name.clone())).collect();
        by_age.sort_unstable();
        for (_, name) in by_age {
            if count <= most {
                break;
            }
            count -= self.told.remove(&name).map_or(0, |(_, bounds)| bounds.len());
            self.more.insert(name);
        }
    }

    /// Returns the lines that say the same, and no more.
    fn lines(&self, boot: &str) -> Vec<String> {
        let mut lines = vec![journal::line(&Line::Boot(boot.to_owned()))];
        lines.extend(self.has_gaps.then(|| journal::line(&Line::Gaps)));
        lines.extend(self.more.iter().map(|name| more(name)));
        let mut by_age: Vec<_> = self.told.iter().collect();
        by_age.sort_unstable_by_key(|(_, (last, _))| *last);
        let bounds = |bounds: &BTreeMap<Position, Bound>| {
            bounds.iter().map(|(&position, &bound)| (position, bound)).collect::<Vec<_>>()
        };
        lines.extend(by_age.into_iter().map(|(name, (_, told))| line(name, &bounds(told))));
        lines
    }

    /// Returns the same for the core: first who was told something longest ago.
    fn into_memory(self) -> Memory {
        let mut by_age: Vec<_> = self.told.into_iter().collect();
        by_age.sort_unstable_by_key(|(_, (last, _))| *last);
        let told = by_age.into_iter().map(|(name, (_, bounds))| {
            (convert::process(&name), bounds.into_iter().collect::<Vec<_>>())
        });
        Memory {
            told: told.collect(),
            told_more: self.more.iter().map(|name| convert::process(name)).collect(),
            excused: Vec::new(),
            has_gaps: self.has_gaps,
        }
    }
}

impl ToldLog {
    /// Opens the file `path`, which need not exist, and returns what it says of bounds that the store holds. If it does
    /// not exist and the store `has_proofs`, an earlier coordinator may have told workers of them.
    pub(super) fn open(
        path: Option<&Path>,
        has_proofs: bool,
        is_held: impl Fn(Position, Bound) -> bool,
    ) -> Result<(Self, Memory), StoreError> {
        let Some(path) = path else {
            let memory = Memory { has_gaps: has_proofs, ..Memory::default() };
            return Ok((Self::default(), memory));
        };
        let boot = fs::read_to_string(BOOT).unwrap_or_default().trim().to_owned();
        let mut content = match journal::read(path)? {
            Some(bytes) => {
                let mut content = Content::read(path, &bytes);
                let same_life = !boot.is_empty() && content.boot == boot;
                content.has_gaps |= !same_life && !content.is_closed;
                content
            }
            None => Content { has_gaps: has_proofs, ..Content::default() },
        };
        let lost = content.forget(is_held);
        if !content.is_closed {
            content.more.extend(lost);
        }
        content.trim(MOST_KEPT);
        let file = Some(Journal::begin(path, &content.lines(&boot))?);
        Ok((Self { file, grown: 0, most_grown: MOST_GROWN }, content.into_memory()))
    }

    /// Notes what workers are told.
    pub(super) fn note(&mut self, notes: &[Note]) -> Result<(), StoreError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut text = String::new();
        for Note { worker, bounds, and_more } in notes {
            if !bounds.is_empty() {
                text += &line(worker, bounds);
            }
            if *and_more {
                text += &more(worker);
            }
        }
        file.append(&text)?;
        self.grown += text.len();
        // Over the life of a coordinator it would grow without end.
        if self.grown > self.most_grown { self.begin_anew(|_, _| true) } else { Ok(()) }
    }

    /// Strikes out what was taken back: what the store does not hold, when everything that was claimed has reached it.
    pub(super) fn taken_back(
        &mut self,
        is_held: impl Fn(Position, Bound) -> bool,
    ) -> Result<(), StoreError> {
        self.begin_anew(is_held)
    }

    /// Writes the file anew, without what nobody holds any more.
    fn begin_anew(&mut self, is_held: impl Fn(Position, Bound) -> bool) -> Result<(), StoreError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let path = file.path();
        let mut content = Content::read(path, &journal::read(path)?.unwrap_or_default());
        content.forget(is_held);
        content.trim(MOST_KEPT);
        file.replace(&content.lines(&content.boot))?;
        self.grown = 0;
        Ok(())
    }

    /// Notes that nothing more is told; returns when everything is on disk.
    pub(super) fn close(&mut self) -> Result<(), StoreError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.append(&journal::line(&Line::Closed))?;
        file.sync()
    }
}

fn line(name: &str, bounds: &[(Position, Bound)]) -> String {
    let numbers = |&(position, bound): &(Position, Bound)| {
        (position.player(), position.opponent(), bound.lower().discs(), bound.upper().discs())
    };
    let bounds = bounds.iter().map(numbers).collect();
    journal::line(&Line::Told { worker: name.to_owned(), bounds })
}

fn more(name: &str) -> String {
    journal::line(&Line::More { worker: name.to_owned() })
}

#[cfg(test)]
mod tests;
