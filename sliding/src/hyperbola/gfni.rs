//! All four lines in one register, and batches of eight sliders, one in each lane of 512 bits.
//!
//! VPSHUFB reverses the bytes of files and diagonals. The rank of a slider is one byte, whose bits
//! VGF2P8AFFINEQB reverses: multiplied by the matrix with ones on the antidiagonal.
//!
//! ```text
//!   batch    lane                0       1       …  7          six operations for each line:
//!            slider's square     s0      s1      …  s7         o = occ & line & !slider
//!            file, rank          shifts of 0x0101…01, 0xff     o', o - s, o' - s', the latter
//!            diagonals           VPERMI2Q from 16 in registers reversed, (^) & line
//! ```
//! A batch reads no table: its constants stay in registers. Ours; TECHNIQUES G4.

use core::arch::x86_64::*;

use outflank_kernel::Avx512Gfni;
use outflank_kernel::lanes::{boards8, lanes8, union2, union4};

use crate::attacks::Attacks;
use crate::geometry::{lines, rank};

/// Reverses the bits of each byte, as the matrix of VGF2P8AFFINEQB.
const REVERSED_BITS: u64 = 0x8040_2010_0804_0201;
/// Leaves each byte as it is.
const SAME_BITS: u64 = 0x0102_0408_1020_4080;

/// Hyperbola Quintessence with all lines of a slider in one register, and with eight sliders in the
/// lanes of a batch; needs GFNI. Singles read a table of 2 KiB, batches none.
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
    let slider = _mm256_set1_epi64x(lines(square).slider.cast_signed());
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
    occupied: __m512i,
    /// Each slider as a board.
    bits: __m512i,
    /// The boards of the sliders, ranks exchanged top-bottom.
    mirrored: __m512i,
    files: __m512i,
    ranks: __m512i,
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw")]
fn sliders(squares: __m128i, occupied: __m512i) -> Sliders {
    let squares = _mm512_and_si512(_mm512_cvtepu8_epi64(squares), _mm512_set1_epi64(63));
    let files = _mm512_and_si512(squares, _mm512_set1_epi64(7));
    let ranks = _mm512_srli_epi64::<3>(squares);
    let bits = _mm512_sllv_epi64(_mm512_set1_epi64(1), squares);
    Sliders { occupied, bits, mirrored: byte_swapped(bits), files, ranks }
}

impl Sliders {
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,gfni")]
    fn rooks(&self) -> __m512i {
        let file = _mm512_sllv_epi64(_mm512_set1_epi64(0x0101_0101_0101_0101), self.files);
        let first = _mm512_slli_epi64::<3>(self.ranks);
        let rank = _mm512_sllv_epi64(_mm512_set1_epi64(0xff), first);
        _mm512_or_si512(self.along(file), self.along_rank(rank))
    }

    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw")]
    fn bishops(&self) -> __m512i {
        // The difference is taken modulo 16 by VPERMI2Q, which ignores the higher bits.
        let diagonal = DIAGONALS.at(_mm512_sub_epi64(self.ranks, self.files));
        let antidiagonal = ANTIDIAGONALS.at(_mm512_add_epi64(self.ranks, self.files));
        _mm512_or_si512(self.along(diagonal), self.along(antidiagonal))
    }

    /// Returns the attacks along lines no two squares of which share a rank.
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw")]
    fn along(&self, lines: __m512i) -> __m512i {
        // occupied & lines & !bits
        let blockers = _mm512_ternarylogic_epi64::<0x40>(self.occupied, lines, self.bits);
        let above = _mm512_sub_epi64(blockers, self.bits);
        let below = byte_swapped(_mm512_sub_epi64(byte_swapped(blockers), self.mirrored));
        _mm512_ternarylogic_epi64::<0x28>(above, below, lines) // (above ^ below) & lines
    }

    /// Returns the attacks along ranks.
    #[inline]
    #[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,gfni")]
    fn along_rank(&self, ranks: __m512i) -> __m512i {
        let blockers = _mm512_ternarylogic_epi64::<0x40>(self.occupied, ranks, self.bits);
        let above = _mm512_sub_epi64(blockers, self.bits);
        let mirrored = _mm512_sub_epi64(bits_reversed(blockers), bits_reversed(self.bits));
        _mm512_ternarylogic_epi64::<0x28>(above, bits_reversed(mirrored), ranks)
    }
}

/// Sixteen boards, which live in two registers.
#[repr(C, align(64))]
struct Sixteen([[u64; 8]; 2]);

/// The diagonals by rank minus file, modulo 16.
static DIAGONALS: Sixteen = {
    let (mut lines, mut number) = ([[0; 8]; 2], 0);
    while number < 64 {
        let index = (number / 8 + 16 - number % 8) % 16;
        lines[index / 8][index % 8] |= 1 << number;
        number += 1;
    }
    Sixteen(lines)
};

/// The antidiagonals by rank plus file.
static ANTIDIAGONALS: Sixteen = {
    let (mut lines, mut number) = ([[0; 8]; 2], 0);
    while number < 64 {
        let index = number / 8 + number % 8;
        lines[index / 8][index % 8] |= 1 << number;
        number += 1;
    }
    Sixteen(lines)
};

impl Sixteen {
    /// Returns the boards at these indices, modulo 16.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn at(&self, indices: __m512i) -> __m512i {
        _mm512_permutex2var_epi64(lanes8(&self.0[0]), indices, lanes8(&self.0[1]))
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

/// Returns eight bytes in the lower half of a register.
#[inline]
#[target_feature(enable = "sse2")]
fn bytes(squares: [u8; 8]) -> __m128i {
    _mm_cvtsi64_si128(i64::from_le_bytes(squares))
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,gfni")]
fn rooks8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
    boards8(sliders(bytes(squares), lanes8(&occupied)).rooks())
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,gfni")]
fn bishops8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
    boards8(sliders(bytes(squares), lanes8(&occupied)).bishops())
}

#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,gfni")]
fn queens8(squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
    let sliders = sliders(bytes(squares), lanes8(&occupied));
    boards8(_mm512_or_si512(sliders.rooks(), sliders.bishops()))
}

/// Returns the squares and attacks of the eight lowest sliders, and their number.
///
/// VPCOMPRESSB collects the squares, PEXT the lanes that are rooks and bishops, and both kinds of
/// attacks are made for all lanes: no branch depends on the pieces.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512vbmi2,gfni")]
fn eight(rooks: u64, bishops: u64, occupied: u64) -> ([u8; 8], [u64; 8], usize) {
    let all = rooks | bishops;
    let squares = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(all, numbers()));
    let rook_lanes = _pext_u64(rooks, all) as u8;
    let bishop_lanes = _pext_u64(bishops, all) as u8;
    let sliders = sliders(squares, _mm512_set1_epi64(occupied.cast_signed()));
    let attacks = _mm512_maskz_mov_epi64(rook_lanes, sliders.rooks());
    let attacks = _mm512_mask_or_epi64(attacks, bishop_lanes, attacks, sliders.bishops());
    let squares = _mm_cvtsi128_si64(squares).to_le_bytes();
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
