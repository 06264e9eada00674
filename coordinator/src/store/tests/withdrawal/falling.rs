//! What falls is found in one visit, and is what visits find that are repeated until nothing is added any more.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use outflank_engine::Position;
use proptest::prelude::*;

use super::{below, claims, fill_the_same, indexed, late_tree, mixed};
use crate::store::claim::Entry;
use crate::store::index::Index;
use crate::store::withdraw::{fallen, fallen_with, is_any_of};
use crate::store::{Method, Record};

fn is_searched(entry: &Entry) -> bool {
    [entry.lower_from, entry.upper_from].iter().any(|source| source.method == Method::Search)
}

/// Returns whether one of `claimed` may come from `position`, as far as filled squares tell.
fn may_lead_to(claimed: &BTreeSet<Position>, position: Position) -> bool {
    let images = outflank_engine::Symmetry::all().map(|it| !it.position(position).empty());
    images.into_iter().any(|image| claimed.iter().any(|it| it.empty() & image == 0))
}

/// Returns what falls with `claimed`, in order: the plain way.
fn fallen_by_passes(index: &dyn Index, claimed: &BTreeSet<Position>) -> Vec<Position> {
    let mut fallen = claimed.clone();
    let mut visit = |falls: &dyn Fn(&BTreeSet<Position>, Position, Entry) -> bool| {
        let before = fallen.len();
        let visited = index.visit(&mut |position, entry| {
            if falls(&fallen, position, entry) {
                fallen.insert(position);
            }
            ControlFlow::Continue(())
        });
        visited.unwrap();
        fallen.len() > before
    };
    visit(&|_, position, entry| is_searched(&entry) && may_lead_to(claimed, position));
    while visit(&|fallen, position, _| below(position).iter().any(|child| fallen.contains(child))) {
    }
    let rank = |position: &Position| match claimed.contains(position) {
        true => 2,
        false => u8::from(!position.must_pass()),
    };
    let mut order: Vec<Position> = fallen.into_iter().collect();
    order.sort_by_key(|position| (Reverse(position.empties()), rank(position), *position));
    order
}

/// Returns some positions of late games, of which some must pass; some plies may be missing.
fn positions(seed: u64, trees: usize, plies: u32, kept: u64) -> BTreeSet<Position> {
    let all = (seed << 8..).map(|tree| late_tree(tree, plies));
    let with_passes = all.filter(|tree| tree.iter().any(|position| position.must_pass()));
    let trees = with_passes.take(trees).flatten();
    let is_kept = |(number, _): &(u64, Position)| mixed(seed ^ number << 32) % 8 < kept;
    let gap = 20 - mixed(seed) as u32 % 20;
    let there = trees.filter(|position| position.empties() != gap);
    (0..).zip(there).filter(is_kept).map(|(_, position)| position).collect()
}

fn of_liar(records: &[Record]) -> BTreeSet<Position> {
    let lies = records.iter().filter(|record| record.provenance.origin.worker == "liar");
    lies.map(|record| record.position).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_visit_finds_what_repeated_ones_find(
        seed in any::<u32>(), trees in 1_usize..5, plies in 1_u32..4, kept in 2_u64..9, is_large in any::<bool>()
    ) {
        let records = claims(seed.into(), &positions(seed.into(), trees, plies, kept));
        let (index, origins) = indexed(&records);
        // With other threads, or without.
        let expected_positions = if is_large { 1 << 20 } else { 0 };
        let found = fallen(&index, expected_positions, &origins.of(&["liar"])).unwrap();
        prop_assert_eq!(found, fallen_by_passes(&index, &of_liar(&records)));
        let one = records.get(seed as usize % records.len().max(1)).map(|record| record.position);
        if let Some(one) = one {
            let found = fallen_with(&index, expected_positions, one).unwrap();
            prop_assert_eq!(found, fallen_by_passes(&index, &BTreeSet::from([one])));
        }
    }
}

#[test]
fn the_random_stores_have_what_makes_it_hard() {
    let (mut passing, mut with_its_pass, mut abreast) = (0, 0, 0);
    for seed in 0..96 {
        let records = claims(seed, &positions(seed, 3, 3, 8));
        let (index, _) = indexed(&records);
        let lies = of_liar(&records);
        let fallen: BTreeSet<Position> = fallen_by_passes(&index, &lies).into_iter().collect();
        let resting = || fallen.difference(&lies).copied();
        passing += resting().filter(|it| it.must_pass()).count();
        // Nothing but the pass leads to what falls.
        let searched = |position| index.get(position).unwrap().is_some_and(|it| is_searched(&it));
        with_its_pass += resting().filter(|&it| it.must_pass() && !searched(it)).count();
        let is_abreast = |it| lies.iter().any(|&lie| lie != it && fill_the_same(it, lie));
        abreast += resting().filter(|&it| is_abreast(it)).count();
    }
    assert!(
        passing >= 30 && with_its_pass >= 10 && abreast >= 50,
        "{passing} passing, {with_its_pass} with their pass, {abreast} as full as a lie"
    );
}

#[test]
fn nothing_falls_where_nothing_was_claimed() {
    let records = claims(4, &late_tree(4, 3));
    let (index, origins) = indexed(&records);
    assert_eq!(fallen(&index, 0, &origins.of(&["nobody"])).unwrap(), []);
    assert_eq!(fallen_with(&index, 0, Position::START.canonical()).unwrap(), []);
}

#[test]
fn what_has_more_empties_is_not_asked_for() {
    let records = claims(4, &late_tree(4, 3));
    let (index, _) = indexed(&records);
    let empties = || records.iter().map(|record| record.position.empties());
    let (least, most) = (empties().min().unwrap(), empties().max().unwrap());
    assert!(least < most);
    let asked = Cell::new(0);
    let none = |_, _: &Entry| {
        asked.set(asked.get() + 1);
        false
    };
    assert!(!is_any_of(&index, least, none).unwrap());
    assert_eq!(asked.get(), empties().filter(|&it| it == least).count());
    for wanted in [least, most] {
        let found = is_any_of(&index, least, |position, _| position.empties() == wanted).unwrap();
        assert_eq!(found, wanted == least);
    }
}
