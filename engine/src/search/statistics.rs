//! Counters of what happens in a search, by number of empty squares and kind of search: how well the moves are ordered,
//! what ends nodes, what comparisons and cuts by probability do, what is shared. They are compiled with the feature
//! `statistics` only, and change nothing in what is searched.

use std::iter::Sum;
use std::ops::AddAssign;

use super::level::Level;
use super::searcher::Searcher;
use super::tally::{Event, Tally, Tries};

/// What the threads of a search have counted, together: [`Control::statistics`](crate::Control::statistics).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// What happened at so many empty squares, from 0 to 64.
    pub rows: Vec<Row>,
}

/// What happened at one number of empty squares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// In the search that proves.
    pub exact: Counts,
    /// In the selective searches before it. Where few squares are empty they are exact, too.
    pub selective: Counts,
    /// Nodes of searches of a few plies, which both use for orders and probabilities.
    pub look_ahead_nodes: u64,
}

/// The kinds of searches to the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Exact,
    Selective,
}

macro_rules! counts {
    ($($(#[$doc:meta])+ $field:ident,)+) => {
        /// What has been counted. Each node is counted once among what ends it, unless the search was stopped there.
        /// With fewer than five empty squares only those of the principal variation are.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[$doc])+ pub $field: u64,)+
        }

        impl AddAssign for Counts {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)+
            }
        }
    };
}

counts! {
    /// Positions entered.
    nodes,
    /// Ended by stable discs.
    stable,
    /// Ended by the thread's own table. At five empty squares it is asked before a position is entered, so that these
    /// are no nodes.
    own_table,
    /// Ended by the table of proofs.
    proved,
    /// Ended by the table of hints.
    believed,
    /// Ended by what the table of proofs knows of the positions after the moves.
    children_known,
    /// Ended by a pass, after which there is another node. At five empty squares there is none, and this is not counted.
    passes,
    /// Ended since nobody has a move.
    over,
    /// Ended by a move that takes the opponent's last disc.
    wipe_outs,
    /// Cut since the value is probably above the window.
    probably_above,
    /// Cut since the value is probably below the window.
    probably_below,
    /// Cut off by the first move.
    cut_by_first,
    /// Cut off by the second move.
    cut_by_second,
    /// Cut off by a later move.
    cut_by_later,
    /// Cut off by one of the moves that several threads searched.
    cut_at_split,
    /// Without a cut-off after all moves.
    not_cut,
    /// Moves searched at the nodes that were not cut off.
    moves_of_not_cut,
    /// Shallow searches that asked whether the value is probably above the window.
    probes_above,
    /// Shallow searches that asked whether the value is probably below the window.
    probes_below,
    /// Comparisons of costs by one pair of a reply and an answer.
    compared_by_one,
    /// Comparisons by one pair and then by two.
    compared_by_two,
    /// Comparisons by one, two and then three pairs.
    compared_by_three,
    /// Comparisons that put another move first.
    first_changed,
    /// Moves on the principal variation that were searched again, in a wider window than a null window.
    searched_again,
    /// Searches of the root whose value was below the window.
    windows_missed_below,
    /// Searches of the root whose value was above the window.
    windows_missed_above,
    /// Nodes whose last moves were offered to other threads.
    splits,
    /// Offered moves that the thread took which had offered them.
    moves_kept,
    /// Offered moves that other threads took.
    moves_taken,
}

impl Counts {
    /// Returns the number of nodes that a move cut off.
    #[must_use]
    pub const fn cut_offs(&self) -> u64 {
        self.cut_by_first + self.cut_by_second + self.cut_by_later + self.cut_at_split
    }

    /// Returns the number of nodes of which it is counted what ended them.
    #[must_use]
    pub const fn ended(&self) -> u64 {
        let by_tables = self.own_table + self.proved + self.believed + self.children_known;
        let by_rules = self.stable + self.passes + self.over + self.wipe_outs;
        let by_probability = self.probably_above + self.probably_below;
        by_tables + by_rules + by_probability + self.cut_offs() + self.not_cut
    }

    fn add(&mut self, event: Event) {
        match event {
            // The node is not at its end.
            Event::Tried { number, of, cuts: false } if number < of => return,
            // There was no move to try, and no two to compare.
            Event::Failed { moves: 0 } | Event::Compared { pairs: 0, .. } => return,
            Event::Failed { moves }
            | Event::Tried { of: moves, cuts: false, .. }
            | Event::Shared { moves, cuts: false } => self.moves_of_not_cut += moves as u64,
            Event::Compared { changed: true, .. } => self.first_changed += 1,
            _ => {}
        }
        *self.counter(event) += 1;
    }

    /// Returns what counts events like this one.
    const fn counter(&mut self, event: Event) -> &mut u64 {
        match event {
            Event::Stable => &mut self.stable,
            Event::OwnTable => &mut self.own_table,
            Event::Proved => &mut self.proved,
            Event::Believed => &mut self.believed,
            Event::ChildrenKnown => &mut self.children_known,
            Event::Pass => &mut self.passes,
            Event::Over => &mut self.over,
            Event::WipeOut => &mut self.wipe_outs,
            Event::Improbable { above: true } => &mut self.probably_above,
            Event::Improbable { above: false } => &mut self.probably_below,
            Event::Tried { number: 1, cuts: true, .. } => &mut self.cut_by_first,
            Event::Tried { number: 2, cuts: true, .. } => &mut self.cut_by_second,
            Event::Tried { cuts: true, .. } => &mut self.cut_by_later,
            Event::Shared { cuts: true, .. } => &mut self.cut_at_split,
            Event::Tried { cuts: false, .. }
            | Event::Failed { .. }
            | Event::Shared { cuts: false, .. } => &mut self.not_cut,
            Event::Probe { above: true } => &mut self.probes_above,
            Event::Probe { above: false } => &mut self.probes_below,
            Event::Compared { pairs: ..=1, .. } => &mut self.compared_by_one,
            Event::Compared { pairs: 2, .. } => &mut self.compared_by_two,
            Event::Compared { .. } => &mut self.compared_by_three,
            Event::Research => &mut self.searched_again,
            Event::Missed { above: true } => &mut self.windows_missed_above,
            Event::Missed { above: false } => &mut self.windows_missed_below,
            Event::Split => &mut self.splits,
            Event::Taken { by_other: false } => &mut self.moves_kept,
            Event::Taken { by_other: true } => &mut self.moves_taken,
        }
    }
}

impl AddAssign for Row {
    fn add_assign(&mut self, other: Self) {
        self.exact += other.exact;
        self.selective += other.selective;
        self.look_ahead_nodes += other.look_ahead_nodes;
    }
}

impl Row {
    /// Returns the number of nodes of all searches.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.exact.nodes + self.selective.nodes + self.look_ahead_nodes
    }
}

impl Sum for Row {
    fn sum<I: Iterator<Item = Self>>(rows: I) -> Self {
        rows.fold(Self::default(), |mut sum, row| {
            sum += row;
            sum
        })
    }
}

impl Default for Statistics {
    fn default() -> Self {
        Self { rows: vec![Row::default(); 65] }
    }
}

impl Statistics {
    /// Returns the sum over all numbers of empty squares.
    #[must_use]
    pub fn total(&self) -> Row {
        self.rows.iter().copied().sum()
    }

    fn counts(&mut self, kind: Kind, empties: u32) -> &mut Counts {
        let row = &mut self.rows[empties as usize];
        match kind {
            Kind::Exact => &mut row.exact,
            Kind::Selective => &mut row.selective,
        }
    }
}

impl AddAssign<&Self> for Statistics {
    fn add_assign(&mut self, other: &Self) {
        for (row, &other) in self.rows.iter_mut().zip(&other.rows) {
            *row += other;
        }
    }
}

impl Tries {
    /// Counts a move.
    pub(super) const fn add(&mut self) {
        self.count += 1;
    }

    /// Returns that the last move has cut off.
    pub(super) const fn cut_off(&self) -> Event {
        Event::tried(self.count, self.count, true)
    }

    /// Returns that none of the moves has.
    pub(super) const fn failed(&self) -> Event {
        Event::Failed { moves: self.count }
    }
}

impl Tally {
    /// Counts a node of a search to the end.
    pub(super) fn enter(&mut self, empties: u32) {
        self.nodes += 1;
        self.statistics.counts(self.kind, empties).nodes += 1;
    }

    /// Counts a node of a search of a few plies.
    pub(super) fn look_ahead(&mut self, empties: u32) {
        self.nodes += 1;
        self.statistics.rows[empties as usize].look_ahead_nodes += 1;
    }

    /// Notes at which level the thread searches from here on.
    pub(super) fn begin(&mut self, level: Level) {
        self.kind = if level == Level::EXACT { Kind::Exact } else { Kind::Selective };
    }

    /// Counts what happens at a node.
    pub(super) fn count(&mut self, empties: u32, event: Event) {
        self.statistics.counts(self.kind, empties).add(event);
    }
}

impl<K> Drop for Searcher<'_, K> {
    /// Adds what the thread has counted to what the others have.
    fn drop(&mut self) {
        self.crew.control.add_statistics(&self.tally.statistics);
    }
}
