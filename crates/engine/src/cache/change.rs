//! The change of one object.

use std::sync::Arc;

use domain::object::ownership;
use kube::Resource;

use super::set_of;

/// An object before and after.
#[derive(Clone, Debug)]
pub struct Change<K> {
    /// As it was; `None` if it is new.
    pub old: Option<Arc<K>>,
    /// As it is; `None` if it is gone.
    pub new: Option<Arc<K>>,
}

impl<K> Change<K> {
    /// The versions of the object: old, then new.
    pub fn versions(&self) -> impl Iterator<Item = &Arc<K>> {
        self.old.iter().chain(&self.new)
    }

    /// The previous version, if that very object is gone.
    pub fn gone(&self) -> Option<&Arc<K>>
    where
        K: Resource<DynamicType = ()>,
    {
        let uid = |o: &Arc<K>| o.meta().uid.clone();
        let stays = self.new.as_ref().map(uid) == self.old.as_ref().map(uid);
        self.old.as_ref().filter(|_| !stays)
    }

    /// The previous version, if the object is gone or its owner changed: objects that waited for
    /// its end continue.
    pub fn lost(&self) -> Option<&Arc<K>>
    where
        K: Resource<DynamicType = ()>,
    {
        let hands = |o: &Arc<K>| {
            let meta = o.meta();
            let owner = ownership::controller(meta).map(|owner| owner.uid.clone());
            (meta.uid.clone(), owner, set_of(meta))
        };
        let stays = self.new.as_ref().map(hands) == self.old.as_ref().map(hands);
        self.old.as_ref().filter(|_| !stays)
    }

    /// Whether the object exists in both versions, and this is the same in both.
    pub fn keeps<T: PartialEq>(&self, read: impl Fn(&K) -> T) -> bool {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return false;
        };
        read(old) == read(new)
    }

    /// The same of a part that is too large to be copied for the comparison.
    pub fn keeps_part<T: PartialEq>(&self, part: impl Fn(&K) -> &T) -> bool {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return false;
        };
        part(old) == part(new)
    }

    /// The newest version.
    pub fn newest(&self) -> Option<&Arc<K>> {
        self.new.as_ref().or(self.old.as_ref())
    }
}
