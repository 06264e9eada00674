//! Eight directions in one register: VPROLVQ turns every lane by its own step.
//!
//! The union of the lanes by GFNI takes four instructions where extraction takes seven: VPERMB
//! brings byte `k` of all lanes together, the affine transformation of a constant by them
//! transposes these eight bytes, and VPTESTMB notes which of the squares any lane has.

use core::arch::x86_64::*;

use outflank_kernel::Avx512Gfni;
use outflank_kernel::lanes::{lanes8, union8};

use super::DIRECTIONS;
use crate::attacks::Attacks;
use crate::geometry::bit;

/// Kogge-Stone with all eight directions in one register and a union by GFNI, without tables.
#[derive(Clone, Copy, Debug)]
pub struct KoggeStoneGfni(Avx512Gfni);

impl KoggeStoneGfni {
    /// Returns the back-end; the token proves that the CPU has the instructions.
    #[must_use]
    pub const fn new(token: Avx512Gfni) -> Self {
        Self(token)
    }
}

impl Attacks for KoggeStoneGfni {
    #[inline(always)]
    fn rook(self, square: u8, occupied: u64) -> u64 {
        self.union(bit(square), 0, occupied)
    }

    #[inline(always)]
    fn bishop(self, square: u8, occupied: u64) -> u64 {
        self.union(0, bit(square), occupied)
    }

    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        self.union(bit(square), bit(square), occupied)
    }

    #[inline(always)]
    fn union(self, rooks: u64, bishops: u64, occupied: u64) -> u64 {
        // SAFETY: the token proves the features.
        unsafe { union_by_gfni(rooks, bishops, occupied) }
    }
}

/// Returns the union of the attacks, without GFNI.
#[inline]
#[target_feature(enable = "avx2,avx512f")]
pub(crate) fn union(rooks: u64, bishops: u64, occupied: u64) -> u64 {
    union8(walk(rooks, bishops, occupied))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
fn union_by_gfni(rooks: u64, bishops: u64, occupied: u64) -> u64 {
    const GATHER: [u64; 8] = {
        let (mut lanes, mut i) = ([0; 8], 0);
        while i < 64 {
            lanes[i / 8] |= (i as u64 % 8 * 8 + i as u64 / 8) << (i % 8 * 8);
            i += 1;
        }
        lanes
    };
    let lanes = walk(rooks, bishops, occupied);
    let gathered = _mm512_permutexvar_epi8(lanes8(&GATHER), lanes);
    let rows = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
    let transposed = _mm512_gf2p8affine_epi64_epi8::<0>(rows, gathered);
    _mm512_test_epi8_mask(transposed, transposed)
}

/// Returns the attacks by direction, in the order of [`DIRECTIONS`].
#[inline]
#[target_feature(enable = "avx512f")]
fn walk(rooks: u64, bishops: u64, occupied: u64) -> __m512i {
    const STEPS: [u64; 8] = per_lane(true);
    const ARRIVE: [u64; 8] = per_lane(false);
    let empty = _mm512_set1_epi64((!(occupied | rooks | bishops)).cast_signed());
    let arrive = lanes8(&ARRIVE);
    let mut reached = _mm512_mask_set1_epi64(
        _mm512_set1_epi64(rooks.cast_signed()),
        0b1111_0000,
        bishops.cast_signed(),
    );
    let mut free = _mm512_and_si512(empty, arrive);
    let mut step = lanes8(&STEPS);
    for _ in 0..3 {
        let next = _mm512_rolv_epi64(reached, step);
        reached = _mm512_ternarylogic_epi64::<0xf8>(reached, free, next); // a | (b & c)
        free = _mm512_and_si512(free, _mm512_rolv_epi64(free, step));
        step = _mm512_add_epi64(step, step); // VPROLVQ takes it modulo 64
    }
    _mm512_and_si512(_mm512_rolv_epi64(reached, lanes8(&STEPS)), arrive)
}

/// Returns the rotations or the squares of arrival, a lane for each direction.
const fn per_lane(rotations: bool) -> [u64; 8] {
    let (mut lanes, mut lane) = ([0; 8], 0);
    while lane < 8 {
        let (step, arrive) = DIRECTIONS[lane];
        lanes[lane] = if rotations { step as u64 } else { arrive };
        lane += 1;
    }
    lanes
}
