//! Stops searches of the positions of an OBF file at odd moments and prints how long they took to return.
//!
//! `cargo run --release -p outflank-engine --example stop -- FILE [THREADS [TABLE_MIB [STOPS]]]`
#![allow(clippy::print_stdout, reason = "an example talks to its user")]

use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};

use outflank_engine::{Control, Engine, Request, Settings, notation};
use outflank_kernel::Isa;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name an OBF file")?;
    let threads: usize = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let mebibytes: usize = arguments.next().map_or(Ok(256), |text| text.parse())?;
    let stops: u32 = arguments.next().map_or(Ok(100), |text| text.parse())?;
    let engine = Engine::new(&Settings { isa: Isa::chosen()?, table_bytes: mebibytes << 20 })?;
    let text = std::fs::read_to_string(&path)?;
    let mut all = Vec::new();
    for problem in notation::problems(&path, &text) {
        let request = Request { threads, ..Request::exact(problem?.position) };
        for stop in 0..stops {
            engine.clear();
            // Odd multiples of a number that divides nothing: the moments are spread over 0.4 s.
            let moment = Duration::from_micros(1_000 + u64::from(stop) * 7_919 % 400_000);
            let control = Control::default();
            let took = thread::scope(|scope| {
                let search = scope.spawn(|| {
                    let _bounds = engine.solve(&request, &control);
                    Instant::now()
                });
                thread::park_timeout(moment);
                let begin = (!search.is_finished()).then(Instant::now);
                control.stop();
                let end = search.join().expect("it does not panic");
                begin.map(|begin| end.saturating_duration_since(begin))
            });
            all.extend(took); // What was over before is not counted.
        }
    }
    all.sort_unstable();
    let quantile = |share: f64| all.get((all.len() as f64 * share) as usize).or(all.last());
    let [half, most, nearly, last] = [0.5, 0.9, 0.99, 1.0].map(quantile);
    let (Some(half), Some(most), Some(nearly), Some(last)) = (half, most, nearly, last) else {
        return Err("all searches were over before they could be stopped".into());
    };
    println!(
        "{} stops: half in {half:?}, 90 % in {most:?}, 99 % in {nearly:?}, all in {last:?}",
        all.len()
    );
    Ok(())
}
