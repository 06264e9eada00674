//! Bounds as they lie in the log (claims) and in the index (entries), and how they merge.
//!
//! Merging is idempotent: a tail of the log that the index knows already may be applied again.

use outflank_engine::{Bound, Contradiction, Position, Score, Square};

use super::record::Method;
use crate::best_move;

/// A provenance with its origin replaced by the origin's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) method: Method,
    pub(super) origin: u32,
}

impl Source {
    const INFERENCE: u32 = 1 << 31;
    /// The number of origins that a store can tell apart.
    pub(super) const ORIGINS: u32 = Self::INFERENCE;

    fn encode(self) -> u32 {
        match self.method {
            Method::Search => self.origin,
            Method::Inference => self.origin | Self::INFERENCE,
        }
    }

    fn decode(bits: u32) -> Self {
        let inference = bits & Self::INFERENCE != 0;
        let method = if inference { Method::Inference } else { Method::Search };
        Self { method, origin: bits & !Self::INFERENCE }
    }
}

/// A record as it lies in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) position: Position,
    pub(super) bound: Bound,
    pub(super) best_move: Option<Square>,
    pub(super) nodes: u64,
    pub(super) source: Source,
}

impl Claim {
    /// The size of an encoded claim, in bytes.
    pub(super) const BYTES: usize = 31;

    /// Appends the claim's bytes to `out`.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.position.player().to_le_bytes());
        out.extend_from_slice(&self.position.opponent().to_le_bytes());
        out.extend_from_slice(&encode_bound(self.bound, self.best_move));
        out.extend_from_slice(&self.nodes.to_le_bytes());
        out.extend_from_slice(&self.source.encode().to_le_bytes());
    }

    /// Returns the claim of `bytes`, or what is wrong with it.
    pub(super) fn decode(bytes: &[u8; Self::BYTES]) -> Result<Self, &'static str> {
        let position = Position::new(number(&bytes[0..8]), number(&bytes[8..16]))
            .ok_or("a position with a square that belongs to both sides and is no wall")?;
        let (bound, best_move) = decode_bound([bytes[16], bytes[17], bytes[18]])?;
        let source = Source::decode(number(&bytes[27..31]) as u32);
        Ok(Self { position, bound, best_move, nodes: number(&bytes[19..27]), source })
    }
}

/// What is known about one position: its claims merged, in the order of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) bound: Bound,
    pub(super) best_move: Option<Square>,
    pub(super) nodes: u64,
    pub(super) lower_from: Source,
    pub(super) upper_from: Source,
}

impl Entry {
    /// The size of an encoded entry, in bytes.
    pub(super) const BYTES: usize = 19;

    /// Returns what a position's first claim says.
    pub(super) fn first(claim: &Claim) -> Self {
        Self {
            bound: claim.bound,
            best_move: claim.best_move,
            nodes: claim.nodes,
            lower_from: claim.source,
            upper_from: claim.source,
        }
    }

    /// Returns what this entry and a later one prove together.
    ///
    /// Merging is associative, so that parts of the log may be merged on their own, and a side
    /// changes hands only when it gets better.
    pub(super) fn merge(&self, later: &Self) -> Result<Self, Contradiction> {
        let bound = self.bound.merge(later.bound)?;
        let best_move =
            best_move::merged((self.bound, self.best_move), (later.bound, later.best_move));
        let lower = if later.bound.lower() > self.bound.lower() { later } else { self };
        let upper = if later.bound.upper() < self.bound.upper() { later } else { self };
        Ok(Self {
            bound,
            best_move,
            nodes: self.nodes.max(later.nodes),
            lower_from: lower.lower_from,
            upper_from: upper.upper_from,
        })
    }

    /// Returns this entry of `position` as a claim against `other`, which contradicts it: with
    /// the source of the side that does.
    pub(super) fn against(&self, other: &Self, position: Position) -> Claim {
        let above = self.bound.lower() > other.bound.upper();
        let source = if above { self.lower_from } else { self.upper_from };
        let Self { bound, best_move, nodes, .. } = *self;
        Claim { position, bound, best_move, nodes, source }
    }

    /// Returns whether `merged`, made from this entry, says more than it.
    pub(super) fn is_improved_by(&self, merged: &Self) -> bool {
        merged.bound != self.bound || merged.best_move != self.best_move
    }

    /// Returns the entry's bytes.
    pub(super) fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[0..3].copy_from_slice(&encode_bound(self.bound, self.best_move));
        bytes[3..11].copy_from_slice(&self.nodes.to_le_bytes());
        bytes[11..15].copy_from_slice(&self.lower_from.encode().to_le_bytes());
        bytes[15..19].copy_from_slice(&self.upper_from.encode().to_le_bytes());
        bytes
    }

    /// Returns the entry of `bytes`, or what is wrong with it.
    pub(super) fn decode(bytes: &[u8; Self::BYTES]) -> Result<Self, &'static str> {
        let (bound, best_move) = decode_bound([bytes[0], bytes[1], bytes[2]])?;
        Ok(Self {
            bound,
            best_move,
            nodes: number(&bytes[3..11]),
            lower_from: Source::decode(number(&bytes[11..15]) as u32),
            upper_from: Source::decode(number(&bytes[15..19]) as u32),
        })
    }
}

/// The size of an index key, in bytes.
pub(super) const KEY_BYTES: usize = 17;

/// What the index finds a position by.
pub(super) type Key = [u8; KEY_BYTES];

/// Returns the index key of `position`: empties first, so that a prefix lists one ply.
pub(super) fn key(position: Position) -> Key {
    let mut key = [0; KEY_BYTES];
    key[0] = position.empties() as u8;
    key[1..9].copy_from_slice(&position.player().to_be_bytes());
    key[9..17].copy_from_slice(&position.opponent().to_be_bytes());
    key
}

/// Returns the position of an index key, or what is wrong with the key.
pub(super) fn position_of(bytes: &Key) -> Result<Position, &'static str> {
    let board = |bytes: &[u8]| bytes.iter().fold(0, |board, &byte| board << 8 | u64::from(byte));
    Position::new(board(&bytes[1..9]), board(&bytes[9..]))
        .filter(|&position| key(position) == *bytes)
        .ok_or("a key is not that of a position")
}

/// Returns the little-endian number of at most eight bytes.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

const NO_MOVE: u8 = 255;

fn encode_bound(bound: Bound, best_move: Option<Square>) -> [u8; 3] {
    let best_move = best_move.map_or(NO_MOVE, |square| square.index() as u8);
    // Scores are within −64..=64, so that the casts keep them.
    [bound.lower().discs() as i8 as u8, bound.upper().discs() as i8 as u8, best_move]
}

fn decode_bound(bytes: [u8; 3]) -> Result<(Bound, Option<Square>), &'static str> {
    let score = |byte: u8| Score::new(i32::from(byte as i8));
    let bound = score(bytes[0])
        .zip(score(bytes[1]))
        .and_then(|(lower, upper)| Bound::new(lower, upper))
        .ok_or("a bound that is odd, out of range or empty")?;
    let best_move = match bytes[2] {
        NO_MOVE => None,
        index => Some(Square::new(u32::from(index)).ok_or("a best move that is no square")?),
    };
    Ok((bound, best_move))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let claim = Claim {
            position: Position::START.canonical(),
            bound: Bound::exact(Score::DRAW),
            best_move: Square::new(63),
            nodes: 9,
            source: Source { method: Method::Inference, origin: 7 },
        };
        let upper_from = Source { method: Method::Search, origin: 8 };
        let entry = Entry { upper_from, ..Entry::first(&claim) };
        let bytes = entry.encode();
        assert_eq!(Entry::decode(&bytes), Ok(entry));
        let mut wrong = bytes;
        wrong[2] = 64;
        assert_eq!(Entry::decode(&wrong), Err("a best move that is no square"));
    }

    #[test]
    fn a_key_is_that_of_a_position_or_damaged() {
        let position = Position::START.canonical();
        let mut key = key(position);
        assert_eq!(position_of(&key), Ok(position));
        key[0] -= 1;
        assert_eq!(position_of(&key), Err("a key is not that of a position"));
    }
}
