//! A map of bounded size: when there is too much in it, it forgets what was put in longest ago.

use std::collections::BTreeMap;

/// The last `MOST` entries, by the order in which they came.
#[derive(Debug)]
pub(crate) struct BoundedMap<K, V, const MOST: usize> {
    /// Each value with the number of its arrival.
    entries: BTreeMap<K, (u64, V)>,
    order: BTreeMap<u64, K>,
    arrivals: u64,
}

impl<K, V, const MOST: usize> Default for BoundedMap<K, V, MOST> {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), order: BTreeMap::new(), arrivals: 0 }
    }
}

impl<K: Ord + Clone, V, const MOST: usize> BoundedMap<K, V, MOST> {
    /// Puts a value in as the last one, in the place of another of the same key.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.remove(&key);
        self.arrivals += 1;
        self.entries.insert(key.clone(), (self.arrivals, value));
        self.order.insert(self.arrivals, key);
        if self.order.len() > MOST
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.entries.remove(&oldest);
        }
    }

    /// Returns the value of `key`.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key).map(|(_, value)| value)
    }

    /// Takes the value of `key` out.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let (arrival, value) = self.entries.remove(key)?;
        self.order.remove(&arrival);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_longest_ago_is_forgotten_whatever_its_key() {
        let mut map = BoundedMap::<_, _, 3>::default();
        for key in [5, 4, 3, 2] {
            map.insert(key, 10 * key);
        }
        assert_eq!([5, 4, 2].map(|key| map.get(&key).copied()), [None, Some(40), Some(20)]);
        // What comes again counts from then on, and what was taken out not at all.
        map.insert(4, 41);
        map.insert(9, 90);
        assert_eq!([3, 4, 2].map(|key| map.get(&key).copied()), [None, Some(41), Some(20)]);
        assert_eq!(map.remove(&9), Some(90));
        map.insert(1, 10);
        assert_eq!([2, 4, 1].map(|key| map.get(&key).copied()), [Some(20), Some(41), Some(10)]);
        assert_eq!((map.entries.len(), map.order.len()), (3, 3));
    }
}
