//! Frames: the units of the proof log, each written and synced as a whole.
//!
//! ```text
//! segment = head frame*
//! head    = "OUTFLANK" | schema u32 | segment u32 | number of the first frame u64 | 0 u32 | crc32 u32
//! frame   = length of payload u32 | crc32 of payload u32 | payload
//! payload = number u64 | item*
//! item    = 1 | origin id u32 | five texts, each length u16 and UTF-8
//!         | 2 | claim, 31 bytes
//!         | 3 | player u64 | opponent u64: what was claimed of this position before is withdrawn
//! ```
//! The withdrawals of a frame come before its claims.
//! All numbers are little-endian. Frames are numbered through all segments, so that a missing one
//! is noticed and a good one can be told from bytes that look like one.

use std::ops::Range;

use crc32fast::Hasher;
use outflank_engine::Position;

use super::claim::{Claim, number};
use super::record::Origin;

/// The schema version of log and quarantine that this program reads and writes.
pub(super) const SCHEMA: u32 = 1;
/// The size of a segment's head, in bytes.
pub(super) const HEAD_BYTES: usize = 32;
/// The size of a frame without its payload, in bytes.
pub(super) const FRAME_OVERHEAD: usize = 8;
/// The size of the frame number that opens each payload, in bytes.
const NUMBER_BYTES: usize = 8;
/// The greatest payload: a length above it is damage.
const LONGEST_PAYLOAD: usize = 8 << 20;
/// The size of the greatest frame, in bytes.
pub(super) const LONGEST_FRAME: usize = FRAME_OVERHEAD + LONGEST_PAYLOAD;
/// A frame with this many bytes of items is full. One more item always fits into a payload.
pub(super) const FULL_BODY: usize = 4 << 20;

/// The size of an item that withdraws, in bytes.
pub(super) const WITHDRAWAL_BYTES: usize = 17;

/// More frames than this are never lost between two that are there.
const MOST_LOST: u64 = 1 << 40;

const MAGIC: &[u8; 8] = b"OUTFLANK";
const ORIGIN: u8 = 1;
const CLAIM: u8 = 2;
const WITHDRAWAL: u8 = 3;

/// What a frame holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) number: u64,
    pub(super) origins: Vec<(u32, Origin)>,
    /// The positions of which everything claimed in earlier frames is withdrawn.
    pub(super) withdrawn: Vec<Position>,
    pub(super) claims: Vec<Claim>,
}

impl Frame {
    /// Returns the frame's items, those of a kind together.
    pub(super) fn body(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for (id, origin) in &self.origins {
            push_origin(&mut body, *id, origin);
        }
        for position in &self.withdrawn {
            push_withdrawal(&mut body, *position);
        }
        for claim in &self.claims {
            push_claim(&mut body, claim);
        }
        body
    }

    /// Returns the size of the frame in the log, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let text = |(_, text): (&str, &str)| size_of::<u16>() + text.len();
        let origin = |(_, origin): &(u32, Origin)| {
            1 + size_of::<u32>() + origin.fields().into_iter().map(text).sum::<usize>()
        };
        let origins: usize = self.origins.iter().map(origin).sum();
        let withdrawals = WITHDRAWAL_BYTES * self.withdrawn.len();
        let claims = (1 + Claim::BYTES) * self.claims.len();
        (FRAME_OVERHEAD + NUMBER_BYTES + origins + withdrawals + claims) as u64
    }
}

/// What is wrong with some bytes, and what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) found: String,
    pub(super) expected: String,
}

impl Fault {
    pub(super) fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { found: found.into(), expected: expected.into() }
    }
}

/// What a segment's head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) schema: u32,
    pub(super) segment: u32,
    pub(super) first_frame: u64,
}

impl Head {
    /// Returns the head's bytes.
    pub(super) fn encode(self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[0..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&self.schema.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.segment.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first_frame.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..28]);
        bytes[28..32].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Returns the head at the start of `bytes`, of whatever schema version.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Fault> {
        let Some(bytes) = bytes.first_chunk::<HEAD_BYTES>() else {
            let found = format!("{} bytes", bytes.len());
            return Err(Fault::new(found, format!("a head of {HEAD_BYTES} bytes")));
        };
        if &bytes[..8] != MAGIC {
            return Err(Fault::new("other bytes", "a head that starts with OUTFLANK"));
        }
        let (found, expected) = (number(&bytes[28..32]) as u32, crc32fast::hash(&bytes[..28]));
        if found != expected {
            let found = format!("a head with checksum {found:08x}");
            return Err(Fault::new(found, format!("{expected:08x}")));
        }
        Ok(Self {
            schema: number(&bytes[8..12]) as u32,
            segment: number(&bytes[12..16]) as u32,
            first_frame: number(&bytes[16..24]),
        })
    }
}

/// Appends an item that gives the number `id` to `origin`.
pub(super) fn push_origin(body: &mut Vec<u8>, id: u32, origin: &Origin) {
    body.push(ORIGIN);
    body.extend_from_slice(&id.to_le_bytes());
    body.extend_from_slice(&encode_origin(origin));
}

/// Appends an item for `claim`.
pub(super) fn push_claim(body: &mut Vec<u8>, claim: &Claim) {
    body.push(CLAIM);
    claim.encode(body);
}

/// Appends an item that withdraws everything claimed of `position` so far.
pub(super) fn push_withdrawal(body: &mut Vec<u8>, position: Position) {
    body.push(WITHDRAWAL);
    body.extend_from_slice(&position.player().to_le_bytes());
    body.extend_from_slice(&position.opponent().to_le_bytes());
}

/// Returns the texts of `origin`, each with its length.
pub(super) fn encode_origin(origin: &Origin) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (_, text) in origin.fields() {
        let length = u16::try_from(text.len()).expect("texts are at most Origin::LONGEST long");
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

/// Takes an origin from the front of `bytes`.
pub(super) fn take_origin(bytes: &mut &[u8]) -> Option<Origin> {
    let mut text = || {
        let length = number(bytes.split_off(..2)?) as usize;
        String::from_utf8(bytes.split_off(..length)?.to_vec()).ok()
    };
    Some(Origin { build: text()?, weights: text()?, worker: text()?, host: text()?, run: text()? })
}

/// Appends the frame with this number and these items to `out`.
pub(super) fn seal(frame: u64, body: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let length = u32::try_from(NUMBER_BYTES + body.len()).expect("bodies are bounded by FULL_BODY");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&frame.to_le_bytes());
    out.extend_from_slice(body);
    let checksum = crc32fast::hash(&out[start + FRAME_OVERHEAD..]);
    out[start + 4..start + 8].copy_from_slice(&checksum.to_le_bytes());
}

/// Returns the payload length that a frame's first bytes announce, if the frame can fit into
/// `room` bytes.
pub(super) fn payload_length(
    overhead: [u8; FRAME_OVERHEAD],
    room: u64,
) -> Result<(usize, u32), Fault> {
    let length = number(&overhead[..4]) as usize;
    if !(NUMBER_BYTES..=LONGEST_PAYLOAD).contains(&length) {
        let expected = format!("{NUMBER_BYTES} to {LONGEST_PAYLOAD}");
        return Err(Fault::new(format!("a frame with a payload of {length} bytes"), expected));
    }
    let whole = (FRAME_OVERHEAD + length) as u64;
    if whole > room {
        let found = format!("{room} bytes up to the end of the file");
        return Err(Fault::new(found, format!("a frame of {whole} bytes")));
    }
    Ok((length, number(&overhead[4..]) as u32))
}

/// Returns the frame of `payload`.
pub(super) fn open_payload(payload: &[u8], checksum: u32) -> Result<Frame, Fault> {
    let actual = crc32fast::hash(payload);
    if actual != checksum {
        let found = format!("a payload with checksum {actual:08x}");
        return Err(Fault::new(found, format!("{checksum:08x}")));
    }
    decode_items(payload).map_err(|found| Fault::new(found, "origins, claims and withdrawals"))
}

fn decode_items(payload: &[u8]) -> Result<Frame, &'static str> {
    let mut rest = payload;
    let frame = rest.split_off(..NUMBER_BYTES).ok_or("a payload without a number")?;
    let mut frame = Frame { number: number(frame), ..Frame::default() };
    while let Some(&tag) = rest.split_off_first() {
        match tag {
            ORIGIN => {
                let id = rest.split_off(..4).ok_or("half an origin")?;
                let origin = take_origin(&mut rest).ok_or("half an origin")?;
                frame.origins.push((number(id) as u32, origin));
            }
            CLAIM => {
                let bytes = rest.split_off(..Claim::BYTES).ok_or("half a claim")?;
                let bytes = bytes.first_chunk().ok_or("half a claim")?;
                frame.claims.push(Claim::decode(bytes)?);
            }
            WITHDRAWAL => {
                let bytes = rest.split_off(..16).ok_or("half a withdrawal")?;
                let position = Position::new(number(&bytes[..8]), number(&bytes[8..]));
                frame.withdrawn.push(position.ok_or("a withdrawal of no position")?);
            }
            _ => return Err("an item of an unknown kind"),
        }
    }
    Ok(frame)
}

/// Returns the place in `bytes` and the number of the first good frame that begins before `end` and whose number is at
/// least `least`.
///
/// It looks at every offset: after damage nothing tells where the next frame begins.
pub(super) fn find_frame(bytes: &[u8], end: usize, least: u64) -> Option<(usize, u64)> {
    let mut checksums = Checksums::new(bytes);
    (0..end).find_map(|at| {
        let rest = &bytes[at..];
        let overhead = *rest.first_chunk::<FRAME_OVERHEAD>()?;
        let (length, checksum) = payload_length(overhead, rest.len() as u64).ok()?;
        let payload = &rest[FRAME_OVERHEAD..FRAME_OVERHEAD + length];
        let frame = number(&payload[..NUMBER_BYTES]);
        // Nearly all other bytes fail here, which spares their checksums.
        let plausible = frame >= least && frame - least < MOST_LOST;
        let start = at + FRAME_OVERHEAD;
        (plausible
            && checksums.of(start..start + length) == checksum
            && open_payload(payload, checksum).is_ok())
        .then_some((at, frame))
    })
}

/// The checksums of any parts of some bytes, each without a look at the whole part: where claims lie one after the other
/// every second one has the beginning of a frame of megabytes in it.
struct Checksums<'a> {
    bytes: &'a [u8],
    /// Those of the first bytes, none of them, one block, two blocks, as far as they were asked for.
    blocks: Vec<u32>,
}

impl<'a> Checksums<'a> {
    const BLOCK: usize = 1 << 10;

    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, blocks: vec![0] }
    }

    fn of(&mut self, part: Range<usize>) -> u32 {
        // What comes before the part counts as if zeros came in its place, and all is linear.
        let mut before = Hasher::new_with_initial(self.up_to(part.start));
        before.combine(&Hasher::new_with_initial_len(0, part.len() as u64));
        before.finalize() ^ self.up_to(part.end)
    }

    /// Returns the checksum of all bytes before `end`.
    fn up_to(&mut self, end: usize) -> u32 {
        while self.blocks.len() <= end / Self::BLOCK {
            let whole = self.blocks.len() * Self::BLOCK;
            self.blocks.push(self.extended(whole));
        }
        self.extended(end)
    }

    /// Returns the checksum of all bytes before `end`, where those of the blocks before the last byte are known.
    fn extended(&self, end: usize) -> u32 {
        let block = (end / Self::BLOCK).min(self.blocks.len() - 1);
        let mut hasher = Hasher::new_with_initial(self.blocks[block]);
        hasher.update(&self.bytes[block * Self::BLOCK..end]);
        hasher.finalize()
    }
}

#[cfg(test)]
mod tests {
    use outflank_engine::{Bound, Score};
    use proptest::prelude::*;

    use super::*;
    use crate::store::claim::Source;
    use crate::store::record::Method;

    /// As [`find_frame`], in plain words.
    fn first_frame(bytes: &[u8], end: usize, least: u64) -> Option<(usize, u64)> {
        (0..end).find_map(|at| {
            let overhead = *bytes[at..].first_chunk::<FRAME_OVERHEAD>()?;
            let rest = &bytes[at + FRAME_OVERHEAD..];
            let (length, checksum) = payload_length(overhead, (bytes.len() - at) as u64).ok()?;
            let frame = open_payload(&rest[..length], checksum).ok()?;
            let is_next = frame.number >= least && frame.number - least < MOST_LOST;
            is_next.then_some((at, frame.number))
        })
    }

    /// Returns four frames of so many claims each; the first is frame 5.
    fn frames(claims: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        for frame in 5..9 {
            let mut body = Vec::new();
            for claim in 0..claims {
                let square = 1 << (claim % 64);
                push_claim(
                    &mut body,
                    &Claim {
                        position: Position::new(square, !square & claim << 40).expect("disjoint"),
                        bound: Bound::at_most(Score::DRAW),
                        best_move: None,
                        nodes: frame << 40 | claim << 16,
                        source: Source { method: Method::Search, origin: claim as u32 % 3 },
                    },
                );
            }
            seal(frame, &body, &mut bytes);
        }
        bytes
    }

    proptest! {
        #[test]
        fn behind_damage_the_same_frame_is_found_as_by_checking_all_that_may_be_one(
            claims in 1..80_u64,
            flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..9),
            from in any::<prop::sample::Index>(),
            end in any::<prop::sample::Index>(),
            least in 4..9_u64,
        ) {
            let mut bytes = frames(claims);
            for (at, bit) in flips {
                let at = at.index(bytes.len());
                bytes[at] ^= 1 << bit;
            }
            let bytes = &bytes[from.index(bytes.len())..];
            let end = end.index(bytes.len() + 1);
            prop_assert_eq!(find_frame(bytes, end, least), first_frame(bytes, end, least));
        }

        #[test]
        fn the_checksum_of_a_part_follows_from_those_of_what_begins_at_the_front(
            bytes in prop::collection::vec(any::<u8>(), 1..5000),
            parts in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 1..9),
        ) {
            let mut checksums = Checksums::new(&bytes);
            for part in parts {
                let [one, other] = part.map(|index| index.index(bytes.len() + 1));
                let part = one.min(other)..one.max(other);
                prop_assert_eq!(checksums.of(part.clone()), crc32fast::hash(&bytes[part]));
            }
        }
    }

    #[test]
    fn a_block_ends_where_the_bytes_end() {
        let bytes: Vec<u8> = (0..2 * Checksums::BLOCK).map(|index| index as u8).collect();
        assert_eq!(Checksums::new(&bytes).of(0..bytes.len()), crc32fast::hash(&bytes));
    }
}
