//! The eight symmetries of the board.

use outflank_kernel::symmetry::scalar::transform;

use crate::{Position, Square};

/// One of the symmetries of the board, which leave the rules as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self(0);

    /// Returns symmetry number `index`, 0 to 7: bit 0 mirrors left-right, bit 1 top-bottom, bit 2
    /// transposes, in that order. Returns `None` if there is no such symmetry.
    #[must_use]
    pub const fn new(index: u32) -> Option<Self> {
        if index < 8 { Some(Self(index as u8)) } else { None }
    }

    /// Returns the eight symmetries, by their numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).map(Self)
    }

    /// Returns a symmetry that turns `from` into `to`, or `None` if none does.
    #[must_use]
    pub fn between(from: Position, to: Position) -> Option<Self> {
        Self::all().find(|symmetry| symmetry.position(from) == to)
    }

    /// Returns the symmetry that turns `position` into its canonical form: of several, that with the least number.
    #[must_use]
    pub fn canonical(position: Position) -> Self {
        let symmetry = Self::between(position, position.canonical());
        symmetry.expect("the canonical form is one of the eight symmetric positions")
    }

    /// Returns the number, 0 to 7.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0 as u32
    }

    /// Returns the symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        // Before a transposition the two mirrors change places.
        if self.0 & 4 == 0 { self } else { Self(4 | (self.0 & 1) << 1 | (self.0 & 2) >> 1) }
    }

    /// Returns where `position` comes to lie.
    #[must_use]
    pub fn position(self, position: Position) -> Position {
        let (player, opponent) = (position.player(), position.opponent());
        Position::new(transform(player, self.index()), transform(opponent, self.index()))
            .expect("different squares have different images")
    }

    /// Returns where `square` comes to lie.
    #[must_use]
    pub fn square(self, square: Square) -> Square {
        Square::lowest(transform(square.bit(), self.index())).expect("one square has one image")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symmetry_and_its_inverse_lead_back() {
        let position = Position::START.play(Square::lowest(Position::START.moves()).unwrap());
        let position = position.unwrap();
        for (symmetry, index) in Symmetry::all().zip(0..) {
            assert_eq!(Symmetry::new(index), Some(symmetry));
            let image = symmetry.position(position);
            assert_eq!(symmetry.inverse().position(image), position);
            assert_eq!(image.canonical(), position.canonical());
            assert!(Symmetry::between(position, image).is_some());
            for square in Square::all(u64::MAX) {
                assert_eq!(symmetry.inverse().square(symmetry.square(square)), square);
            }
            let moved = Square::all(position.moves())
                .fold(0, |moves, square| moves | symmetry.square(square).bit());
            assert_eq!(moved, image.moves());
        }
        assert_eq!((Symmetry::all().count(), Symmetry::new(8)), (8, None));
        assert_eq!(Symmetry::between(Position::START, position), None);
    }

    #[test]
    fn a_canonical_move_leads_back_to_the_same_game() {
        let (mut position, mut random) = (Position::START, 1_u64);
        while !position.is_over() {
            if position.must_pass() {
                position = position.pass();
                continue;
            }
            let canonical = position.canonical();
            let back = Symmetry::canonical(position).inverse();
            for square in Square::all(canonical.moves()) {
                let after = position.play(back.square(square)).expect("it is legal");
                let image = canonical.play(square).expect("it is legal");
                assert_eq!(after.canonical(), image.canonical());
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let moves: Vec<_> = Square::all(position.moves()).collect();
            position = position.play(moves[(random >> 33) as usize % moves.len()]).expect("legal");
        }
    }
}
