//! The leaves of the six standard chess positions, through the move generator of the example.

#[path = "../examples/perft/chess.rs"]
mod chess;

#[test]
fn the_standard_positions_have_the_known_numbers_of_leaves() {
    for (fen, depth, leaves) in chess::POSITIONS {
        let position = chess::Position::new(fen).expect("the position is written correctly");
        assert_eq!(position.perft(depth), leaves, "{fen}");
    }
}

#[test]
fn a_damaged_position_is_refused() {
    assert!(chess::Position::new("rnbqkbnr/ppppxppp w KQkq -").is_none());
    assert!(chess::Position::new("8/8/8/8/8/8/8/8/8 w - -").is_none());
}
