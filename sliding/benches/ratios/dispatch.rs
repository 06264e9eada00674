//! The queries in functions that are compiled for the features of a set, whatever the program is
//! compiled for: what a program has that chooses at run time, as the guide tells it to.
//!
//! Compiled natively, the other groups show what the generators can do; here, in a program for any
//! x86-64 processor (without `RUSTFLAGS`), it shows whether all of it arrives.

use std::cell::Cell;

use outflank_kernel::{avx2_features, avx512_features, avx512_gfni_features, ssse3_features};
use sliding::{
    Attacks, Avx2, Avx512, Avx512Gfni, FancyMagic, Hyperbola, HyperbolaAvx2, HyperbolaGfni,
    ObstructionDifference, OkuharaAvx2, OkuharaAvx512, Pext, Ssse3,
};

use crate::chess::Order;
use crate::data::{
    Eight, Method, Position, QUERIES, aligned, keep, keep_in_memory, positions, queries,
};
use crate::figures::Figures;

const ROUNDS: u32 = 300;

/// What is measured, in the order of the passes of a set.
const GROUPS: [&str; 8] = [
    "dispatched, queen",
    "dispatched, rook",
    "dispatched, bishop",
    "dispatched, 8 queens",
    "dispatched, 8 rooks",
    "dispatched, 8 bishops",
    "dispatched, union of a side",
    "dispatched, list of a side",
];

/// What is asked.
struct Asked {
    squares: Vec<u8>,
    boards: Vec<u64>,
    eights: Vec<Eight>,
    positions: Vec<Position>,
    order: Cell<Order>,
}

impl Asked {
    /// Returns the positions in another order each time.
    fn positions(&self) -> impl Iterator<Item = Position> {
        let mut order = self.order.take();
        let places = order.next();
        self.order.set(order);
        places.map(|place| self.positions[place])
    }
}

/// Makes the queries; unsafe, since the CPU needs the features of the set.
type Pass<A> = unsafe fn(A, &Asked) -> u64;

macro_rules! single {
    ($($query:ident)+) => {$(
        #[inline(always)]
        fn $query<A: Attacks>(by: A, asked: &Asked) -> u64 {
            let mut sum = 0;
            let (squares, boards) = (asked.squares.as_chunks::<8>().0, asked.boards.as_chunks().0);
            for (squares, boards) in squares.iter().zip(boards) {
                let boards: &[u64; 8] = boards;
                for (&square, &occupied) in squares.iter().zip(boards) {
                    sum ^= keep(by.$query(square, occupied));
                }
            }
            sum
        }
    )+};
}
single!(queen rook bishop);

macro_rules! batch {
    ($($query:ident)+) => {$(
        #[inline(always)]
        fn $query<A: Attacks>(by: A, asked: &Asked) -> u64 {
            for (&squares, &Eight(boards)) in asked.squares.as_chunks().0.iter().zip(&asked.eights) {
                keep_in_memory(&Eight(by.$query(squares, boards)));
            }
            0
        }
    )+};
}
batch!(queens8 rooks8 bishops8);

#[inline(always)]
fn union<A: Attacks>(by: A, asked: &Asked) -> u64 {
    let mut sum = 0;
    for Position { occupied, rooks, bishops } in asked.positions() {
        sum ^= keep(by.union(rooks, bishops, occupied));
    }
    sum
}

#[inline(always)]
fn list<A: Attacks>(by: A, asked: &Asked) -> u64 {
    let mut sum = 0;
    for Position { occupied, rooks, bishops } in asked.positions() {
        by.each(rooks, bishops, occupied, |_, attacks| sum ^= keep(attacks));
    }
    sum
}

/// Compiles the passes once more, for the features of a set.
macro_rules! set {
    ($features:tt $set:ident: $($query:ident)+) => {
        mod $set {
            use super::{Asked, Attacks, Pass};

            $(entry! { $features $query })+

            pub(super) fn passes<A: Attacks>() -> [Pass<A>; 8] {
                [$($query::<A>),+]
            }
        }
    };
}
macro_rules! entry {
    ([$($feature:tt),*] $query:ident) => {
        $(#[target_feature(enable = $feature)])*
        fn $query<A: Attacks>(by: A, asked: &Asked) -> u64 {
            super::$query(by, asked)
        }
    };
}
ssse3_features!(set!(ssse3: queen rook bishop queens8 rooks8 bishops8 union list));
avx2_features!(set!(avx2: queen rook bishop queens8 rooks8 bishops8 union list));
avx512_features!(set!(avx512: queen rook bishop queens8 rooks8 bishops8 union list));
avx512_gfni_features!(set!(gfni: queen rook bishop queens8 rooks8 bishops8 union list));

/// The methods of each group.
struct Groups<'a> {
    asked: &'a Asked,
    groups: [Vec<Method<'a>>; 8],
}

impl Groups<'_> {
    /// Adds a back-end with the passes of a set, whose token the caller has.
    fn add<A: Attacks>(&mut self, name: &'static str, by: A, passes: [Pass<A>; 8]) {
        let asked = self.asked;
        for (group, pass) in self.groups.iter_mut().zip(passes) {
            // SAFETY: the caller has the token of the set.
            let pass = Box::new(move || unsafe { pass(by, asked) });
            group.push(Method { name, pass });
        }
    }
}

pub(crate) fn measure(figures: &mut Figures) {
    let (squares, boards) = queries(QUERIES);
    let (eights, positions) = (aligned(&boards), positions(QUERIES));
    let asked = Asked { squares, boards, eights, positions, order: Cell::default() };
    let mut groups = Groups { asked: &asked, groups: Default::default() };
    if let Some(token) = Ssse3::detect() {
        groups.add("best of SSSE3", token, ssse3::passes());
    }
    if let Some(token) = Avx2::detect() {
        groups.add("best of AVX2", token, avx2::passes());
        groups.add("AVX2: G4 rank table", Hyperbola, avx2::passes());
        groups.add("AVX2: G5 three lines", HyperbolaAvx2::new(token), avx2::passes());
        groups.add("AVX2: G1-G3 Okuhara", OkuharaAvx2::new(token), avx2::passes());
        groups.add("AVX2: G7 obstruction difference", ObstructionDifference, avx2::passes());
        groups.add("AVX2: G7 PEXT", Pext::new(token), avx2::passes());
        groups.add("AVX2: G7 fancy magic", FancyMagic::new(), avx2::passes());
    }
    if let Some(token) = Avx512::detect() {
        groups.add("best of AVX-512", token, avx512::passes());
        groups.add("AVX-512: G1 Okuhara", OkuharaAvx512::new(token), avx512::passes());
        groups.add("AVX-512: G7 obstruction difference", ObstructionDifference, avx512::passes());
    }
    if let Some(token) = Avx512Gfni::detect() {
        groups.add("best of AVX-512 and GFNI", token, gfni::passes());
        groups.add("AVX-512 and GFNI: G4", HyperbolaGfni::new(token), gfni::passes());
    }
    for (group, methods) in GROUPS.into_iter().zip(groups.groups) {
        figures.measure(group, QUERIES, ROUNDS, methods);
    }
}
