//! Tells the tests of the core, which are a module of the target `storm`, that a fuzzer is there. `cargo fuzz` does so
//! for all crates; here it also holds for a plain build.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(fuzzing)");
    println!("cargo::rustc-cfg=fuzzing");
    println!("cargo::rerun-if-changed=build.rs");
}
