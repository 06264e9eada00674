//! Compiles the .proto files without protoc, and keeps their descriptors for server reflection.

use std::error::Error;
use std::path::PathBuf;

use prost::Message;

const PROTOS: &[&str] =
    &["outflank/v1/cluster.proto", "outflank/v1/campaigns.proto", "outflank/v1/fleet.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    for proto in PROTOS {
        println!("cargo:rerun-if-changed={proto}");
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let descriptors = protox::compile(PROTOS, ["."])?;
    std::fs::write(out.join("outflank.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
