//! The way from a canonical position back to the one that the client gave.

use outflank_engine::{Position, Square};
use outflank_kernel::symmetry::scalar::transform;

/// One symmetry of the board, which maps given squares to canonical ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orientation {
    symmetry: u32,
}

impl Orientation {
    /// Returns the canonical form of `given` and the symmetry that leads there.
    pub(super) fn canonical(given: Position) -> (Position, Self) {
        let canonical = given.canonical();
        let symmetry = (0..8)
            .find(|&symmetry| {
                transform(given.player(), symmetry) == canonical.player()
                    && transform(given.opponent(), symmetry) == canonical.opponent()
            })
            .expect("the canonical form is one of the eight symmetric positions");
        (canonical, Self { symmetry })
    }

    /// Returns the given square that became `canonical`.
    pub(super) fn given(self, canonical: Square) -> Square {
        Square::all(u64::MAX)
            .find(|square| transform(square.bit(), self.symmetry) == canonical.bit())
            .expect("a symmetry maps the board onto itself")
    }

    /// Returns the given squares that became `canonical`.
    pub(super) fn line(self, canonical: &[Square]) -> Vec<Square> {
        canonical.iter().map(|&square| self.given(square)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canonical_move_leads_back_to_the_same_game() {
        let (mut position, mut random) = (Position::START, 1_u64);
        while !position.is_over() {
            if position.must_pass() {
                position = position.pass();
                continue;
            }
            let (canonical, orientation) = Orientation::canonical(position);
            for square in Square::all(canonical.moves()) {
                let after = position.play(orientation.given(square)).expect("it is legal");
                let image = canonical.play(square).expect("it is legal");
                assert_eq!(after.canonical(), image.canonical());
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let moves: Vec<_> = Square::all(position.moves()).collect();
            position = position.play(moves[(random >> 33) as usize % moves.len()]).expect("legal");
        }
    }
}
