//! The patterns: which squares they have, and where their weights are.
//!
//! A pattern is a set of at most ten squares; what stands on them is read as a number in base 3
//! (0 empty, 1 the mover's disc, 2 the other's), the first square being the lowest digit. There
//! are 15 classes; the images of a class under the symmetries of the board are its instances and
//! share its weights. All classes together have 64 instances: the *lanes* of the feature vectors.
//!
//! Where a class is its own mirror image, mirrored contents share one weight too. So there are two
//! numberings: *raw* weights, which an index finds by one addition, and *canonical* ones without
//! duplicates, which are trained and stored.

use std::sync::LazyLock;

/// The number of pattern instances.
pub const LANES: usize = 64;

/// The number of pattern classes.
const CLASSES: usize = 15;

/// The squares of each class, lowest digit first. The text, class after class, is what the
/// [fingerprint](FINGERPRINT) of the pattern set is taken of.
const SQUARES: [&str; CLASSES] = [
    "a1b1c1a2b2c2a3b3c3",   // 3x3 corner
    "a1b1c1d1e1a2b2c2d2e2", // 2x5 corner, the only class with eight instances
    "a1b1c1d1e1f1g1h1b2g2", // edge and two X squares
    "a1c1d1e1f1h1c2d2e2f2", // corner block
    "a1b1c1d1a2b2c2a3b3a4", // triangle
    "a1b1c1d1e1a2b2a3a4a5", // angle and X square
    "a1h1a2b2c2d2e2f2g2h2", // row 2 and corners
    "b2g2a3b3c3d3e3f3g3h3", // row 3 and two X squares
    "a4b4c4d4e4f4g4h4",     // row 4
    "a1b1a2b2c3d4e5f6g7h8", // long diagonal and two C squares
    "a1b1c2d3e4f5g6h7h8",   // diagonal of seven and two corners
    "c1d2e3f4g5h6",         // diagonal of six
    "d1e2f3g4h5",           // diagonal of five
    "e1f2g3h4",             // diagonal of four
    "a1b2c2d2b3c3d3b4c4d4", // corner and the square of nine behind it
];

/// A number that tells this pattern set and its numbering from every other one: FNV-1a of the
/// text of the squares.
pub const FINGERPRINT: u64 = {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut class = 0;
    while class < CLASSES {
        let text = SQUARES[class].as_bytes();
        let mut place = 0;
        while place <= text.len() {
            let byte = if place < text.len() { text[place] } else { b'\n' };
            hash = (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3);
            place += 1;
        }
        class += 1;
    }
    hash
};

/// The number of squares of `class`.
const fn size(class: usize) -> usize {
    SQUARES[class].len() / 2
}

/// The square at `digit` of `class`.
const fn square(class: usize, digit: usize) -> usize {
    let text = SQUARES[class].as_bytes();
    (text[2 * digit] - b'a') as usize + 8 * (text[2 * digit + 1] - b'1') as usize
}

/// The number of contents of `class`, symmetric ones counted twice.
pub(crate) const fn contents(class: usize) -> usize {
    3_usize.pow(size(class) as u32)
}

/// The image of a square under one of the eight symmetries: bits of `symmetry` mirror the files,
/// mirror the ranks, and exchange both.
const fn image(square: usize, symmetry: usize) -> usize {
    let (mut file, mut rank) = (square % 8, square / 8);
    if symmetry & 1 != 0 {
        file = 7 - file;
    }
    if symmetry & 2 != 0 {
        rank = 7 - rank;
    }
    if symmetry & 4 != 0 { 8 * file + rank } else { 8 * rank + file }
}

/// The squares of the image of `class` under `symmetry`.
const fn image_set(class: usize, symmetry: usize) -> u64 {
    let (mut set, mut digit) = (0_u64, 0);
    while digit < size(class) {
        set |= 1 << image(square(class, digit), symmetry);
        digit += 1;
    }
    set
}

/// The class and the symmetry of each lane: the first symmetry for each distinct image.
const INSTANCES: [(usize, usize); LANES] = {
    let mut instances = [(0, 0); LANES];
    let (mut lane, mut class) = (0, 0);
    while class < CLASSES {
        let mut symmetry = 0;
        while symmetry < 8 {
            let (mut earlier, mut new) = (0, true);
            while earlier < symmetry {
                new &= image_set(class, earlier) != image_set(class, symmetry);
                earlier += 1;
            }
            if new {
                instances[lane] = (class, symmetry);
                lane += 1;
            }
            symmetry += 1;
        }
        class += 1;
    }
    assert!(lane == LANES, "the classes have 64 instances");
    instances
};

/// One number for each lane, ready for aligned vector loads.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [u16; LANES]);

/// For each square, the value of its digit in each lane: 3^k, or 0 where the pattern lacks it.
pub(crate) static DIGITS: [Lanes; 64] = {
    let mut digits = [Lanes([0; LANES]); 64];
    let mut lane = 0;
    while lane < LANES {
        let (class, symmetry) = INSTANCES[lane];
        let mut digit = 0;
        while digit < size(class) {
            let place = image(square(class, digit), symmetry);
            digits[place].0[lane] = 3_u16.pow(digit as u32);
            digit += 1;
        }
        lane += 1;
    }
    digits
};

/// Where the raw weights of each class begin, and behind the last class the end.
const STARTS: [usize; CLASSES + 1] = {
    let mut starts = [1; CLASSES + 1]; // a vector load of 32 bits begins one weight before its own
    let mut class = 0;
    while class < CLASSES {
        starts[class + 1] = starts[class] + contents(class);
        class += 1;
    }
    starts
};

/// The number of raw weights of a stage, with what pads them.
///
/// The end is padded so that *every* 16-bit index of *every* lane lies inside: a lookup needs no
/// check, whatever the features hold.
pub(crate) const RAW: usize = STARTS[CLASSES - 1] + (1 << 16);

/// Where the raw weights of each lane begin.
pub(crate) const OFFSETS: [usize; LANES] = {
    let mut offsets = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        offsets[lane] = STARTS[INSTANCES[lane].0];
        assert!(offsets[lane] + (1 << 16) <= RAW);
        lane += 1;
    }
    offsets
};

/// The number of canonical pattern weights of a stage.
pub(crate) const CANONICAL: usize = 331_443;

/// Where the canonical weights of each class begin, and behind the last class [`CANONICAL`].
pub(crate) static CANONICAL_STARTS: LazyLock<[usize; CLASSES + 1]> = LazyLock::new(|| NUMBERING.1);

/// The canonical number of each raw weight, `u32::MAX` where there is none, and the classes' starts.
static NUMBERING: LazyLock<(Box<[u32]>, [usize; CLASSES + 1])> = LazyLock::new(|| {
    let mut numbers = vec![u32::MAX; RAW].into_boxed_slice();
    let mut starts = [0; CLASSES + 1];
    let mut next = 0;
    for class in 0..CLASSES {
        starts[class] = next as usize;
        let numbers = &mut numbers[STARTS[class]..STARTS[class + 1]];
        for (index, mirror) in mirrors(class).into_iter().enumerate() {
            if mirror < index {
                numbers[index] = numbers[mirror];
            } else {
                numbers[index] = next;
                next += 1;
            }
        }
    }
    starts[CLASSES] = next as usize;
    assert_eq!(starts[CLASSES], CANONICAL, "the symmetries leave this many weights");
    (numbers, starts)
});

/// Returns the canonical number of each raw weight, `u32::MAX` where there is only padding.
pub(crate) fn canonical_numbers() -> &'static [u32] {
    &NUMBERING.0
}

/// Returns for each content of `class` the same content seen in the mirror that maps the class onto
/// itself; the content itself where there is no such mirror.
fn mirrors(class: usize) -> Vec<usize> {
    let own = image_set(class, 0);
    let mirror = (1..8).find(|&symmetry| image_set(class, symmetry) == own).unwrap_or(0);
    let digit_of = |wanted| {
        (0..size(class))
            .find(|&digit| square(class, digit) == wanted)
            .expect("the image is the set")
    };
    let mut contents = vec![0];
    for digit in 0..size(class) {
        let value = 3_usize.pow(digit_of(image(square(class, digit), mirror)) as u32);
        let lower = contents.clone();
        contents.extend(lower.iter().map(|content| content + value));
        contents.extend(lower.iter().map(|content| content + 2 * value));
    }
    contents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_has_the_weights_that_were_counted_by_hand() {
        assert_eq!((0..CLASSES).map(contents).sum::<usize>(), 578_421);
        let starts = *CANONICAL_STARTS;
        let counts: Vec<_> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let expected = [
            10_206, 59_049, 29_646, 29_646, 29_889, 29_889, 29_646, 29_646, 3_321, 39_366, 9_963,
            378, 135, 45, 30_618,
        ];
        assert_eq!(counts, expected);
    }

    #[test]
    fn every_square_is_seen_and_no_lane_has_a_square_twice() {
        for lane in 0..LANES {
            let mut digits: Vec<_> =
                DIGITS.iter().map(|lanes| lanes.0[lane]).filter(|&digit| digit != 0).collect();
            digits.sort_unstable();
            let expected: Vec<_> = (0..digits.len() as u32).map(|k| 3_u16.pow(k)).collect();
            assert_eq!(digits, expected, "lane {lane}");
        }
        for (square, lanes) in DIGITS.iter().enumerate() {
            assert!(lanes.0.iter().filter(|&&digit| digit != 0).count() >= 4, "square {square}");
        }
    }

    #[test]
    fn mirroring_twice_changes_nothing() {
        for class in 0..CLASSES {
            let mirrors = mirrors(class);
            assert!(mirrors.iter().enumerate().all(|(index, &mirror)| mirrors[mirror] == index));
        }
    }
}
