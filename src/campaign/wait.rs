//! Waiting until campaigns are done.

use std::time::{Duration, Instant};

use outflank_coordinator::client::{CampaignsClient, ClientError, RETRY_LIMIT};
use outflank_proto::campaign::Campaign;

use super::show::{self, Watch};
use crate::cluster::client_failure;
use crate::exit::{Exit, Failure};
use crate::output;

/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Waits for the campaigns `names`, or for all, and shows how far they are; then prints how they
/// ended.
pub(super) async fn until_done(
    client: &mut CampaignsClient,
    names: &[String],
    json: bool,
    quiet: bool,
) -> Result<Exit, Failure> {
    let mut watch = Watch::start(quiet);
    let mut heard = Instant::now();
    let campaigns = loop {
        match look(client, names).await {
            Ok(campaigns) => {
                heard = Instant::now();
                watch.update(&campaigns);
                if campaigns.iter().all(is_done) {
                    break campaigns;
                }
            }
            Err(error @ ClientError::Unreachable { .. }) => {
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
        exit = worse(exit, show::status(client, campaign, json).await?);
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
    campaign.open == campaign.disputed || !campaign.fault.is_empty()
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
