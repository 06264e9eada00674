//! All campaigns: whose rows are handed out, and what becomes of them.
//!
//! It knows neither clock nor network: it hands out questions, takes answers, and writes folders.

mod active;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use outflank_engine::{Bound, Position, Window};
use outflank_proto::campaign::{Campaign, Change, ExportRequest, Form, ImportHead, valid_name};

use super::error::CampaignError;
use super::export::Export;
use super::import::{Imported, Rival, UNFINISHED};
use super::ledger::{Ledger, Settings};
use crate::core::Terms;
use crate::durable::{create_folders, sync_folder};
use active::{ActiveCampaign, IN_DOUBT};

/// How the names of campaigns that are being removed begin.
const REMOVED: &str = ".removed-";

/// A file of earlier releases; that outcomes may rest on proofs which were taken back follows from the docket now.
const DOUBT: &str = ".doubt";

/// The most campaigns that an error names: it travels in the head of an answer, which has little room.
const MOST_NAMED: usize = 20;

/// Returns what is proved of a position.
pub(crate) type Proved<'a> = &'a dyn Fn(Position) -> Bound;

/// A question for the core.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The life of the campaign that asks: another one begins with every pause and change.
    pub life: u64,
    /// The index of the row.
    pub row: u64,
    /// The position.
    pub position: Position,
    /// The window.
    pub window: Window,
    /// How the request is served.
    pub terms: Terms,
    /// Where to say how many nodes have been searched for it so far.
    pub nodes: Arc<AtomicU64>,
}

/// All campaigns in a folder.
#[derive(Debug)]
pub struct Roster {
    folder: PathBuf,
    /// Those that can be opened.
    campaigns: BTreeMap<String, ActiveCampaign>,
    /// Those that cannot, and why.
    broken: BTreeMap<String, CampaignError>,
    lives: u64,
    /// How often proofs were taken back.
    era: u64,
}

impl Roster {
    /// Opens the campaigns in `folder`, which is made if it is missing. A campaign that cannot be
    /// read is left alone and told about, as is what has a name that no campaign can have.
    ///
    /// # Errors
    /// [`CampaignError::Io`].
    pub fn open(folder: &Path) -> Result<Self, CampaignError> {
        create_folders(folder).map_err(CampaignError::io("creating", folder))?;
        let (campaigns, broken) = (BTreeMap::new(), BTreeMap::new());
        let mut roster = Self { folder: folder.to_owned(), campaigns, broken, lives: 0, era: 0 };
        let failed = || CampaignError::io("listing", folder);
        for entry in fs::read_dir(folder).map_err(failed())? {
            let path = entry.map_err(failed())?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(UNFINISHED) || name.starts_with(REMOVED) || name == DOUBT {
                if let Err(error) = clear_away(&path) {
                    tracing::warn!(%error, "what is no campaign any more stays");
                }
            } else if valid_name(&name) {
                roster.admit(name, &path);
            } else if !is_of_the_system(&name) {
                tracing::warn!(path = %path.display(), "this is no campaign, and is left alone");
            }
        }
        Ok(roster)
    }

    fn admit(&mut self, name: String, path: &Path) {
        match Ledger::open(path) {
            Ok(ledger) => {
                self.lives += 1;
                self.campaigns.insert(name, ActiveCampaign::new(ledger, self.lives));
            }
            Err(error) => {
                tracing::error!(campaign = name, %error, "a campaign cannot be opened and rests");
                self.broken.insert(name, error);
            }
        }
    }

    /// Returns how many campaigns there are, those that cannot be opened included.
    pub(crate) fn count(&self) -> usize {
        self.campaigns.len() + self.broken.len()
    }

    /// Returns the folder of the campaigns.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the campaign that has the name of a list which is about to come, if that may be the same list.
    ///
    /// # Errors
    /// [`CampaignError::Exists`] if it cannot be.
    pub(crate) fn rival(&self, wanted: &ImportHead) -> Result<Option<Rival>, CampaignError> {
        let name = &wanted.name;
        match self.campaigns.get(name).map(|campaign| &campaign.ledger) {
            Some(ledger) if ledger.head.may_be(wanted) => Rival::new(ledger).map(Some),
            None if !self.folder.join(name).exists() => Ok(None),
            _ => Err(CampaignError::Exists { name: name.clone() }),
        }
    }

    /// Makes an imported list a campaign; returns when that is on disk. The second value says that
    /// the same list was there already.
    ///
    /// # Errors
    /// [`CampaignError::Exists`] if another list has the name.
    pub(crate) fn adopt(&mut self, imported: Imported) -> Result<(Campaign, bool), CampaignError> {
        let name = imported.head.name.clone();
        if let Some(campaign) = self.campaigns.get(&name) {
            if campaign.ledger.head.same_content(&imported.head) {
                self.sync_names()?; // That may be what had failed.
                return Ok((campaign.state(self.era), true));
            }
            return Err(CampaignError::Exists { name });
        }
        let path = self.folder.join(&name);
        if path.exists() {
            return Err(CampaignError::Exists { name });
        }
        imported.move_to(&path, self.era)?;
        // From here on it is a campaign, whatever fails.
        self.admit(name.clone(), &path);
        self.sync_names()?;
        Ok((self.campaign(&name)?.state(self.era), false))
    }

    /// Makes it durable which campaigns there are.
    fn sync_names(&self) -> Result<(), CampaignError> {
        sync_folder(&self.folder).map_err(CampaignError::io("syncing", &self.folder))
    }

    /// Returns the state of the campaign `name`, or of all.
    ///
    /// # Errors
    /// [`CampaignError::Unknown`].
    pub fn list(&self, name: Option<&str>) -> Result<Vec<Campaign>, CampaignError> {
        let all = || self.campaigns.keys().chain(self.broken.keys());
        let mut names: Vec<&str> =
            name.map_or_else(|| all().map(String::as_str).collect(), |name| vec![name]);
        names.sort_unstable();
        let state = |name: &str| match self.broken.get(name) {
            Some(error) => Ok(unreadable(name, error)),
            None => self.campaign(name).map(|campaign| campaign.state(self.era)),
        };
        names.into_iter().map(state).collect()
    }

    fn unknown(&self, name: &str) -> CampaignError {
        let names: Vec<&str> = self.campaigns.keys().map(String::as_str).collect();
        let known = match names.as_slice() {
            [] => "there are no others".to_owned(),
            names => {
                let (named, rest) = names.split_at(names.len().min(MOST_NAMED));
                let more = if rest.is_empty() {
                    String::new()
                } else {
                    format!(", and {} more", rest.len())
                };
                format!("there are {}{more}", named.join(", "))
            }
        };
        CampaignError::Unknown { name: name.to_owned(), known }
    }

    fn campaign(&self, name: &str) -> Result<&ActiveCampaign, CampaignError> {
        let broken = || self.broken.get(name).cloned();
        self.campaigns.get(name).ok_or_else(|| broken().unwrap_or_else(|| self.unknown(name)))
    }

    /// Pauses or resumes a campaign, or changes its priority; returns when that is on disk. What it
    /// has asked is given up and asked again when its turn comes, unless nothing changes.
    ///
    /// # Errors
    /// [`CampaignError::Unknown`], [`CampaignError::Io`].
    pub fn change(&mut self, change: &Change) -> Result<Campaign, CampaignError> {
        let campaign = self.campaign(&change.name)?;
        let old = campaign.ledger.settings;
        let settings = Settings {
            priority: change.priority.unwrap_or(old.priority),
            paused: change.paused.unwrap_or(old.paused),
            ..old
        };
        if settings == old && !campaign.is_held_up() {
            return Ok(campaign.state(self.era));
        }
        self.lives += 1;
        let life = self.lives;
        let campaign = self.campaigns.get_mut(&change.name).expect("it was just found");
        campaign.ledger.change(settings)?;
        campaign.begin_again(life);
        tracing::info!(
            campaign = change.name,
            priority = settings.priority,
            paused = settings.paused,
            "campaign changed"
        );
        Ok(campaign.state(self.era))
    }

    /// Forgets a campaign; returns when that is on disk.
    ///
    /// # Errors
    /// [`CampaignError::Unfinished`] if tasks are open, [`CampaignError::Unreadable`] if nobody knows, unless `unfinished`.
    pub fn remove(&mut self, name: &str, unfinished: bool) -> Result<(), CampaignError> {
        let open = self.list(Some(name))?.iter().map(|campaign| campaign.open).sum();
        if open > 0 && !unfinished {
            return Err(CampaignError::Unfinished { name: name.to_owned(), open });
        }
        if self.broken.contains_key(name) && !unfinished {
            return Err(CampaignError::Unreadable { name: name.to_owned() });
        }
        let (path, aside) = (self.folder.join(name), self.free_aside(name));
        fs::rename(&path, &aside).map_err(CampaignError::io("removing", &path))?;
        self.campaigns.remove(name);
        self.broken.remove(name);
        self.sync_names()?;
        if let Err(error) = clear_away(&aside) {
            tracing::warn!(%error, "what is no campaign any more stays until the next start");
        }
        tracing::info!(campaign = name, "campaign removed");
        Ok(())
    }

    /// Returns where a campaign may be moved that is removed. What an earlier one of its name has left may be in the way:
    /// NFS keeps files that an export still reads.
    fn free_aside(&self, name: &str) -> PathBuf {
        let aside = |number: u64| self.folder.join(format!("{REMOVED}{number}-{name}"));
        (1..).map(aside).find(|path| !path.exists()).expect("there are not so many")
    }

    /// Returns what is needed to export a campaign.
    ///
    /// # Errors
    /// [`CampaignError::Unknown`], [`CampaignError::InDoubt`] if nobody has compared its outcomes with what is proved,
    /// [`CampaignError::Io`].
    pub fn export(&self, wanted: &ExportRequest) -> Result<Export, CampaignError> {
        let campaign = self.campaign(&wanted.name)?;
        if !campaign.is_reviewed(self.era) {
            let fault = campaign.fault(self.era).unwrap_or_else(|| IN_DOUBT.to_owned());
            return Err(CampaignError::InDoubt { name: wanted.name.clone(), fault });
        }
        let ledger = &campaign.ledger;
        Export::new(ledger, wanted.form, wanted.selection, wanted.limit)
    }

    /// Returns the lives of campaigns whose questions are still of interest.
    #[must_use]
    pub fn lives(&self) -> BTreeSet<u64> {
        self.campaigns.values().map(|campaign| campaign.life).collect()
    }

    /// Hands out questions until `width` rows are being worked on, the rows of greater priority
    /// first. Rows of smaller priority that are being worked on already do not count for those of
    /// greater priority. Campaigns of one priority take turns.
    pub fn fill(&mut self, width: usize) -> Vec<Ask> {
        let (mut asks, mut active) = (Vec::new(), 0);
        // From the greatest priority down.
        for (_, (its, mut ready)) in self.by_priority().into_iter().rev() {
            active += its;
            let mut turns: BTreeSet<(usize, usize)> =
                ready.iter().map(|campaign| campaign.active()).zip(0..).collect();
            while active < width
                && let Some((its, turn)) = turns.pop_first()
            {
                if let Some(ask) = ready[turn].next_ask() {
                    asks.push(ask);
                    active += 1;
                    turns.insert((its + 1, turn));
                }
            }
        }
        asks
    }

    /// Returns for each priority how many rows are being worked on, and the campaigns that have rows to hand out, by
    /// name.
    fn by_priority(&mut self) -> BTreeMap<u8, (usize, Vec<&mut ActiveCampaign>)> {
        let era = self.era;
        let mut groups: BTreeMap<u8, (usize, Vec<_>)> = BTreeMap::new();
        for campaign in self.campaigns.values_mut() {
            let (active, ready) = groups.entry(campaign.ledger.settings.priority).or_default();
            *active += campaign.active();
            if campaign.is_ready() && campaign.is_reviewed(era) && campaign.has_waiting_rows() {
                ready.push(campaign);
            }
        }
        groups
    }

    fn of_life(&mut self, life: u64) -> Option<&mut ActiveCampaign> {
        self.campaigns.values_mut().find(|campaign| campaign.life == life)
    }

    /// Takes what is proved of the position of a row, and the nodes that it took. Returns the row's
    /// next question, if it is not decided yet. Of a campaign that is in doubt nothing is taken: it
    /// may rest on what has fallen.
    pub fn answered(&mut self, life: u64, row: u64, bound: Bound, nodes: u64) -> Option<Ask> {
        let era = self.era;
        self.of_life(life).filter(|campaign| campaign.is_reviewed(era))?.answered(row, bound, nodes)
    }

    /// Takes back a row whose question was not answered: because proofs contradict each other, if it
    /// is `disputed`; it rests then until the campaign is changed or opened again.
    pub fn failed(&mut self, life: u64, row: u64, disputed: bool) {
        if let Some(campaign) = self.of_life(life) {
            campaign.failed(row, disputed);
        }
    }

    /// Returns how often proofs were taken back, as far as this has heard of it.
    pub(crate) fn era(&self) -> u64 {
        self.era
    }

    /// Takes note that proofs were taken back, as often as `era` says in all. Every campaign is in doubt that was last
    /// reviewed at another time, also one that rests.
    pub(crate) fn taken_back(&mut self, era: u64) {
        self.era = era;
        self.campaigns.values_mut().for_each(ActiveCampaign::wake);
    }

    /// Returns whether the outcomes of a campaign are to be reviewed.
    pub(crate) fn is_to_be_reviewed(&self) -> bool {
        self.campaigns.values().any(|campaign| campaign.is_to_be_reviewed(self.era))
    }

    /// Opens some decided rows again whose bound does not follow from what is proved now, and gives up what is being
    /// worked on in their campaign; to be called as long as a campaign is in doubt. One in which this fails rests and
    /// stays in doubt.
    pub(crate) fn review(&mut self, proved: Proved<'_>) {
        let era = self.era;
        let Some(campaign) =
            self.campaigns.values_mut().find(|campaign| campaign.is_to_be_reviewed(era))
        else {
            return;
        };
        if !campaign.is_under_review(era) {
            self.lives += 1;
            campaign.begin_review(self.lives, era);
        }
        if let Err(error) = campaign.review(proved) {
            campaign.rest(&error);
        }
    }

    /// Compares some more of a list with what was imported where a campaign waits for that, and says what has waited for
    /// it when it is done; of several lists the one of which least is left, so that it waits for none that is longer.
    /// Returns whether it is done; `None` if no list is to be compared. A campaign that is in doubt has none compared but
    /// for its review.
    pub(crate) fn check_list(&mut self) -> Option<bool> {
        let era = self.era;
        let sound = self.campaigns.values_mut().filter(|campaign| campaign.is_reviewed(era));
        let waiting = sound.filter_map(|campaign| Some((campaign.ledger.unchecked()?, campaign)));
        let (_, campaign) = waiting.min_by_key(|&(left, _)| left)?;
        Some(campaign.check_list())
    }

    /// Takes note of the time, and has outcomes written to the disk.
    pub fn tick(&mut self, now: Duration) {
        for campaign in self.campaigns.values_mut() {
            campaign.tick(now);
        }
    }
}

/// Returns whether file systems and their tools put such names anywhere, so that nobody need be told.
fn is_of_the_system(name: &str) -> bool {
    name.starts_with('.') || name == "lost+found"
}

/// Removes what is no campaign any more, or never was: a folder, unless somebody has put something else there.
fn clear_away(path: &Path) -> Result<(), CampaignError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(CampaignError::io("removing", path))
}

/// Returns what can be said of a campaign that cannot be opened.
fn unreadable(name: &str, error: &CampaignError) -> Campaign {
    Campaign {
        name: name.to_owned(),
        form: Form::Tasks,
        priority: 0,
        paused: false,
        split_to: None,
        rows: 0,
        duplicates: 0,
        proved: 0,
        refuted: 0,
        solved: 0,
        open: 0,
        active: 0,
        disputed: 0,
        nodes: 0,
        nodes_per_second: 0.0,
        predicted_nodes_left: 0.0,
        seconds_left: None,
        fault: error.to_string(),
        workers: 0,
        unaudited: 0,
        unreviewed: 0,
    }
}

#[cfg(test)]
mod tests;
