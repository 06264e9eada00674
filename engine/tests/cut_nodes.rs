//! The positions of a search's tree that can be sampled.

use outflank_engine::{Control, Engine, Request, Settings, notation};
use outflank_kernel::Isa;

/// A position of 24 empty squares.
const ROOT: &str = "-OOOO-X---OXOX----XOOO-X--XOOOX-XX-OXOXXOXXOOOOO-XOO-O----OO---- X;";

#[test]
fn a_search_leaves_positions_that_can_be_sampled_until_it_is_forgotten() {
    let engine = Engine::new(&Settings { isa: Isa::detect(), table_bytes: 4 << 20 }).unwrap();
    assert_eq!(engine.cut_nodes(), []);
    let root = notation::problems("text", ROOT).next().unwrap().unwrap().position;
    let request = Request { node_limit: Some(200_000), ..Request::exact(root) };
    let nodes = || {
        engine.clear();
        let _answer = engine.solve(&request, &Control::default());
        engine.cut_nodes()
    };
    let found = nodes();
    assert!(found.len() > 100, "{} positions", found.len());
    assert!(found.iter().all(|node| node.moves() != 0 && node.empties() <= root.empties()));
    assert!(found.iter().any(|node| node.empties() <= 13), "none is deep in the tree");
    assert_eq!(nodes(), found, "the same search leaves the same positions");
    engine.clear();
    assert_eq!(engine.cut_nodes(), []);
}
