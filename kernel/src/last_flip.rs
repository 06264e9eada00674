//! The number of discs turned by the last move, when one square is empty.
//!
//! Every square but one holds a disc, so that the player's board alone tells everything: the rest
//! is the opponent's. The four lines through the empty square are gathered into small numbers, and
//! a table made by the compiler has the count for each pattern of a line.
//!
//! Every variant that counts discs ignores the bit of the empty square itself. A [`score`] counts the
//! player's discs too, and needs it to be 0.
//!
//! Counts of instructions and cycles are to be read as in [`flip`](crate::flip).

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod bmi2;
pub mod leaves;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub mod portable;
pub mod scalar;
pub mod score;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2;

use crate::masks::RAYS;

/// One side's discs.
pub mod one {
    use super::*;

    crate::catalogue::family! {
        /// Player, square → discs turned by the player.
        LastFlip = fn(player: u64, square: u32) -> u32;
        chosen by LAST_FLIP or "OUTFLANK_KERNEL_LAST_FLIP";
        portable {
            "reference" "D1" [] scalar::last_flip,
            "kindergarten" "D1" [] portable::last_flip,
            "kindergarten_merged" "D1" [] portable::merged::last_flip,
            "lowest_and_lzcnt" "D2" [] portable::isolation::lzcnt,
            "lowest_and_clz" "D2" [] portable::isolation::sentinel,
        }
        x86_64 {
            "sse2_psadbw" "D4" ["sse2"] sse2::last_flip,
            "avx2_pmovmskb" "D4" ["avx2"] avx2::last_flip,
            "avx512_half" "D4" ["sse2", "avx512f", "avx512bw", "avx512vl"] avx512::tested::half,
            "avx512_whole" "D4" ["avx2", "avx512f", "avx512bw", "avx512vl"] avx512::tested::whole,
            "avx512_flip" "D6" ["avx2", "avx512f", "avx512cd", "avx512vl", "popcnt"]
                avx512::flipped::last_flip,
            "pext" "D3" ["bmi2"] bmi2::last_flip,
            "pext_both" "D3 D7" ["bmi2"] bmi2::both::last_flip,
        }
        aarch64 {
            "neon_addv" "D5" ["neon"] neon::last_flip,
            "neon_interleaved" "D5" ["neon"] neon::interleaved::last_flip,
        }
    }
}

/// Both sides' discs.
pub mod both {
    use super::*;

    crate::catalogue::family! {
        /// Player, square → discs turned by the player and by the opponent.
        LastFlipBoth = fn(player: u64, square: u32) -> (u32, u32);
        chosen by LAST_FLIP_BOTH or "OUTFLANK_KERNEL_LAST_FLIP_BOTH";
        portable {
            "reference" "D1" [] scalar::last_flip_both,
            "kindergarten" "D1" [] portable::last_flip_both,
            "kindergarten_merged" "D1" [] portable::merged::last_flip_both,
            "lowest_and_lzcnt" "D2" [] portable::isolation::lzcnt_both,
            "lowest_and_clz" "D2" [] portable::isolation::sentinel_both,
        }
        x86_64 {
            "sse2_psadbw" "D4" ["sse2"] sse2::last_flip_both,
            "avx2_pmovmskb" "D4" ["avx2"] avx2::last_flip_both,
            "avx2_packed" "D4 D7" ["avx2"] avx2::packed::last_flip_both,
            "avx512_half" "D4" ["sse2", "avx512f", "avx512bw", "avx512vl"]
                avx512::tested::half_both,
            "avx512_whole" "D4" ["avx2", "avx512f", "avx512bw", "avx512vl"]
                avx512::tested::whole_both,
            "avx512_flips" "D6" ["avx2", "avx512f", "avx512cd", "avx512vl", "popcnt"]
                avx512::flipped::one_by_one,
            "avx512_at_once" "D6 D8" ["avx2", "avx512f", "avx512cd", "popcnt"]
                avx512::flipped::at_once,
            "avx512_gathered" "D6" ["avx512f", "avx512bw", "avx512bitalg", "popcnt"]
                avx512::gathered::last_flip_both,
            "pext" "D3" ["bmi2"] bmi2::last_flip_both,
            "pext_both" "D3 D7" ["bmi2"] bmi2::both::last_flip_both,
            "pext_crossed" "D1 D3 D7" ["bmi2"] bmi2::crossed::last_flip_both,
        }
        aarch64 {
            "neon_addv" "D5" ["neon"] neon::last_flip_both,
            "neon_interleaved" "D5" ["neon"] neon::interleaved::last_flip_both,
        }
    }
}

/// Discs turned in a line of eight by the place of the move (0–7) and the player's discs.
///
/// Places beyond the edge of the board count as the opponent's, behind which no disc of the player
/// follows; so shorter lines may lie anywhere in the eight bits.
static COUNTS: [[u8; 256]; 8] = {
    let mut counts = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut pattern = 0;
        while pattern < 256 {
            counts[place][pattern] = line_count(pattern as u32, place as u32, 8);
            pattern += 1;
        }
        place += 1;
    }
    counts
};

/// Returns how many discs turn in a line of `length` when the owner of the discs `line` moves to
/// `place` and all others are the opponent's.
const fn line_count(line: u32, place: u32, length: u32) -> u8 {
    let mut turned = 0;
    let mut far = place + 1;
    while far < length {
        if line >> far & 1 != 0 {
            turned += far - place - 1;
            break;
        }
        far += 1;
    }
    let mut near = place;
    while near > 0 {
        near -= 1;
        if line >> near & 1 != 0 {
            turned += place - near - 1;
            break;
        }
    }
    turned as u8
}

/// The lines through a square in the order row, diagonal, column, antidiagonal: the first two have
/// one square in each file, the last two one in each rank.
#[derive(Debug)]
#[repr(C, align(64))]
struct Lines {
    /// The squares of each line, without the square itself.
    squares: [u64; 4],
    /// The bits of each pattern that are on the board, where rows and diagonals are patterns by
    /// file and columns by rank.
    on_board: [u8; 4],
}

/// The lines through each square.
static LINES: [Lines; 64] = {
    let mut lines = [const { Lines { squares: [0; 4], on_board: [0xff; 4] } }; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            let direction = [0, 2, 1, 3][line];
            let squares = RAYS[square].0[direction] | RAYS[square].0[direction + 4];
            lines[square].squares[line] = squares;
            if direction >= 2 {
                lines[square].on_board[line] = files(squares);
            }
            line += 1;
        }
        square += 1;
    }
    lines
};

/// Returns the files that have a square of `board`.
const fn files(board: u64) -> u8 {
    let half = board | board >> 32;
    let quarter = half | half >> 16;
    (quarter | quarter >> 8) as u8
}
