//! Where in the text of a set something is, as far as it matters.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Visitor};

use super::super::single::{cliques_list, groups_list, most_items};
use crate::field::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetSection {
    Set,
    Spec,
    Template,
    Cliques,
    Groups,
    Elsewhere,
}

impl SetSection {
    fn field(self, name: &str) -> Self {
        match (self, name) {
            (Self::Set, "spec") => Self::Spec,
            (Self::Spec, "template") => Self::Template,
            (Self::Template, "cliques") => Self::Cliques,
            (Self::Template, "podCliqueScalingGroups") => Self::Groups,
            _ => Self::Elsewhere,
        }
    }

    /// Of a list with a limit of its own.
    pub(super) fn path(self) -> Option<Path> {
        match self {
            Self::Cliques => Some(cliques_list()),
            Self::Groups => Some(groups_list()),
            _ => None,
        }
    }

    pub(super) fn most_entries(self) -> Option<usize> {
        self.path().map(|_| most_items())
    }
}

/// Reads the key of a map in that section.
pub(super) struct Field(pub(super) SetSection);

impl<'de> DeserializeSeed<'de> for Field {
    type Value = SetSection;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<SetSection, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Field {
    type Value = SetSection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, name: &str) -> Result<SetSection, E> {
        Ok(self.0.field(name))
    }
}
