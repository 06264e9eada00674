//! What the families' tests share: variants of this CPU, positions to try.

use std::fmt::Debug;

use outflank_kernel::catalogue::Variant;

use crate::common::{self, Random};

/// Returns the variants that this CPU can run, without the reference, and says loudly which it
/// cannot.
pub(crate) fn runnable<F: Copy>(
    family: &str,
    variants: &'static [Variant<F>],
) -> Vec<(&'static str, F)> {
    let mut found = Vec::new();
    for variant in &variants[1..] {
        let entry = variant.entry();
        match variant.function() {
            Some(function) => found.push((entry.name, function)),
            None => println!(
                "WARNING: THIS CPU LACKS {}: {family} {} IS NOT TESTED IN THIS RUN",
                entry.needs.join(", "),
                entry.name
            ),
        }
    }
    let names: Vec<_> = found.iter().map(|(name, _)| *name).collect();
    println!("{family}: {}", names.join(", "));
    found
}

/// Asserts that each variant's `call` gives `expected`; `input` is printed where it does not.
pub(crate) fn check<F: Copy, T: PartialEq + Debug>(
    variants: &[(&'static str, F)],
    expected: &T,
    input: impl Debug,
    call: impl Fn(F) -> T,
) {
    for &(name, function) in variants {
        let found = call(function);
        assert!(found == *expected, "{name}: {found:x?} instead of {expected:x?} for {input:x?}");
    }
}

/// The number of positions to try: a million, or what `KERNEL_POSITIONS` says; a few under Miri.
pub(crate) fn wanted() -> u64 {
    if cfg!(miri) {
        return 20;
    }
    std::env::var("KERNEL_POSITIONS")
        .map_or(1_000_000, |text| text.parse().expect("KERNEL_POSITIONS is a number of positions"))
}

/// Positions for references that look at squares one by one: they take microseconds a board.
pub(crate) const FEW: u64 = 100_000;

/// Calls `check` with as many boards as are [`wanted`]: positions of random games, passes and ends
/// included, then as many boards of random discs, some nearly empty and some nearly full, and all
/// pairs of boards that are easy to get wrong.
pub(crate) fn each_position(check: impl FnMut(u64, u64)) {
    each_of(wanted(), check);
}

/// As [`each_position`], but `most` boards at most.
pub(crate) fn each_of(most: u64, mut check: impl FnMut(u64, u64)) {
    if cfg!(miri) {
        // for pointers and lanes a few boards do; more would take hours
        common::game_positions_from(1, 1).into_iter().step_by(9).for_each(|(p, o)| check(p, o));
        return;
    }
    for &board in &common::square_sets() {
        for &other in &common::square_sets() {
            check(board & !other, other);
        }
    }
    let wanted = most.min(wanted());
    let (mut tried, mut games) = (0, Random(wanted));
    while tried < wanted / 2 {
        for (player, opponent) in common::game_positions_from(games.next(), 100) {
            check(player, opponent);
            tried += 1;
        }
    }
    let mut random = Random(!wanted);
    for _ in 0..wanted / 2 {
        let (player, opponent) = random.board();
        check(player, opponent);
    }
}
