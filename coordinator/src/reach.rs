//! Which positions moves lead to: those one ply below, and those that may come at some time.

use outflank_engine::{Position, Square, Symmetry};

/// Returns the positions one ply below, canonical; a pass is a ply. Those of symmetric moves come more than once.
pub(crate) fn below(position: Position) -> impl Iterator<Item = Position> {
    let passed = position.must_pass().then(|| position.pass());
    let played = Square::all(position.moves()).filter_map(move |square| position.play(square));
    passed.into_iter().chain(played).map(Position::canonical)
}

/// Returns which squares are filled in `position` and in those that are symmetric to it. No disc ever leaves the
/// board, so that every position which may come from one of them has all squares of one of these filled.
pub(crate) fn fillings(position: Position) -> impl Iterator<Item = u64> {
    Symmetry::all().map(move |symmetry| !symmetry.position(position).empty())
}

/// Returns whether `position` may come from one with these [`fillings`].
pub(crate) fn may_come(position: Position, fillings: &[u64]) -> bool {
    fillings.iter().any(|filled| !position.empty() & filled == *filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_may_come_and_what_lies_above_may_not() {
        let mut above = vec![Position::START.canonical()];
        for _ in 0..12 {
            let last = above[above.len() - 1];
            let child = below(last).next().expect("no game ends so early");
            let filled: Vec<u64> = fillings(child).collect();
            assert!(may_come(child, &filled) && !above.iter().any(|&it| may_come(it, &filled)));
            for &it in &above {
                assert!(may_come(child, &fillings(it).collect::<Vec<_>>()), "{child:?}, {it:?}");
            }
            above.push(child);
        }
    }
}
