//! A move generator on the boards of `cozy-chess`, counted twice: with that crate's tables for the
//! sliders, and with this crate in their place:
//! `cargo run --release -p sliding --example cozy_chess --features cozy-chess`.
//!
//! The functions have the names and types that `cozy_chess` gives its own, so that a program
//! changes nothing but an import. Here both stand behind a trait, to be compared in one run.
#![allow(clippy::print_stdout, reason = "an example prints what it counts")]

use std::time::Instant;

use cozy_chess::{
    BitBoard, Board, Color, File, Move, Piece, Rank, Square, get_between_rays, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_pawn_quiets,
};

#[expect(dead_code, reason = "the other example's generator; only its positions are used here")]
#[path = "perft/chess.rs"]
mod chess;

/// Where the attacks of sliders come from.
trait Sliders {
    fn rook(square: Square, blockers: BitBoard) -> BitBoard;
    fn bishop(square: Square, blockers: BitBoard) -> BitBoard;
    fn queen(square: Square, blockers: BitBoard) -> BitBoard;
    fn rook_and_bishop(square: Square, blockers: BitBoard) -> (BitBoard, BitBoard);
}

/// The tables of cozy-chess.
struct Tables;

impl Sliders for Tables {
    fn rook(square: Square, blockers: BitBoard) -> BitBoard {
        cozy_chess::get_rook_moves(square, blockers)
    }

    fn bishop(square: Square, blockers: BitBoard) -> BitBoard {
        cozy_chess::get_bishop_moves(square, blockers)
    }

    fn queen(square: Square, blockers: BitBoard) -> BitBoard {
        Self::rook(square, blockers) | Self::bishop(square, blockers)
    }

    fn rook_and_bishop(square: Square, blockers: BitBoard) -> (BitBoard, BitBoard) {
        (Self::rook(square, blockers), Self::bishop(square, blockers))
    }
}

/// This crate.
struct Small;

impl Sliders for Small {
    fn rook(square: Square, blockers: BitBoard) -> BitBoard {
        sliding::cozy_chess::get_rook_moves(square, blockers)
    }

    fn bishop(square: Square, blockers: BitBoard) -> BitBoard {
        sliding::cozy_chess::get_bishop_moves(square, blockers)
    }

    fn queen(square: Square, blockers: BitBoard) -> BitBoard {
        sliding::cozy_chess::get_queen_moves(square, blockers)
    }

    fn rook_and_bishop(square: Square, blockers: BitBoard) -> (BitBoard, BitBoard) {
        sliding::cozy_chess::get_slider_moves(square, blockers)
    }
}

/// How often each count is made, the two in turns; the fastest is printed.
const ROUNDS: usize = 5;

fn main() {
    for (fen, depth, expected) in chess::POSITIONS {
        let board: Board = format!("{fen} 0 1").parse().expect("the position is written correctly");
        let (mut small, mut tables) = (0.0, 0.0);
        for _ in 0..ROUNDS {
            small = f64::max(small, speed(expected, || perft::<Small>(&board, depth)));
            tables = f64::max(tables, speed(expected, || perft::<Tables>(&board, depth)));
        }
        println!(
            "{expected:>8} leaves: {small:5.1} million a second, with tables {tables:5.1}  {fen}"
        );
    }
}

/// Returns how many million leaves are counted a second.
fn speed(expected: u64, count: impl Fn() -> u64) -> f64 {
    let start = Instant::now();
    let leaves = count();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(leaves, expected, "the known count");
    leaves as f64 / seconds / 1e6
}

/// Returns the number of leaves; moves of the last ply are not made.
fn perft<S: Sliders>(board: &Board, depth: u32) -> u64 {
    let mut leaves = 0;
    moves::<S>(board, &mut |chosen| {
        leaves += if depth == 1 { 1 } else { perft::<S>(&after(board, chosen), depth - 1) };
    });
    leaves
}

fn after(board: &Board, chosen: Move) -> Board {
    let mut board = board.clone();
    board.play_unchecked(chosen);
    board
}

/// Calls `visit` with each legal move of standard chess.
fn moves<S: Sliders>(board: &Board, visit: &mut impl FnMut(Move)) {
    let (color, occupied) = (board.side_to_move(), board.occupied());
    let own = board.colors(color);
    for piece in Piece::ALL {
        for from in board.colored_pieces(color, piece) {
            let targets = match piece {
                Piece::Pawn => pawn_targets(board, from),
                Piece::Knight => get_knight_moves(from) & !own,
                Piece::Bishop => S::bishop(from, occupied) & !own,
                Piece::Rook => S::rook(from, occupied) & !own,
                Piece::Queen => S::queen(from, occupied) & !own,
                Piece::King => get_king_moves(from) & !own,
            };
            for to in targets {
                if leaves_king_safe::<S>(board, piece, from, to) {
                    visit_promotions(piece, from, to, visit);
                }
            }
        }
    }
    castles::<S>(board, visit);
}

fn visit_promotions(piece: Piece, from: Square, to: Square, visit: &mut impl FnMut(Move)) {
    if piece == Piece::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth) {
        for promotion in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
            visit(Move { from, to, promotion: Some(promotion) });
        }
    } else {
        visit(Move { from, to, promotion: None });
    }
}

fn pawn_targets(board: &Board, from: Square) -> BitBoard {
    let color = board.side_to_move();
    let capturable = board.colors(!color) | jumped_square(board);
    get_pawn_quiets(from, color, board.occupied()) | get_pawn_attacks(from, color) & capturable
}

/// Returns the square that a pawn has just jumped over.
fn jumped_square(board: &Board) -> BitBoard {
    board.en_passant().map_or(BitBoard::EMPTY, |file| {
        Square::new(file, Rank::Third.relative_to(!board.side_to_move())).bitboard()
    })
}

/// Returns whether the king of the side to move is safe after a move.
fn leaves_king_safe<S: Sliders>(board: &Board, piece: Piece, from: Square, to: Square) -> bool {
    let color = board.side_to_move();
    let mut captured = to.bitboard();
    if piece == Piece::Pawn && jumped_square(board).has(to) {
        captured |= Square::new(to.file(), from.rank()).bitboard();
    }
    let occupied = (board.occupied() & !captured & !from.bitboard()) | to.bitboard();
    let king = if piece == Piece::King { to } else { board.king(color) };
    !attacked::<S>(board, king, occupied, board.colors(!color) & !captured, color)
}

/// Returns whether one of the `enemies` of `color` attacks the square.
fn attacked<S: Sliders>(
    board: &Board,
    square: Square,
    occupied: BitBoard,
    enemies: BitBoard,
    color: Color,
) -> bool {
    let (rook, bishop) = S::rook_and_bishop(square, occupied);
    let queens = board.pieces(Piece::Queen);
    let attackers = get_pawn_attacks(square, color) & board.pieces(Piece::Pawn)
        | get_knight_moves(square) & board.pieces(Piece::Knight)
        | get_king_moves(square) & board.pieces(Piece::King)
        | rook & (board.pieces(Piece::Rook) | queens)
        | bishop & (board.pieces(Piece::Bishop) | queens);
    !(attackers & enemies).is_empty()
}

/// Calls `visit` with the castling moves; cozy-chess writes them as the king taking its rook.
fn castles<S: Sliders>(board: &Board, visit: &mut impl FnMut(Move)) {
    let color = board.side_to_move();
    let (king, rights) = (board.king(color), board.castle_rights(color));
    let rank = Rank::First.relative_to(color);
    for (rook, target) in [(rights.short, File::G), (rights.long, File::C)] {
        let Some(rook) = rook.map(|file| Square::new(file, rank)) else { continue };
        let target = Square::new(target, rank);
        let path = get_between_rays(king, target) | king.into() | target.into();
        let empty = (get_between_rays(king, rook) & board.occupied()).is_empty();
        let enemies = board.colors(!color);
        if empty
            && path.into_iter().all(|s| !attacked::<S>(board, s, board.occupied(), enemies, color))
        {
            visit(Move { from: king, to: rook, promotion: None });
        }
    }
}
