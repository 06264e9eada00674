//! Measures what a stopped search leaves to the next one of the same worker: how many nodes more than an
//! undisturbed one a goal takes that is stopped on the way and asked again, at once or after so many other goals.
//!
//! `cargo run --release -p outflank-simulation --example resumption -- EMPTIES COUNT SEED OTHERS`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;

use outflank_engine::{Control, Engine, Position, Request, Settings, Window};
use outflank_kernel::Isa;
use outflank_simulation::model::{Kind, roots};

const TABLE_BYTES: usize = 400 << 20;

/// The shares of its nodes after which a search is stopped.
const STOPS: [f64; 3] = [0.25, 0.5, 0.75];

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let mut number = |default| numbers.next().unwrap_or(Ok(default));
    let (empties, count, seed) = (number(22)?, number(12)?, number(1)?);
    let others = usize::try_from(number(0)?)?;
    let requests = roots(seed, u32::try_from(empties)?, usize::try_from(count)?, Kind::Hypothesis)
        .ok_or("this build has no evaluation")?;
    let engine = Engine::new(&Settings { isa: Isa::detect(), table_bytes: TABLE_BYTES })?;
    let mut more = Vec::new();
    println!(
        "nodes, and the share of them that is searched again when stopped after {STOPS:?}, and {others} others in between"
    );
    for (place, request) in requests.iter().enumerate() {
        let (position, window) = (request.position, request.window);
        let whole = from_nothing(&engine, position, window, None);
        print!("{whole:11}");
        for share in STOPS {
            let first =
                from_nothing(&engine, position, window, Some((whole as f64 * share) as u64));
            for other in requests.iter().cycle().skip(place + 1).take(others) {
                nodes(&engine, other.position, other.window, None);
            }
            let rest = nodes(&engine, position, window, None);
            let again = (first + rest) as f64 / whole as f64 - 1.0;
            print!(" {again:+.3}");
            more.push(again);
        }
        println!();
    }
    more.sort_by(f64::total_cmp);
    if let (Some(median), Some(most)) = (more.get(more.len() / 2), more.last()) {
        println!("median {median:+.3}, at most {most:+.3}");
    }
    Ok(())
}

fn from_nothing(engine: &Engine, position: Position, window: Window, limit: Option<u64>) -> u64 {
    engine.clear();
    nodes(engine, position, window, limit)
}

fn nodes(engine: &Engine, position: Position, window: Window, node_limit: Option<u64>) -> u64 {
    let request = Request { position, window, node_limit, threads: 1, known: Vec::new() };
    engine.solve(&request, &Control::default()).nodes
}
