//! The variants against the reference, and the file against damage.

use std::sync::LazyLock;

use outflank_kernel::{Isa, KernelSet, Scalar, with_set};
use proptest::prelude::*;

use super::costs::CostParameters;
use super::file::{File, PARAMETERS, StageParameters, WeightsError};
use super::{
    EvaluationSet, Features, LIMIT, Selectivity, UNIT, Weights, look_ahead, scalar, stage_of, terms,
};

/// Weights that are all different enough to show a wrong index.
fn parameters(seed: i64) -> StageParameters {
    let weight = |index: i64| ((index * 7919 + seed * 104_729) % 251 - 125) as i16;
    StageParameters::new((0..PARAMETERS as i64).map(weight).collect()).unwrap()
}

fn file() -> File {
    let selectivity = Selectivity {
        mean: [0.5, -0.1, 0.0, 0.2, -1.0, 0.1, 0.25],
        log_spread: [1.0, 0.0, -0.1, 0.05, 2.0, -0.05, -0.25],
        quantiles: [0.6, 1.1, 1.7, 2.2, 2.6],
    };
    let stages = (0..3).map(parameters).collect();
    File::new(5, stages, "seed: 1\n".to_owned(), Some(selectivity)).unwrap()
}

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| Weights::new(&file()));

/// What a set answers: features after a move, after a pass, sums of weights before and after the
/// move, evaluation.
fn answers<K: EvaluationSet>(
    set: K,
    features: &Features,
    (square, flipped): (u32, u64),
) -> (Features, Features, [i32; 2], i32) {
    let weights = &*WEIGHTS;
    let stage = weights.stage(11);
    let sums =
        [set.pattern_sum(stage, features), set.pattern_sum_after(stage, features, square, flipped)];
    let value = set.evaluate(weights, features, 11, (5, 7));
    (set.after_move(features, square, flipped), set.after_pass(features), sums, value)
}

/// Asserts that every set that this CPU has answers what the reference does.
fn assert_agreement(features: &Features, made: (u32, u64)) {
    let expected = answers(Scalar::new(), features, made);
    for isa in Isa::available() {
        let found = with_set!(isa, set => answers(set, features, made));
        assert!(found == expected, "{isa} differs from the reference after {made:?}");
    }
}

proptest! {
    #[test]
    fn every_set_agrees_with_the_reference(
        first in any::<u64>(), second in any::<u64>(), square in 0_u32..64,
    ) {
        let empty = 1 << square;
        let (player, opponent) = (first & !second & !empty, second & !first & !empty);
        let flipped = opponent & first.rotate_left(17);
        assert_agreement(&scalar::features(player, opponent), (square, flipped));
    }

    #[test]
    fn features_after_a_move_are_those_of_the_position_after_it(
        first in any::<u64>(), second in any::<u64>(), square in 0_u32..64,
    ) {
        let placed = 1 << square;
        let (player, opponent) = (first & !second & !placed, second & !first & !placed);
        let flipped = opponent & first.rotate_left(17);
        let after = scalar::after_move(&scalar::features(player, opponent), square, flipped);
        let expected = scalar::features(opponent ^ flipped, player | flipped | placed);
        prop_assert!(after == expected);
        prop_assert!(scalar::after_pass(&expected) == scalar::features(player | flipped | placed, opponent ^ flipped));
    }

    #[test]
    fn the_evaluation_is_the_sum_of_its_terms(
        first in any::<u64>(), second in any::<u64>(), moves in (0_u32..50, 0_u32..50),
    ) {
        let set = Scalar::new();
        let features = scalar::features(first & !second, second & !first);
        for (empties, stage) in [(9, 0), (10, 0), (13, 2)] {
            let stored = parameters(stage);
            let terms = terms(&features, empties, moves);
            let sum: i32 = terms.iter().map(|&term| i32::from(stored.weights[term as usize])).sum();
            let value = set.evaluate(&WEIGHTS, &features, empties, moves);
            prop_assert_eq!(value, sum.clamp(-LIMIT, LIMIT));
        }
    }

    #[test]
    fn symmetric_positions_are_worth_the_same(first in any::<u64>(), second in any::<u64>()) {
        let set = Scalar::new();
        let (player, opponent) = (first & !second, second & !first);
        let canonical = set.canonical(player, opponent);
        prop_assert_eq!(
            set.evaluate_board(&WEIGHTS, player, opponent),
            set.evaluate_board(&WEIGHTS, canonical.0, canonical.1)
        );
    }
}

#[test]
fn features_stay_right_through_whole_games() {
    let set = Scalar::new();
    let mut state = 1_u64;
    for _ in 0..50 {
        let (mut player, mut opponent) = (0x0000_0008_1000_0000_u64, 0x0000_0010_0800_0000_u64);
        let mut features = set.features(player, opponent);
        loop {
            let moves = set.moves(player, opponent);
            if moves == 0 {
                (player, opponent) = (opponent, player);
                features = set.after_pass(&features);
                if set.moves(player, opponent) == 0 {
                    break;
                }
                continue;
            }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut rest = moves;
            for _ in 0..(state >> 33) % u64::from(moves.count_ones()) {
                rest &= rest - 1;
            }
            let square = rest.trailing_zeros();
            let flipped = set.flip(player, opponent, square);
            assert_agreement(&features, (square, flipped));
            features = set.after_move(&features, square, flipped);
            (player, opponent) = (opponent ^ flipped, player | flipped | 1 << square);
            assert!(features == set.features(player, opponent));
        }
    }
}

#[test]
fn two_numbers_of_empty_squares_share_a_stage() {
    let stages: Vec<_> = [5, 6, 9, 10, 11, 12, 39, 40].map(stage_of).to_vec();
    assert_eq!(stages, [3, 3, 5, 5, 6, 6, 20, 20]);
    assert_eq!(WEIGHTS.trained(), (9, 14));
    let same = |left, right| std::ptr::eq(WEIGHTS.stage(left), WEIGHTS.stage(right));
    assert!(same(9, 10) && same(13, 14) && !same(10, 11) && !same(12, 13));
    assert!(same(0, 9) && same(14, 64), "outside, the nearest stage answers");
}

#[test]
fn the_evaluation_stays_within_64_discs() {
    let full = StageParameters::new(vec![i16::MAX; PARAMETERS]).unwrap();
    let weights = Weights::new(&File::new(5, vec![full], String::new(), None).unwrap());
    assert_eq!(Scalar::new().evaluate_board(&weights, 1, 2), LIMIT);
}

#[test]
fn a_file_comes_back_as_it_was() {
    let file = file();
    let content = file.encode();
    let found = File::decode(&content).unwrap();
    assert_eq!(found, file);
    assert_eq!(found.id(), file.id());
    assert_eq!(found.encode(), content);
}

/// Costs that differ from cell to cell.
fn costs() -> CostParameters {
    let numbers = |count: usize, most: usize| (0..count).map(move |n| (1 + n * 37 % most) as i16);
    let [nodes, chances, means] = CostParameters::COUNTS;
    let (nodes, chances) = (numbers(nodes, 900).collect(), numbers(chances, 16_000).collect());
    CostParameters::new(nodes, chances, numbers(means, 900).collect()).unwrap()
}

#[test]
fn a_file_with_costs_comes_back_as_it_was() {
    let (without, facts) = (file(), "costs: made up\n");
    let file = without.clone().with_costs(costs(), facts);
    let content = file.encode();
    let found = File::decode(&content).unwrap();
    assert_eq!(found, file);
    assert_eq!(found.costs(), Some(&costs()));
    assert!(found.provenance().ends_with(facts), "{}", found.provenance());
    assert_ne!(found.id(), without.id(), "other costs are other weights");
    for end in (content.len() - 3000..content.len()).step_by(7) {
        File::decode(&content[..end]).expect_err("a part of a file is no file");
    }
}

/// Returns a file of this content with the checksum that belongs to it.
fn sealed(mut content: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&content[16..]).to_le_bytes();
    content[12..16].copy_from_slice(&checksum);
    content
}

#[test]
fn impossible_costs_are_refused_by_name() {
    let mut content = file().encode();
    let place = content.len() - 4;
    content[place] = 2;
    let error = File::decode(&sealed(content)).unwrap_err().to_string();
    assert!(error.ends_with("expected 0 or 1 list of costs"), "{error}");
    let mut costs = costs();
    costs.chances[5] = 0;
    let content = file().with_costs(costs, "").encode();
    let error = File::decode(&content).unwrap_err().to_string();
    assert!(error.ends_with("expected costs and chances that are possible"), "{error}");
}

#[test]
fn a_damaged_file_is_refused_by_name() {
    let content = file().encode();
    assert_eq!(File::decode(&[]), Err(WeightsError::Absent));
    assert!(matches!(File::decode(b"PNG"), Err(WeightsError::Magic { .. })));
    let damaged = |place: usize| {
        let mut damaged = content.clone();
        damaged[place] ^= 4;
        File::decode(&damaged)
    };
    assert!(matches!(damaged(0), Err(WeightsError::Magic { .. })));
    assert_eq!(damaged(8), Err(WeightsError::Version { found: 6 }));
    for place in (12..content.len()).step_by(997) {
        assert!(matches!(damaged(place), Err(WeightsError::Checksum { .. })), "byte {place}");
    }
    for end in (1..content.len()).step_by(1009) {
        File::decode(&content[..end]).expect_err("a part of a file is no file");
    }
}

#[test]
fn a_file_for_other_patterns_is_refused_by_name() {
    let mut content = file().encode();
    content[16] ^= 1;
    let error = File::decode(&sealed(content)).unwrap_err();
    assert!(matches!(error, WeightsError::Patterns { .. }), "{error}");
    assert!(error.to_string().starts_with("weights for the pattern set"), "{error}");
}

/// The plainest search of a fixed depth.
fn plain(position: crate::Position, plies: u32) -> i32 {
    let set = Scalar::new();
    if position.is_over() {
        return UNIT * position.final_score().discs();
    }
    if position.must_pass() {
        return -plain(position.pass(), plies);
    }
    if plies == 0 {
        return set.evaluate_board(&WEIGHTS, position.player(), position.opponent());
    }
    let after = crate::Square::all(position.moves()).filter_map(|square| position.play(square));
    after.map(|after| -plain(after, plies - 1)).max().expect("there is a move")
}

#[test]
fn looking_ahead_finds_what_a_plain_search_finds() {
    let mut state = 3_u64;
    let mut positions = Vec::new();
    for game in 0..60 {
        let mut position = crate::Position::START;
        while position.empties() > 3 + game % 9 && !position.is_over() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let moves: Vec<_> = crate::Square::all(position.moves()).collect();
            position = match moves.len() {
                0 => position.pass(),
                count => position.play(moves[(state >> 33) as usize % count]).unwrap(),
            };
        }
        positions.push(position);
    }
    for plies in 0..5 {
        let expected: Vec<_> = positions.iter().map(|&position| plain(position, plies)).collect();
        for isa in Isa::available() {
            assert_eq!(look_ahead(isa, &WEIGHTS, &positions, plies), expected, "{isa}, {plies}");
        }
    }
}

#[test]
fn mean_and_spread_are_linear_in_depths_and_empties() {
    let file = file();
    let selectivity = file.selectivity().unwrap();
    let near = |left: f64, right: f64| (left - right).abs() < 1e-9;
    assert!(near(selectivity.mean(20, 4, 8), 0.1));
    assert!(near(selectivity.spread(20, 4, 8), 1_f64.exp()));
    assert!(near(selectivity.mean(20, 4, 20), 2.0), "exact values have factors of their own");
    assert!(near(selectivity.spread(20, 4, 20), 1.0));
}
