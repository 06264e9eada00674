//! Measures the model as `beliefs` measures the engine: what whole positions and goals cost in it, and how
//! good its quick estimates are (`docs/simulation.md`).
//!
//! `cargo run --release -p outflank-simulation --example calibration -- EMPTIES COUNT HORIZON [SEED]`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::sync::Arc;

use outflank_coordinator::advisor::predicted_nodes;
use outflank_coordinator::core::Advisor;
use outflank_engine::{Score, Window};
use outflank_simulation::model::{Kind, Model, ModelAdvisor, Shape, roots};

/// The thresholds that are asked, as distances from the value.
const DISTANCES: [i32; 6] = [-8, -4, 0, 2, 6, 10];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &'static str| arguments.next().ok_or(what);
    let empties: u32 = next("how many empties?")?.parse()?;
    let count: usize = next("how many positions?")?.parse()?;
    let horizon: u32 = next("what horizon?")?.parse()?;
    let seed: u64 = next("").map_or(Ok(1), |text| text.parse())?;
    let mut model = Model::new(Shape::fitted(seed, horizon)).ok_or("no evaluation")?;
    let advisor = ModelAdvisor::new(seed, Arc::default(), &[]).ok_or("no evaluation")?;
    let mut whole = Vec::new();
    let mut goals = vec![Vec::new(); DISTANCES.len()];
    let (mut quick, mut careful) = (Vec::new(), Vec::new());
    for root in roots(seed, empties, count, Kind::Value).ok_or("no evaluation")? {
        let alone = model.sequential(root.position, Window::FULL);
        let value = alone.bound.value().ok_or("no value")?.discs();
        whole.push((alone.nodes as f64).ln());
        let estimate = advisor.estimate(root.position);
        quick.push(f64::from(estimate - value));
        careful.push(f64::from(advisor.careful_estimate(root.position, 1_000_000) - value));
        for (logs, distance) in goals.iter_mut().zip(DISTANCES) {
            let Some(threshold) = Score::new(value + distance) else { continue };
            let Some(window) = Window::at_least(threshold) else { continue };
            let nodes = model.sequential(root.position, window).nodes as f64;
            logs.push((nodes / predicted_nodes(root.position, window, value)).ln());
        }
    }
    let (mean, spread) = moments(&whole);
    println!("whole: {:.0} nodes, geometric mean, spread {spread:.2}", mean.exp());
    for (name, errors) in [("quick", quick), ("careful", careful)] {
        let (mean, spread) = moments(&errors);
        println!("{name} estimate: mean error {mean:+.2}, spread {spread:.2}");
    }
    println!("threshold - value   nodes by prediction: geometric mean, spread");
    for (logs, distance) in goals.iter().zip(DISTANCES) {
        let (mean, spread) = moments(logs);
        println!("{distance:17} {:10.2} {spread:.2}", mean.exp());
    }
    Ok(())
}

fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, (squares / count).sqrt())
}
