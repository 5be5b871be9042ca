//! Which kind an object is of.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use kube::Resource;

/// The kind of an object, as the API names it: `Pod`, `PodClique`. It follows from the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(&'static str);

impl Kind {
    /// The kind of this type.
    pub fn of<K: Resource<DynamicType = ()>>() -> Self {
        match K::kind(&()) {
            Cow::Borrowed(name) => Self(name),
            Cow::Owned(name) => Self(intern_name(name)),
        }
    }

    /// Its name in the API.
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Some types make their kind's name anew each time. There are as many of these names as kinds, so
/// they are kept for ever.
fn intern_name(name: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_str()) {
        return known;
    }
    let kept: &'static str = name.leak();
    names.insert(kept);
    kept
}
