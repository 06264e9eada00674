//! A small chess move generator on plain boards.

use sliding::{bishop, queen, rook};

/// The six standard positions of the chess programming wiki, a depth, and the leaves there.
pub(crate) const POSITIONS: [(&str, u32, u64); 6] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", 5, 4_865_609),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 4, 4_085_603),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", 5, 674_624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", 4, 422_333),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", 4, 2_103_487),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -", 4, 3_894_594),
];

const PAWN: usize = 0;
const KNIGHT: usize = 1;
const BISHOP: usize = 2;
const ROOK: usize = 3;
const QUEEN: usize = 4;
const KING: usize = 5;
const LETTERS: &str = "pnbrqk";

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// The squares of the king and the rook where castling is still possible: a1, h1, a8, h8.
const CASTLING_ROOKS: u64 = 1 | 1 << 7 | 1 << 56 | 1 << 63;

/// A position, seen from White: boards by side (0 White, 1 Black) and by kind of piece.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    sides: [u64; 2],
    kinds: [u64; 6],
    turn: usize,
    /// The rooks that may still castle.
    castling: u64,
    /// The square that a pawn has just jumped over.
    jumped: u64,
}

/// From, to, and the kind of piece that arrives.
type Move = (u8, u8, usize);

impl Position {
    /// Reads the first four fields of a position in Forsyth-Edwards notation.
    pub(crate) fn new(fen: &str) -> Option<Self> {
        let mut fields = fen.split(' ');
        let mut position = Self { sides: [0; 2], kinds: [0; 6], turn: 0, castling: 0, jumped: 0 };
        for (rank, row) in fields.next()?.split('/').enumerate() {
            let mut square = 8 * 7_usize.checked_sub(rank)?;
            for letter in row.chars() {
                if let Some(empty) = letter.to_digit(10) {
                    square += empty as usize;
                    continue;
                }
                let kind = LETTERS.find(letter.to_ascii_lowercase())?;
                position.kinds[kind] |= 1 << square;
                position.sides[usize::from(letter.is_ascii_lowercase())] |= 1 << square;
                square += 1;
            }
        }
        position.turn = usize::from(fields.next()? == "b");
        for letter in fields.next()?.chars() {
            position.castling |=
                "QKqk".find(letter).map_or(0, |i| [1, 1 << 7, 1 << 56, 1 << 63][i]);
        }
        let jumped = fields.next()?.as_bytes();
        if let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = *jumped {
            position.jumped = 1 << (8 * (rank - b'1') + (file - b'a'));
        }
        Some(position)
    }

    /// Returns the number of leaves of the tree of legal moves.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut leaves = 0;
        self.moves(&mut |chosen| {
            let after = self.after(chosen);
            let king = after.sides[self.turn] & after.kinds[KING];
            if !after.attacked(king.trailing_zeros() as u8, after.turn) {
                leaves += after.perft(depth - 1);
            }
        });
        leaves
    }

    fn occupied(&self) -> u64 {
        self.sides[0] | self.sides[1]
    }

    /// Returns whether a piece of `side` attacks the square.
    fn attacked(&self, square: u8, side: usize) -> bool {
        let (occupied, by) = (self.occupied(), |kind: usize| self.kinds[kind] & self.sides[side]);
        let pawns = pawn_attacks(1 << square, 1 - side); // where its pawns would have to be
        pawns & by(PAWN) != 0
            || knight(square) & by(KNIGHT) != 0
            || king(square) & by(KING) != 0
            || rook(square, occupied) & (by(ROOK) | by(QUEEN)) != 0
            || bishop(square, occupied) & (by(BISHOP) | by(QUEEN)) != 0
    }

    /// Calls `visit` with each move that is legal except that the king may be left in check.
    fn moves(&self, visit: &mut impl FnMut(Move)) {
        let (own, occupied) = (self.sides[self.turn], self.occupied());
        self.pawn_moves(visit);
        for kind in KNIGHT..=KING {
            for from in squares(self.kinds[kind] & own) {
                let attacks = match kind {
                    KNIGHT => knight(from),
                    BISHOP => bishop(from, occupied),
                    ROOK => rook(from, occupied),
                    QUEEN => queen(from, occupied),
                    _ => king(from),
                };
                squares(attacks & !own).for_each(|to| visit((from, to, kind)));
            }
        }
        self.castles(visit);
    }

    fn pawn_moves(&self, visit: &mut impl FnMut(Move)) {
        let empty = !self.occupied();
        let targets = self.sides[1 - self.turn] | self.jumped;
        for from in squares(self.kinds[PAWN] & self.sides[self.turn]) {
            let forward = |board: u64| if self.turn == 0 { board << 8 } else { board >> 8 };
            let one = forward(1 << from) & empty;
            let third = if self.turn == 0 { 0xff << 16 } else { 0xff << 40 };
            let two = forward(one & third) & empty;
            for to in squares(one | two | pawn_attacks(1 << from, self.turn) & targets) {
                if (8..56).contains(&to) {
                    visit((from, to, PAWN));
                } else {
                    (KNIGHT..=QUEEN).for_each(|kind| visit((from, to, kind)));
                }
            }
        }
    }

    fn castles(&self, visit: &mut impl FnMut(Move)) {
        let home = if self.turn == 0 { 0 } else { 56 };
        for (corner, between, path, to) in [(0, 0x0e, [2, 3], 2), (7, 0x60, [5, 6], 6)] {
            let possible = self.castling >> (home + corner) & 1 != 0
                && self.occupied() & between << home == 0
                && !self.attacked(home + 4, 1 - self.turn)
                && path.iter().all(|square| !self.attacked(home + square, 1 - self.turn));
            if possible {
                visit((home + 4, home + to, KING));
            }
        }
    }

    /// Returns the position after a move.
    fn after(&self, (from, to, arrives): Move) -> Self {
        let mut next = *self;
        let (from_bit, to_bit) = (1_u64 << from, 1_u64 << to);
        let pawn = self.kinds[PAWN] & from_bit != 0;
        next.remove(to_bit);
        if pawn && to_bit == self.jumped {
            next.remove(if self.turn == 0 { to_bit >> 8 } else { to_bit << 8 });
        }
        next.remove(from_bit);
        next.put(to_bit, arrives);
        if arrives == KING {
            next.castling &= if self.turn == 0 { !0xff } else { 0xff };
            if from.abs_diff(to) == 2 {
                let (rook_from, rook_to) =
                    if to > from { (to + 1, to - 1) } else { (to - 2, to + 1) };
                next.remove(1 << rook_from);
                next.put(1 << rook_to, ROOK);
            }
        }
        next.castling &= !((from_bit | to_bit) & CASTLING_ROOKS);
        next.jumped = if pawn && from.abs_diff(to) == 16 { 1 << u8::midpoint(from, to) } else { 0 };
        next.turn = 1 - self.turn;
        next
    }

    fn remove(&mut self, square: u64) {
        self.sides = self.sides.map(|side| side & !square);
        self.kinds = self.kinds.map(|kind| kind & !square);
    }

    fn put(&mut self, square: u64, kind: usize) {
        self.sides[self.turn] |= square;
        self.kinds[kind] |= square;
    }
}

/// Returns the numbers of the squares of a board.
fn squares(mut board: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = board.trailing_zeros() as u8;
        board &= board.wrapping_sub(1);
        (square < 64).then_some(square)
    })
}

/// Returns what pawns of `side` attack.
fn pawn_attacks(pawns: u64, side: usize) -> u64 {
    let ahead = if side == 0 { pawns << 8 } else { pawns >> 8 };
    (ahead & !FILE_A) >> 1 | (ahead & !FILE_H) << 1
}

fn king(square: u8) -> u64 {
    let row = 1 << square | (1 << square & !FILE_A) >> 1 | (1 << square & !FILE_H) << 1;
    (row | row << 8 | row >> 8) & !(1 << square)
}

fn knight(square: u8) -> u64 {
    let bit = 1_u64 << square;
    let one_left = (bit & !FILE_A) >> 1;
    let one_right = (bit & !FILE_H) << 1;
    let two_left = (one_left & !FILE_A) >> 1;
    let two_right = (one_right & !FILE_H) << 1;
    let (near, far) = (one_left | one_right, two_left | two_right);
    near << 16 | near >> 16 | far << 8 | far >> 8
}
