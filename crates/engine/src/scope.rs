//! The scopes of watches.

use std::fmt;

/// The scope of one watch. It is listed, lost and listed again as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// All namespaces.
    Cluster,
    /// One namespace.
    Namespace(String),
}

impl Scope {
    /// A scope for each of these namespaces; one for all if none is named.
    pub fn of(namespaces: &[String]) -> Vec<Self> {
        if namespaces.is_empty() {
            return vec![Self::Cluster];
        }
        namespaces.iter().cloned().map(Self::Namespace).collect()
    }

    /// The namespace, unless it is all of them.
    pub fn namespace(&self) -> Option<&str> {
        match self {
            Self::Cluster => None,
            Self::Namespace(name) => Some(name),
        }
    }

    /// Whether the watch covers objects in this namespace.
    pub fn holds(&self, namespace: &str) -> bool {
        self.namespace().is_none_or(|name| name == namespace)
    }
}

/// The suffix of a kind's name in messages.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster => Ok(()),
            Self::Namespace(name) => write!(f, " in {name}"),
        }
    }
}
