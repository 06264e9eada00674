//! Whether the checker was right about a proof.

use outflank_checker::claim::{Claim, Side};
use outflank_checker::line::Root;
use outflank_checker::resolve::holds;
use outflank_checker::rules::Position;
use outflank_checker::sample::Leaf;
use outflank_checker::solve::Solver;
use outflank_checker::verify::{CheckError, Listener, Verified, verify};
use outflank_engine::brute_force;

/// More empty squares would take too long.
const EMPTIES: u32 = 8;

/// Everything that a proof says.
#[derive(Debug, Default)]
struct Said {
    roots: Vec<Root>,
    leaves: Vec<Leaf>,
}

impl Listener for Said {
    fn root(&mut self, root: &Root) {
        self.roots.push(*root);
    }

    fn leaf(&mut self, leaf: Leaf) {
        self.leaves.push(leaf);
    }
}

/// Has the checker verify a proof, and returns what it says.
///
/// # Errors
/// What the checker says against the proof.
///
/// # Panics
/// If a proof was accepted whose leaves are all true and a root of which is not, by the plainest solver of another crate;
/// or if the checker's own search disagrees with that solver about a leaf.
pub fn judge(proof: &str) -> Result<Verified, CheckError> {
    let mut said = Said::default();
    let verified = verify(proof.as_bytes(), &mut said)?;
    let is_small = |position: Position| position.empties() <= EMPTIES;
    let are_small = said.roots.iter().all(|root| is_small(root.position))
        && said.leaves.iter().all(|leaf| is_small(leaf.claim.position));
    if are_small {
        let mut solver = Solver::new(10);
        let mut is_leaf_true = |leaf: &Leaf| {
            let is_true = holds(&mut solver, leaf.claim);
            assert_eq!(is_true, is_true_of(leaf.claim), "{}", leaf.claim);
            is_true
        };
        let are_leaves_true = said.leaves.iter().all(&mut is_leaf_true);
        let is_root_true = |root: &Root| (root.lower..=root.upper).contains(&value(root.position));
        assert!(
            !are_leaves_true || said.roots.iter().all(is_root_true),
            "false, and accepted:\n{proof}"
        );
    }
    Ok(verified)
}

/// Returns the value of a position by a solver that shares no code with the checker.
fn value(position: Position) -> i32 {
    let position = outflank_engine::Position::new(position.player, position.opponent);
    brute_force::value(position.expect("the checker takes boards with walls or without")).discs()
}

fn is_true_of(claim: Claim) -> bool {
    match claim.side {
        Side::AtMost => value(claim.position) <= claim.value,
        Side::AtLeast => value(claim.position) >= claim.value,
    }
}
