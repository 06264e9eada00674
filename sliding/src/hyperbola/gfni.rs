//! All four lines in one register, and batches of eight sliders, one in each lane of 512 bits.
//!
//! VPSHUFB reverses the bytes of files and diagonals. The rank of a slider is one byte, whose bits
//! VGF2P8AFFINEQB reverses: multiplied by the matrix with ones on the antidiagonal.
//!
//! ```text
//!   batch    lane         0       1       …  7           six operations for each line:
//!            square       s0      s1      …  s7          o = blockers & line
//!            file         VPERMQ from 8 in a register    o', o - s, o' - s', the latter
//!            diagonals    VPERMI2B from 128 bytes        reversed, (^) & line
//!            rank         no mask: the same with a subtraction in each byte
//! ```
//! What a diagonal has on one rank is a byte that depends on the slider's file and on the distance
//! of the ranks alone. So one VPERMI2B makes the diagonals of all eight sliders, byte by byte, and
//! one subtraction its indices: eight times the rank less the slider's square.
//!
//! A batch reads no table: its constants, 512 bytes, stay in registers. How long a slider takes is
//! decided by how many operations wait in the schedulers, so that short chains count as much as
//! few operations. Ours; TECHNIQUES G4.

use core::arch::x86_64::*;

use outflank_kernel::Avx512Gfni;
use outflank_kernel::lanes::{boards8, lanes8, union2, union4};

use crate::attacks::Attacks;
use crate::geometry::{lines, loaded_bits, rank};

/// Reverses the bits of each byte, as the matrix of VGF2P8AFFINEQB.
const REVERSED_BITS: u64 = 0x8040_2010_0804_0201;
/// Leaves each byte as it is.
const SAME_BITS: u64 = 0x0102_0408_1020_4080;

/// Hyperbola Quintessence with all lines of a slider in one register, and with eight sliders in the
/// lanes of a batch; needs GFNI. Singles read 2.5 KiB of tables, batches none.
#[derive(Clone, Copy, Debug)]
pub struct HyperbolaGfni(Avx512Gfni);

impl HyperbolaGfni {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Avx512Gfni) -> Self {
        Self(token)
    }
}

impl Attacks for HyperbolaGfni {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        self.both(square, occupied).0
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        self.both(square, occupied).1
    }

    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { queen(square, occupied) }
    }

    #[inline(always)]
    fn both(self, square: u8, occupied: u64) -> (u64, u64) {
        // SAFETY: the token proves the features.
        unsafe { both(square, occupied) }
    }

    #[inline(always)]
    fn rooks8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        // SAFETY: the token proves the features.
        unsafe { rooks8(squares, occupied) }
    }

    #[inline(always)]
    fn bishops8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        // SAFETY: the token proves the features.
        unsafe { bishops8(squares, occupied) }
    }

    #[inline(always)]
    fn queens8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        // SAFETY: the token proves the features.
        unsafe { queens8(squares, occupied) }
    }

    #[inline(always)]
    fn each(self, rooks: u64, bishops: u64, occupied: u64, visit: impl FnMut(u8, u64)) {
        let (mut rooks, mut bishops, mut visit) = (rooks, bishops, visit);
        let occupied = occupied | rooks | bishops;
        while rooks | bishops != 0 {
            // SAFETY: the token proves the features.
            let (squares, attacks, count) = unsafe { eight(rooks, bishops, occupied) };
            for (square, attacks) in squares.into_iter().zip(attacks).take(count) {
                visit(square, attacks);
            }
            let above = if count < 8 { 0 } else { u64::MAX << squares[7] << 1 };
            (rooks, bishops) = (rooks & above, bishops & above);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,gfni")]
fn queen(square: u8, occupied: u64) -> u64 {
    union4(four_lines(square, occupied))
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,gfni")]
fn both(square: u8, occupied: u64) -> (u64, u64) {
    let lines = four_lines(square, occupied);
    (union2(_mm256_extracti128_si256::<1>(lines)), union2(_mm256_castsi256_si128(lines)))
}

/// Returns the attacks along diagonal, antidiagonal, file and rank.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,gfni")]
fn four_lines(square: u8, occupied: u64) -> __m256i {
    let slider = _mm256_set1_epi64x(loaded_bits(square)[0].cast_signed());
    let rank = _mm256_set1_epi64x(rank(square).cast_signed());
    let lines: *const __m256i = core::ptr::from_ref(lines(square)).cast();
    // SAFETY: `Lines` is 32 bytes, aligned to 32.
    let lines = unsafe { _mm256_load_si256(lines) };
    let lines = _mm256_blend_epi32::<0b1100_0000>(lines, rank);
    let blockers = _mm256_and_si256(_mm256_set1_epi64x(occupied.cast_signed()), lines);
    let above = _mm256_sub_epi64(blockers, slider);
    let below = reversed(_mm256_sub_epi64(reversed(blockers), reversed(slider)));
    _mm256_ternarylogic_epi64::<0x28>(above, below, lines) // (above ^ below) & lines
}

/// Returns the lanes of the lines reversed: bytes in the first three, bits in the last.
#[inline]
#[target_feature(enable = "avx2,gfni")]
fn reversed(lanes: __m256i) -> __m256i {
    let (bytes, same) = (0x0001_0203_0405_0607, 0x0706_0504_0302_0100);
    let upper = 0x0808_0808_0808_0808;
    let order = _mm256_set_epi64x(same + upper, bytes, bytes + upper, bytes);
    let (reverse, keep) = (REVERSED_BITS.cast_signed(), SAME_BITS.cast_signed());
    let matrix = _mm256_set_epi64x(reverse, keep, keep, keep);
    _mm256_gf2p8affine_epi64_epi8::<0>(_mm256_shuffle_epi8(lanes, order), matrix)
}

/// Eight sliders: what all lines need.
struct Sliders {
    /// Each slider's square in the bytes of its lane.
    squares: __m512i,
    /// Each slider as a board.
    bits: __m512i,
    /// The boards of the sliders, ranks exchanged top-bottom.
    mirrored: __m512i,
    occupied: __m512i,
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn sliders(squares: __m512i, occupied: __m512i) -> Sliders {
    let bits = _mm512_rolv_epi64(_mm512_set1_epi64(1), squares); // the square modulo 64
    Sliders { squares, bits, mirrored: byte_swapped(bits), occupied }
}

impl Sliders {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    fn rooks(&self) -> __m512i {
        let blockers = _mm512_andnot_si512(self.bits, self.occupied);
        let files = _mm512_permutexvar_epi64(self.squares, lanes8(&FILES)); // the square modulo 8
        _mm512_or_si512(self.along(blockers, files), self.along_ranks(blockers))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn bishops(&self) -> __m512i {
        let index = _mm512_sub_epi8(lanes8(&RANKS), self.squares);
        let (diagonals, antidiagonals) = (DIAGONALS.through(index), ANTIDIAGONALS.through(index));
        // The diagonals do not have the slider's square, which need not be taken off.
        let blockers = self.occupied;
        _mm512_or_si512(self.along(blockers, diagonals), self.along(blockers, antidiagonals))
    }

    /// Returns the attacks along lines no two squares of which share a rank.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn along(&self, blockers: __m512i, lines: __m512i) -> __m512i {
        let blockers = _mm512_and_si512(blockers, lines);
        let above = _mm512_sub_epi64(blockers, self.bits);
        let below = byte_swapped(_mm512_sub_epi64(byte_swapped(blockers), self.mirrored));
        _mm512_ternarylogic_epi64::<0x28>(above, below, lines) // (above ^ below) & lines
    }

    /// Returns the attacks along ranks, of blockers without the slider. A subtraction in each byte needs no mask: on
    /// the other ranks it takes nothing away, and both differences are the same.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    fn along_ranks(&self, blockers: __m512i) -> __m512i {
        let above = _mm512_sub_epi8(blockers, self.bits);
        let below = _mm512_sub_epi8(bits_reversed(blockers), bits_reversed(self.bits));
        _mm512_xor_si512(above, bits_reversed(below))
    }
}

/// The files, which live in a register.
static FILES: [u64; 8] = {
    let (mut files, mut file) = ([0; 8], 0);
    while file < 8 {
        files[file] = 0x0101_0101_0101_0101 << file;
        file += 1;
    }
    files
};

/// Eight times the rank of each byte.
const RANKS: [u64; 8] = [0x3830_2820_1810_0800; 8];

/// The diagonals of one direction, which live in two registers: what they have on one rank, by
/// eight times the distance from the slider's rank less the slider's file, modulo 128.
#[repr(C, align(64))]
struct Diagonals([[u8; 64]; 2]);

/// The diagonals, whose file increases with the rank.
static DIAGONALS: Diagonals = diagonals(1);
/// The antidiagonals.
static ANTIDIAGONALS: Diagonals = diagonals(-1);

/// Returns the diagonals that go `step` files to the right with each rank, without the slider's
/// own square.
const fn diagonals(step: i32) -> Diagonals {
    let (mut bytes, mut ranks) = ([[0; 64]; 2], -7);
    while ranks <= 7 {
        let mut slider = 0;
        while slider < 8 {
            let (index, file) = ((8 * ranks - slider) & 127, slider + step * ranks);
            if ranks != 0 && 0 <= file && file < 8 {
                bytes[index as usize / 64][index as usize % 64] = 1 << file;
            }
            slider += 1;
        }
        ranks += 1;
    }
    Diagonals(bytes)
}

impl Diagonals {
    /// Returns the lines that `index` describes, rank by rank.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    fn through(&self, index: __m512i) -> __m512i {
        let [low, high] = &self.0;
        // SAFETY: the array has 64 bytes, and the load needs no alignment.
        let low = unsafe { _mm512_loadu_si512(low.as_ptr().cast()) };
        // SAFETY: as above.
        let high = unsafe { _mm512_loadu_si512(high.as_ptr().cast()) };
        _mm512_permutex2var_epi8(low, index, high)
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn byte_swapped(lanes: __m512i) -> __m512i {
    let order = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
    _mm512_shuffle_epi8(lanes, _mm512_broadcast_i32x4(order))
}

#[inline]
#[target_feature(enable = "avx512f,gfni")]
fn bits_reversed(lanes: __m512i) -> __m512i {
    let matrix = _mm512_set1_epi64(REVERSED_BITS.cast_signed());
    _mm512_gf2p8affine_epi64_epi8::<0>(lanes, matrix)
}

/// The number of each lane in its bytes.
const LANES: [u64; 8] = {
    let (mut lanes, mut lane) = ([0; 8], 0);
    while lane < 8 {
        lanes[lane] = 0x0101_0101_0101_0101 * lane as u64;
        lane += 1;
    }
    lanes
};

/// Returns eight squares, each in all bytes of its lane: a shuffle takes fewer cycles than VPMOVZXBQ.
/// What rooks make of a square is modulo 64 by itself.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn spread(squares: [u8; 8]) -> __m512i {
    debug_assert!(on_board(squares), "the square is off the board, expected 0-63");
    let all = _mm512_set1_epi64(i64::from_le_bytes(squares));
    _mm512_shuffle_epi8(all, lanes8(&LANES))
}

/// Returns the same as [`spread`] with the squares modulo 64, as the diagonals' tables of 128 bytes
/// need it: cheap as long as the squares are in the eighth part of a register.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn spread_modulo_64(squares: [u8; 8]) -> __m512i {
    debug_assert!(on_board(squares), "the square is off the board, expected 0-63");
    let squares = _mm_cvtsi64_si128(i64::from_le_bytes(squares));
    let squares = _mm_and_si128(squares, _mm_set1_epi8(63));
    _mm512_permutexvar_epi8(lanes8(&LANES), _mm512_castsi128_si512(squares))
}

/// Returns whether all are squares of the board.
fn on_board(squares: [u8; 8]) -> bool {
    squares.iter().all(|&square| square < 64)
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,gfni")]
fn rooks8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
    boards8(sliders(spread(squares), lanes8(&occupied)).rooks())
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512vbmi,gfni")]
fn bishops8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
    boards8(sliders(spread_modulo_64(squares), lanes8(&occupied)).bishops())
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512vbmi,gfni")]
fn queens8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
    let sliders = sliders(spread_modulo_64(squares), lanes8(&occupied));
    boards8(_mm512_or_si512(sliders.rooks(), sliders.bishops()))
}

/// Returns the squares and attacks of the eight lowest sliders, and their number.
///
/// VPCOMPRESSB collects the squares, PEXT the lanes that are rooks and bishops, and both kinds of
/// attacks are made for all lanes: no branch depends on the pieces.
#[inline]
#[target_feature(
    enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni"
)]
fn eight(rooks: u64, bishops: u64, occupied: u64) -> ([u8; 8], [u64; 8], usize) {
    let all = rooks | bishops;
    let squares = _mm512_maskz_compress_epi8(all, numbers());
    let rook_lanes = _pext_u64(rooks, all) as u8;
    let bishop_lanes = _pext_u64(bishops, all) as u8;
    let lanes = _mm512_permutexvar_epi8(lanes8(&LANES), squares);
    let sliders = sliders(lanes, _mm512_set1_epi64(occupied.cast_signed()));
    let attacks = _mm512_maskz_mov_epi64(rook_lanes, sliders.rooks());
    let attacks = _mm512_mask_or_epi64(attacks, bishop_lanes, attacks, sliders.bishops());
    let squares = _mm_cvtsi128_si64(_mm512_castsi512_si128(squares)).to_le_bytes();
    (squares, boards8(attacks), all.count_ones().min(8) as usize)
}

/// Returns the bytes 0 to 63.
#[inline]
#[target_feature(enable = "avx512f")]
fn numbers() -> __m512i {
    const NUMBERS: [u64; 8] = {
        let (mut numbers, mut lane) = ([0; 8], 0);
        while lane < 8 {
            numbers[lane] = 0x0706_0504_0302_0100 + 0x0808_0808_0808_0808 * lane as u64;
            lane += 1;
        }
        numbers
    };
    lanes8(&NUMBERS)
}
