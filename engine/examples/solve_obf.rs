//! Solves the positions of an OBF file and prints what the field prints: number, empties, score,
//! seconds, nodes, nodes a second, line.
//!
//! `cargo run --release -p outflank-engine --example solve_obf -- FILE [THREADS [TABLE_MIB [FIRST-LAST [WEIGHTS]]]]`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::time::Instant;

use outflank_engine::evaluation::Weights;
use outflank_engine::{Control, Engine, Request, Settings, notation};
use outflank_kernel::Isa;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name an OBF file")?;
    let threads: usize = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let mebibytes: usize = arguments.next().map_or(Ok(805), |text| text.parse())?;
    let range = arguments.next().unwrap_or_else(|| "1-999".to_owned());
    let (first, last) = range.split_once('-').ok_or("a range is FIRST-LAST")?;
    let (first, last): (usize, usize) = (first.parse()?, last.parse()?);
    let isa = Isa::chosen()?;
    let mut engine = Engine::new(&Settings { isa, table_bytes: mebibytes << 20 })?;
    if let Some(path) = arguments.next() {
        let weights = Weights::load(&std::fs::read(path)?)?;
        engine = engine.with_weights(Some(Box::leak(Box::new(weights))));
    }
    let (mut seconds, mut nodes) = (0.0, 0);
    let text = std::fs::read_to_string(&path)?;
    for (index, problem) in notation::problems(&path, &text).enumerate() {
        let problem = problem?;
        if !(first..=last).contains(&(index + 1)) {
            continue;
        }
        engine.clear();
        let request = Request { threads, ..Request::exact(problem.position) };
        let begin = Instant::now();
        let answer = engine.solve(&request, &Control::default());
        let elapsed = begin.elapsed().as_secs_f64();
        seconds += elapsed;
        nodes += answer.nodes;
        let expected = problem.expected_value();
        let verdict = if expected.is_none_or(|score| answer.bound.value() == Some(score)) {
            ""
        } else {
            "WRONG"
        };
        println!(
            "{:3} {:2} {:>4} {elapsed:8.3} s {:>13} {:6.1} M/s {} {verdict}",
            index + 1,
            problem.position.empties(),
            answer.bound.to_string(),
            answer.nodes,
            answer.nodes as f64 / elapsed / 1e6,
            notation::moves(&answer.line),
        );
    }
    println!(
        "{isa}, {threads} threads: {seconds:.3} s, {nodes} nodes, {:.1} M/s",
        nodes as f64 / seconds / 1e6
    );
    Ok(())
}
