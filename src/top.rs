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
use crate::numbers::counted;
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
                        let place = place(terminal.size().0.into());
                        draw(terminal, &text(&overview, &campaigns, place))?;
                    }
                    None => {
                        output::line(&text(&overview, &campaigns, usize::MAX).join("\n"))?;
                    }
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

/// Returns the view, the most interesting lines first: all of it, or where there is `place` for fewer lines, fewer lines
/// about campaigns, so that there is some for workers.
fn text(overview: &Overview, campaigns: &[Campaign], place: usize) -> Vec<String> {
    let mut lines = overview::summary(overview);
    let mut workers = Vec::new();
    if !overview.workers.is_empty() {
        workers.push(String::new());
        workers.extend(overview::table(overview));
    }
    let rest = place.saturating_sub(lines.len());
    let place = rest.saturating_sub(workers.len()).max(rest / 2).max(1);
    lines.extend(lists(campaigns, place));
    lines.extend(workers);
    lines
}

/// Returns what there is to say about campaigns, in as many lines as there is `place` for.
fn lists(campaigns: &[Campaign], place: usize) -> Vec<String> {
    let mut worries: Vec<String> = campaigns.iter().filter_map(campaign::worry).collect();
    let mut progress: Vec<String> =
        campaign::worth_a_look(campaigns).into_iter().map(campaign::progress).collect();
    if worries.len() + progress.len() <= place {
        return [worries, progress].concat();
    }
    let all = progress.len();
    worries.truncate(place / 2);
    progress.truncate(place - 1 - worries.len());
    let remark = match all - progress.len() {
        0 => "… more is wrong with campaigns: --json has all".to_owned(),
        more => format!("… {} more: --json has all", counted(more as u64, "campaign")),
    };
    [worries, progress, vec![remark]].concat()
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
    let place = place(rows);
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

/// Returns for how many lines a terminal of so many rows has place.
fn place(rows: usize) -> usize {
    rows.max(2) - 1
}

fn seconds(text: &str) -> Result<Duration, String> {
    let parsed = text.parse().ok().filter(|seconds| (0.1..=86_400.0).contains(seconds));
    parsed.map(Duration::from_secs_f64).ok_or_else(|| "expected seconds, 0.1 to 86400".to_owned())
}

#[cfg(test)]
mod tests {
    use outflank_proto::campaign::Form;
    use outflank_proto::fleet::{JobCounts, Totals, WorkerState};

    use super::*;

    /// Returns what a terminal shows of a frame, in rows.
    fn shown(frame: &str) -> Vec<&str> {
        frame.split('\n').map(|row| row.strip_prefix("\x1b[K").unwrap_or(row)).collect()
    }

    fn campaign(name: &str) -> Campaign {
        Campaign {
            name: name.to_owned(),
            form: Form::Obf,
            priority: 100,
            paused: false,
            split_to: None,
            rows: 3,
            duplicates: 0,
            proved: 3,
            refuted: 0,
            solved: 0,
            open: 0,
            active: 0,
            disputed: 0,
            nodes: 0,
            nodes_per_second: 0.0,
            predicted_nodes_left: 0.0,
            seconds_left: None,
            fault: String::new(),
            workers: 1,
            unaudited: 0,
            unreviewed: 0,
        }
    }

    fn refuted(name: &str) -> Campaign {
        Campaign { proved: 2, refuted: 1, ..campaign(name) }
    }

    fn running(name: &str) -> Campaign {
        Campaign { proved: 0, open: 3, active: 3, ..campaign(name) }
    }

    fn stopped(name: &str) -> Campaign {
        Campaign { fault: "damaged".to_owned(), ..campaign(name) }
    }

    fn overview(workers: usize) -> Overview {
        let worker = WorkerState {
            name: "a worker".to_owned(),
            host: String::new(),
            build: String::new(),
            isa: String::new(),
            threads: 1,
            table_bytes: 0,
            joined: Duration::ZERO,
            heard: Duration::ZERO,
            is_draining: false,
            nodes_per_second: 0.0,
            nodes: 0,
            jobs: JobCounts::default(),
            running: Vec::new(),
        };
        Overview {
            build: String::new(),
            up: Duration::ZERO,
            workers: vec![worker; workers],
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
        }
    }

    /// Returns how the lines below the summary begin.
    fn beginnings(lines: &[String]) -> Vec<String> {
        let words = |line: &String| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        lines[3..].iter().map(words).collect()
    }

    #[test]
    fn a_finished_campaign_is_shown_unless_all_went_well() {
        let campaigns = [campaign("well"), refuted("false"), stopped("broken")];
        assert_eq!(
            text(&overview(0), &campaigns, usize::MAX)[3..],
            [
                "LOOK INTO  campaign broken has stopped: damaged",
                "broken: stopped, 3 proved, 0 refuted, 0 solved, 0 open",
                "false: finished, 2 proved, 1 refuted, 0 solved, 0 open",
            ]
        );
    }

    /// Those that were finished or paused stood before it, by name, and no worker was seen.
    #[test]
    fn campaigns_that_run_come_first_and_leave_room_for_workers() {
        let paused = |name| Campaign { paused: true, ..running(name) };
        let mut campaigns: Vec<Campaign> = (0..9).map(|_| refuted("a")).collect();
        campaigns.extend((0..8).map(|_| paused("b")));
        campaigns.push(running("c"));
        let lines = text(&overview(2), &campaigns, usize::MAX);
        assert_eq!(beginnings(&lines)[..2], ["c: 0", "b: paused,"]);
        assert_eq!(beginnings(&lines)[8..10], ["b: paused,", "a: finished,"]);
        assert_eq!(lines.len(), 3 + 18 + 4);

        let lines = text(&overview(2), &campaigns, 13);
        let expected = ["c: 0", "b: paused,", "b: paused,", "b: paused,", "b: paused,", "… 13"];
        assert_eq!(beginnings(&lines)[..6], expected);
        assert_eq!(beginnings(&lines)[6..], ["", "worker heard", "a worker", "a worker"]);
        let lines = text(&overview(20), &campaigns, 13);
        assert_eq!(beginnings(&lines)[3..7], ["b: paused,", "… 14", "", "worker heard"]);
        assert_eq!(lines[7], "… 14 campaigns more: --json has all");
    }

    #[test]
    fn campaigns_that_have_stopped_do_not_hide_the_others() {
        let mut campaigns: Vec<Campaign> = (0..9).map(|_| stopped("a")).collect();
        campaigns.push(running("c"));
        let lines = text(&overview(0), &campaigns, 13);
        let look = ["LOOK INTO"; 5].map(str::to_owned);
        assert_eq!(beginnings(&lines)[..5], look);
        assert_eq!(
            beginnings(&lines)[5..],
            ["c: 0", "a: stopped,", "a: stopped,", "a: stopped,", "… 6"]
        );
        for place in 0..40 {
            let lines = text(&overview(0), &campaigns, place);
            assert!(lines.len() <= place.max(4), "{place}: {lines:?}");
        }
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
