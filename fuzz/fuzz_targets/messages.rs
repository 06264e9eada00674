//! Bytes as messages of the protocol: each is refused by the name of a field, or means the same when it is sent on.

#![no_main]
#![forbid(unsafe_code)]

use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use outflank_proto::{InvalidField, campaign, fleet, message, v1};
use prost::Message;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    match kind % 9 {
        0 => check::<v1::FromWorker, message::FromWorker>(bytes),
        1 => check::<v1::ToWorker, message::ToWorker>(bytes),
        2 => check::<v1::SolveRequest, message::SolveRequest>(bytes),
        3 => check::<v1::SolveUpdate, message::SolveUpdate>(bytes),
        4 => refuse::<v1::ImportPart, campaign::ImportPart>(bytes),
        5 => check::<v1::Campaign, campaign::Campaign>(bytes),
        6 => check::<v1::ChangeRequest, campaign::Change>(bytes),
        7 => check::<v1::ExportRequest, campaign::ExportRequest>(bytes),
        _ => check::<v1::Overview, fleet::Overview>(bytes),
    }
});

/// Returns what the bytes mean, if they are a message that means something.
fn read<Wire, Meaning>(bytes: &[u8]) -> Option<Meaning>
where
    Wire: Message + Default,
    Meaning: TryFrom<Wire, Error = InvalidField>,
{
    let wire = Wire::decode(bytes).ok()?;
    match Meaning::try_from(wire) {
        Ok(meaning) => Some(meaning),
        Err(invalid) => {
            assert!(!invalid.to_string().is_empty());
            None
        }
    }
}

fn refuse<Wire, Meaning>(bytes: &[u8])
where
    Wire: Message + Default,
    Meaning: TryFrom<Wire, Error = InvalidField>,
{
    let _meaning: Option<Meaning> = read(bytes);
}

fn check<Wire, Meaning>(bytes: &[u8])
where
    Wire: Message + Default + From<Meaning>,
    Meaning: TryFrom<Wire, Error = InvalidField> + Clone + PartialEq + Debug,
{
    let Some(meaning) = read::<Wire, Meaning>(bytes) else { return };
    let sent = Wire::from(meaning.clone()).encode_to_vec();
    assert_eq!(read::<Wire, Meaning>(&sent), Some(meaning));
}
