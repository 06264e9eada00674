//! What a search on a small board carries along.

use outflank_kernel::KernelSet;
use outflank_kernel::bits::neighbours;

use crate::search::searcher::Stopped;
use crate::table::Table;
use crate::{Control, Position};

/// Nodes between two looks at the limit and the stop: about a tenth of a millisecond.
const BREATH: u64 = 1024;

/// The discs of both sides, without walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Discs {
    pub(super) player: u64,
    pub(super) opponent: u64,
}

impl Discs {
    pub(super) fn of(position: Position) -> Self {
        let walls = position.walls();
        Self { player: position.player() ^ walls, opponent: position.opponent() ^ walls }
    }

    #[inline(always)]
    pub(super) fn pass(self) -> Self {
        Self { player: self.opponent, opponent: self.player }
    }

    /// Returns the discs after a move on `square` that turns `flipped`.
    #[inline(always)]
    pub(super) fn after(self, square: u32, flipped: u64) -> Self {
        // Not `1 << square`: under BMI1 that becomes BLSI later, which is slow here.
        let placed = 1_u64.rotate_left(square);
        Self { player: self.opponent ^ flipped, opponent: self.player ^ flipped ^ placed }
    }
}

/// The squares of a small board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// All squares.
    pub(super) squares: u64,
    /// The corners.
    pub(super) corners: u64,
    /// The squares beside corners, along edges and across.
    pub(super) beside_corners: u64,
    /// The number of squares.
    pub(super) count: i32,
}

impl Field {
    pub(super) fn new(walls: u64) -> Self {
        let squares = !walls;
        let left = squares & !((squares & !0x8080_8080_8080_8080) << 1);
        let right = squares & !((squares & !0x0101_0101_0101_0101) >> 1);
        let (below, above) = (squares & !(squares << 8), squares & !(squares >> 8));
        let corners = (left | right) & (below | above);
        let beside_corners = neighbours(corners) & squares & !corners;
        Self { squares, corners, beside_corners, count: squares.count_ones() as i32 }
    }

    /// Returns the empty squares of the board.
    #[inline(always)]
    pub(super) fn empty(&self, discs: Discs) -> u64 {
        self.squares & !(discs.player | discs.opponent)
    }

    /// Returns the squares where the player can move.
    #[inline(always)]
    pub(super) fn moves<K: KernelSet>(&self, kernels: K, discs: Discs) -> u64 {
        kernels.moves(discs.player, discs.opponent) & self.squares
    }

    /// Returns the score of a game that ends here, empty squares to the winner.
    #[inline(always)]
    pub(super) fn final_score<K: KernelSet>(&self, kernels: K, discs: Discs) -> i32 {
        let player = kernels.count(discs.player) as i32;
        let opponent = kernels.count(discs.opponent) as i32;
        match player.cmp(&opponent) {
            std::cmp::Ordering::Less => 2 * player - self.count,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => self.count - 2 * opponent,
        }
    }
}

/// One search on one thread.
#[derive(Debug)]
pub(crate) struct Searcher<'a, K> {
    pub(super) kernels: K,
    pub(super) field: Field,
    pub(super) table: &'a Table,
    pub(super) generation: u8,
    /// Nodes since the last breath.
    pub(super) nodes: u64,
    control: &'a Control,
    node_limit: u64,
}

impl<'a, K: KernelSet> Searcher<'a, K> {
    pub(super) fn new(
        kernels: K,
        walls: u64,
        table: &'a Table,
        generation: u8,
        control: &'a Control,
        node_limit: u64,
    ) -> Self {
        let field = Field::new(walls);
        Self { kernels, field, table, generation, nodes: 0, control, node_limit }
    }

    /// Counts a node, and looks now and then whether to go on.
    #[inline(always)]
    pub(super) fn count(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes < BREATH { Ok(()) } else { self.breathe() }
    }

    #[cold]
    fn breathe(&mut self) -> Result<(), Stopped> {
        if self.report_nodes() >= self.node_limit {
            self.control.stop(); // Who asks can tell it from a search that gave up by itself.
        }
        if self.control.is_stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// Tells the outside world how many nodes were searched; returns the number. The table grows with
    /// them.
    pub(super) fn report_nodes(&mut self) -> u64 {
        let (kernels, nodes) = (self.kernels, std::mem::take(&mut self.nodes));
        self.table.grow(nodes, |player, opponent| kernels.hash(player, opponent));
        self.control.count(nodes)
    }

    /// Lets the search take as many nodes again as it might so far; a stop still counts.
    pub(super) fn renew_limit(&mut self) {
        self.node_limit = self.report_nodes().saturating_add(self.node_limit);
    }

    /// Returns both boards as the table knows them, with walls, and their hash.
    #[inline(always)]
    pub(super) fn place(&self, discs: Discs) -> (u64, u64, u64) {
        let walls = !self.field.squares;
        let (player, opponent) = (discs.player | walls, discs.opponent | walls);
        (self.kernels.hash(player, opponent), player, opponent)
    }
}
