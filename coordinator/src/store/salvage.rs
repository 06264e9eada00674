//! Copying what is good of a damaged log to a new one, so that nothing comes back that was taken back.
//!
//! A lost frame may have been one that took claims back, alone or as a part of several. What it named must not stand
//! again, and the claims of whom it was about may be gone already, so that nothing leads there any more. But what was
//! ever taken back is what certain workers had claimed and what may rest on it, and frames of a withdrawal go in an
//! order that leaves after each of them all reasons for the rest (`withdraw.rs`). So where the first lost frame was,
//! the claims of all these workers are taken back once more, from what the frames before it say: that is all that the
//! lost one may have named of these. It is not all if a claim was lost there and something lost further on took back
//! what rested on it: so between the first lost frame and the last one no claim is kept. Whatever comes behind the last
//! one is kept, and so is everything where no claim was ever taken back.
//!
//! Where nobody can tell whose claims were taken back, and a frame that takes back is beside a lost one, the lost one
//! may have been a part of the same: then no claim before it is kept.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::disk::SystemDisk;
use super::error::StoreError;
use super::frame::{self, FULL_BODY, Frame};
use super::layout::{Layout, remove_folder};
use super::log::Log;
use super::manifest::{Found, Manifest};
use super::open::Options;
use super::pace::{Doing, Telling, Told};
use super::rebuild::{self, Whole};
use super::record::Origin;
use super::repair::{Repair, TakenBack};
use super::replay::GATHERED;
use super::scan::{self, Met, Place, Scan, segment_path};
use super::sled_index::SledIndex;
use super::verify::Problem;
use super::withdraw::{self, A_FRAME};
use crate::durable::sync_folder;

/// What a log has lost.
#[derive(Debug, Default)]
struct Survey {
    /// Where frames are lost: before the good frame with this number, counted from 0.
    gaps: Vec<u64>,
    /// Those of them that are beside a frame that takes back.
    beside_withdrawals: Vec<u64>,
    /// Whether a good frame takes something back.
    withdraws: bool,
    /// Good frames.
    frames: u64,
}

/// Copies the good frames of the log to a new one, but for the claims that may have been taken back.
pub(super) fn salvage(
    layout: &Layout,
    taken_back: &TakenBack,
    told: Told<'_>,
    done: &mut Repair,
) -> Result<(), StoreError> {
    let survey = survey(layout, told, done)?;
    let plan = Plan::new(&survey, taken_back);
    done.is_unsure = plan.is_unsure;
    let mut new = new_log(&layout.salvage())?;
    let mut origins = Renumbered::default();
    let mut number = 0;
    if layout.log().is_dir() {
        let mut scan = Scan::new(&layout.log(), Place::START)?;
        let mut telling = Telling::of_log(told, Doing::CopyingLog, &layout.log())?;
        while let Some(met) = scan.next()? {
            let Met::Frame(mut frame) = met else { continue };
            telling.frame(&frame);
            if plan.withdraws_before == Some(number) {
                done.taken_back = take_back(layout, &mut new, taken_back, told)?;
            }
            if plan.dropped.contains(&number) {
                done.dropped += frame.claims.len() as u64;
                frame.claims.clear();
            }
            number += 1;
            done.frames += 1;
            done.claims += frame.claims.len() as u64;
            for body in origins.bodies(frame, done) {
                new.copy(&body)?;
            }
        }
        telling.end();
    }
    if plan.withdraws_before.is_some_and(|before| before >= number) {
        done.taken_back = take_back(layout, &mut new, taken_back, told)?;
    }
    new.sync()?;
    drop(new);
    rename(layout, &layout.salvage(), &layout.salvaged())
}

/// Looks for what is lost, and describes it.
fn survey(layout: &Layout, told: Told<'_>, done: &mut Repair) -> Result<Survey, StoreError> {
    let covered = match Manifest::read(&layout.store)? {
        Found::Manifest(manifest) => Some(manifest.place),
        Found::Nothing => None,
        Found::Nonsense => {
            let what = "the manifest is damaged".to_owned();
            done.note(Problem { path: super::manifest::path(&layout.store), offset: None, what });
            None
        }
    };
    let (mut survey, mut next, mut is_behind_withdrawal) = (Survey::default(), 0, false);
    let (mut end, mut is_torn) = (None, false);
    if layout.log().is_dir() {
        let mut scan = Scan::new(&layout.log(), Place::START)?;
        let mut telling = Telling::of_log(told, Doing::ReadingLog, &layout.log())?;
        while let Some(met) = scan.next()? {
            let frame = match met {
                Met::Damage(damage) => {
                    is_torn = damage.at_end;
                    done.note(damage.into());
                    continue;
                }
                Met::Frame(frame) => frame,
            };
            telling.frame(&frame);
            let is_withdrawal = !frame.withdrawn.is_empty();
            if frame.number > next {
                done.lost += frame.number - next;
                survey.gap(is_behind_withdrawal || is_withdrawal);
            }
            survey.withdraws |= is_withdrawal;
            survey.frames += 1;
            (next, is_behind_withdrawal) = (frame.number + 1, is_withdrawal);
        }
        telling.end();
        end = (!scan::segments(&layout.log())?.is_empty()).then(|| scan.place());
    }
    let missing = covered.map_or(0, |covered| covered.frame.saturating_sub(next));
    if let Some(covered) = covered
        && missing > 0
    {
        done.lost += missing;
        if !is_torn {
            done.note(missing_end(&layout.log(), end, covered));
        }
    } else if end.is_none() {
        done.note(no_segment(&layout.log()));
    }
    // Behind a lost manifest nobody can tell a write that was not completed from a lost one.
    if missing > 0 || is_torn && covered.is_none() {
        survey.gap(is_behind_withdrawal);
    }
    Ok(survey)
}

impl Survey {
    /// Notes that frames are lost behind those that were met.
    fn gap(&mut self, is_beside_withdrawal: bool) {
        self.gaps.push(self.frames);
        if is_beside_withdrawal {
            self.beside_withdrawals.push(self.frames);
        }
    }
}

/// Describes that a log without any segment should have one.
fn no_segment(log: &Path) -> Problem {
    let what = "found no such file, expected the first segment of the log".to_owned();
    Problem { path: segment_path(log, Place::START.segment), offset: None, what }
}

/// Describes that a log which ends at `end`, or has no segment, lacks what the manifest covers.
fn missing_end(log: &Path, end: Option<Place>, covered: Place) -> Problem {
    let next = end.map_or(Place::START.segment, |end| end.segment + 1);
    let (path, offset, found) = match end {
        Some(end) if end.segment >= covered.segment => {
            (segment_path(log, end.segment), Some(end.offset), "the end of the file")
        }
        _ => (segment_path(log, next), None, "no such file"),
    };
    let frames = covered.frame;
    let what = format!("found {found}, expected all {frames} frames that the manifest covers");
    Problem { path, offset, what }
}

/// What is to be done about lost frames.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    /// The good frame before which claims are taken back once more.
    withdraws_before: Option<u64>,
    /// The good frames whose claims are not kept.
    dropped: Range<u64>,
    /// Whether something may have been taken back of which nobody knows.
    is_unsure: bool,
}

impl Plan {
    fn new(survey: &Survey, taken_back: &TakenBack) -> Self {
        let (first, last) = match survey.gaps[..] {
            [] => (survey.frames, survey.frames),
            [first, .., last] | [first @ last] => (first, last),
        };
        let knows_some = !taken_back.workers.is_empty();
        let knows_all = taken_back.is_all && (knows_some || !survey.withdraws);
        let dropped = match survey.beside_withdrawals.last() {
            Some(&beside) if !knows_all => 0..beside.max(if knows_some { last } else { 0 }),
            _ if knows_some => first..last,
            _ => 0..0,
        };
        // Behind the last gap stands only what was claimed there.
        let kept = last.saturating_sub(dropped.end - dropped.start);
        let is_unsure = !knows_all && !survey.gaps.is_empty() && kept > 0;
        Self { withdraws_before: knows_some.then_some(first), dropped, is_unsure }
    }
}

/// Takes back in the new log what these workers claimed, and what may rest on it, and what nobody is known to have
/// claimed; returns the number of positions.
fn take_back(
    layout: &Layout,
    new: &mut Log,
    taken_back: &TakenBack,
    told: Told<'_>,
) -> Result<u64, StoreError> {
    let folder = layout.salvage_index();
    if folder.exists() {
        remove_folder(&folder)?;
    }
    let index = SledIndex::open(&folder)?;
    let Whole { origins, opened, .. } =
        rebuild::fill(&index, &layout.salvage(), layout, None, GATHERED as u64, told)?;
    let fallen = withdraw::fallen(&index, opened.records, &origins.of(&taken_back.names()))?;
    for positions in fallen.chunks(A_FRAME) {
        new.copy(&withdraw::body(positions))?;
    }
    drop(index);
    if let Err(error) = remove_folder(&folder) {
        tracing::warn!(%error, "an index that nothing needs any more stays");
    }
    Ok(fallen.len() as u64)
}

/// Copies the good frames of a damaged quarantine to a new one.
pub(super) fn salvage_quarantine(layout: &Layout, done: &mut Repair) -> Result<(), StoreError> {
    if !layout.quarantine().is_dir() {
        return Ok(());
    }
    let (mut frames, mut damaged) = (Vec::new(), false);
    let mut scan = Scan::new(&layout.quarantine(), Place::START)?;
    while let Some(met) = scan.next()? {
        match met {
            Met::Damage(damage) if damage.at_end => {}
            Met::Damage(damage) => {
                damaged = true;
                done.note(damage.into());
            }
            Met::Frame(frame) => frames.push(frame),
        }
    }
    if !damaged {
        return Ok(());
    }
    let mut new = new_log(&layout.salvage())?;
    for frame in &frames {
        new.copy(&frame.body())?;
    }
    new.sync()?;
    drop(new);
    rename(layout, &layout.salvage(), &layout.salvaged_quarantine())
}

/// Gives the folder `from` of the store the name `to`; returns when that is on disk.
pub(super) fn rename(layout: &Layout, from: &Path, to: &Path) -> Result<(), StoreError> {
    fs::rename(from, to).map_err(StoreError::io("renaming", from))?;
    sync_folder(&layout.store).map_err(StoreError::io("syncing", &layout.store))
}

/// Begins a log in `folder`; what an interrupted repair left there goes.
fn new_log(folder: &Path) -> Result<Log, StoreError> {
    if folder.exists() {
        remove_folder(folder)?;
    }
    fs::create_dir(folder).map_err(StoreError::io("creating", folder))?;
    let start = Place { offset: 0, ..Place::START };
    Log::open(Arc::new(SystemDisk), folder, start, Options::default().segment_bytes)
}

/// Origins get new numbers, because some may be lost.
#[derive(Debug, Default)]
struct Renumbered {
    new: HashMap<u32, u32>,
    count: u32,
    lost: Option<u32>,
}

impl Renumbered {
    /// Returns the items of `frame` with the new numbers, in any number of bodies.
    fn bodies(&mut self, frame: Frame, done: &mut Repair) -> Vec<Vec<u8>> {
        let (mut bodies, mut body) = (Vec::new(), Vec::new());
        for (old, origin) in frame.origins {
            let id = self.next();
            self.new.insert(old, id);
            frame::push_origin(&mut body, id, &origin);
        }
        for position in frame.withdrawn {
            frame::push_withdrawal(&mut body, position);
        }
        for mut claim in frame.claims {
            claim.source.origin = match self.new.get(&claim.source.origin) {
                Some(&id) => id,
                None => {
                    done.without_origin += 1;
                    *self.lost.get_or_insert_with(|| {
                        frame::push_origin(&mut body, self.count, &Origin::default());
                        self.count += 1;
                        self.count - 1
                    })
                }
            };
            frame::push_claim(&mut body, &claim);
            if body.len() >= FULL_BODY {
                bodies.push(std::mem::take(&mut body));
            }
        }
        if !body.is_empty() {
            bodies.push(body);
        }
        bodies
    }

    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count - 1
    }
}
