//! The levels of a topology, and the domain of a node at each.

use api::ClusterTopologyBinding;
use api::topology::TopologyLevel;

use super::Selector;
use crate::Node;
use crate::object::ownership;

/// Levels, broadest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(Vec<TopologyLevel>);

impl Levels {
    /// The levels that a binding lists.
    pub fn of(binding: &ClusterTopologyBinding) -> Self {
        Self(binding.spec.levels.clone())
    }

    /// The levels of a stored list (`to_text`); none of an unreadable one.
    pub fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    /// The levels as a JSON list of `{domain, key}`, as stored in an annotation.
    pub fn to_text(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// All levels, broadest first.
    pub fn as_slice(&self) -> &[TopologyLevel] {
        &self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Position of the level of that name, 0 for the broadest.
    pub fn position(&self, domain: &str) -> Option<usize> {
        self.0.iter().position(|level| level.domain == domain)
    }

    /// Key of the node label of the level of that name.
    pub fn key(&self, domain: &str) -> Option<&str> {
        let mut levels = self.0.iter();
        let level = levels.find(|level| level.domain == domain)?;
        Some(&level.key)
    }

    /// Position of the level with that node label.
    pub fn position_of_key(&self, key: &str) -> Option<usize> {
        self.0.iter().position(|level| level.key == key)
    }

    /// Names of the levels, broadest first.
    pub fn domains(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|level| level.domain.as_str())
    }

    /// The levels down to the one at `position`, itself included.
    #[must_use]
    pub fn down_to(&self, position: usize) -> Self {
        let levels = self.0.iter().take(position.saturating_add(1));
        Self(levels.cloned().collect())
    }

    /// The levels down to the narrowest of the named ones; none if no name is known.
    #[must_use]
    pub fn down_to_narrowest<'n>(&self, named: impl IntoIterator<Item = &'n str>) -> Self {
        let positions = named.into_iter().filter_map(|domain| self.position(domain));
        let narrowest = positions.max();
        narrowest.map_or_else(Self::default, |narrowest| self.down_to(narrowest))
    }

    /// The domain of a node at the level at `position`: the values of the labels of all levels down
    /// to it. A node that lacks one of the labels is in no domain of that level.
    pub fn domain_of<'n>(&self, node: &'n Node, position: usize) -> Option<Vec<&'n str>> {
        let levels = self.0.iter().take(position.saturating_add(1));
        levels
            .map(|level| ownership::label(&node.metadata, &level.key))
            .collect()
    }
}

/// The name of the domain with these labels at the level at `position`, such as `rack z0/r1`, and
/// its labels; none if one of them is missing.
pub(crate) fn domain_of_labels(
    labels: &Selector,
    levels: &Levels,
    position: usize,
) -> Option<(String, Selector)> {
    let path = levels.down_to(position);
    let own = path.as_slice().get(position)?;
    let domain: Option<Vec<(&str, &str)>> = path
        .as_slice()
        .iter()
        .map(|level| Some((level.key.as_str(), labels.get(&level.key)?.as_str())))
        .collect();
    let domain = domain?;
    let values: Vec<&str> = domain.iter().map(|(_, value)| *value).collect();
    let name = format!("{} {}", own.domain, values.join("/"));
    let labels = domain.into_iter();
    let labels = labels.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Some((name, labels.collect()))
}

/// Names of levels are words of users, such as `rack` and `switch`.
pub(crate) fn in_plural(level: &str) -> String {
    let hisses = ["s", "x", "z", "ch", "sh"];
    let ending = if hisses.iter().any(|end| level.ends_with(end)) {
        "es"
    } else {
        "s"
    };
    format!("{level}{ending}")
}
