//! Buckets: what the index keeps under one key of sled.
//!
//! sled has a page for sixteen keys at most, and for each page some 400 bytes of memory, 35 MB for a million positions.
//! So that a store may become large, entries that follow on each other in the order of keys lie together, sixteen at
//! most. A bucket has those from its own key on up to the next bucket's, and is never taken away, even if it is empty:
//!
//! - Who looks for a key finds it in the last bucket that does not lie behind it.
//! - A bucket that becomes too large is divided. Its upper parts are written first, so that whatever a kill leaves of
//!   that is good: what has a bucket of its own already is not looked for in the lower one any more.

use std::cmp::Ordering;

use outflank_engine::Position;

use super::claim::{self, Entry, KEY_BYTES, Key};

/// The most entries in a bucket. With twice as many the pages of a store of 12 million positions take half of the
/// memory, and each entry that is put in 1.1 of the time (docs/log/performance.md).
pub(super) const MOST: usize = 16;
/// The key of the first bucket: none is before it.
pub(super) const FIRST: Key = [0; KEY_BYTES];

const SLOT_BYTES: usize = KEY_BYTES + Entry::BYTES;
const VERSION: u8 = 1;
/// A bucket's version, and the checksum of its key and everything before the checksum.
const OVERHEAD: usize = 1 + size_of::<u32>();

/// An entry as it lies in a bucket, behind its key.
pub(super) type Slot = [u8; SLOT_BYTES];

/// Returns the slot for the entry of `position`.
pub(super) fn slot(position: Position, entry: &Entry) -> Slot {
    let mut slot = [0; SLOT_BYTES];
    slot[..KEY_BYTES].copy_from_slice(&claim::key(position));
    slot[KEY_BYTES..].copy_from_slice(&entry.encode());
    slot
}

/// Returns the key of what is in `slot`.
pub(super) fn key_of(slot: &Slot) -> &Key {
    slot.first_chunk().expect("a slot begins with a key")
}

/// Returns what is in `slot`, or what is wrong with it.
pub(super) fn read(slot: &Slot) -> Result<(Position, Entry), String> {
    Ok((claim::position_of(key_of(slot))?, read_entry(slot)?))
}

/// Returns the entry in `slot`, whose key is known, or what is wrong with it.
pub(super) fn read_entry(slot: &Slot) -> Result<Entry, &'static str> {
    Entry::decode(slot.last_chunk().expect("a slot ends with an entry"))
}

/// Returns a bucket's bytes.
pub(super) fn seal(key: &Key, slots: &[Slot]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(OVERHEAD + size_of_val(slots));
    bytes.push(VERSION);
    bytes.extend_from_slice(slots.as_flattened());
    bytes.extend_from_slice(&checksum(key, &bytes).to_le_bytes());
    bytes
}

/// Returns the slots of the bucket that lies under `key`, in the order of their keys, or what is wrong with its bytes.
pub(super) fn open<'a>(key: &[u8], bytes: &'a [u8]) -> Result<&'a [Slot], String> {
    let length = || format!("a bucket has {} bytes", bytes.len());
    let (sealed, found) = bytes.split_last_chunk().ok_or_else(length)?;
    let (found, expected) = (u32::from_le_bytes(*found), checksum(key, sealed));
    if found != expected {
        return Err(format!("a bucket has checksum {found:08x}, expected {expected:08x}"));
    }
    match sealed.split_first() {
        Some((&VERSION, slots)) if slots.len() % SLOT_BYTES == 0 => Ok(slots.as_chunks().0),
        Some((&VERSION, _)) | None => Err(length()),
        Some((version, _)) => Err(format!("a bucket has version {version}, expected {VERSION}")),
    }
}

/// Returns the place of `key` among `slots`, or where it would be.
pub(super) fn find(slots: &[Slot], key: &Key) -> Result<usize, usize> {
    slots.binary_search_by(|slot| key_of(slot).cmp(key))
}

/// Returns `held` with `new` in place of what has the same keys, and how many keys were not there. All are in the order
/// of keys.
pub(super) fn merged(held: &[Slot], new: &[Slot]) -> (Vec<Slot>, u64) {
    let mut merged = Vec::with_capacity(held.len() + new.len());
    let (mut held, mut new, mut added) = (held, new, 0);
    while let Some((first, rest)) = new.split_first() {
        let order = held.first().map_or(Ordering::Greater, |held| key_of(held).cmp(key_of(first)));
        match order {
            Ordering::Less => {
                merged.push(held[0]);
                held = &held[1..];
                continue;
            }
            Ordering::Equal => held = &held[1..],
            Ordering::Greater => added += 1,
        }
        merged.push(*first);
        new = rest;
    }
    merged.extend_from_slice(held);
    (merged, added)
}

/// Parts `slots` into buckets of about the same size; returns at least one.
pub(super) fn parted(slots: &[Slot]) -> Vec<&[Slot]> {
    let parts = slots.len().div_ceil(MOST).max(1);
    let place = |part| part * slots.len() / parts;
    (0..parts).map(|part| &slots[place(part)..place(part + 1)]).collect()
}

fn checksum(key: &[u8], bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(bytes);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use outflank_engine::{Bound, Score, Square};
    use proptest::prelude::*;

    use super::*;
    use crate::store::Method;
    use crate::store::claim::{Claim, Source};

    fn slot_of(number: u64, nodes: u64) -> Slot {
        let position = Position::new(number + 1, 1 << 40).unwrap();
        let source = Source { method: Method::Inference, origin: 7 };
        let (bound, best_move) = (Bound::exact(Score::DRAW), Square::new(63));
        slot(position, &Entry::first(&Claim { position, bound, best_move, nodes, source }))
    }

    #[test]
    fn a_bucket_is_read_under_its_key_only_and_in_its_version_only() {
        let slots = [slot_of(1, 5), slot_of(3, 6)];
        let key = *key_of(&slots[0]);
        let bytes = seal(&key, &slots);
        assert_eq!(open(&key, &bytes), Ok(&slots[..]));
        assert_eq!(open(&FIRST, &seal(&FIRST, &[])), Ok(&[][..]));
        assert!(open(&FIRST, &bytes).unwrap_err().contains("checksum"));
        let sealed = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            bytes.extend_from_slice(&checksum(&key, &bytes).to_le_bytes());
            open(&key, &bytes).map(<[Slot]>::len)
        };
        let body = &bytes[..bytes.len() - 4];
        assert_eq!(sealed(body), Ok(2));
        assert!(
            sealed(&[&[2], &body[1..]].concat()).unwrap_err().contains("version 2, expected 1")
        );
        for length in [0, 2, body.len() - 1] {
            let expected = format!("a bucket has {} bytes", length + 4);
            assert_eq!(sealed(&body[..length]), Err(expected));
        }
        assert_eq!(open(&key, &[1, 2]), Err("a bucket has 2 bytes".to_owned()));
    }

    #[test]
    fn any_other_byte_is_noticed() {
        let slots = [slot_of(1, 5)];
        let bytes = seal(&FIRST, &slots);
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x10;
            assert!(open(&FIRST, &bytes).is_err(), "byte {at}");
        }
    }

    #[test]
    fn what_is_read_is_a_position_and_its_entry_or_damaged() {
        let slot = slot_of(4, 5);
        let (position, entry) = read(&slot).unwrap();
        assert_eq!((claim::key(position), entry.nodes), (*key_of(&slot), 5));
        let wrong = |at: usize, byte| {
            let mut slot = slot;
            slot[at] = byte;
            read(&slot).unwrap_err()
        };
        assert_eq!(wrong(0, 3), "a key is not that of a position");
        assert_eq!(wrong(KEY_BYTES + 2, 64), "a best move that is no square");
    }

    proptest! {
        #[test]
        fn merging_is_that_of_a_map(
            held in proptest::collection::btree_map(0_u64..40, 0_u64..9, 0..30),
            new in proptest::collection::btree_map(0_u64..40, 0_u64..9, 0..30),
        ) {
            let slots = |map: &BTreeMap<u64, u64>| {
                let mut slots: Vec<Slot> =
                    map.iter().map(|(&number, &nodes)| slot_of(number, nodes)).collect();
                slots.sort_unstable();
                slots
            };
            let mut both = held.clone();
            both.extend(new.iter().map(|(&number, &nodes)| (number, nodes)));
            let (merged, added) = merged(&slots(&held), &slots(&new));
            prop_assert_eq!(&merged, &slots(&both));
            prop_assert_eq!(added, (both.len() - held.len()) as u64);
            let parts = parted(&merged);
            prop_assert!(parts.iter().all(|part| part.len() <= MOST));
            prop_assert!(merged.is_empty() || parts.iter().all(|part| part.len() >= MOST / 2 || parts.len() == 1));
            prop_assert_eq!(parts.concat(), merged);
            for number in 0..40 {
                let found = find(&slots(&both), key_of(&slot_of(number, 0)));
                prop_assert_eq!(found.is_ok(), both.contains_key(&number));
            }
        }
    }
}
