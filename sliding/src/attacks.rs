//! The trait that every way to generate attacks implements.

use outflank_kernel::bits::take_lowest;

use crate::sealed::BackEnd;

/// Asks for one slider after the other. A loop, and no closure: the function behind
/// `core::array::from_fn` has not the features of its caller, so that a closure in it keeps what
/// needs them as calls, and LLVM makes no vectors of it.
macro_rules! one_by_one {
    ($self:ident.$query:ident, $squares:ident, $occupied:ident) => {{
        let (mut attacks, mut i) = ([0; 8], 0);
        while i < 8 {
            attacks[i] = $self.$query($squares[i], $occupied[i]);
            i += 1;
        }
        attacks
    }};
}

/// Asks for all squares by eight batches, of a rank each; see [`one_by_one`].
macro_rules! rank_by_rank {
    ($self:ident.$batch:ident, $occupied:ident) => {{
        let (mut attacks, mut squares) = ([0; 64], 0x0706_0504_0302_0100_u64);
        for rank in attacks.as_chunks_mut().0 {
            *rank = $self.$batch(squares.to_le_bytes(), [$occupied; 8]);
            squares = squares.wrapping_add(0x0808_0808_0808_0808);
        }
        attacks
    }};
}

/// A way to generate the attacks of sliding pieces.
///
/// The types that implement it have no size. Those that need instructions which not every CPU has
/// are made from a token of the kernel crate, the proof that this CPU has them; so all methods are
/// safe. Every method is `inline(always)` and becomes part of a caller that is compiled with the
/// features of the set; elsewhere it is a call.
///
/// Squares are numbered a1 = 0 … h8 = 63, bit `n` of a board is square `n`. Attacks contain the
/// first occupied square in each direction and not the slider's own, which may be among the
/// occupied ones or not.
///
/// The trait is sealed: what implements it is in this crate.
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Mine;
///
/// impl sliding::Attacks for Mine {
///     fn rook(self, square: u8, occupied: u64) -> u64 {
///         sliding::rook(square, occupied)
///     }
///
///     fn bishop(self, square: u8, occupied: u64) -> u64 {
///         sliding::bishop(square, occupied)
///     }
/// }
/// ```
///
/// # Panics
/// Builds with debug assertions panic if a square is 64 or more; others take it modulo 64.
pub trait Attacks: BackEnd + Copy + Send + Sync + 'static {
    /// Returns the squares that a rook attacks.
    fn rook(self, square: u8, occupied: u64) -> u64;

    /// Returns the squares that a bishop attacks.
    fn bishop(self, square: u8, occupied: u64) -> u64;

    /// Returns the squares that a queen attacks.
    #[inline(always)]
    fn queen(self, square: u8, occupied: u64) -> u64 {
        self.rook(square, occupied) | self.bishop(square, occupied)
    }

    /// Returns the squares that a rook and that a bishop on the same square attack: for a king's
    /// square, where checks can come from.
    #[inline(always)]
    fn both(self, square: u8, occupied: u64) -> (u64, u64) {
        (self.rook(square, occupied), self.bishop(square, occupied))
    }

    /// Returns the attacks of eight rooks, each on a board of its own.
    #[inline(always)]
    fn rooks8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        one_by_one!(self.rook, squares, occupied)
    }

    /// Returns the attacks of eight bishops, each on a board of its own.
    #[inline(always)]
    fn bishops8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        one_by_one!(self.bishop, squares, occupied)
    }

    /// Returns the attacks of eight queens, each on a board of its own.
    #[inline(always)]
    fn queens8(self, squares: [u8; 8], occupied: [u64; 8]) -> [u64; 8] {
        one_by_one!(self.queen, squares, occupied)
    }

    /// Returns the squares that any of the sliders attacks. A queen is in both sets. Every slider
    /// counts as occupied.
    #[inline(always)]
    fn union(self, rooks: u64, bishops: u64, occupied: u64) -> u64 {
        let occupied = occupied | rooks | bishops;
        let (mut rooks, mut bishops, mut attacks) = (rooks, bishops, 0);
        while rooks != 0 {
            attacks |= self.rook(take_lowest(&mut rooks), occupied);
        }
        while bishops != 0 {
            attacks |= self.bishop(take_lowest(&mut bishops), occupied);
        }
        attacks
    }

    /// Calls `visit` with the square and the attacks of each slider, from the lowest square to the
    /// highest. A queen is in both sets and visited once. Every slider counts as occupied.
    #[inline(always)]
    fn each(self, rooks: u64, bishops: u64, occupied: u64, mut visit: impl FnMut(u8, u64)) {
        let mut sliders = rooks | bishops;
        let occupied = occupied | sliders;
        while sliders != 0 {
            let square = take_lowest(&mut sliders);
            let (rook, bishop) = (rooks >> square & 1 != 0, bishops >> square & 1 != 0);
            visit(
                square,
                match (rook, bishop) {
                    (true, true) => self.queen(square, occupied),
                    (true, false) => self.rook(square, occupied),
                    _ => self.bishop(square, occupied),
                },
            );
        }
    }

    /// Returns the attacks of a rook on each square of one board.
    #[inline(always)]
    fn all_rooks(self, occupied: u64) -> [u64; 64] {
        rank_by_rank!(self.rooks8, occupied)
    }

    /// Returns the attacks of a bishop on each square of one board.
    #[inline(always)]
    fn all_bishops(self, occupied: u64) -> [u64; 64] {
        rank_by_rank!(self.bishops8, occupied)
    }

    /// Returns the attacks of a queen on each square of one board.
    #[inline(always)]
    fn all_queens(self, occupied: u64) -> [u64; 64] {
        rank_by_rank!(self.queens8, occupied)
    }

    /// Returns the squares that a rook attacks in addition once the `blockers` that it attacks are
    /// taken away: what it sees through them.
    #[inline(always)]
    fn rook_xray(self, square: u8, occupied: u64, blockers: u64) -> u64 {
        let seen = self.rook(square, occupied);
        seen ^ self.rook(square, occupied & !(seen & blockers))
    }

    /// Returns the squares that a bishop attacks in addition once the `blockers` that it attacks
    /// are taken away.
    #[inline(always)]
    fn bishop_xray(self, square: u8, occupied: u64, blockers: u64) -> u64 {
        let seen = self.bishop(square, occupied);
        seen ^ self.bishop(square, occupied & !(seen & blockers))
    }
}
