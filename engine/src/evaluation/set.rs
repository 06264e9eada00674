//! The evaluation once for each instruction set.
#![allow(unsafe_code, reason = "entering an instruction set")]

#[cfg(target_arch = "x86_64")]
use outflank_kernel::{Avx2, Avx512};
use outflank_kernel::{KernelSet, Scalar};

use super::features::Features;
use super::weights::{Stage, Weights};
use super::{LIMIT, scalar};

/// A kernel set with the evaluation; implemented by the tokens of the kernels.
///
/// As with [`KernelSet`], every method is `inline(always)`: call it in code that is compiled for
/// the set. All sets give the same integers.
pub trait EvaluationSet: KernelSet {
    /// Returns the features after the player to move has put a disc on `square` (0–63, empty) and
    /// turned `flipped`, seen by the other player.
    fn after_move(self, features: &Features, square: u32, flipped: u64) -> Features;

    /// Returns the features of the same board, seen by the other player.
    fn after_pass(self, features: &Features) -> Features;

    /// Returns the sum of the patterns' weights in units of 1/32 disc.
    fn pattern_sum(self, stage: &Stage, features: &Features) -> i32;

    /// Returns [`pattern_sum`](Self::pattern_sum) after a move as in
    /// [`after_move`](Self::after_move), without keeping the features.
    #[inline(always)]
    fn pattern_sum_after(
        self,
        stage: &Stage,
        features: &Features,
        square: u32,
        flipped: u64,
    ) -> i32 {
        self.pattern_sum(stage, &self.after_move(features, square, flipped))
    }

    /// Returns the features of a position from nothing. That takes about a microsecond: do it at
    /// the root and go on with [`after_move`](Self::after_move).
    #[inline(always)]
    fn features(self, player: u64, opponent: u64) -> Features {
        scalar::features(player, opponent)
    }

    /// Returns what the position seems to be worth to the player to move, in units of 1/32 disc,
    /// from −[`LIMIT`] to +[`LIMIT`].
    ///
    /// `moves` are the numbers of moves that the player and the opponent have in this position; the
    /// search mostly knows one of them already.
    #[inline(always)]
    fn evaluate(
        self,
        weights: &Weights,
        features: &Features,
        empties: u32,
        moves: (u32, u32),
    ) -> i32 {
        let stage = weights.stage(empties);
        let sum = self.pattern_sum(stage, features) + stage.constant(empties, moves);
        sum.clamp(-LIMIT, LIMIT)
    }

    /// Returns [`evaluate`](Self::evaluate) of a board, everything counted from nothing.
    #[inline(always)]
    fn evaluate_board(self, weights: &Weights, player: u64, opponent: u64) -> i32 {
        let moves =
            (self.count(self.moves(player, opponent)), self.count(self.moves(opponent, player)));
        let empties = self.count(!(player | opponent));
        self.evaluate(weights, &self.features(player, opponent), empties, moves)
    }
}

/// Implements [`EvaluationSet`] by entering one variant a function.
macro_rules! evaluation_set {
    (
        $token:ty, $after_move:path, $after_pass:path, $pattern_sum:path
        $(, pattern_sum_after: $pattern_sum_after:path)?
    ) => {
        #[allow(unused_unsafe, reason = "some variants of a set are portable code")]
        impl EvaluationSet for $token {
            #[inline(always)]
            fn after_move(self, features: &Features, square: u32, flipped: u64) -> Features {
                // SAFETY: the token proves the features.
                unsafe { $after_move(features, square, flipped) }
            }

            #[inline(always)]
            fn after_pass(self, features: &Features) -> Features {
                // SAFETY: the token proves the features.
                unsafe { $after_pass(features) }
            }

            #[inline(always)]
            fn pattern_sum(self, stage: &Stage, features: &Features) -> i32 {
                // SAFETY: the token proves the features.
                unsafe { $pattern_sum(stage, features) }
            }

            $(
                #[inline(always)]
                fn pattern_sum_after(
                    self,
                    stage: &Stage,
                    features: &Features,
                    square: u32,
                    flipped: u64,
                ) -> i32 {
                    // SAFETY: the token proves the features.
                    unsafe { $pattern_sum_after(stage, features, square, flipped) }
                }
            )?
        }
    };
}

evaluation_set!(Scalar, scalar::after_move, scalar::after_pass, scalar::pattern_sum);

#[cfg(target_arch = "x86_64")]
evaluation_set!(Avx2, super::avx2::after_move, super::avx2::after_pass, super::avx2::pattern_sum);

#[cfg(target_arch = "x86_64")]
evaluation_set!(
    Avx512,
    super::avx512::after_move,
    super::avx512::after_pass,
    super::avx512::pattern_sum,
    pattern_sum_after: super::avx512::pattern_sum_after
);

#[cfg(target_arch = "aarch64")]
evaluation_set!(
    outflank_kernel::Neon,
    super::neon::after_move,
    super::neon::after_pass,
    scalar::pattern_sum
);
