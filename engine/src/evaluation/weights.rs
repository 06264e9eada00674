//! The weights, ready for looking up.

use std::sync::OnceLock;
use std::{fmt, io};

use super::file::{File, StageParameters, WeightsError};
use super::patterns::{CANONICAL, LANES, OFFSETS, RAW, canonical_numbers};
use super::{Costs, Features, Selectivity, parallel, stage_of};
use crate::memory::{LargePages, Zeroed};

/// Moves are counted up to this number, less one.
pub(crate) const MOBILITY: usize = 40;

/// The number of weights that the evaluation adds up: patterns, mobility, constant.
pub const TERMS: usize = LANES + 2;

/// Returns which of a stage's [parameters](super::PARAMETERS) are added up for a position with these
/// features, empties and moves of the player and the opponent.
#[must_use]
pub fn terms(features: &Features, empties: u32, moves: (u32, u32)) -> [u32; TERMS] {
    let numbers = canonical_numbers();
    let last = MOBILITY - 1;
    let (own, other) = ((moves.0 as usize).min(last), (moves.1 as usize).min(last));
    let mut terms = [0; TERMS];
    for (lane, term) in terms[..LANES].iter_mut().enumerate() {
        *term = numbers[OFFSETS[lane] + usize::from(features.contents[lane])];
    }
    terms[LANES] = (CANONICAL + MOBILITY * own + other) as u32;
    terms[LANES + 1] = (CANONICAL + MOBILITY * MOBILITY) as u32 + empties % 2;
    terms
}

/// The weights of one stage, in memory on large pages: a look-up is a cache miss often enough.
#[repr(C)]
pub struct Stage {
    /// Raw pattern weights; [`patterns`](super::patterns) says where each class begins.
    raw: [i16; RAW],
    mobility: [[i16; MOBILITY]; MOBILITY],
    /// The constant for even and for odd numbers of empty squares.
    bias: [i16; 2],
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage").field("bias", &self.bias).finish_non_exhaustive()
    }
}

#[allow(unsafe_code, reason = "a promise about the layout of `Stage`")]
// SAFETY: a stage is integers of 16 bits, which may be zero.
unsafe impl Zeroed for Stage {}

impl Stage {
    /// Takes the weights of a file over.
    fn unpack(&mut self, parameters: &StageParameters) {
        let (canonical, scalars) = parameters.weights.split_at(CANONICAL);
        for (weight, &number) in self.raw.iter_mut().zip(canonical_numbers()) {
            // Padding has no number; nothing ever reads it, but it has to be there.
            *weight = canonical.get(number as usize).copied().unwrap_or(0);
        }
        let (mobility, bias) = scalars.split_at(MOBILITY * MOBILITY);
        for (row, stored) in self.mobility.iter_mut().zip(mobility.chunks_exact(MOBILITY)) {
            row.copy_from_slice(stored);
        }
        self.bias.copy_from_slice(bias);
    }

    /// Returns the raw pattern weights.
    #[inline(always)]
    pub(crate) fn raw(&self) -> &[i16; RAW] {
        &self.raw
    }

    /// Returns the part of the evaluation that does not depend on patterns.
    #[inline(always)]
    pub(crate) fn constant(&self, empties: u32, (own, other): (u32, u32)) -> i32 {
        let last = MOBILITY - 1;
        let mobility = self.mobility[(own as usize).min(last)][(other as usize).min(last)];
        i32::from(mobility) + i32::from(self.bias[empties as usize % 2])
    }
}

/// A whole set of weights.
#[derive(Debug)]
pub struct Weights {
    stages: LargePages<Stage>,
    /// The index of the stage for each number of empty squares.
    by_empties: [u8; 65],
    first: u32,
    last: u32,
    id: u64,
    provenance: String,
    selectivity: Option<Selectivity>,
    costs: Option<Costs>,
}

/// The weights that are part of the program.
static EMBEDDED: &[u8] = include_bytes!("../../data/weights.bin");

impl Weights {
    /// Returns the weights that are part of the program. The first call unpacks them, which takes
    /// some tens of milliseconds.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn embedded() -> Result<&'static Self, WeightsError> {
        static WEIGHTS: OnceLock<Result<Weights, WeightsError>> = OnceLock::new();
        WEIGHTS.get_or_init(|| Self::load(EMBEDDED)).as_ref().map_err(WeightsError::clone)
    }

    /// Returns the weights in the content of a weights file.
    ///
    /// # Errors
    /// If the content is not a whole, undamaged weights file of this version and pattern set, or if the system has no
    /// memory for the weights.
    pub fn load(content: &[u8]) -> Result<Self, WeightsError> {
        Self::unpacked(&File::decode(content)?).map_err(|_no_memory| WeightsError::Memory)
    }

    /// Returns the weights of a file.
    ///
    /// # Panics
    /// If the system has no memory for them.
    #[must_use]
    pub fn new(file: &File) -> Self {
        Self::unpacked(file)
            .expect("the system has as much memory for the weights as it had for their file")
    }

    fn unpacked(file: &File) -> io::Result<Self> {
        let first = file.first_stage();
        let last = first + file.stages().len() as u32 - 1;
        let by_empties = std::array::from_fn(|empties| {
            (stage_of(empties as u32).clamp(first, last) - first) as u8
        });
        let mut stages = LargePages::<Stage>::zeroed(file.stages().len())?;
        let unpack = |(stage, parameters): (&mut Stage, &StageParameters)| stage.unpack(parameters);
        parallel::map(stages.iter_mut().zip(file.stages()).collect(), unpack);
        Ok(Self {
            stages,
            by_empties,
            first,
            last,
            id: file.id(),
            provenance: file.provenance().to_owned(),
            selectivity: file.selectivity().cloned(),
            costs: file.costs().map(Costs::new),
        })
    }

    /// Returns the stage for a number of empty squares (0–64): its own, or the nearest one that was
    /// trained.
    #[inline(always)]
    #[must_use]
    pub fn stage(&self, empties: u32) -> &Stage {
        &self.stages[usize::from(self.by_empties[empties as usize])]
    }

    /// Returns the fewest and the most empty squares that the weights were trained for. Elsewhere
    /// the nearest stage answers, which orders moves but has no accuracy to rely on.
    #[must_use]
    pub const fn trained(&self) -> (u32, u32) {
        (2 * self.first - 1, 2 * self.last)
    }

    /// Returns a number that tells these weights from all others, as [`File::id`].
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Returns how the weights came to be, as text, one fact a line.
    #[must_use]
    pub fn provenance(&self) -> &str {
        &self.provenance
    }

    /// Returns how far shallow searches are from deep ones with these weights, if that was measured.
    #[must_use]
    pub const fn selectivity(&self) -> Option<&Selectivity> {
        self.selectivity.as_ref()
    }

    /// Returns what proofs cost by these weights, if that was measured.
    #[inline(always)]
    #[must_use]
    pub const fn costs(&self) -> Option<&Costs> {
        self.costs.as_ref()
    }
}
