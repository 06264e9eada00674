//! Measures how good the engine's opinions are before it has proved anything: the numbers that the model's
//! estimates and beliefs are drawn with (`docs/simulation.md`).
//!
//! `cargo run --release -p outflank-simulation --example beliefs -- EMPTIES COUNT [SEED]`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use outflank_coordinator::advisor::predicted_nodes;
use outflank_engine::{
    Belief, Control, Engine, Position, Request, Score, Settings, Square, Window,
};
use outflank_kernel::Isa;
use outflank_simulation::model::{Kind, roots};

/// The nodes that estimates are given; the first is the quick one.
const BUDGETS: [u64; 5] = [0, 200_000, 1_000_000, 4_000_000, 16_000_000];

/// The thresholds that are asked, as distances from the value.
const DISTANCES: [i32; 6] = [-8, -4, 0, 2, 6, 10];

/// What is summed up over opinions of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: f64,
    wrong: f64,
    squares: f64,
    share: f64,
}

/// The logarithms of the nodes of goals by what is predicted if the value is known.
type Costs = Vec<f64>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let empties: u32 = arguments.next().ok_or("how many empties?")?.parse()?;
    let count: usize = arguments.next().ok_or("how many positions?")?.parse()?;
    let seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let engine = Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: 256 << 20 })?;
    let mut estimates = [Sum::default(); BUDGETS.len()];
    let mut beliefs = vec![[Sum::default(); 2]; DISTANCES.len()];
    let mut logarithms = Vec::new();
    let mut costs: Vec<Costs> = vec![Vec::new(); DISTANCES.len()];
    let mut families = Vec::new();
    for root in roots(seed, empties, count, Kind::Value).ok_or("no evaluation")? {
        families.push(errors_of_children(&engine, root.position)?);
        engine.clear();
        let answer = engine.solve(&Request::exact(root.position), &Control::default());
        let value = answer.bound.value().ok_or("no value")?.discs();
        logarithms.push((answer.nodes as f64).ln());
        for (sum, budget) in estimates.iter_mut().zip(BUDGETS) {
            engine.clear();
            let belief = match budget {
                0 => outflank_engine::estimate(root.position),
                nodes => engine.believe(root.position, nodes),
            };
            let error = f64::from(belief.discs() - value);
            sum.count += 1.0;
            sum.squares += error * error;
            sum.wrong += f64::from(u8::from(error.abs() > 1.0));
        }
        for ((sums, costs), distance) in beliefs.iter_mut().zip(&mut costs).zip(DISTANCES) {
            if (-62..=64).contains(&(value + distance)) {
                goal(&engine, root.position, value, value + distance, sums, costs)?;
            }
        }
    }
    print(&estimates, &beliefs, &logarithms);
    print_costs(&costs);
    print_families(&families);
    Ok(())
}

/// Returns the errors of the quick estimates of the positions after each move.
fn errors_of_children(engine: &Engine, position: Position) -> Result<Vec<f64>, Box<dyn Error>> {
    engine.clear();
    let children = Square::all(position.moves()).filter_map(|square| position.play(square));
    let error = |child: Position| {
        let answer = engine.solve(&Request::exact(child), &Control::default());
        let value = answer.bound.value().ok_or("no value")?.discs();
        Ok(f64::from(outflank_engine::estimate(child).discs() - value))
    };
    children.map(error).collect()
}

/// Prints how much of the errors children of one position have in common.
fn print_families(families: &[Vec<f64>]) {
    let (mut count, mut total, mut within) = (0.0, 0.0, 0.0);
    for family in families.iter().filter(|family| family.len() > 1) {
        let mean = family.iter().sum::<f64>() / family.len() as f64;
        count += family.len() as f64;
        total += family.iter().map(|error| error * error).sum::<f64>();
        let squares = family.iter().map(|error| (error - mean).powi(2)).sum::<f64>();
        within += squares * family.len() as f64 / (family.len() - 1) as f64;
    }
    let (all, own) = ((total / count).sqrt(), (within / count).sqrt());
    println!(
        "quick estimates of children: root mean square error {all:.2}, among brothers {own:.2}"
    );
}

/// Asks whether the value of `position`, which is `value`, is at least `threshold`.
fn goal(
    engine: &Engine,
    position: Position,
    value: i32,
    threshold: i32,
    sums: &mut [Sum; 2],
    costs: &mut Costs,
) -> Result<(), Box<dyn Error>> {
    engine.clear();
    let own: Arc<OnceLock<Arc<Control>>> = Arc::default();
    let told: Arc<Mutex<Vec<(u64, Belief)>>> = Arc::default();
    let (watched, teller) = (Arc::clone(&own), Arc::clone(&told));
    let control = Arc::new(Control::watched(move |nodes| {
        let belief = watched.get().and_then(|control| control.belief());
        let mut told = teller.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(belief) = belief
            && told.last().is_none_or(|&(_, last)| last != belief)
        {
            told.push((nodes, belief));
        }
    }));
    own.set(Arc::clone(&control)).map_err(|_| "set twice")?;
    let threshold = Score::new(threshold).ok_or("no score")?;
    let window = Window::at_least(threshold).ok_or("no window")?;
    let answer = engine.solve(&Request { window, ..Request::exact(position) }, &control);
    costs.push((answer.nodes as f64 / predicted_nodes(position, window, value)).ln());
    let told = told.lock().unwrap_or_else(PoisonError::into_inner);
    let holds = value >= threshold.discs();
    let first = told.iter().find(|(_, belief)| belief.searches > 0);
    let last = told.iter().find(|(_, belief)| belief.is_last);
    for (sum, belief) in sums.iter_mut().zip([first, last]) {
        let Some(&(nodes, belief)) = belief else { continue };
        let is_wrong = (belief.value >= threshold.discs()) != holds;
        sum.count += 1.0;
        sum.wrong += f64::from(u8::from(is_wrong));
        sum.share += nodes as f64 / answer.nodes as f64;
        sum.squares += (nodes as f64 / answer.nodes as f64).ln();
    }
    Ok(())
}

fn print(estimates: &[Sum], beliefs: &[[Sum; 2]], logarithms: &[f64]) {
    let count = logarithms.len() as f64;
    let mean = logarithms.iter().sum::<f64>() / count;
    let spread = logarithms.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / count;
    println!("whole: {:.0} nodes, geometric mean, spread {:.2}", mean.exp(), spread.sqrt());
    println!("nodes of an estimate   root mean square error   wrong");
    for (sum, nodes) in estimates.iter().zip(BUDGETS) {
        let Sum { count, wrong, squares, .. } = sum;
        println!("{nodes:20} {:24.2} {:7.2}", (squares / count).sqrt(), wrong / count);
    }
    println!("threshold - value   first belief: after, wrong   last belief: after, wrong");
    for (sums, distance) in beliefs.iter().zip(DISTANCES) {
        print!("{distance:17}");
        for Sum { count, wrong, share, squares } in sums {
            let (after, median) = (share / count, (squares / count).exp());
            print!("   {after:.3} ({median:.3}) {:.3} of {count}", wrong / count);
        }
        println!();
    }
}

fn print_costs(costs: &[Costs]) {
    println!("threshold - value   nodes by prediction: geometric mean, spread");
    for (logs, distance) in costs.iter().zip(DISTANCES) {
        let count = logs.len().max(1) as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let spread = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / count).sqrt();
        println!("{distance:17} {:10.2} {spread:.2}", mean.exp());
    }
}
