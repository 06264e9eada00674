//! Lines of a proof, to which the hash chain is added: whatever they say, the checker accepts no false root whose leaves
//! are all true.

#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::fuzz_target;
use outflank_fuzz::chain::Sealed;
use outflank_fuzz::judge;

fuzz_target!(|text: &str| {
    let mut sealed = Sealed::default();
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        sealed.push(line, index + 1 == lines.len());
    }
    let _verdict = judge::judge(sealed.text());
});
