//! What several fuzz targets share.

#![forbid(unsafe_code)]

pub mod chain;
pub mod judge;
