//! Pawn drops by each method, and shogi's sliders.

#[cfg(target_arch = "x86_64")]
use sliding::shogi::pawn_drop::Table;
use sliding::shogi::pawn_drop::{self, Horizontal};
use sliding::shogi::{Attacks, Contiguous, Layout, Side, Split};
#[cfg(target_arch = "x86_64")]
use sliding::{Avx2, Avx512Gfni};
use sliding::{Native, Scalar};

use crate::data::{Method, QUERIES, keep_in_memory, random};
use crate::figures::Figures;

const ROUNDS: u32 = 300;

pub(crate) fn measure(figures: &mut Figures) {
    let mut state = 4;
    let pawns: Vec<Split> = (0..QUERIES)
        .map(|_| {
            (0..9).fold(Split::EMPTY, |pawns, file| {
                // Three files in four have a pawn.
                let rank = (random(&mut state) % 12) as u8;
                if rank < 9 { pawns.with(9 * file + rank) } else { pawns }
            })
        })
        .collect();
    let targets: Vec<Split> =
        (0..QUERIES).map(|_| Split::new([random(&mut state), random(&mut state)])).collect();
    drops::<true>(figures, "pawn drop, Black", &pawns, &targets);
    drops::<false>(figures, "pawn drop, White", &pawns, &targets);
    eight_drops(figures, &pawns, &targets);
    sliders(figures, &mut state);
}

fn drops<const BLACK: bool>(
    figures: &mut Figures,
    group: &str,
    pawns: &[Split],
    targets: &[Split],
) {
    // A move generator knows the side when it is compiled.
    let side = const { if BLACK { Side::Black } else { Side::White } };
    macro_rules! method {
        ($name:literal, |$pawns:ident| $drops:expr) => {{
            let pass = move || {
                for (pawns, targets) in pawns.as_chunks::<8>().0.iter().zip(targets.as_chunks().0) {
                    let targets: &[Split; 8] = targets;
                    for (&$pawns, &targets) in pawns.iter().zip(targets) {
                        keep_in_memory(&($drops & targets));
                    }
                }
                0
            };
            Method { name: $name, pass: Box::new(pass) }
        }};
    }
    let horizontal: Vec<Horizontal> = pawns.iter().map(|&pawns| Horizontal::new(pawns)).collect();
    let empty: Vec<Horizontal> = targets.iter().map(|&targets| Horizontal::new(targets)).collect();
    let fold = || {
        for pawns in &horizontal {
            keep_in_memory(&pawns.by_fold(side));
        }
        0
    };
    let table = || {
        for pawns in &horizontal {
            keep_in_memory(&pawns.by_table(side));
        }
        0
    };
    let squares = || {
        for (pawns, targets) in horizontal.iter().zip(&empty) {
            keep_in_memory(&pawns.square_by_square(side, *targets));
        }
        0
    };
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "x86-64 adds more"))]
    let mut methods = vec![
        method!("best as compiled", |pawns| pawn_drop::pawn_drops(side, pawns)),
        method!("two words", |pawns| pawn_drop::by_words(side, pawns)),
        method!("Qugiy", |pawns| pawn_drop::qugiy(side, pawns)),
        method!("pawn by pawn", |pawns| pawn_drop::pawn_by_pawn(side, pawns)),
        Method { name: "horizontal, fold", pass: Box::new(fold) },
        Method { name: "horizontal, table", pass: Box::new(table) },
        Method { name: "horizontal, square by square", pass: Box::new(squares) },
    ];
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = Avx2::detect() {
        let table = Table::new(token);
        methods.push(method!("SSE2", |pawns| pawn_drop::by_sse2(side, pawns)));
        methods.push(method!("add, PEXT, table", |pawns| table.drops(side, pawns)));
    }
    figures.measure(group, QUERIES, ROUNDS, methods);
}

/// Measures drops of Black eight at a time: the compiler is free to make vectors of several
/// positions.
fn eight_drops(figures: &mut Figures, pawns: &[Split], targets: &[Split]) {
    macro_rules! method {
        ($name:literal, |$pawns:ident| $drops:expr) => {{
            let pass = move || {
                for (&$pawns, targets) in pawns.as_chunks::<8>().0.iter().zip(targets.as_chunks().0)
                {
                    let targets: &[Split; 8] = targets;
                    let drops = $drops;
                    keep_in_memory::<[Split; 8]>(&std::array::from_fn(|i| drops[i] & targets[i]));
                }
                0
            };
            Method { name: $name, pass: Box::new(pass) }
        }};
    }
    const SIDE: Side = Side::Black;
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "x86-64 adds more"))]
    let mut methods = vec![
        method!("best as compiled", |pawns| pawn_drop::pawn_drops8(SIDE, pawns)),
        method!("pawn by pawn", |pawns| pawns.map(|pawns| pawn_drop::pawn_by_pawn(SIDE, pawns))),
    ];
    #[cfg(target_arch = "x86_64")]
    if let Some(token) = Avx2::detect() {
        let table = Table::new(token);
        methods.push(method!("add, PEXT, table", |pawns| {
            pawns.map(|pawns| table.drops(SIDE, pawns))
        }));
    }
    figures.measure("8 pawn drops, Black", QUERIES, ROUNDS, methods);
}

fn sliders(figures: &mut Figures, state: &mut u64) {
    let boards: Vec<(u8, Split)> = (0..QUERIES)
        .map(|_| {
            let words = [(); 2].map(|()| random(state) & (random(state) | random(state)));
            ((random(state) % 81) as u8, Split::new(words))
        })
        .collect();
    fn pass<'a, A: Attacks, L: Layout + From<Split>>(
        name: &'static str,
        boards: &'a [(u8, Split)],
        attacks: impl Fn(u8, L) -> L + 'a,
        _: A,
    ) -> Method<'a> {
        let boards: Vec<(u8, L)> = boards.iter().map(|&(s, board)| (s, board.into())).collect();
        let pass = move || {
            for &(square, occupied) in &boards {
                keep_in_memory(&attacks(square, occupied));
            }
            0
        };
        Method { name, pass: Box::new(pass) }
    }
    macro_rules! group {
        ($group:literal, $method:ident) => {
            let scalar = Scalar::new();
            #[cfg_attr(
                not(target_arch = "x86_64"),
                expect(unused_mut, reason = "x86-64 adds more")
            )]
            let mut methods = vec![
                pass("scalar", &boards, move |s, b: Split| scalar.$method(s, b), scalar),
                pass("scalar, u128", &boards, move |s, b: Contiguous| scalar.$method(s, b), scalar),
                pass("best as compiled", &boards, |s, b: Split| Native.$method(s, b), Native),
                pass("best, u128", &boards, |s, b: Contiguous| Native.$method(s, b), Native),
            ];
            #[cfg(target_arch = "x86_64")]
            if let Some(set) = Avx2::detect() {
                methods.push(pass("AVX2", &boards, move |s, b: Split| set.$method(s, b), set));
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(set) = Avx512Gfni::detect() {
                methods.push(pass("AVX-512", &boards, move |s, b: Split| set.$method(s, b), set));
            }
            figures.measure($group, QUERIES, ROUNDS, methods);
        };
    }
    group!("shogi rook", rook);
    group!("shogi bishop", bishop);
}
