//! Finds out what threads bring without processors for them: the search is rehearsed on clocks that count nodes. Prints
//! for each number of threads how many times as fast they are as one, the nodes by those of one, and which parts of the
//! threads' time were waiting and handing over. Answers that differ from those of one thread are an error. With `goals`
//! two questions take the place of each position's value: whether it is at least that, and whether it is more.
//!
//! `cargo run --release -p outflank-engine --example rehearse -- THREADS[,THREADS…] TABLE_MIB [goals] FILE.obf…`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;

use outflank_engine::{Control, Engine, Rehearsal, Request, Score, Settings, Window, notation};
use outflank_kernel::Isa;

/// What all searches took, and their answers: where in its window each value lies.
#[derive(Debug, Default)]
struct Taken {
    answers: Vec<[Score; 2]>,
    time: u64,
    handing_over: u64,
    nodes: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let numbers = arguments.next().ok_or("name numbers of threads, as 2,4,8")?;
    let numbers: Vec<usize> = numbers.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let mebibytes: usize = arguments.next().ok_or("name the size of the table in MiB")?.parse()?;
    let mut arguments = arguments.peekable();
    let asks_goals = arguments.next_if(|argument| argument == "goals").is_some();
    let engine = Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: mebibytes << 20 })?;
    let mut requests = Vec::new();
    for path in arguments {
        let text = std::fs::read_to_string(&path)?;
        for problem in notation::problems(&path, &text) {
            let request = Request::exact(problem?.position);
            if asks_goals {
                requests.extend(goals(&engine, &request));
            } else {
                requests.push(request);
            }
        }
    }
    let alone = rehearse(&engine, &requests, 1);
    println!("{} searches, {} nodes on one thread", requests.len(), alone.nodes);
    println!("threads  times as fast  nodes  waiting  handing over");
    for threads in numbers {
        let taken = rehearse(&engine, &requests, threads);
        if taken.answers != alone.answers {
            return Err(format!("{threads} threads give other answers than one").into());
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

/// Returns the questions whether the value of a position is at least what it is, and whether it is more.
fn goals(engine: &Engine, request: &Request) -> Vec<Request> {
    engine.clear();
    let value = engine.solve(request, &Control::default()).bound.value();
    let thresholds = value.into_iter().flat_map(|value| [value, value.up()]);
    let windows = thresholds.filter_map(Window::at_least);
    windows.map(|window| Request { window, ..request.clone() }).collect()
}

fn rehearse(engine: &Engine, requests: &[Request], threads: usize) -> Taken {
    let mut taken = Taken::default();
    for request in requests {
        engine.clear();
        let request = Request { threads, ..request.clone() };
        let (answer, Rehearsal { time, handing_over }) =
            engine.rehearse(&request, &Control::default());
        let ends = [answer.bound.lower(), answer.bound.upper()];
        let (low, high) = (request.window.lower(), request.window.upper());
        taken.answers.push(ends.map(|end| end.clamp(low, high)));
        taken.time += time;
        taken.handing_over += handing_over;
        taken.nodes += answer.nodes;
    }
    taken
}
