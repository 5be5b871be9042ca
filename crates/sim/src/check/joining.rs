//! I8: parts that join a gang that has started are complete, and are listed together with all parts
//! that join it (docs/semantics.md §8.2).

use std::collections::BTreeSet;

use serde_json::Value;

use super::gangs::{done, is_latched, references_of};
use super::window::Window;
use super::{Checked, demand, job};
use crate::layout::{self, LayoutSlot};
use crate::resource::Resource;
use crate::store::Stored;
use crate::view;

/// One part of the written gang, as the operator may have observed it.
struct ObservedSlot {
    slot: LayoutSlot,
    /// Whether the gang had a place for it.
    is_placed: bool,
    /// How many pods of it are listed now.
    listed: usize,
    /// Whether it may have been observed as running, without its lost pods, scaled to zero or done:
    /// then it does not join.
    may_be_in: bool,
    /// Whether the only evidence for that is that it was up, though it had left the list: it joins
    /// together with the new parts of its group.
    is_scaled_up: bool,
    /// Indexes that need no pod any more.
    done: usize,
}

impl ObservedSlot {
    fn is_in_group_of(&self, other: &Self) -> bool {
        self.slot.group.is_some() && self.slot.group == other.slot.group
    }
}

pub(super) fn check(
    window: &Window<'_>,
    before: Option<&Value>,
    after: &Value,
    is_start: bool,
) -> Checked {
    let all: Vec<ObservedSlot> = parts(window, after)
        .into_iter()
        .map(|part| look(window, before, after, part))
        .collect();
    // Parts that were up before come back first.
    let is_return = all.iter().any(|s| s.may_be_in && s.listed > 0);
    for scaled_up in all.iter().filter(|s| s.listed > 0 && s.is_scaled_up) {
        let is_mate = |s: &ObservedSlot| !s.is_placed && s.is_in_group_of(scaled_up);
        expect_mates(after, &all, scaled_up, is_mate)?;
    }
    for joined in all.iter().filter(|s| s.listed > 0 && !s.may_be_in) {
        let least = minimum(after, &joined.slot.name);
        let has = i64::try_from(joined.listed + joined.done).unwrap_or(0);
        demand(has >= least, "I8", || {
            let (gang, part) = (view::name(after), &joined.slot.name);
            format!("{part} joins {gang} with {has} of {least} pods")
        })?;
        let is_mate = |s: &ObservedSlot| match (is_start && !is_return, joined.is_placed) {
            (true, _) => true,
            (false, false) => !s.is_placed,
            (false, true) => s.is_placed && s.is_in_group_of(joined),
        };
        expect_mates(after, &all, joined, is_mate)?;
    }
    Ok(())
}

/// All parts that join the gang together with this part are listed, too.
fn expect_mates(
    gang: &Value,
    all: &[ObservedSlot],
    joined: &ObservedSlot,
    is_mate: impl Fn(&ObservedSlot) -> bool,
) -> Checked {
    let is_left = |s: &&ObservedSlot| is_mate(s) && s.listed == 0 && !s.may_be_in;
    let left = all.iter().find(is_left);
    demand(left.is_none(), "I8", || {
        let left = left.map_or("", |s| &s.slot.name);
        let (gang, part) = (view::name(gang), &joined.slot.name);
        format!("{part} joins {gang} without {left}")
    })
}

/// The parts that the gang has in every observable state of the cluster.
fn parts(window: &Window<'_>, gang: &Value) -> Vec<LayoutSlot> {
    let sets = job::sets(window, gang);
    let i = view::replica(gang).unwrap_or(-1);
    let is_in =
        |set: &&Stored| !view::is_terminating(set) && i < view::number(set, "/spec/replicas");
    let (Some(set), true) = (sets.first(), sets.iter().all(is_in)) else {
        return Vec::new();
    };
    let live = |group: &str, _: &Value| {
        let versions = window.versions(Resource::PodCliqueScalingGroup, |g| view::name(g) == group);
        let fewest = versions
            .iter()
            .map(|g| view::number(g, "/spec/replicas"))
            .min();
        (0..fewest.unwrap_or(0)).collect()
    };
    let mut parts = layout::slots(set, i, live);
    parts.retain(|slot| slot.gang == view::name(gang));
    parts
}

fn look(
    window: &Window<'_>,
    before: Option<&Value>,
    after: &Value,
    slot: LayoutSlot,
) -> ObservedSlot {
    let group_in = |gang: &Value| -> Option<BTreeSet<String>> {
        let mut groups = view::list(gang, "/spec/podgroups");
        let group = groups.find(|g| view::text(g, "/name") == slot.name)?;
        Some(references_of(group).map(str::to_owned).collect())
    };
    let was = before.and_then(group_in);
    let is_listed = |p: &Value| {
        let listed = was.as_ref();
        listed.is_some_and(|names| names.contains(view::name(p))) && !view::is_terminating(p)
    };
    let runs = !window.versions(Resource::Pod, is_listed).is_empty();
    let versions = window.versions(Resource::PodClique, |c| view::name(c) == slot.name);
    let done = done(&versions).len();
    let has_none = |c: &&Stored| view::number(c, "/spec/replicas") == 0;
    let is_idle = versions.iter().any(has_none) || (versions.is_empty() && slot.replicas == 0);
    let was_up =
        |c: &&Stored| view::was_available(c) && !view::was_idle(c) && !view::is_terminating(c);
    let was_up = versions.iter().any(was_up);
    let is_done = done > 0 || is_latched(window, after, &slot.name);
    let is_in = runs || is_idle || is_done;
    ObservedSlot {
        is_scaled_up: before.is_some() && was.is_none() && was_up && !is_in,
        is_placed: was.is_some(),
        listed: group_in(after).map_or(0, |names| names.len()),
        may_be_in: is_in || was_up,
        done,
        slot,
    }
}

fn minimum(gang: &Value, part: &str) -> i64 {
    let mut groups = view::list(gang, "/spec/podgroups");
    let group = groups.find(|g| view::text(g, "/name") == part);
    group.map_or(0, |g| view::number(g, "/minReplicas"))
}
