//! Discs that can never be turned again.
//!
//! The result is certain, for a proof relies on it, but not complete: some stable discs are not
//! found. A disc is found stable
//! * on an edge, if no sequence of moves along that edge, by either side in any order, turns it;
//! * anywhere, if all four lines through it are full;
//! * inside, if for each of its four lines the line is full or a neighbour on it is a stable disc
//!   of the same side: a run of discs that encloses this one would have to turn that neighbour too.
//!
//! Source: `edax-avx-optimizations` and `reversi-bitboard-techniques`; TECHNIQUES C1–C5.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
mod bmi2;
pub mod edge_count;
pub mod edges;
pub mod portable;
pub mod scalar;
pub mod solid;
#[cfg(target_arch = "x86_64")]
mod sse2;

crate::catalogue::family! {
    /// Player, opponent → the player's discs that are certainly stable.
    Stable = fn(player: u64, opponent: u64) -> u64;
    chosen by STABILITY or "OUTFLANK_KERNEL_STABILITY";
    portable {
        "reference" "C5" [] scalar::stable,
        "multiplication" "C4 C5" [] portable::stable,
        "multiplication_rotations" "C1 C2 C3 C4 C5" [] portable::stable_rotations,
    }
    x86_64 {
        "sse2_pmovmskb" "C1 C2 C3 C4 C5" ["sse2"] sse2::stable,
        "bmi2_pext_pdep" "C3 C4 C5" ["avx2", "bmi2"] bmi2::stable,
        "avx2_pmovmskb" "C3 C4 C5" ["avx2"] avx2::stable,
        "avx2_pmovmskb_mixed" "C1 C2 C3 C4 C5" ["avx2"] avx2::stable_mixed,
        "avx512_pmovmskb" "C3 C4 C5" ["avx2", "avx512f", "avx512vl"] avx512::stable,
    }
    aarch64 {}
}

/// The squares that are not on an edge.
const INSIDE: u64 = 0x007e_7e7e_7e7e_7e00;

/// Stable discs of an edge by the player's discs and, times 256, the opponent's.
///
/// Only the player's discs are in the entry. Patterns where a square belongs to both are 0.
#[allow(long_running_const_eval, reason = "6,561 edges take the compiler a second or two")]
static EDGES: [u8; 65536] = {
    let mut edges = [0; 65536];
    let mut discs = 256;
    while discs > 0 {
        discs -= 1;
        let mut player = discs;
        loop {
            edges[player | (discs ^ player) << 8] = stable_edge(&edges, player, discs ^ player);
            if player == 0 {
                break;
            }
            player = (player - 1) & discs;
        }
    }
    edges
};

/// Returns the player's stable discs of an edge, when `edges` is complete for all edges that have
/// more discs: those that are the player's and stable after each move by either side.
const fn stable_edge(edges: &[u8; 65536], player: usize, opponent: usize) -> u8 {
    let mut stable = player as u8;
    let mut place = 0;
    while place < 8 && stable != 0 {
        if (player | opponent) >> place & 1 == 0 {
            let (mover, other) = edge_move(player, opponent, place);
            stable &= edges[mover | other << 8];
            let (mover, other) = edge_move(opponent, player, place);
            stable &= edges[other | mover << 8];
        }
        place += 1;
    }
    stable
}

/// Returns the mover's and the other's discs after a disc has been put at `place` of an edge.
const fn edge_move(mover: usize, other: usize, place: usize) -> (usize, usize) {
    let turned = edge_ray(mover, other, place, true) | edge_ray(mover, other, place, false);
    (mover | 1 << place | turned, other ^ turned)
}

/// Returns the discs turned to one side of `place`.
const fn edge_ray(mover: usize, other: usize, place: usize, up: bool) -> usize {
    let mut turned = 0;
    let mut bit = 1 << place;
    loop {
        bit = if up { bit << 1 & 0xff } else { bit >> 1 };
        if mover & bit != 0 {
            return turned;
        }
        if other & bit == 0 {
            return 0;
        }
        turned |= bit;
    }
}

/// Returns the table's entry for one edge.
#[inline(always)]
fn edge(player: u64, opponent: u64) -> u64 {
    u64::from(EDGES[(player & 0xff | (opponent & 0xff) << 8) as usize])
}

/// Returns the discs of the player whose four lines are full.
#[inline(always)]
fn solid_among(player: u64, full: [u64; 4]) -> u64 {
    player & full[0] & full[1] & full[2] & full[3]
}

/// Spreads `stable`, discs of the player that are known to be stable, from neighbour to neighbour.
#[inline(always)]
fn spread(player: u64, mut stable: u64, full: [u64; 4]) -> u64 {
    let inside = player & INSIDE;
    // On an edge they are among the stable discs already.
    stable |= solid_among(player, full);
    // A shift that wraps round the board lands on an edge, which `inside` leaves out.
    while stable != 0 {
        let row = stable << 1 | stable >> 1 | full[0];
        let column = stable << 8 | stable >> 8 | full[1];
        let diagonal = stable << 9 | stable >> 9 | full[2];
        let antidiagonal = stable << 7 | stable >> 7 | full[3];
        let found = inside & row & column & diagonal & antidiagonal & !stable;
        if found == 0 {
            break;
        }
        stable |= found;
    }
    stable
}
