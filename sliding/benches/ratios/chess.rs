//! Throughput and latency of single queries, batches, the union of a side, and one line of a piece.

use sliding::catalogue::{Visitor, visit_all};
use sliding::{Attacks, Native};

use crate::data::{
    Eight, Method, Position, QUERIES, aligned, keep, keep_in_memory, lines, positions, queries,
};

/// What is asked.
pub(crate) struct Questions {
    squares: Vec<u8>,
    boards: Vec<u64>,
    lines: Vec<u64>,
    eights: Vec<Eight>,
    positions: Vec<Position>,
}

impl Questions {
    /// Makes `count` queries, eight a turn, and as many positions as ever.
    pub(crate) fn new(count: usize) -> Self {
        let (squares, boards) = queries(count);
        let (lines, eights) = (lines(&squares), aligned(&boards));
        Self { squares, boards, lines, eights, positions: positions(QUERIES) }
    }

    /// Returns the groups and the methods of each.
    pub(crate) fn groups(&self) -> Vec<(&'static str, Vec<Method<'_>>)> {
        let Self { squares, boards, lines, eights, positions } = self;
        let mut groups = Groups { squares, boards, eights, positions, all: Vec::new() };
        visit_all(&mut groups);
        groups.along("any line by bit reversal", lines, sliding::along);
        groups.along("queen and line, best as compiled", lines, |square, occupied, line| {
            Native.queen(square, occupied) & line
        });
        let mut by_group: Vec<(&str, Vec<Method<'_>>)> = Vec::new();
        for (group, method) in groups.all {
            match by_group.iter_mut().find(|(name, _)| *name == group) {
                Some((_, methods)) => methods.push(method),
                None => by_group.push((group, vec![method])),
            }
        }
        by_group
    }
}

/// Goes through the positions in another order in each pass: branches that depend on the pieces would
/// be learnt by heart otherwise.
#[derive(Clone, Copy, Default)]
pub(crate) struct Order(usize);

impl Order {
    pub(crate) fn next(&mut self) -> impl Iterator<Item = usize> + use<> {
        self.0 += 2;
        let step = 0x9e37 * self.0 + 1; // odd, so that every position has its turn
        (0..QUERIES).map(move |turn| turn.wrapping_mul(step) % QUERIES)
    }
}

struct Groups<'a> {
    squares: &'a [u8],
    boards: &'a [u64],
    eights: &'a [Eight],
    positions: &'a [Position],
    all: Vec<(&'static str, Method<'a>)>,
}

impl<'a> Groups<'a> {
    /// Adds a method of a piece that moves along one line, such as a pinned one.
    fn along(
        &mut self,
        name: &'static str,
        lines: &'a [u64],
        attacks: impl Fn(u8, u64, u64) -> u64 + Copy + 'a,
    ) {
        let (squares, boards) = (self.squares, self.boards);
        let asked = move || squares.iter().zip(boards).zip(lines);
        let throughput = move || {
            asked().fold(0, |sum, ((&square, &occupied), &line)| {
                sum ^ keep(attacks(square, occupied, line))
            })
        };
        self.all.push(("one line, throughput", Method { name, pass: Box::new(throughput) }));
        let latency = move || {
            let zero = keep(0);
            asked().fold(0, |last, ((&square, &occupied), &line)| {
                keep(attacks(square, occupied ^ last & zero, line))
            })
        };
        self.all.push(("one line, latency by board", Method { name, pass: Box::new(latency) }));
    }
}

/// Adds a method whose pass makes one query after the other: independent, or in a chain in which the board
/// or the square waits for the last result.
macro_rules! single {
    ($groups:ident, $name:ident, $attacks:ident, $($piece:literal, $method:ident);+) => {$({
        let (squares, boards) = ($groups.squares, $groups.boards);
        let throughput = move || {
            let mut sum = 0;
            // Eight queries a turn: how well a loop of one query runs depends on its place.
            let (squares, boards) = (squares.as_chunks::<8>().0, boards.as_chunks::<8>().0);
            for (squares, boards) in squares.iter().zip(boards) {
                for (&square, &occupied) in squares.iter().zip(boards) {
                    sum ^= keep($attacks.$method(square, occupied));
                }
            }
            sum
        };
        let group = concat!($piece, ", throughput");
        $groups.all.push((group, Method { name: $name, pass: Box::new(throughput) }));
        let by_board = move || {
            let (mut last, zero) = (0, keep(0));
            for (&square, &occupied) in squares.iter().zip(boards) {
                last = keep($attacks.$method(square, occupied ^ last & zero));
            }
            last
        };
        let group = concat!($piece, ", latency by board");
        $groups.all.push((group, Method { name: $name, pass: Box::new(by_board) }));
        // What is known of a square, masks or the part of a table, can be loaded only now.
        let by_square = move || {
            let (mut last, zero) = (0, keep(0));
            for (&square, &occupied) in squares.iter().zip(boards) {
                last = keep($attacks.$method(square ^ (last & zero) as u8, occupied));
            }
            last
        };
        let group = concat!($piece, ", latency by square");
        $groups.all.push((group, Method { name: $name, pass: Box::new(by_square) }));
    })+};
}

macro_rules! batch {
    ($groups:ident, $name:ident, $attacks:ident, $($group:literal, $method:ident);+) => {$({
        let (squares, boards) = ($groups.squares.as_chunks().0, $groups.eights);
        let pass = move || {
            for (&squares, &Eight(boards)) in squares.iter().zip(boards) {
                keep_in_memory(&Eight($attacks.$method(squares, boards)));
            }
            0
        };
        $groups.all.push(($group, Method { name: $name, pass: Box::new(pass) }));
    })+};
}

impl Visitor for Groups<'_> {
    fn visit<A: Attacks>(&mut self, name: &'static str, attacks: A) {
        if name.starts_with("best of") {
            return; // other names measure them already
        }
        single!(
            self, name, attacks,
            "queen", queen;
            "rook", rook;
            "bishop", bishop
        );
        batch!(
            self, name, attacks,
            "queens, batch of 8", queens8;
            "rooks, batch of 8", rooks8;
            "bishops, batch of 8", bishops8
        );
        let positions = self.positions;
        let mut order = Order::default();
        let union = move || {
            let mut sum = 0;
            for place in order.next() {
                let Position { occupied, rooks, bishops } = positions[place];
                sum ^= keep(attacks.union(rooks, bishops, occupied));
            }
            sum
        };
        self.all.push(("union of a side", Method { name, pass: Box::new(union) }));
        let list = move || {
            let mut sum = 0;
            for place in order.next() {
                let Position { occupied, rooks, bishops } = positions[place];
                attacks.each(rooks, bishops, occupied, |_, attacks| sum ^= keep(attacks));
            }
            sum
        };
        self.all.push(("list of a side", Method { name, pass: Box::new(list) }));
    }
}
