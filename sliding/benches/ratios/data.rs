//! Methods, random queries and positions from fixed seeds, and the barrier.

#[path = "random.rs"]
mod random;

pub(crate) use random::random;

/// One method of a group.
pub(crate) struct Method<'a> {
    pub(crate) name: &'static str,
    /// Makes one pass; the result only has to be used.
    pub(crate) pass: Box<dyn FnMut() -> u64 + 'a>,
}

/// Queries of one pass.
pub(crate) const QUERIES: usize = 4096;

/// Eight boards in one line of the cache; a load or store across two lines takes twice as long.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Eight(pub(crate) [u64; 8]);

/// Returns boards in lines of the cache.
pub(crate) fn aligned(boards: &[u64]) -> Vec<Eight> {
    boards.as_chunks().0.iter().copied().map(Eight).collect()
}

/// Returns random squares and boards that are occupied at a quarter.
pub(crate) fn queries(count: usize) -> (Vec<u8>, Vec<u64>) {
    let mut state = 1;
    (0..count)
        .map(|_| {
            let square = (random(&mut state) % 64) as u8;
            (square, random(&mut state) & random(&mut state))
        })
        .unzip()
}

/// Returns a random line through each of the squares: a rank, a file or a diagonal of two squares at least.
pub(crate) fn lines(squares: &[u8]) -> Vec<u64> {
    let mut state = 6;
    let mut line = |square| loop {
        let other = (random(&mut state) % 64) as u8;
        let line = if other == square { 0 } else { sliding::line(square, other) };
        if line != 0 {
            break line;
        }
    };
    squares.iter().map(|&square| line(square)).collect()
}

/// A position: 8 to 32 pieces at random, some of one side's are sliders.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) occupied: u64,
    pub(crate) rooks: u64,
    pub(crate) bishops: u64,
}

/// Returns random positions; the sliders of one side are up to two rooks, two bishops, a queen.
pub(crate) fn positions(count: usize) -> Vec<Position> {
    let mut state = 2;
    (0..count)
        .map(|_| {
            let mut occupied = 0_u64;
            let pieces = 8 + random(&mut state) % 25;
            while u64::from(occupied.count_ones()) < pieces {
                occupied |= 1 << (random(&mut state) % 64);
            }
            let (mut rooks, mut bishops, mut left) = (0, 0, occupied);
            for kind in 0..5 {
                let bit = 1 << nth(left, random(&mut state) % u64::from(left.count_ones()));
                left ^= bit;
                // Each slider is still there with probability one half.
                if random(&mut state) & 1 != 0 {
                    rooks |= if kind == 1 || kind == 2 { 0 } else { bit };
                    bishops |= if kind == 0 || kind == 3 { 0 } else { bit };
                }
            }
            Position { occupied, rooks, bishops }
        })
        .collect()
}

/// Returns the number of the `n`-th square of a board.
fn nth(mut board: u64, n: u64) -> u32 {
    for _ in 0..n {
        board &= board - 1;
    }
    board.trailing_zeros()
}

/// Returns its argument, which the compiler must have in a general register here.
#[inline(always)]
pub(crate) fn keep(board: u64) -> u64 {
    let mut board = board;
    // SAFETY: the text is a comment; the register is named and unchanged.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) board, options(nomem, nostack, preserves_flags));
    }
    board
}

/// Makes the compiler write `value` to memory, without an instruction of its own. It may keep in
/// registers what it has loaded.
#[inline(always)]
pub(crate) fn keep_in_memory<T>(value: &T) {
    // SAFETY: the text is a comment; it is only said to read the memory.
    unsafe {
        std::arch::asm!(
            "/* {0} */", in(reg) std::ptr::from_ref(value), options(readonly, nostack, preserves_flags)
        );
    }
}
