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
    pub(super) const BYTES: usize = 24;
    const VERSION: u8 = 1;

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

    /// Returns the entry's bytes; the checksum at the end covers `key` too.
    pub(super) fn encode(&self, key: &[u8]) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[0] = Self::VERSION;
        bytes[1..4].copy_from_slice(&encode_bound(self.bound, self.best_move));
        bytes[4..12].copy_from_slice(&self.nodes.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.lower_from.encode().to_le_bytes());
        bytes[16..20].copy_from_slice(&self.upper_from.encode().to_le_bytes());
        let checksum = entry_checksum(key, &bytes[..20]);
        bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Returns the entry that lies under `key`, or what is wrong with it.
    pub(super) fn decode(key: &[u8], bytes: &[u8]) -> Result<Self, String> {
        let bytes: &[u8; Self::BYTES] = bytes
            .try_into()
            .map_err(|_| format!("an entry has {} bytes, expected {}", bytes.len(), Self::BYTES))?;
        let (expected, found) = (entry_checksum(key, &bytes[..20]), number(&bytes[20..24]) as u32);
        if found != expected {
            return Err(format!("an entry has checksum {found:08x}, expected {expected:08x}"));
        }
        if bytes[0] != Self::VERSION {
            return Err(format!("an entry has version {}, expected {}", bytes[0], Self::VERSION));
        }
        let (bound, best_move) = decode_bound([bytes[1], bytes[2], bytes[3]])?;
        Ok(Self {
            bound,
            best_move,
            nodes: number(&bytes[4..12]),
            lower_from: Source::decode(number(&bytes[12..16]) as u32),
            upper_from: Source::decode(number(&bytes[16..20]) as u32),
        })
    }
}

/// The size of an index key, in bytes.
pub(super) const KEY_BYTES: usize = 17;

/// Returns the index key of `position`: empties first, so that a prefix lists one ply.
pub(super) fn key(position: Position) -> [u8; KEY_BYTES] {
    let mut key = [0; KEY_BYTES];
    key[0] = position.empties() as u8;
    key[1..9].copy_from_slice(&position.player().to_be_bytes());
    key[9..17].copy_from_slice(&position.opponent().to_be_bytes());
    key
}

/// Returns the position of an index key, or what is wrong with the key.
pub(super) fn position_of(bytes: &[u8]) -> Result<Position, String> {
    let board = |range| bytes.get(range).and_then(|part: &[u8]| part.try_into().ok());
    let (Some(player), Some(opponent), true) =
        (board(1..9), board(9..17), bytes.len() == KEY_BYTES)
    else {
        return Err(format!("a key has {} bytes, expected {KEY_BYTES}", bytes.len()));
    };
    Position::new(u64::from_be_bytes(player), u64::from_be_bytes(opponent))
        .filter(|&position| key(position) == bytes)
        .ok_or_else(|| "a key is not that of a position".to_owned())
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

fn entry_checksum(key: &[u8], bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(bytes);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> (Vec<u8>, Entry) {
        let source = Source { method: Method::Inference, origin: 7 };
        let claim = Claim {
            position: Position::START.canonical(),
            bound: Bound::exact(Score::DRAW),
            best_move: Square::new(63),
            nodes: 9,
            source,
        };
        (key(claim.position).to_vec(), Entry::first(&claim))
    }

    #[test]
    fn an_entry_is_read_under_its_key_only_and_in_its_version_only() {
        let (key, entry) = entry();
        let bytes = entry.encode(&key);
        assert_eq!(Entry::decode(&key, &bytes), Ok(entry));
        let mut other = key.clone();
        other[16] ^= 1;
        assert!(Entry::decode(&other, &bytes).unwrap_err().contains("checksum"));
        // With right checksums: another version, and a best move that is no square.
        for (at, byte, expected) in [(0, 2, "version 2, expected 1"), (3, 64, "no square")] {
            let mut bytes = bytes;
            bytes[at] = byte;
            let checksum = entry_checksum(&key, &bytes[..20]);
            bytes[20..].copy_from_slice(&checksum.to_le_bytes());
            let error = Entry::decode(&key, &bytes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_key_is_that_of_a_position_or_damaged() {
        let (key, _) = entry();
        assert_eq!(position_of(&key), Ok(Position::START.canonical()));
        assert!(position_of(&[&key[..], &[0]].concat()).unwrap_err().contains("18 bytes"));
        let mut wrong = key.clone();
        wrong[0] -= 1;
        assert_eq!(position_of(&wrong), Err("a key is not that of a position".to_owned()));
    }
}
