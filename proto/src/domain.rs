//! Positions, bounds, windows and squares on the wire.

use outflank_engine::{Bound, Position, Score, Square, Window};

use crate::invalid::{InvalidField, needed};
use crate::v1;

const A_SCORE: &str = "an even number from -64 to 64";

fn score(field: &str, discs: i32) -> Result<Score, InvalidField> {
    Score::new(discs).ok_or_else(|| InvalidField::new(field, &discs, A_SCORE))
}

/// Returns square number `index`; the error's field is left empty for the caller to fill.
pub(crate) fn square(index: u32) -> Result<Square, InvalidField> {
    Square::new(index).ok_or_else(|| InvalidField::new("", &index, "a square from 0 to 63"))
}

impl From<Position> for v1::Position {
    fn from(position: Position) -> Self {
        Self { player: position.player(), opponent: position.opponent() }
    }
}

impl TryFrom<v1::Position> for Position {
    type Error = InvalidField;

    fn try_from(wire: v1::Position) -> Result<Self, InvalidField> {
        Self::new(wire.player, wire.opponent).ok_or_else(|| {
            let both = wire.player & wire.opponent;
            let found = format!("two boards that share the squares {both:#018x}");
            const EXPECTED: &str = "boards that share no square but the walls of a small board";
            InvalidField::new("", &found, EXPECTED)
        })
    }
}

impl From<Bound> for v1::Bound {
    fn from(bound: Bound) -> Self {
        Self { lower: bound.lower().discs(), upper: bound.upper().discs() }
    }
}

impl TryFrom<v1::Bound> for Bound {
    type Error = InvalidField;

    fn try_from(wire: v1::Bound) -> Result<Self, InvalidField> {
        let (lower, upper) = (score("lower", wire.lower)?, score("upper", wire.upper)?);
        Self::new(lower, upper)
            .ok_or_else(|| InvalidField::new("", &format!("{lower}..={upper}"), "lower <= upper"))
    }
}

impl From<Window> for v1::Window {
    fn from(window: Window) -> Self {
        Self { lower: window.lower().discs(), upper: window.upper().discs() }
    }
}

impl TryFrom<v1::Window> for Window {
    type Error = InvalidField;

    fn try_from(wire: v1::Window) -> Result<Self, InvalidField> {
        let (lower, upper) = (score("lower", wire.lower)?, score("upper", wire.upper)?);
        Self::new(lower, upper)
            .ok_or_else(|| InvalidField::new("", &format!("{lower}..{upper}"), "lower < upper"))
    }
}

impl From<(Position, Bound)> for v1::KnownBound {
    fn from((position, bound): (Position, Bound)) -> Self {
        Self { position: Some(position.into()), bound: Some(bound.into()) }
    }
}

impl TryFrom<v1::KnownBound> for (Position, Bound) {
    type Error = InvalidField;

    fn try_from(wire: v1::KnownBound) -> Result<Self, InvalidField> {
        let position = needed("position", wire.position, "a position")?;
        let bound = needed("bound", wire.bound, "a bound")?;
        Ok((position, bound))
    }
}

impl From<(Square, Bound)> for v1::MoveBound {
    fn from((square, bound): (Square, Bound)) -> Self {
        Self { square: square.index(), bound: Some(bound.into()) }
    }
}

impl TryFrom<v1::MoveBound> for (Square, Bound) {
    type Error = InvalidField;

    fn try_from(wire: v1::MoveBound) -> Result<Self, InvalidField> {
        let square = square(wire.square).map_err(|error| error.within("square"))?;
        let bound = needed("bound", wire.bound, "a bound")?;
        Ok((square, bound))
    }
}
