//! The leaves of the six standard chess positions, through the move generator of the example.

#[path = "../examples/perft/chess.rs"]
mod chess;

/// The trees are too large for Miri, which sees the first moves below.
#[cfg(not(miri))]
#[test]
fn the_standard_positions_have_the_known_numbers_of_leaves() {
    for (fen, depth, leaves) in chess::POSITIONS {
        let position = chess::Position::new(fen).expect("the position is written correctly");
        assert_eq!(position.perft(depth), leaves, "{fen}");
    }
}

#[test]
fn the_standard_positions_have_the_known_numbers_of_moves() {
    let moves = [20, 48, 14, 6, 44, 46];
    assert_eq!(chess::POSITIONS.len(), moves.len());
    for ((fen, ..), moves) in chess::POSITIONS.into_iter().zip(moves) {
        let position = chess::Position::new(fen).expect("the position is written correctly");
        assert_eq!(position.perft(1), moves, "{fen}");
    }
}

#[test]
fn a_damaged_position_is_refused() {
    assert!(chess::Position::new("rnbqkbnr/ppppxppp w KQkq -").is_none());
    assert!(chess::Position::new("8/8/8/8/8/8/8/8/8 w - -").is_none());
}
