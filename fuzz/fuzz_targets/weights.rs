//! Bytes as a file of weights whose checksum is right: they are refused by name, or written again as they were.

#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use outflank_engine::evaluation::File;

/// Where the checksum of the body stands, and where the body begins.
const CHECKSUM: usize = 12;
const BODY: usize = 16;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if bytes.len() > BODY {
        let checksum = crc32fast::hash(&bytes[BODY..]);
        bytes[CHECKSUM..BODY].copy_from_slice(&checksum.to_le_bytes());
    }
    match File::decode(&bytes) {
        Ok(file) => {
            let again = File::decode(&file.encode()).expect("what is written can be read");
            assert_eq!(again.id(), file.id());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
