//! Finds out what threads bring without processors for them: the search is rehearsed on clocks that count nodes. Prints
//! for each number of threads how many times as fast they are as one, the nodes by those of one, and which parts of the
//! threads' time were waiting and handing over. Values that differ from those of one thread are an error.
//!
//! `cargo run --release -p outflank-engine --example rehearse -- THREADS[,THREADS…] TABLE_MIB FILE.obf…`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;

use outflank_engine::{Bound, Control, Engine, Position, Rehearsal, Request, Settings, notation};
use outflank_kernel::Isa;

/// What all positions took, and their values.
#[derive(Debug, Default)]
struct Taken {
    values: Vec<Bound>,
    time: u64,
    handing_over: u64,
    nodes: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let numbers = arguments.next().ok_or("name numbers of threads, as 2,4,8")?;
    let numbers: Vec<usize> = numbers.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let mebibytes: usize = arguments.next().ok_or("name the size of the table in MiB")?.parse()?;
    let mut positions = Vec::new();
    for path in arguments {
        let text = std::fs::read_to_string(&path)?;
        for problem in notation::problems(&path, &text) {
            positions.push(problem?.position);
        }
    }
    let engine = Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: mebibytes << 20 })?;
    let alone = rehearse(&engine, &positions, 1);
    println!("{} positions, {} nodes on one thread", positions.len(), alone.nodes);
    println!("threads  times as fast  nodes  waiting  handing over");
    for threads in numbers {
        let taken = rehearse(&engine, &positions, threads);
        if taken.values != alone.values {
            return Err(format!("{threads} threads find other values than one").into());
        }
        let all = taken.time as f64 * threads as f64;
        let handing_over = taken.handing_over as f64 / all;
        println!(
            "{threads:7}  {:13.2}  {:5.3}  {:7.3}  {handing_over:12.3}",
            alone.time as f64 / taken.time as f64,
            taken.nodes as f64 / alone.nodes as f64,
            1.0 - taken.nodes as f64 / all - handing_over,
        );
    }
    Ok(())
}

fn rehearse(engine: &Engine, positions: &[Position], threads: usize) -> Taken {
    let mut taken = Taken::default();
    for &position in positions {
        engine.clear();
        let request = Request { threads, ..Request::exact(position) };
        let (answer, Rehearsal { time, handing_over }) =
            engine.rehearse(&request, &Control::default());
        taken.values.push(answer.bound);
        taken.time += time;
        taken.handing_over += handing_over;
        taken.nodes += answer.nodes;
    }
    taken
}
