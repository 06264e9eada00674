//! Positions by numbers, and what is held of each.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use outflank_engine::{Bound, Position};

use crate::random::hash;

/// The number of a position, in the order in which they were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Id(u32);

impl Id {
    /// Returns this number.
    pub(super) const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Returns the number, to find what is held of the position in a list of all.
    pub(super) const fn place(self) -> usize {
        self.0 as usize
    }
}

/// All positions that were met.
#[derive(Debug, Default)]
pub(super) struct Numbered {
    positions: Vec<Position>,
    /// Places chosen by hashes, each with a number or [`FREE`]; what meets a place that is taken goes to the
    /// next one. Above the number are the upper bits of the hash, so that hardly any other position is looked at.
    /// How many there are is a power of two.
    places: Vec<u64>,
}

/// No number.
const FREE: u64 = u64::MAX;

/// The bits of a number.
const NUMBER: u64 = u32::MAX as u64;

impl Numbered {
    /// Returns how many there are.
    pub(super) const fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns the position with a number.
    pub(super) fn position(&self, id: Id) -> Position {
        self.positions[id.place()]
    }

    /// Returns the number of a position, if it was met before.
    pub(super) fn find(&self, position: Position) -> Option<Id> {
        let place = self.place(position, hash(0, position, 0));
        self.places.get(place).filter(|&&taken| taken != FREE).map(|&taken| number(taken))
    }

    /// Returns the number of a position, a new one if it was not met before.
    pub(super) fn id(&mut self, position: Position) -> Id {
        if self.places.len() * 3 <= self.positions.len() * 4 {
            self.grow();
        }
        let hash = hash(0, position, 0);
        let place = self.place(position, hash);
        if self.places[place] == FREE {
            let next = self.positions.len() as u64;
            assert!(next < NUMBER, "there is no memory for as many positions");
            self.places[place] = hash & !NUMBER | next;
            self.positions.push(position);
        }
        number(self.places[place])
    }

    /// Returns the place of a position, or the one where it is to be put.
    fn place(&self, position: Position, hash: u64) -> usize {
        let mask = self.places.len().wrapping_sub(1);
        let mut place = hash as usize & mask;
        while let Some(&taken) = self.places.get(place)
            && taken != FREE
            && ((taken ^ hash) > NUMBER || self.position(number(taken)) != position)
        {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        let places = (2 * self.places.len()).max(1 << 10);
        self.places = Vec::new();
        self.places = vec![FREE; places];
        for (number, &position) in self.positions.iter().enumerate() {
            let hash = hash(0, position, 0);
            let place = self.place(position, hash);
            self.places[place] = hash & !NUMBER | number as u64;
        }
    }
}

/// Returns the number at a place that is taken.
const fn number(taken: u64) -> Id {
    Id((taken & NUMBER) as u32)
}

/// What is held of some positions.
pub(super) type Map<V> = HashMap<Id, V, BuildHasherDefault<Multiplier>>;

/// Hashes numbers of positions, whose low bits differ enough by themselves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Multiplier(u64);

impl Hasher for Multiplier {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        let product = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

/// Bounds of all positions.
#[derive(Debug, Default)]
pub(super) struct Bounds(Vec<Bound>);

impl Bounds {
    /// Returns what is known of a position.
    pub(super) fn get(&self, id: Id) -> Bound {
        self.0.get(id.place()).copied().unwrap_or(Bound::UNKNOWN)
    }

    /// Takes a bound that does not contradict what is known.
    pub(super) fn merge(&mut self, id: Id, bound: Bound) {
        if self.0.len() <= id.place() {
            self.0.resize(id.place() + 1, Bound::UNKNOWN);
        }
        let held = &mut self.0[id.place()];
        *held = held.merge(bound).unwrap_or(*held);
    }
}

/// Takes a bound into a table of some positions.
pub(super) fn remember(table: &mut Map<Bound>, id: Id, bound: Bound) {
    let held = table.entry(id).or_insert(Bound::UNKNOWN);
    *held = held.merge(bound).unwrap_or(*held);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_position_has_a_number_of_its_own_and_keeps_it() {
        let mut numbered = Numbered::default();
        let position = |number: u64| Position::new(number, 0).expect("no square is taken twice");
        assert_eq!(numbered.find(position(0)), None);
        let ids: Vec<Id> = (0..5000).map(|number| numbered.id(position(number))).collect();
        for (number, &id) in ids.iter().enumerate() {
            assert_eq!(id.place(), number);
            assert_eq!(numbered.id(position(number as u64)), id);
            assert_eq!(numbered.find(position(number as u64)), Some(id));
            assert_eq!(numbered.position(id), position(number as u64));
        }
        assert_eq!((numbered.len(), numbered.find(position(5000))), (5000, None));
    }

    #[test]
    fn of_a_position_that_nobody_has_asked_about_nothing_is_known() {
        let mut bounds = Bounds::default();
        bounds.merge(Id(3), Bound::exact(outflank_engine::Score::DRAW));
        let known = |number| bounds.get(Id(number));
        assert_eq!((known(2), known(4)), (Bound::UNKNOWN, Bound::UNKNOWN));
        assert_eq!(known(3), Bound::exact(outflank_engine::Score::DRAW));
    }
}
