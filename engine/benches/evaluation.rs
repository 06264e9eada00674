//! Nanoseconds a child for updating the features and looking the patterns' weights up, by
//! `cargo bench -p outflank-engine --bench evaluation`.
//!
//! The children are all those of positions of random games with 13 empty squares. The sets are
//! measured in turns, and the best of the rounds counts. Each set is measured with its own lookup
//! and with plain loads compiled for that set.
#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]
#![allow(unsafe_code, reason = "entering an instruction set")]

use std::hint::black_box;
use std::time::Instant;

use outflank_engine::evaluation::{
    EvaluationSet, Features, File, PARAMETERS, StageParameters, Weights,
};
use outflank_kernel::{Isa, KernelSet, Scalar};

const ROUNDS: u32 = 15;

/// The features of a position and the moves from it.
struct Parent {
    features: Features,
    moves: Vec<(u32, u64)>,
}

fn parents() -> Vec<Parent> {
    let set = Scalar::new();
    let mut state = 1_u64;
    let mut parents = Vec::new();
    while parents.len() < 2000 {
        let (mut player, mut opponent) = (0x0000_0008_1000_0000_u64, 0x0000_0010_0800_0000_u64);
        while (player | opponent).count_zeros() > 13 {
            let moves = set.moves(player, opponent);
            if moves == 0 {
                (player, opponent) = (opponent, player);
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
            (player, opponent) = (opponent ^ flipped, player | flipped | 1 << square);
        }
        let moves = set.moves(player, opponent);
        let squares = (0..64).filter(|square| moves >> square & 1 == 1);
        let moves = squares.map(|square| (square, set.flip(player, opponent, square))).collect();
        parents.push(Parent { features: set.features(player, opponent), moves });
    }
    parents
}

#[inline(always)]
fn children<K: EvaluationSet, L: EvaluationSet>(
    set: K,
    lookup: L,
    weights: &Weights,
    parents: &[Parent],
) -> i32 {
    let mut sum = 0_i32;
    for Parent { features, moves } in parents {
        for &(square, flipped) in moves {
            let after = set.after_move(features, square, flipped);
            sum = sum.wrapping_add(lookup.pattern_sum(weights.stage(12), &after));
        }
    }
    sum
}

type Measured = (String, Box<dyn Fn(&Weights, &[Parent]) -> i32>);

macro_rules! measured {
    ([$($feature:tt),*] $token:ty, $set:expr, $list:expr) => {{
        $(#[target_feature(enable = $feature)])*
        fn own(set: $token, weights: &Weights, parents: &[Parent]) -> i32 {
            children(set, set, weights, parents)
        }
        $(#[target_feature(enable = $feature)])*
        fn loads(set: $token, weights: &Weights, parents: &[Parent]) -> i32 {
            children(set, Scalar::new(), weights, parents)
        }
        let set: $token = $set;
        // SAFETY: the token proves that the CPU has the features.
        #[allow(unused_unsafe, reason = "the portable set needs no features")]
        $list.push((String::from("own lookup"), Box::new(move |w, p| unsafe { own(set, w, p) })));
        // SAFETY: as above.
        #[allow(unused_unsafe, reason = "the portable set needs no features")]
        $list.push((String::from("loads"), Box::new(move |w, p| unsafe { loads(set, w, p) })));
    }};
}

fn main() {
    let start = Instant::now();
    match Weights::embedded() {
        Ok(weights) => {
            let milliseconds = start.elapsed().as_secs_f64() * 1e3;
            println!("embedded weights {:016x} unpacked in {milliseconds:.0} ms", weights.id());
        }
        Err(error) => println!("{error}"),
    }
    let parameters =
        (0..PARAMETERS as i32).map(|index| (i64::from(index) * 7919 % 251 - 125) as i16);
    let stage = StageParameters::new(parameters.collect()).expect("there is a weight for each");
    let file = File::new(6, vec![stage], String::new(), None).expect("it is a valid stage");
    let (weights, parents) = (Weights::new(&file), parents());
    let count: usize = parents.iter().map(|parent| parent.moves.len()).sum();
    println!("{count} children, best of {ROUNDS} rounds");
    let mut list: Vec<Measured> = Vec::new();
    let mut names = Vec::new();
    for isa in Isa::available() {
        match isa {
            Isa::Scalar(set) => measured!([] Scalar, set, list),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(set) => {
                outflank_kernel::avx2_features!(measured!(outflank_kernel::Avx2, set, list));
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(set) => {
                outflank_kernel::avx512_features!(measured!(outflank_kernel::Avx512, set, list));
            }
            #[cfg(target_arch = "aarch64")]
            Isa::Neon(set) => {
                outflank_kernel::neon_features!(measured!(outflank_kernel::Neon, set, list));
            }
        }
        names.resize(list.len(), isa);
    }
    let mut best = vec![f64::INFINITY; list.len()];
    for _ in 0..ROUNDS {
        for ((_, run), best) in list.iter().zip(&mut best) {
            let start = Instant::now();
            black_box(run(&weights, &parents));
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / count as f64);
        }
    }
    for ((isa, (name, _)), best) in names.iter().zip(&list).zip(best) {
        println!("{isa:7} {best:8.2} ns  {name}");
    }
}
