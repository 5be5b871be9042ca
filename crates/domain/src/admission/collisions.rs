//! Different parts of one set whose objects would have the same name.
//!
//! A standalone clique `g-0-c` and clique `c` of group `g` are both `<pcs>-<i>-g-0-c`. Cliques and
//! groups share names with their autoscalers and resource claims, so they are compared with each
//! other as well (`grove-behaviour` 13.A 34).

use api::PodCliqueSet;

use super::field::{FieldError, Path};
use super::{cliques, group_of, scaling_groups};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let parts: Vec<_> = groups(pcs).chain(members(pcs)).collect();
    let clash = |(i, part): (usize, &Part<'_>)| {
        let earlier = parts
            .iter()
            .take(i)
            .find(|earlier| earlier.clashes_with(part))?;
        Some(part.error(earlier))
    };
    parts.iter().enumerate().filter_map(clash).collect()
}

/// Something in the template that objects are named after.
struct Part<'a> {
    at: Path,
    name: &'a str,
    is_group: bool,
    /// What follows `<pcs>-<i>-`, cut at the hyphens; an index has no hyphen in it.
    segments: Vec<Segment<'a>>,
}

#[derive(Clone, Copy)]
enum Segment<'a> {
    Text(&'a str),
    AnyIndex,
}

fn groups(pcs: &PodCliqueSet) -> impl Iterator<Item = Part<'_>> {
    scaling_groups(pcs).map(|(at, group)| Part {
        at,
        name: &group.name,
        is_group: true,
        segments: texts(&group.name).collect(),
    })
}

fn members(pcs: &PodCliqueSet) -> impl Iterator<Item = Part<'_>> {
    cliques(pcs).map(|(at, clique)| {
        let mut segments = Vec::new();
        if let Some(group) = group_of(pcs, &clique.name) {
            segments.extend(texts(&group.name));
            segments.push(Segment::AnyIndex);
        }
        segments.extend(texts(&clique.name));
        Part {
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

impl Part<'_> {
    fn clashes_with(&self, other: &Self) -> bool {
        // Two cliques, or two groups, of one name are an error of their own.
        let is_same = self.is_group == other.is_group && self.name == other.name;
        let mut pairs = self.segments.iter().zip(&other.segments);
        !is_same
            && self.segments.len() == other.segments.len()
            && pairs.all(|(one, other)| common(*one, *other).is_some())
    }

    fn error(&self, earlier: &Self) -> FieldError {
        let pairs = self.segments.iter().zip(&earlier.segments);
        let common: Vec<_> = pairs
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

/// What both segments can be at once.
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
