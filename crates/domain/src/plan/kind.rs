//! The kind of an object.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use kube::Resource;

/// The kind of an object, as the API names it: `Pod`, `PodClique`. It follows from the type. Several
/// schedulers have a `PodGroup`, so its API group belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    name: &'static str,
    group: &'static str,
}

impl Kind {
    /// The kind of this type.
    pub fn of<K: Resource<DynamicType = ()>>() -> Self {
        Self {
            name: intern_name(K::kind(&())),
            group: intern_name(K::group(&())),
        }
    }

    /// Its API group; empty for Kubernetes' own first kinds.
    pub fn group(self) -> &'static str {
        self.group
    }

    /// Its name in the API.
    pub fn name(self) -> &'static str {
        self.name
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Some types allocate their kind's name at each call. There are only as many names as kinds, so
/// they are kept for ever.
fn intern_name(name: Cow<'static, str>) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let name = match name {
        Cow::Borrowed(name) => return name,
        Cow::Owned(name) => name,
    };
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_str()) {
        return known;
    }
    let kept: &'static str = name.leak();
    names.insert(kept);
    kept
}
