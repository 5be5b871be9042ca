//! Different parts of one set with objects of the same name.
//!
//! A standalone clique `g-0-c` and clique `c` of group `g` are both `<pcs>-<i>-g-0-c`. Cliques and
//! groups share names with their autoscalers and resource claims, so they are compared with each
//! other as well.

use std::collections::HashMap;

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueScalingGroupConfig;

use crate::clique_paths::{cliques, group_of, has_clique, scaling_groups};
use crate::field::{FieldError, Path};

/// Longer names, groups' and cliques' together, are an error of their own and are not compared:
/// they have too many hyphens.
const MAX_LENGTH: usize = 126;

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let items: Vec<_> = groups(pcs).chain(members(pcs)).collect();
    let mut known = Known::default();
    let mut errors = Vec::new();
    for (i, item) in items.iter().enumerate() {
        if item.length() > MAX_LENGTH {
            continue;
        }
        let earlier = known.clash(item).and_then(|at| items.get(at));
        let clash = earlier.filter(|earlier| !earlier.is_same(item));
        errors.extend(clash.map(|earlier| item.error(earlier)));
        known.insert(item, i);
    }
    errors
}

/// Parts by the names that their objects can have, so that each is compared with all others at
/// once. A name is written with `*` for any index, and with `#` for one index of many where that of
/// another item may be any.
#[derive(Default)]
struct Known(HashMap<String, usize>);

impl Known {
    /// The first item that may have an object of the same name as this one.
    fn clash(&self, item: &NamedItem<'_>) -> Option<usize> {
        let own = ["*", "#"].map(|any| item.written(None, any, ""));
        // Where the other may have any index, this one has some.
        let others = item.indices().map(|k| item.written(Some(k), "#", "*"));
        own.into_iter()
            .chain(others)
            .filter_map(|name| self.0.get(&name).copied())
            .min()
    }

    fn insert(&mut self, item: &NamedItem<'_>, at: usize) {
        let own = item.written(None, "*", "#");
        let others = item.indices().map(|k| item.written(Some(k), "*", "#"));
        for name in [own].into_iter().chain(others) {
            self.0.entry(name).or_insert(at);
        }
    }
}

/// Something in the template that objects are named after.
struct NamedItem<'a> {
    at: Path,
    name: &'a str,
    is_group: bool,
    /// The name after `<pcs>-<i>-`, cut at the hyphens; an index has no hyphen in it.
    segments: Vec<Segment<'a>>,
}

#[derive(Clone, Copy)]
enum Segment<'a> {
    Text(&'a str),
    AnyIndex,
}

fn groups(pcs: &PodCliqueSet) -> impl Iterator<Item = NamedItem<'_>> {
    let groups = scaling_groups(pcs).filter(|(_, group)| has_its_cliques(pcs, group));
    groups.map(|(at, group)| NamedItem {
        at,
        name: &group.name,
        is_group: true,
        segments: texts(&group.name).collect(),
    })
}

/// A group with an unknown clique has an error of its own. A clique that seems to stand alone beside it
/// may be the one that it means.
fn has_its_cliques(pcs: &PodCliqueSet, group: &PodCliqueScalingGroupConfig) -> bool {
    group.clique_names.iter().all(|name| has_clique(pcs, name))
}

fn members(pcs: &PodCliqueSet) -> impl Iterator<Item = NamedItem<'_>> {
    cliques(pcs).map(|(at, clique)| {
        let mut segments = Vec::new();
        if let Some(group) = group_of(pcs, &clique.name) {
            segments.extend(texts(&group.name));
            segments.push(Segment::AnyIndex);
        }
        segments.extend(texts(&clique.name));
        NamedItem {
            at,
            name: &clique.name,
            is_group: false,
            segments,
        }
    })
}

fn texts(name: &str) -> impl Iterator<Item = Segment<'_>> {
    name.split('-').map(Segment::Text)
}

impl NamedItem<'_> {
    /// Two cliques, or two groups, of one name are an error of their own.
    fn is_same(&self, other: &Self) -> bool {
        self.is_group == other.is_group && self.name == other.name
    }

    /// Characters of all its segments.
    fn length(&self) -> usize {
        self.segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text.len().saturating_add(1),
                Segment::AnyIndex => 1,
            })
            .sum()
    }

    /// Positions of an index in the name.
    fn indices(&self) -> impl Iterator<Item = usize> {
        self.segments
            .iter()
            .enumerate()
            .filter_map(|(k, segment)| match segment {
                Segment::Text(text) => is_index(text).then_some(k),
                Segment::AnyIndex => None,
            })
    }

    /// The name with `any` for any index, and with `one` for the index at `place`.
    fn written(&self, place: Option<usize>, any: &str, one: &str) -> String {
        let segments = self.segments.iter().enumerate();
        segments
            .map(|(k, segment)| match segment {
                _ if place == Some(k) => one,
                Segment::Text(text) => text,
                Segment::AnyIndex => any,
            })
            .collect::<Vec<_>>()
            .join("-")
    }

    fn error(&self, earlier: &Self) -> FieldError {
        let common: Vec<_> = self
            .segments
            .iter()
            .zip(&earlier.segments)
            .filter_map(|(one, other)| common(*one, *other))
            .collect();
        let problem = format!(
            "objects of this one and of {} would both be named <set>-<index>-{}",
            earlier.at,
            common.join("-")
        );
        self.at
            .field("name")
            .wrong(self.name, problem, "rename one of the two")
    }
}

/// The texts that match both segments.
fn common<'a>(one: Segment<'a>, other: Segment<'a>) -> Option<&'a str> {
    match (one, other) {
        (Segment::Text(one), Segment::Text(other)) => (one == other).then_some(one),
        (Segment::AnyIndex, Segment::AnyIndex) => Some("0"),
        (Segment::Text(text), Segment::AnyIndex) | (Segment::AnyIndex, Segment::Text(text)) => {
            is_index(text).then_some(text)
        }
    }
}

fn is_index(text: &str) -> bool {
    let is_padded = text.len() > 1 && text.starts_with('0');
    !is_padded && text.parse::<i32>().is_ok_and(|index| index >= 0) && !text.starts_with('+')
}
