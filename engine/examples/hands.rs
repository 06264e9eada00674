//! Finds out what other engines bring that try moves for a search, each with tables of its own, as workers of a cluster
//! have them: all in this process, one thread each, and without the time that messages take. Prints the time and the
//! nodes of one engine alone, and of each number of engines. Values that differ are an error.
//!
//! `cargo run --release -p outflank-engine --example hands -- ENGINES[,ENGINES…] PLIES TABLE_MIB
//! FILE.obf…`: moves are sent out of positions up to PLIES plies below that of the file.
#![allow(clippy::print_stdout, reason = "an example talks to its user")]
#![allow(clippy::disallowed_methods, reason = "this is no service")]

use std::error::Error;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use outflank_engine::{
    Bound, Control, Engine, Errand, Hands, Position, Request, Settings, notation,
};
use outflank_kernel::Isa;

/// From so many nodes on, bounds are told to all.
const DEAR: u64 = 100_000;

/// How long each looks away before it looks for news.
const PAUSE: Duration = Duration::from_micros(200);

/// The engines: the first one searches, and the others try moves for it, and for each other.
struct Team {
    engines: Vec<Engine>,
    least_empties: u32,
    /// Those that have nothing to do.
    idle: Mutex<Vec<usize>>,
    /// The nodes of all but the first.
    nodes: AtomicU64,
    errands: AtomicU64,
}

impl Team {
    fn idle(&self) -> MutexGuard<'_, Vec<usize>> {
        self.idle.lock().expect("nobody panics with it")
    }

    fn control(self: &Arc<Self>) -> Control {
        let engaged = (1..self.engines.len()).map(|_| AtomicUsize::new(0)).collect();
        let member = Member { team: Arc::clone(self), engaged };
        Control::default().with_hints().with_found(Some(DEAR)).with_hands(Arc::new(member))
    }

    /// Tells the others what engine number `from` has come to know.
    fn tell(&self, from: usize, control: &Control) {
        let (hints, found) = (control.take_hints(), control.take_found());
        let found: Vec<_> = found.iter().map(|found| (found.position, found.bound)).collect();
        for (_, engine) in self.engines.iter().enumerate().filter(|&(number, _)| number != from) {
            engine.hear(&hints);
            engine.know(&found);
        }
    }
}

/// An engine that searches, and the numbers of those that it has engaged.
struct Member {
    team: Arc<Team>,
    engaged: Vec<AtomicUsize>,
}

impl Hands for Member {
    fn count(&self) -> usize {
        self.engaged.len()
    }

    fn least_empties(&self) -> u32 {
        self.team.least_empties
    }

    fn engage(&self, hand: usize, is_wanted: &dyn Fn() -> bool) -> bool {
        while is_wanted() {
            if let Some(number) = self.team.idle().pop() {
                self.engaged[hand].store(number, Ordering::Relaxed);
                return true;
            }
            thread::sleep(PAUSE);
        }
        false
    }

    fn release(&self, hand: usize) {
        self.team.idle().push(self.engaged[hand].load(Ordering::Relaxed));
    }

    fn run(&self, hand: usize, errand: &Errand, is_pointless: &dyn Fn() -> bool) -> Option<i32> {
        let (team, number) = (&self.team, self.engaged[hand].load(Ordering::Relaxed));
        let (engine, control) = (&team.engines[number], team.control());
        let value = thread::scope(|scope| {
            let running = scope.spawn(|| engine.run_errand(errand, 1, &control));
            while !running.is_finished() {
                if is_pointless() {
                    control.stop();
                }
                team.tell(number, &control);
                thread::sleep(PAUSE);
            }
            running.join().expect("no search panics")
        });
        team.tell(number, &control);
        team.nodes.fetch_add(control.nodes(), Ordering::Relaxed);
        team.errands.fetch_add(1, Ordering::Relaxed);
        value
    }
}

/// What all positions took, and their values.
#[derive(Debug, Default)]
struct Taken {
    values: Vec<Bound>,
    time: Duration,
    nodes: u64,
    errands: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let numbers = arguments.next().ok_or("name numbers of engines, as 2,4,8")?;
    let numbers: Vec<usize> = numbers.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let plies: u32 = arguments.next().ok_or("name a number of plies")?.parse()?;
    let mebibytes: usize = arguments.next().ok_or("name the size of a table in MiB")?.parse()?;
    let mut positions = Vec::new();
    for path in arguments {
        let text = std::fs::read_to_string(&path)?;
        for problem in notation::problems(&path, &text) {
            positions.push(problem?.position);
        }
    }
    let alone = solve(&positions, 1, plies, mebibytes)?;
    println!("{:.2} s and {} nodes alone", alone.time.as_secs_f64(), alone.nodes);
    println!("engines  seconds  times as fast  nodes  errands");
    for engines in numbers {
        let taken = solve(&positions, engines, plies, mebibytes)?;
        if taken.values != alone.values {
            return Err(format!("{engines} engines find other values than one").into());
        }
        println!(
            "{engines:7}  {:7.2}  {:13.2}  {:5.3}  {:7}",
            taken.time.as_secs_f64(),
            alone.time.as_secs_f64() / taken.time.as_secs_f64(),
            taken.nodes as f64 / alone.nodes as f64,
            taken.errands,
        );
    }
    Ok(())
}

fn solve(
    positions: &[Position],
    engines: usize,
    plies: u32,
    mebibytes: usize,
) -> Result<Taken, Box<dyn Error>> {
    let mut taken = Taken::default();
    for &position in positions {
        let settings = Settings { isa: Isa::chosen()?, table_bytes: mebibytes << 20 };
        let engines: Result<Vec<_>, _> = (0..engines).map(|_| Engine::new(&settings)).collect();
        let (nodes, errands) = (AtomicU64::new(0), AtomicU64::new(0));
        let engines = engines?;
        let idle = Mutex::new((1..engines.len()).collect());
        let least_empties = position.empties().saturating_sub(plies);
        let team = Arc::new(Team { engines, least_empties, idle, nodes, errands });
        let control = team.control();
        let (request, begin) = (Request::exact(position), Instant::now());
        let answer = thread::scope(|scope| {
            let solving = scope.spawn(|| team.engines[0].solve(&request, &control));
            while !solving.is_finished() {
                team.tell(0, &control);
                thread::sleep(PAUSE);
            }
            solving.join().expect("no search panics")
        });
        taken.time += begin.elapsed();
        taken.values.push(answer.bound);
        taken.nodes += answer.nodes + team.nodes.load(Ordering::Relaxed);
        taken.errands += team.errands.load(Ordering::Relaxed);
    }
    Ok(taken)
}
