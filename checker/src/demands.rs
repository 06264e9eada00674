//! The claims that still have to be proved, sorted, in bounded memory.
//!
//! Rows need claims about positions with one empty square less, and stand in an order that is the
//! order of these claims. So the claims of one *layer* (a number of empty squares) are collected,
//! sorted, and then walked along with the rows of that layer. Rows fill one layer at a time, but
//! roots may fill all of them, so that the layers share the memory. What does not fit is sorted in
//! parts, each of them a run in a temporary file, and merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::claim::{Claim, Side};
use crate::rules::Position;

/// The memory through which the runs of a layer are read, in bytes, unless they are very many.
const BUFFERS: usize = 1 << 24;

/// Who needs a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needed {
    /// The root of this number.
    ByRoot(u64),
    /// The row of this number.
    ByRow(u64),
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByRoot(number) => write!(f, "root {number}"),
            Self::ByRow(number) => write!(f, "row {number}"),
        }
    }
}

/// A claim that somebody needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The claim, about a canonical position.
    pub claim: Claim,
    /// Who needs it.
    pub needed: Needed,
}

/// The place of a demand: by position and side, the strongest claim first.
type Place = (Position, Side, i32, Needed);

impl Demand {
    /// The size of a demand in a file, in bytes.
    const BYTES: usize = 27;

    fn place(&self) -> Place {
        let Claim { position, side, .. } = self.claim;
        (position, side, self.claim.weakness(), self.needed)
    }

    /// Returns whether both are about the same side of the same position.
    fn is_about_the_same(&self, other: &Self) -> bool {
        (self.claim.position, self.claim.side) == (other.claim.position, other.claim.side)
    }

    fn encode(&self) -> [u8; Self::BYTES] {
        let (is_row, number) = match self.needed {
            Needed::ByRoot(number) => (0, number),
            Needed::ByRow(number) => (1, number),
        };
        let mut bytes = [0; Self::BYTES];
        bytes[0..8].copy_from_slice(&self.claim.position.player.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.claim.position.opponent.to_le_bytes());
        bytes[16] = u8::from(self.claim.side == Side::AtLeast);
        bytes[17] = self.claim.value as i8 as u8; // −64 to 64
        bytes[18] = is_row;
        bytes[19..27].copy_from_slice(&number.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; Self::BYTES]) -> Self {
        let word = |at: usize| {
            bytes[at..at + 8].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
        };
        let side = if bytes[16] == 1 { Side::AtLeast } else { Side::AtMost };
        let position = Position { player: word(0), opponent: word(8) };
        let claim = Claim { position, side, value: i32::from(bytes[17] as i8) };
        let needed =
            if bytes[18] == 1 { Needed::ByRow(word(19)) } else { Needed::ByRoot(word(19)) };
        Self { claim, needed }
    }
}

/// The demands of all layers while they are collected.
#[derive(Debug)]
pub(crate) struct Layers {
    /// By the number of empty squares.
    layers: Vec<Layer>,
    /// The number of demands in memory.
    held: usize,
    limit: usize,
}

impl Layers {
    /// Returns no demands; at most `limit` will be kept in memory.
    #[must_use]
    pub(crate) fn new(limit: usize) -> Self {
        let layers = std::iter::repeat_with(Layer::default).take(65).collect();
        Self { layers, held: 0, limit }
    }

    /// Adds a demand.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub(crate) fn add(&mut self, demand: Demand) -> io::Result<()> {
        self.layers[demand.claim.position.empties() as usize].held.push(demand);
        self.held += 1;
        if self.held < self.limit { Ok(()) } else { self.make_room() }
    }

    /// Drops what is there twice, and moves the largest layers to files until half of the memory is
    /// free: where many are equal the memory lasts longer.
    fn make_room(&mut self) -> io::Result<()> {
        self.layers.iter_mut().for_each(Layer::sort);
        self.held = self.layers.iter().map(|layer| layer.held.len()).sum();
        while self.held > self.limit / 2 {
            let largest = self.layers.iter_mut().max_by_key(|layer| layer.held.len());
            let Some(largest) = largest else { break };
            self.held -= largest.held.len();
            largest.spill()?;
        }
        Ok(())
    }

    /// Takes the layer of `empties` empty squares: its demands in order, one for each position and
    /// side.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(crate) fn take(&mut self, empties: u32) -> io::Result<Sorted> {
        let layer = std::mem::take(&mut self.layers[empties as usize]);
        self.held -= layer.held.len();
        layer.sorted()
    }
}

/// The demands of one layer while they are collected.
#[derive(Debug, Default)]
struct Layer {
    held: Vec<Demand>,
    /// Sorted runs, one after the other; each entry is the end of a run.
    spilled: Option<(File, Vec<u64>)>,
}

impl Layer {
    /// Sorts what is held and keeps the strongest demand of each position and side.
    fn sort(&mut self) {
        self.held.sort_unstable_by_key(Demand::place);
        self.held.dedup_by(|later, first| later.is_about_the_same(first));
        // Other layers may need the memory of this one.
        self.held.shrink_to_fit();
    }

    fn spill(&mut self) -> io::Result<()> {
        let (file, ends) = match &mut self.spilled {
            Some(spilled) => spilled,
            none => none.insert((tempfile::tempfile()?, Vec::new())),
        };
        let mut out = BufWriter::new(&mut *file);
        self.held.iter().try_for_each(|demand| out.write_all(&demand.encode()))?;
        out.flush()?;
        drop(out);
        let bytes = (self.held.len() * Demand::BYTES) as u64;
        ends.push(ends.last().unwrap_or(&0) + bytes);
        self.held = Vec::new();
        Ok(())
    }

    fn sorted(mut self) -> io::Result<Sorted> {
        self.sort();
        self.held.reverse();
        let mut runs = vec![Run::Held(self.held)];
        if let Some((file, ends)) = self.spilled {
            let file = Arc::new(file);
            let buffer = (BUFFERS / ends.len()).clamp(1 << 10, 1 << 16);
            let mut at = 0;
            for end in ends {
                let part = Part { file: Arc::clone(&file), at, end };
                runs.push(Run::Spilled(BufReader::with_capacity(buffer, part)));
                at = end;
            }
        }
        Sorted::merging(runs)
    }
}

/// A sorted row of demands.
#[derive(Debug)]
enum Run {
    /// The last one comes first.
    Held(Vec<Demand>),
    Spilled(BufReader<Part>),
}

impl Run {
    fn next(&mut self) -> io::Result<Option<Demand>> {
        match self {
            Self::Held(rest) => Ok(rest.pop()),
            Self::Spilled(file) => {
                if file.buffer().is_empty() && file.get_ref().is_at_end() {
                    return Ok(None);
                }
                let mut bytes = [0; Demand::BYTES];
                file.read_exact(&mut bytes)?;
                Ok(Some(Demand::decode(&bytes)))
            }
        }
    }
}

/// The part of a file from `at` to `end`.
#[derive(Debug)]
struct Part {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Part {
    fn is_at_end(&self) -> bool {
        self.at == self.end
    }
}

impl Read for Part {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.file.read_at(&mut buffer[..rest], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// The demands of a layer in order.
#[derive(Debug)]
pub(crate) struct Sorted {
    runs: Vec<Run>,
    /// The next demand of each run that has one.
    heads: BinaryHeap<Reverse<(Place, usize)>>,
}

impl Sorted {
    fn merging(runs: Vec<Run>) -> io::Result<Self> {
        let mut sorted = Self { heads: BinaryHeap::with_capacity(runs.len()), runs };
        for index in 0..sorted.runs.len() {
            sorted.refill(index)?;
        }
        Ok(sorted)
    }

    fn refill(&mut self, index: usize) -> io::Result<()> {
        if let Some(demand) = self.runs[index].next()? {
            self.heads.push(Reverse((demand.place(), index)));
        }
        Ok(())
    }

    /// Returns the next demand without taking it.
    #[must_use]
    pub(crate) fn peek(&self) -> Option<Demand> {
        let Reverse((place, _)) = self.heads.peek()?;
        Some(demand(*place))
    }

    /// Takes the next demand and all others about the same side of the same position.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(crate) fn take(&mut self) -> io::Result<()> {
        let Some(first) = self.peek() else { return Ok(()) };
        while self.peek().is_some_and(|next| next.is_about_the_same(&first)) {
            if let Some(Reverse((_, index))) = self.heads.pop() {
                self.refill(index)?;
            }
        }
        Ok(())
    }
}

/// Returns the demand at `place`.
fn demand((position, side, weakness, needed): Place) -> Demand {
    let value = match side {
        Side::AtMost => weakness,
        Side::AtLeast => -weakness,
    };
    Demand { claim: Claim { position, side, value }, needed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(demands: &[Demand], limit: usize) -> Vec<Demand> {
        let mut layers = Layers::new(limit);
        for &demand in demands {
            layers.add(demand).unwrap();
            assert!(layers.held < limit);
            let held: Vec<usize> = layers.layers.iter().map(|layer| layer.held.len()).collect();
            assert_eq!(layers.held, held.iter().sum::<usize>());
        }
        let mut all = Vec::new();
        for empties in (0..=64).rev() {
            let mut sorted = layers.take(empties).unwrap();
            while let Some(demand) = sorted.peek() {
                all.push(demand);
                sorted.take().unwrap();
            }
        }
        all
    }

    #[test]
    fn whatever_the_memory_each_claim_comes_once_in_order_and_as_its_strongest() {
        let mut state = 1_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let demands: Vec<Demand> = (0..20_000)
            .map(|row| {
                // Of three numbers of empty squares, as roots may have them.
                let opponent = u64::MAX << (10 + random(3));
                let position = Position { player: random(240), opponent };
                let side = if random(2) == 0 { Side::AtMost } else { Side::AtLeast };
                let value = random(65) as i32 * 2 - 64;
                let needed = if row < 9 { Needed::ByRoot(row) } else { Needed::ByRow(row) };
                Demand { claim: Claim { position, side, value }, needed }
            })
            .collect();
        let all = walked(&demands, usize::MAX);
        assert!((1200..=1440).contains(&all.len()), "{}", all.len());
        let empties = |demand: &Demand| Reverse(demand.claim.position.empties());
        assert!(all.is_sorted_by_key(|demand| (empties(demand), demand.place())));
        for demand in &demands {
            let strongest = all.iter().find(|other| other.is_about_the_same(demand)).unwrap();
            assert!(strongest.claim.weakness() <= demand.claim.weakness());
            assert!(demands.contains(strongest));
        }
        for limit in [50, 500, 1399, 5000] {
            assert_eq!(walked(&demands, limit), all, "{limit} in memory");
        }
    }
}
