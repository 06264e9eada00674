//! How things are written in messages and logs.

use outflank_engine::Position;

/// Returns the text of a position: the discs of the player and those of the opponent.
pub(crate) fn position(position: Position) -> String {
    format!("{:#018x}/{:#018x}", position.player(), position.opponent())
}
