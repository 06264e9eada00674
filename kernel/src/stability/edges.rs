//! Stable discs on the four edges: one look into the table of edges for each.
//!
//! Rows are bytes of the board. The files have to be gathered into eight bits, and what the table
//! says has to be spread over the file again:
//!
//! ```text
//!   file A   * 0x0102040810204080 >> 56     ->  eight bits, rank 1 in bit 0
//!   six bits * 0x0002040810204080 & file A  ->  ranks 2–7; the corners come from the rows
//! ```
//! The partial products of eight bits would meet, so that a whole file takes two multiplications.
//!
//! Source: `edax-avx-optimizations`, edge stability.

#[cfg(target_arch = "x86_64")]
pub(super) mod bmi2;
pub(super) mod portable;
#[cfg(target_arch = "x86_64")]
pub(super) mod sse2;

use super::edge;

crate::catalogue::family! {
    /// Player, opponent → the player's stable discs on the edges.
    StableEdges = fn(player: u64, opponent: u64) -> u64;
    portable {
        "reference" "C4" [] reference,
        "multiplication" "C4" [] portable::multiplication,
        "two_multiplications" "C4" [] portable::two_multiplications,
    }
    x86_64 {
        "sse2_pmovmskb" "C4" ["sse2"] sse2::edges,
        "sse2_punpcklbw" "C4" ["sse2"] sse2::edges_interleaved,
        "bmi2_pext_pdep" "C4" ["bmi2"] bmi2::edges,
    }
    aarch64 {}
}

/// Looks ranks up, and files as ranks of the transposed board.
fn reference(player: u64, opponent: u64) -> u64 {
    use crate::bits::transpose::scalar::transpose;
    let ranks = |player: u64, opponent: u64| {
        edge(player, opponent) | edge(player >> 56, opponent >> 56) << 56
    };
    ranks(player, opponent) | transpose(ranks(transpose(player), transpose(opponent)))
}
