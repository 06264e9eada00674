//! Waiting until campaigns are done.

use std::time::{Duration, Instant};

use anyhow::anyhow;
use outflank_coordinator::client::{CampaignsClient, ClientError, RETRY_LIMIT};
use outflank_proto::campaign::Campaign;

use super::next::Next;
use super::show;
use super::watch::Watch;
use crate::exit::{Exit, Failure, OrExit, client_failure};
use crate::output;

/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Who works on the campaigns that are waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// This process, which nobody else can tell to go on with a paused campaign.
    Here,
    /// The workers of another coordinator, if it has some.
    Elsewhere,
    /// Nobody: the store is open in this process, which does not search.
    Nowhere,
}

/// Waits for the campaigns `names`, or for all, and shows how far they are; then prints how they
/// ended. A wait that could not end is refused.
pub(super) async fn until_done(
    client: &mut CampaignsClient,
    names: &[String],
    work: Work,
    next: &Next,
    json: bool,
    quiet: bool,
) -> Result<Exit, Failure> {
    let mut watch = Watch::start(quiet);
    let mut heard = Instant::now();
    let campaigns = loop {
        match look(client, names).await {
            Ok(campaigns) => {
                heard = Instant::now();
                if let Some(hopeless) = campaigns.iter().find(|one| is_hopeless(one, names, work)) {
                    return Err(refusal(hopeless, work, next)).or_exit(Exit::BadInput);
                }
                watch.update(&campaigns);
                if campaigns.iter().all(|one| is_done(one) || is_passed_over(one, work)) {
                    break campaigns;
                }
            }
            Err(error @ (ClientError::Unreachable { .. } | ClientError::Broken { .. })) => {
                if heard.elapsed() > RETRY_LIMIT {
                    return Err(client_failure(error));
                }
                watch.lost(&error.to_string());
            }
            Err(error) => return Err(client_failure(error)),
        }
        tokio::time::sleep(LOOK_EVERY).await;
    };
    drop(watch);
    let mut exit = Exit::Done;
    for campaign in &campaigns {
        exit = worse(exit, show::status(client, campaign, next, json).await?);
    }
    for campaign in campaigns.iter().filter(|one| is_passed_over(one, work)) {
        let name = &campaign.name;
        let resume = next.command(&format!("resume {name}"));
        output::note(&format!("{name} is paused and passed over: {resume} lets it go on"));
    }
    if campaigns.is_empty() {
        output::note("there is no campaign");
    }
    Ok(exit)
}

async fn look(
    client: &mut CampaignsClient,
    names: &[String],
) -> Result<Vec<Campaign>, ClientError> {
    if names.is_empty() {
        return client.list(None).await;
    }
    let mut campaigns = Vec::new();
    for name in names {
        campaigns.extend(client.list(Some(name)).await?);
    }
    Ok(campaigns)
}

/// Returns whether nothing more will come of a campaign by itself.
fn is_done(campaign: &Campaign) -> bool {
    let is_decided = campaign.open == campaign.disputed && campaign.unreviewed == 0;
    is_decided || !campaign.fault.is_empty()
}

/// Returns whether a campaign rests that was not asked for by its name: of all campaigns such ones are not waited for.
fn is_passed_over(campaign: &Campaign, work: Work) -> bool {
    work == Work::Here && campaign.paused && campaign.unreviewed == 0 && !is_done(campaign)
}

/// Returns whether a wait for a campaign that was asked for would never end.
fn is_hopeless(campaign: &Campaign, names: &[String], work: Work) -> bool {
    let is_stuck = match work {
        Work::Here => campaign.paused && names.contains(&campaign.name),
        Work::Elsewhere => false,
        Work::Nowhere => true,
    };
    is_stuck && !is_done(campaign) && campaign.unreviewed == 0
}

fn refusal(campaign: &Campaign, work: Work, next: &Next) -> anyhow::Error {
    let name = &campaign.name;
    let command = |verb: &str| next.command(&format!("{verb} {name}"));
    match work {
        Work::Here => anyhow!("{name} is paused: {} lets it go on", command("resume")),
        Work::Elsewhere | Work::Nowhere => anyhow!(
            "nobody works on {name} here: {} does, and --connect waits for a cluster",
            command("run")
        ),
    }
}

/// Returns the exit code that says more.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit| {
        [Exit::Done, Exit::Refuted, Exit::Contradiction, Exit::Store]
            .iter()
            .position(|&known| known == exit)
    };
    if rank(other) > rank(one) { other } else { one }
}
