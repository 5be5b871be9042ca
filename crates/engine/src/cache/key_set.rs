//! Sets of keys, of which there are as many as owners.

use std::collections::BTreeSet;

use domain::Key;

/// Up to this many keys are kept in a list and searched by halving it. The first key of a tree
/// takes the memory of eleven.
const FEW: usize = 16;

/// Keys in order. One of the two is empty.
#[derive(Debug, Default)]
pub(super) struct KeySet {
    few: Vec<Key>,
    many: BTreeSet<Key>,
}

impl KeySet {
    pub(super) fn is_empty(&self) -> bool {
        self.few.is_empty() && self.many.is_empty()
    }

    pub(super) fn insert(&mut self, key: &Key) {
        if !self.many.is_empty() {
            self.many.insert(key.clone());
            return;
        }
        let Err(place) = self.few.binary_search(key) else {
            return;
        };
        if self.few.len() < FEW {
            self.few.reserve_exact(1);
            self.few.insert(place, key.clone());
        } else {
            self.many = std::mem::take(&mut self.few).into_iter().collect();
            self.many.insert(key.clone());
        }
    }

    pub(super) fn remove(&mut self, key: &Key) {
        if let Ok(place) = self.few.binary_search(key) {
            self.few.remove(place);
        } else {
            self.many.remove(key);
        }
    }
}

impl<'a> IntoIterator for &'a KeySet {
    type Item = &'a Key;
    type IntoIter =
        std::iter::Chain<std::slice::Iter<'a, Key>, std::collections::btree_set::Iter<'a, Key>>;

    fn into_iter(self) -> Self::IntoIter {
        self.few.iter().chain(&self.many)
    }
}
