//! `outflank top`: what a cluster does at this moment, again and again.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use console::{Term, truncate_str};
use outflank_coordinator::client::{CampaignsClient, ClientError, FleetClient, RETRY_LIMIT};
use outflank_proto::campaign::Campaign;
use outflank_proto::fleet::Overview;

use crate::arguments::Access;
use crate::exit::{Exit, Failure, client_failure};
use crate::{campaign, cluster, interrupt, output, overview, runtime};

/// The time between two looks on a terminal.
const INTERVAL: Duration = Duration::from_secs(2);

/// Watch a cluster: its workers, what they search, how fast.
///
/// On a terminal the view is drawn anew until Ctrl-C; elsewhere it is printed once.
#[derive(Debug, Args)]
pub(crate) struct Top {
    /// The coordinator's address, addresses or @FILE, as for solve.
    #[arg(long, value_name = "ADDR")]
    connect: String,
    #[command(flatten)]
    access: Access,
    /// Look every so many seconds, also where there is no terminal [default: 2 on a terminal, once
    /// elsewhere].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    interval: Option<Duration>,
    /// Print one JSON object a look, on one line.
    #[arg(long)]
    json: bool,
}

/// Looks until Ctrl-C, or once.
pub(crate) fn run(top: &Top) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let (stop, _watch) = interrupt::watch().context("listening for Ctrl-C")?;
        stop.run_until_cancelled(watch(top)).await.unwrap_or(Ok(Exit::Done))
    })?
}

async fn watch(top: &Top) -> Result<Exit, Failure> {
    let connection = cluster::connect(&top.connect, &top.access).await?;
    let mut view = View {
        fleet: FleetClient::new(connection.clone()),
        campaigns: CampaignsClient::new(connection),
    };
    let terminal = Some(Term::stdout()).filter(|term| term.is_term() && !top.json);
    let interval = top.interval.or_else(|| terminal.is_some().then_some(INTERVAL));
    let (mut heard, mut has_room) = (Instant::now(), false);
    loop {
        match view.look().await {
            Ok((overview, campaigns)) => {
                heard = Instant::now();
                match &terminal {
                    _ if top.json => output::line(&overview::json(&overview, &campaigns)?)?,
                    Some(terminal) => {
                        if !std::mem::replace(&mut has_room, true) {
                            make_room(terminal)?;
                        }
                        draw(terminal, &text(&overview, &campaigns))?;
                    }
                    None => output::line(&text(&overview, &campaigns).join("\n"))?,
                }
            }
            Err(error @ (ClientError::Unreachable { .. } | ClientError::Broken { .. }))
                if interval.is_some() && heard.elapsed() < RETRY_LIMIT =>
            {
                tracing::warn!(cause = error.to_string(), "trying again");
            }
            Err(error) => return Err(client_failure(error)),
        }
        let Some(interval) = interval else { return Ok(Exit::Done) };
        tokio::time::sleep(interval).await;
    }
}

/// Where one looks.
#[derive(Debug)]
struct View {
    fleet: FleetClient,
    campaigns: CampaignsClient,
}

impl View {
    async fn look(&mut self) -> Result<(Overview, Vec<Campaign>), ClientError> {
        let overview = self.fleet.look().await?;
        Ok((overview, self.campaigns.kept().await?))
    }
}

/// Returns the whole view, the most interesting lines first.
fn text(overview: &Overview, campaigns: &[Campaign]) -> Vec<String> {
    let mut lines = overview::summary(overview);
    lines.extend(campaigns.iter().filter_map(campaign::worry));
    let shown = campaigns.iter().filter(|one| campaign::is_worth_a_look(one));
    lines.extend(shown.map(campaign::progress));
    if !overview.workers.is_empty() {
        lines.push(String::new());
        lines.extend(overview::table(overview));
    }
    lines
}

/// Moves what is on the terminal up and out of the picture's way: one can scroll back to it.
fn make_room(terminal: &Term) -> anyhow::Result<()> {
    let (rows, _) = terminal.size();
    terminal.write_str(&"\n".repeat(rows.into())).context("drawing on the terminal")
}

/// Draws as many lines as the terminal has place for.
fn draw(terminal: &Term, lines: &[String]) -> anyhow::Result<()> {
    let (rows, columns) = terminal.size();
    let frame = frame(lines, usize::from(rows), usize::from(columns));
    let drawn = terminal.move_cursor_to(0, 0).and_then(|()| terminal.write_str(&frame));
    drawn.and_then(|()| terminal.clear_to_end_of_screen()).context("drawing on the terminal")
}

/// Returns the first lines, as many as a terminal of so many rows and columns has place for.
///
/// The last row stays free: there the cursor waits, and whatever else is printed begins, be it a warning or the prompt
/// of the shell. What was there before is cleared in front of each line: behind one that fills the row, the cursor may
/// still stand on its last character.
fn frame(lines: &[String], rows: usize, columns: usize) -> String {
    let place = rows.max(2) - 1;
    let is_cut = lines.len() > place;
    let shown = if is_cut { place - 1 } else { lines.len() };
    let remark = format!("… {} lines more: --json has all", lines.len() - shown);
    let remark = is_cut.then_some(&remark);
    lines[..shown].iter().chain(remark).fold(String::new(), |mut frame, line| {
        // Writing into a string cannot fail.
        let _infallible = writeln!(frame, "\x1b[K{}", truncate_str(line, columns, "…"));
        frame
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let parsed = text.parse().ok().filter(|seconds| (0.1..=86_400.0).contains(seconds));
    parsed.map(Duration::from_secs_f64).ok_or_else(|| "expected seconds, 0.1 to 86400".to_owned())
}

#[cfg(test)]
mod tests {
    use outflank_proto::campaign::Form;
    use outflank_proto::fleet::Totals;

    use super::*;

    /// Returns what a terminal shows of a frame, in rows.
    fn shown(frame: &str) -> Vec<&str> {
        frame.split('\n').map(|row| row.strip_prefix("\x1b[K").unwrap_or(row)).collect()
    }

    #[test]
    fn a_finished_campaign_is_shown_unless_all_went_well() {
        let campaign = |name: &str, refuted, fault: &str| Campaign {
            name: name.to_owned(),
            form: Form::Obf,
            priority: 100,
            paused: false,
            split_to: None,
            rows: 3,
            duplicates: 0,
            proved: 3 - refuted,
            refuted,
            solved: 0,
            open: 0,
            active: 0,
            disputed: 0,
            nodes: 0,
            nodes_per_second: 0.0,
            predicted_nodes_left: 0.0,
            seconds_left: None,
            fault: fault.to_owned(),
            workers: 0,
            unaudited: 0,
            unreviewed: 0,
        };
        let campaigns =
            [campaign("well", 0, ""), campaign("false", 1, ""), campaign("broken", 0, "damaged")];
        let overview = Overview {
            build: String::new(),
            up: Duration::ZERO,
            workers: Vec::new(),
            totals: Totals::default(),
            proofs: 0,
            requests: 0,
            questions: 0,
            positions: 0,
            audits_open: 0,
            unaudited: 0,
            given_up: 0,
            illegal_claims: 0,
            refused: 0,
        };
        assert_eq!(
            text(&overview, &campaigns)[3..],
            [
                "LOOK INTO  campaign broken has stopped: damaged",
                "false: finished, 2 proved, 1 refuted, 0 solved, 0 open",
                "broken: stopped, 3 proved, 0 refuted, 0 solved, 0 open",
            ]
        );
    }

    #[test]
    fn the_last_line_is_shown_and_the_row_below_it_is_free() {
        let lines = ["first", "second", "third"].map(str::to_owned);
        assert_eq!(shown(&frame(&lines, 24, 80)), ["first", "second", "third", ""]);
        assert_eq!(shown(&frame(&lines, 4, 5)), ["first", "seco…", "third", ""]);
        assert_eq!(shown(&frame(&lines, 3, 80)), ["first", "… 2 lines more: --json has all", ""]);
        for rows in [0, 1, 2] {
            assert_eq!(shown(&frame(&lines, rows, 10)), ["… 3 lines…", ""]);
        }
    }
}
