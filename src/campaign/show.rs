//! Campaigns as text.

use std::time::Duration;
use std::{array, iter};

use anyhow::Context;
use outflank_coordinator::client::CampaignsClient;
use outflank_proto::campaign::{Campaign, ExportRequest, Form, Selection};
use serde::{Deserialize, Serialize};

use super::arguments::Import;
use super::next::Next;
use crate::exit::{Exit, Failure, client_failure};
use crate::numbers::{counted, grouped, short, span};
use crate::output;

/// The most refuted rows that a status lists.
const REFUTED_ROWS: usize = 10;
/// The most refuted rows that a status counts; there may be thousands of millions.
const COUNTED_ROWS: u64 = 1_000;
/// A day and a year, in seconds.
const DAY: u64 = 24 * 3600;
const YEAR: u64 = 365 * DAY;

/// Returns what a campaign is doing, in a word.
pub(super) fn state(campaign: &Campaign) -> &'static str {
    match campaign {
        Campaign { fault, .. } if !fault.is_empty() => "stopped",
        Campaign { unreviewed: 1.., .. } => "reviewing",
        Campaign { open: 0, .. } => "finished",
        Campaign { paused: true, .. } => "paused",
        Campaign { open, disputed, .. } if open == disputed => "disputed",
        Campaign { workers: 0, .. } => "no workers",
        Campaign { active: 0, .. } => "waiting",
        _ => "running",
    }
}

/// Returns whether nothing is known of a campaign but its name and why it cannot be read: there is none without rows.
fn is_unreadable(campaign: &Campaign) -> bool {
    campaign.rows == 0 && !campaign.fault.is_empty()
}

/// Prints what was imported.
pub(super) fn imported(campaign: &Campaign, repeated: bool) -> anyhow::Result<()> {
    let Campaign { name, rows, duplicates, form, .. } = campaign;
    let (rows, duplicates) = (counted(*rows, "row"), grouped(*duplicates));
    let tasks = counted(campaign.tasks(), "task");
    let already = if repeated { "was imported already: " } else { "" };
    output::line(&format!(
        "{name}: {already}{rows} ({form}), {duplicates} of them the same as others up to \
         symmetry, {tasks}"
    ))
}

/// Says on standard error what an import that was made again has not changed.
pub(super) fn remark_on_kept(campaign: &Campaign, wanted: &Import, next: &Next) {
    let Campaign { name, priority, paused, .. } = campaign;
    let (mut kept, mut commands) = (Vec::new(), Vec::new());
    if *paused != wanted.paused {
        let (state, verb) = if *paused { ("paused", "resume") } else { ("unpaused", "pause") };
        kept.push(state.to_owned());
        commands.push(next.command(&format!("{verb} {name}")));
    }
    if *priority != wanted.priority {
        kept.push(format!("priority {priority}"));
        commands.push(next.command(&format!("priority {name} {}", wanted.priority)));
    }
    if !kept.is_empty() {
        let (kept, commands) = (kept.join(", "), commands.join(" && "));
        output::note(&format!("{name} stays as it was: {kept}; to change that: {commands}"));
    }
}

/// Prints all campaigns.
pub(super) fn table(campaigns: &[Campaign], json: bool) -> anyhow::Result<()> {
    if json {
        return campaigns.iter().try_for_each(|campaign| output::line(&object(campaign)?));
    }
    lines(campaigns).iter().try_for_each(|line| output::line(line))
}

/// Returns the titles and a line for each campaign, in columns.
fn lines(campaigns: &[Campaign]) -> Vec<String> {
    let names = campaigns.iter().map(|campaign| campaign.name.chars().count());
    let width = names.max().unwrap_or(0).max(20);
    let titles = format!(
        "{:<width$} {:<10} {:>8} {:>13} {:>13} {:>9} {:>9} {:>13} {:>9}  time left",
        "name", "state", "priority", "tasks", "proved", "refuted", "solved", "open", "nodes"
    );
    let row = |campaign: &Campaign| {
        let [priority, tasks, proved, refuted, solved, open, nodes] = cells(campaign);
        let (name, state, left) = (&campaign.name, state(campaign), left(campaign));
        let row = format!(
            "{name:<width$} {state:<10} {priority:>8} {tasks:>13} {proved:>13} {refuted:>9} {solved:>9} {open:>13} \
             {nodes:>9}  {left}"
        );
        row.trim_end().to_owned()
    };
    iter::once(titles).chain(campaigns.iter().map(row)).collect()
}

/// Returns the numbers of a campaign.
fn cells(campaign: &Campaign) -> [String; 7] {
    if is_unreadable(campaign) {
        return array::from_fn(|_| "-".to_owned());
    }
    [
        campaign.priority.to_string(),
        grouped(campaign.tasks()),
        grouped(campaign.proved),
        grouped(campaign.refuted),
        grouped(campaign.solved),
        grouped(campaign.open),
        short(campaign.nodes as f64),
    ]
}

/// Prints how far a campaign is, and the refuted rows. Returns the exit code that says the same.
pub(super) async fn status(
    client: &mut CampaignsClient,
    campaign: &Campaign,
    next: &Next,
    json: bool,
) -> Result<Exit, Failure> {
    // Rows are told when all are reviewed.
    let found = match campaign {
        Campaign { refuted: 1.., unreviewed: 0, .. } => match refuted(client, campaign).await {
            // Of a campaign that rests they may be in doubt, as is said below.
            Err(_) if !campaign.fault.is_empty() => Vec::new(),
            found => found?,
        },
        _ => Vec::new(),
    };
    let rows = found.len() as u64;
    if json {
        output::line(&status_object(campaign, &found)?)?;
    } else {
        output::line(&paragraph(campaign, rows))?;
        for row in found.iter().take(REFUTED_ROWS) {
            output::line(&format!("REFUTED    {}", claim(row)))?;
        }
        if let Some(more) = more(campaign, rows) {
            let export = next.command(&format!("export {} --only refuted", campaign.name));
            output::line(&format!("           and {more} more: {export}"))?;
        }
    }
    Ok(match campaign {
        Campaign { fault, .. } if !fault.is_empty() => Exit::Store,
        Campaign { disputed: 1.., .. } => Exit::Contradiction,
        Campaign { refuted: 1.., .. } => Exit::Refuted,
        _ => Exit::Done,
    })
}

/// Returns how far a campaign is, of whose rows so many were found to be refuted.
fn paragraph(campaign: &Campaign, refuted_rows: u64) -> String {
    let Campaign { name, rows, duplicates, form, priority, fault, .. } = campaign;
    if is_unreadable(campaign) {
        return format!("campaign   {name}, stopped\nlist       unknown\nstopped    {fault}");
    }
    let (rows, duplicates) = (counted(*rows, "row"), grouped(*duplicates));
    let mut lines = vec![
        ("campaign", format!("{name}, {}, priority {priority}", state(campaign))),
        ("list", format!("{rows} ({form}), {duplicates} the same as others up to symmetry")),
        ("proved", grouped(campaign.proved)),
        ("refuted", refuted_tasks(campaign, refuted_rows)),
        ("solved", format!("{} (rows without a hypothesis)", grouped(campaign.solved))),
        ("open", format!("{} ({} in hand)", grouped(campaign.open), grouped(campaign.active))),
        ("nodes", nodes(campaign)),
    ];
    if let Some(empties) = campaign.split_to {
        lines.insert(2, ("split to", format!("{empties} empties")));
    }
    if campaign.open > 0 {
        let nodes = short(campaign.predicted_nodes_left);
        lines.push(("left", format!("about {nodes} nodes, {}", left(campaign))));
    }
    if campaign.disputed > 0 {
        let rows = counted(campaign.disputed, "row");
        lines.push(("disputed", format!("{rows} with proofs that contradict each other")));
    }
    if campaign.unaudited > 0 {
        let claims = counted(campaign.unaudited, "claim");
        lines.push(("unaudited", format!("{claims} of workers: no other could be asked yet")));
    }
    if campaign.unreviewed > 0 {
        let rows = counted(campaign.unreviewed, "row");
        let why = "proofs were taken back, and some of these may be open again";
        lines.push(("unreviewed", format!("{rows}: {why}")));
    }
    if !fault.is_empty() {
        lines.push(("stopped", fault.clone()));
    }
    let lines = lines.iter().map(|(title, text)| format!("{title:<10} {text}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the nodes of a campaign, and as long as it goes on how many come every second.
fn nodes(campaign: &Campaign) -> String {
    let nodes = grouped(campaign.nodes);
    match campaign.open {
        0 => nodes,
        _ => format!("{nodes} ({}/s)", short(campaign.nodes_per_second)),
    }
}

/// Returns how many tasks are refuted, and how many rows where those are more.
fn refuted_tasks(campaign: &Campaign, rows: u64) -> String {
    let tasks = grouped(campaign.refuted);
    match rows {
        COUNTED_ROWS.. if campaign.duplicates > 0 => {
            format!("{tasks} ({} rows or more)", grouped(rows.max(campaign.refuted)))
        }
        rows if rows > campaign.refuted => format!("{tasks} ({} rows)", grouped(rows)),
        _ => tasks,
    }
}

/// Returns the refuted rows, of very many the first.
async fn refuted(
    client: &mut CampaignsClient,
    campaign: &Campaign,
) -> Result<Vec<Refuted>, Failure> {
    let wanted = ExportRequest {
        name: campaign.name.clone(),
        form: Some(Form::Json),
        selection: Selection::Refuted,
        limit: Some(COUNTED_ROWS),
    };
    let mut rows = client.export(wanted).await.map_err(client_failure)?;
    let mut text = Vec::new();
    while let Some(part) = rows.next().await.map_err(client_failure)? {
        text.extend(part);
    }
    let text = String::from_utf8_lossy(&text);
    let rows = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    Ok(rows.context("reading a row")?)
}

/// Returns how many refuted rows are not listed, if any, where `rows` were found.
///
/// A campaign counts its tasks; rows that are the same as others are listed, too.
fn more(campaign: &Campaign, rows: u64) -> Option<String> {
    let is_all = rows < COUNTED_ROWS || campaign.duplicates == 0;
    let more = rows.max(campaign.refuted).saturating_sub(REFUTED_ROWS as u64);
    let least = if is_all { "" } else { "at least " };
    (more > 0).then(|| format!("{least}{}", grouped(more)))
}

/// What is shown of a refuted row; its id can be anything.
#[derive(Debug, Serialize, Deserialize)]
struct Refuted {
    row: u64,
    position: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<i32>,
    lower: i32,
    upper: i32,
}

/// Returns what a row has claimed and what is proved in place of it.
fn claim(row: &Refuted) -> String {
    let claimed = match (row.at_least, row.at_most) {
        (Some(lower), Some(upper)) if lower == upper => format!("{lower:+}"),
        (Some(lower), Some(upper)) => format!("{lower:+} to {upper:+}"),
        (Some(lower), None) => format!("at least {lower:+}"),
        (None, Some(upper)) => format!("at most {upper:+}"),
        (None, None) => "nothing".to_owned(),
    };
    let proved = match (row.lower, row.upper) {
        (lower, upper) if lower == upper => format!("{lower:+}"),
        (lower, 64) => format!("at least {lower:+}"),
        (-64, upper) => format!("at most {upper:+}"),
        (lower, upper) => format!("{lower:+} to {upper:+}"),
    };
    format!("row {}: {}: claimed {claimed}, proved {proved}", row.row, row.position)
}

/// Says on standard error that there are refuted rows, whatever was exported.
pub(super) fn remark_on_refuted(campaign: &Campaign, next: &Next) {
    let name = &campaign.name;
    if campaign.refuted > 0 {
        let share = share_of_refuted(campaign);
        let status = next.command(&format!("status {name}"));
        output::note(&format!("{name}: {share} are refuted, see {status}"));
    }
}

/// Returns how many hypotheses are refuted, and of how many. Whether an open row has one is not
/// counted.
fn share_of_refuted(campaign: &Campaign) -> String {
    let Campaign { proved, refuted, open, .. } = *campaign;
    let decided = if open > 0 { "decided " } else { "" };
    format!("{} of {} {decided}hypotheses", grouped(refuted), grouped(proved + refuted))
}

fn left(campaign: &Campaign) -> String {
    match campaign.seconds_left {
        None | Some(0) if campaign.open == 0 => String::new(),
        Some(seconds) if seconds < 60 => format!("{seconds} s"),
        Some(seconds) if seconds < 2 * DAY => span(Duration::from_secs(seconds)),
        Some(seconds) if seconds < YEAR => format!("{} days", seconds / DAY),
        Some(seconds) => format!("{} years", grouped(seconds / YEAR)),
        None => "no telling how long".to_owned(),
    }
}

/// A campaign and its first refuted rows as JSON.
#[derive(Serialize)]
struct Status<'a> {
    #[serde(flatten)]
    campaign: Object<'a>,
    refuted_rows: &'a [Refuted],
}

/// A campaign as JSON.
#[derive(Serialize)]
struct Object<'a> {
    name: &'a str,
    state: &'static str,
    /// These three are unknown where a campaign cannot be read.
    form: Option<&'static str>,
    priority: Option<u8>,
    paused: Option<bool>,
    split_to: Option<u32>,
    rows: u64,
    duplicates: u64,
    tasks: u64,
    proved: u64,
    refuted: u64,
    solved: u64,
    open: u64,
    active: u64,
    disputed: u64,
    nodes: u64,
    nodes_per_second: f64,
    predicted_nodes_left: f64,
    seconds_left: Option<u64>,
    workers: u64,
    unaudited: u64,
    unreviewed: u64,
    fault: Option<&'a str>,
}

fn object(campaign: &Campaign) -> anyhow::Result<String> {
    serde_json::to_string(&Object::of(campaign)).context("writing JSON")
}

/// Returns a campaign as JSON, with the first of its refuted rows.
fn status_object(campaign: &Campaign, refuted: &[Refuted]) -> anyhow::Result<String> {
    let campaign = Object::of(campaign);
    let refuted_rows = &refuted[..refuted.len().min(REFUTED_ROWS)];
    serde_json::to_string(&Status { campaign, refuted_rows }).context("writing JSON")
}

/// Returns a campaign as JSON.
pub(crate) fn value(campaign: &Campaign) -> anyhow::Result<serde_json::Value> {
    serde_json::to_value(Object::of(campaign)).context("writing JSON")
}

impl<'a> Object<'a> {
    fn of(campaign: &'a Campaign) -> Self {
        let known = (!is_unreadable(campaign)).then_some(campaign);
        Self {
            name: &campaign.name,
            state: state(campaign),
            form: known.map(|campaign| campaign.form.name()),
            priority: known.map(|campaign| campaign.priority),
            paused: known.map(|campaign| campaign.paused),
            split_to: campaign.split_to,
            rows: campaign.rows,
            duplicates: campaign.duplicates,
            tasks: campaign.tasks(),
            proved: campaign.proved,
            refuted: campaign.refuted,
            solved: campaign.solved,
            open: campaign.open,
            active: campaign.active,
            disputed: campaign.disputed,
            nodes: campaign.nodes,
            nodes_per_second: campaign.nodes_per_second,
            predicted_nodes_left: campaign.predicted_nodes_left,
            seconds_left: campaign.seconds_left,
            workers: campaign.workers,
            unaudited: campaign.unaudited,
            unreviewed: campaign.unreviewed,
            fault: Some(campaign.fault.as_str()).filter(|fault| !fault.is_empty()),
        }
    }
}

/// Returns on one line how far the campaigns are that are not finished.
pub(super) fn all_progress(campaigns: &[Campaign]) -> String {
    let unfinished = campaigns.iter().filter(|campaign| is_unfinished(campaign));
    unfinished.map(progress).collect::<Vec<_>>().join("; ")
}

/// Returns whether something of a campaign is still to be solved or compared.
fn is_unfinished(campaign: &Campaign) -> bool {
    campaign.open + campaign.unreviewed > 0
}

/// Returns whether those who watch a cluster should see a campaign: it is not finished, or did not end as it was claimed.
fn is_worth_a_look(campaign: &Campaign) -> bool {
    is_unfinished(campaign)
        || campaign.refuted + campaign.disputed > 0
        || !campaign.fault.is_empty()
}

/// Returns the campaigns that those who watch a cluster should see: those first that go on, and last those that are
/// finished.
pub(crate) fn worth_a_look(campaigns: &[Campaign]) -> Vec<&Campaign> {
    let mut shown: Vec<&Campaign> =
        campaigns.iter().filter(|campaign| is_worth_a_look(campaign)).collect();
    shown.sort_by_key(|campaign| match state(campaign) {
        "running" | "reviewing" => 0,
        "waiting" | "no workers" => 1,
        "stopped" | "disputed" => 2,
        "paused" => 3,
        _ => 4,
    });
    shown
}

/// Returns what an operator should look into, if a campaign has stopped.
pub(crate) fn worry(campaign: &Campaign) -> Option<String> {
    let Campaign { name, fault, .. } = campaign;
    (!fault.is_empty()).then(|| format!("LOOK INTO  campaign {name} has stopped: {fault}"))
}

/// Returns on one line how far a campaign is, and why it does not get further.
pub(crate) fn progress(campaign: &Campaign) -> String {
    if is_unreadable(campaign) {
        return format!("{}: stopped, cannot be read", campaign.name);
    }
    let halt = match state(campaign) {
        "running" => String::new(),
        other => format!("{other}, "),
    };
    let counts = format!(
        "{}: {halt}{} proved, {} refuted, {} solved, {} open",
        campaign.name,
        grouped(campaign.proved),
        grouped(campaign.refuted),
        grouped(campaign.solved),
        grouped(campaign.open),
    );
    match campaign.open {
        0 => counts,
        _ => format!("{counts}, {}/s, {}", short(campaign.nodes_per_second), left(campaign)),
    }
}

#[cfg(test)]
mod tests;
