//! Solves the positions of an OBF file and prints what their searches counted, one row for each number of empty squares:
//! what ended the nodes of exact and of selective searches, which moves cut off, what comparisons of costs and cuts by
//! probability did, and what threads shared.
//!
//! `cargo run --release -p outflank-engine --features statistics --example statistics -- FILE [THREADS [TABLE_MIB]]`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;

use outflank_engine::{Control, Counts, Engine, Request, Row, Settings, Statistics, notation};
use outflank_kernel::Isa;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name an OBF file")?;
    let threads: usize = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let mebibytes: usize = arguments.next().map_or(Ok(805), |text| text.parse())?;
    let engine = Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: mebibytes << 20 })?;
    let mut statistics = Statistics::default();
    let mut searches = 0;
    let text = std::fs::read_to_string(&path)?;
    for problem in notation::problems(&path, &text) {
        let request = Request { threads, ..Request::exact(problem?.position) };
        engine.clear();
        let control = Control::default();
        let _answer = engine.solve(&request, &control);
        statistics += &control.statistics();
        searches += 1;
    }
    let nodes = statistics.total().nodes();
    println!("{searches} positions, {threads} threads, table of {mebibytes} MiB: {nodes} nodes");
    ends("Exact searches", &statistics, |row| row.exact);
    ends("Selective searches", &statistics, |row| row.selective);
    upper_part(&statistics);
    Ok(())
}

/// Fewest empty squares at which it is counted what ends the nodes.
const ENDS_FROM: usize = 5;

/// Returns the rows in which something was counted, the most empty squares first; those of five and more are followed by
/// their sum.
fn rows(statistics: &Statistics) -> Vec<(String, Row)> {
    let mut rows = Vec::new();
    for (empties, &row) in statistics.rows.iter().enumerate().rev() {
        rows.push((empties.to_string(), row));
        if empties == ENDS_FROM {
            let sum = statistics.rows[ENDS_FROM..].iter().copied().sum();
            rows.push((format!("{ENDS_FROM} on"), sum));
        }
    }
    rows.retain(|(_, row)| *row != Row::default());
    rows
}

/// Returns a part in per cent, or a dash if there is no whole.
fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1}", part as f64 / whole as f64 * 100.0) }
}

/// Prints what ended the nodes of one kind of search.
fn ends(title: &str, statistics: &Statistics, kind: impl Fn(&Row) -> Counts) {
    println!(
        "\n{title}: what ended the nodes, in per cent; which move cut off, in per cent of the"
    );
    println!("cut-offs; how many moves were searched where none did\n");
    println!(
        "                     stable    own                 known  pass,  prob-  cut-   not |  \
         by 1st  by 2nd  later    at |"
    );
    println!(
        "empties        nodes  discs  table  proofs  hints  moves    end   able   off   cut |  \
           move    move         split | moves"
    );
    for (empties, row) in rows(statistics) {
        let counts = kind(&row);
        if counts.nodes == 0 {
            continue;
        }
        let is_few = empties.parse().is_ok_and(|empties: usize| empties < ENDS_FROM);
        if is_few {
            println!("{empties:>7} {:>12}", counts.nodes);
            continue;
        }
        let part = |part| share(part, counts.nodes);
        let cut = |part| share(part, counts.cut_offs());
        let moves = counts.moves_of_not_cut as f64 / counts.not_cut.max(1) as f64;
        print!("{empties:>7} {:>12} {:>6}", counts.nodes, part(counts.stable));
        print!(" {:>6} {:>7}", part(counts.own_table), part(counts.proved));
        print!(" {:>6} {:>6}", part(counts.believed), part(counts.children_known));
        print!(" {:>6}", part(counts.passes + counts.over + counts.wipe_outs));
        print!(" {:>6}", part(counts.probably_above + counts.probably_below));
        print!(" {:>5} {:>5}", part(counts.cut_offs()), part(counts.not_cut));
        print!(" | {:>7} {:>7}", cut(counts.cut_by_first), cut(counts.cut_by_second));
        print!(" {:>6} {:>5}", cut(counts.cut_by_later), cut(counts.cut_at_split));
        println!(" | {moves:>5.1}");
    }
}

/// Prints what only happens where more squares are empty, in searches of both kinds together.
fn upper_part(statistics: &Statistics) {
    println!(
        "\nAll searches: nodes of look-aheads; comparisons of costs by pairs, and in how many per cent"
    );
    println!(
        "another move came first; probes of Multi-ProbCut, and how many per cent of them cut; moves of the"
    );
    println!(
        "principal variation that were searched again, windows of the root below and above which the value"
    );
    println!("was; positions offered to other threads, and who took their moves\n");
    println!(
        "                     |     1       2       3  other |                             \
|            value  value |             taken by"
    );
    println!(
        "empties   look-ahead |  pair   pairs   pairs  first |   above    cut    below    cut \
         | again  below  above | splits  opener  others"
    );
    for (empties, row) in rows(statistics) {
        let mut counts = row.exact;
        counts += row.selective;
        let compared = [counts.compared_by_one, counts.compared_by_two, counts.compared_by_three];
        let compared_in_all: u64 = compared.iter().sum();
        if row.look_ahead_nodes + compared_in_all + counts.searched_again == 0 {
            continue;
        }
        let [one, two, three] = compared;
        print!("{empties:>7} {:>12} | {one:>5} {two:>7} {three:>7}", row.look_ahead_nodes);
        print!(" {:>6}", share(counts.first_changed, compared_in_all));
        print!(" | {:>7}", counts.probes_above);
        print!(" {:>6}", share(counts.probably_above, counts.probes_above));
        print!(" {:>8}", counts.probes_below);
        print!(" {:>6}", share(counts.probably_below, counts.probes_below));
        print!(" | {:>5} {:>6}", counts.searched_again, counts.windows_missed_below);
        print!(" {:>6}", counts.windows_missed_above);
        println!(" | {:>6} {:>7} {:>7}", counts.splits, counts.moves_kept, counts.moves_taken);
    }
}
