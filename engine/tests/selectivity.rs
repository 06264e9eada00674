//! What selective searches believe must never become proof, however wrong it is.

use outflank_engine::evaluation::{File, PARAMETERS, Selectivity, StageParameters, Weights};
use outflank_engine::{Control, Engine, Position, Request, Settings, Square};
use outflank_kernel::Isa;

/// The next number of a sequence (SplitMix64, S. Vigna).
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The position of a random game with that many empties, the player to move.
fn position(empties: u32, seed: &mut u64) -> Position {
    let mut position = Position::START;
    while position.empties() > empties {
        let moves: Vec<Square> = Square::all(position.moves()).collect();
        position = match moves.len() {
            0 if position.is_over() => Position::START,
            0 => position.pass(),
            count => {
                let square = moves[random(seed) as usize % count];
                position.play(square).expect("it is a legal move")
            }
        };
    }
    position
}

/// Weights that say nothing true, of which the selective search is nevertheless quite sure: nearly
/// every node is cut by "probability".
fn lies(seed: u64) -> &'static Weights {
    let mut seed = seed;
    let mut stage = || {
        let weights = (0..PARAMETERS).map(|_| (random(&mut seed) % 257) as i16 - 128).collect();
        StageParameters::new(weights).expect("there are as many as it takes")
    };
    let stages = (0..6).map(|_| stage()).collect();
    let log_spread = [-3.0, 0.0, 0.0, 0.0, -3.0, 0.0, 0.0];
    let sure = Selectivity { mean: [0.0; 7], log_spread, quantiles: [0.5; 5] };
    let file = File::new(6, stages, "lies".to_owned(), Some(sure)).expect("the stages exist");
    Box::leak(Box::new(Weights::new(&file)))
}

fn engine(weights: Option<&'static Weights>) -> Engine {
    let settings = Settings { isa: Isa::detect(), table_bytes: 4 << 20 };
    Engine::new(&settings).expect("there are four megabytes").with_weights(weights)
}

#[test]
fn a_lying_evaluation_changes_the_work_but_never_a_value() {
    let honest = engine(None);
    let mut seed = 1;
    let (mut plain, mut misled) = (0, 0);
    for round in 0..4 {
        let lying = engine(Some(lies(round)));
        let position = position(18, &mut seed);
        let expected = honest.solve(&Request::exact(position), &Control::default());
        for threads in [1, 3] {
            lying.clear();
            let request = Request { threads, ..Request::exact(position) };
            let answer = lying.solve(&request, &Control::default());
            assert_eq!(answer.bound, expected.bound, "{position:?} on {threads} threads");
            for (square, bound) in answer.children {
                let after = Request::exact(position.play(square).expect("a legal move"));
                let value = honest.solve(&after, &Control::default()).bound;
                assert!(value.implies(bound), "{position:?} {square}: {bound}, it is {value}");
            }
            misled += answer.nodes;
        }
        plain += expected.nodes;
    }
    println!("nodes: {plain} without weights, {misled} for two solves with lies");
    assert_ne!(plain * 2, misled, "the lies were not used at all");
}

#[test]
fn an_interrupted_selective_search_claims_only_what_is_proved() {
    let lying = engine(Some(lies(9)));
    let honest = engine(None);
    let mut seed = 5;
    for limit in [1_000, 20_000, 200_000, 1_000_000] {
        let position = position(18, &mut seed);
        lying.clear();
        let request = Request { node_limit: Some(limit), ..Request::exact(position) };
        let answer = lying.solve(&request, &Control::default());
        let value = honest.solve(&Request::exact(position), &Control::default()).bound;
        assert!(value.implies(answer.bound), "{position:?}: {}, it is {value}", answer.bound);
    }
}
