//! `outflank campaign`: lists of positions that are solved together.
//!
//! Every verb speaks to a coordinator: to one elsewhere with `--connect`, otherwise to one that is
//! started in this process on the store, without a worker but for `run`.

mod arguments;
mod next;
mod place;
mod show;
mod transfer;
mod wait;
mod watch;

use std::time::Duration;

use anyhow::Context;
use outflank_coordinator::client::CampaignsClient;
use outflank_proto::campaign::{Campaign as State, Change};

pub(crate) use arguments::Campaign;
use arguments::{Action, Named};
use next::Next;
use place::Place;
pub(crate) use show::{progress, value, worry, worth_a_look};
use wait::Work;

use crate::exit::{Exit, Failure, client_failure};
use crate::numbers::counted;
use crate::{interrupt, output, runtime, typed};

/// Does what is asked with campaigns.
pub(crate) fn run(arguments: &Campaign, quiet: bool) -> Result<Exit, Failure> {
    runtime::block_on(act(&arguments.action, quiet))?
}

async fn act(action: &Action, quiet: bool) -> Result<Exit, Failure> {
    let (stop, _watch) = interrupt::watch().context("listening for Ctrl-C")?;
    let opened = stop.run_until_cancelled(Place::open(action)).await;
    let Some(place) = opened else { return Ok(interrupt::before_the_begin()) };
    let mut place = place?;
    let done = {
        let client = place.client();
        let work = match (action, place.is_local()) {
            (Action::Run(_), _) => Work::Here,
            (_, true) => Work::Nowhere,
            (_, false) => Work::Elsewhere,
        };
        let acting = perform(action, client, work, quiet);
        tokio::select! {
            biased;
            () = stop.cancelled() => Ok(Exit::Interrupted),
            failure = place.failure() => Err(failure),
            done = acting => done,
        }
    };
    let closed = place.close().await;
    let exit = done?;
    closed?;
    if exit == Exit::Interrupted {
        output::note(&interrupted(action));
    }
    Ok(exit)
}

/// Returns what the user should know when a command is interrupted.
fn interrupted(action: &Action) -> String {
    if matches!(action, Action::Import(_)) {
        return "interrupted; of a list that was not read to its end nothing is kept".to_owned();
    }
    format!("interrupted; campaigns and proofs are kept; to go on: {}", typed::command_line())
}

async fn perform(
    action: &Action,
    mut client: CampaignsClient,
    work: Work,
    quiet: bool,
) -> Result<Exit, Failure> {
    let next = Next::after(action);
    match action {
        Action::Import(import) => transfer::import(import, &mut client, &next).await,
        Action::Export(export) => transfer::export(export, &mut client, work, &next).await,
        Action::List(list) => {
            let campaigns = listed(&mut client, None, work).await?;
            show::table(&campaigns, list.json)?;
            Ok(Exit::Done)
        }
        Action::Status(status) => {
            let campaign = one(&mut client, &status.named.name, work).await?;
            show::status(&mut client, &campaign, &next, status.json).await
        }
        Action::Wait(wanted) => {
            let name = std::slice::from_ref(&wanted.named.name);
            wait::until_done(&mut client, name, work, &next, wanted.json, quiet).await
        }
        Action::Run(wanted) => {
            wait::until_done(&mut client, &wanted.names, work, &next, wanted.json, quiet).await
        }
        Action::Pause(named) => change(&mut client, named, Some(true), None).await,
        Action::Resume(named) => change(&mut client, named, Some(false), None).await,
        Action::Priority(wanted) => {
            change(&mut client, &wanted.named, None, Some(wanted.priority)).await
        }
        Action::Remove(wanted) => {
            let name = &wanted.named.name;
            client.remove(name, wanted.unfinished).await.map_err(client_failure)?;
            output::line(&format!("{name}: removed; what was proved stays in the store"))?;
            Ok(Exit::Done)
        }
    }
}

/// The time between two looks at campaigns that are under review.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Returns the state of a campaign, or of all. In a store that this process alone has open, a review that is due goes no
/// further than the command: it is waited for.
async fn listed(
    client: &mut CampaignsClient,
    name: Option<&str>,
    work: Work,
) -> Result<Vec<State>, Failure> {
    let mut is_told = false;
    loop {
        let campaigns = client.list(name).await.map_err(client_failure)?;
        let left: u64 = campaigns.iter().map(|campaign| campaign.unreviewed).sum();
        if left == 0 || work == Work::Elsewhere {
            return Ok(campaigns);
        }
        if !std::mem::replace(&mut is_told, true) {
            let rows = counted(left, "row");
            output::note(&format!(
                "comparing {rows} with what is proved, since proofs may have been taken back or lost"
            ));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn one(client: &mut CampaignsClient, name: &str, work: Work) -> Result<State, Failure> {
    let mut listed = listed(client, Some(name), work).await?;
    let found = listed.pop().context("the coordinator's answer names no campaign")?;
    Ok(found)
}

async fn change(
    client: &mut CampaignsClient,
    named: &Named,
    paused: Option<bool>,
    priority: Option<u8>,
) -> Result<Exit, Failure> {
    let change = Change { name: named.name.clone(), paused, priority };
    let campaign = client.change(change).await.map_err(client_failure)?;
    let (state, open) = (show::state(&campaign), counted(campaign.open, "task"));
    let priority = campaign.priority;
    output::line(&format!("{}: {state}, priority {priority}, {open} open", campaign.name))?;
    Ok(Exit::Done)
}
