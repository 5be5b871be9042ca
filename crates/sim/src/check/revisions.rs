//! I50: a pod or PodClique is created with the templates that the status of its set names: those of the
//! revision in force in its replica, or the older ones of a unit that a partition, a pause or a step
//! keeps. An update takes no unit down that a partition keeps, nor one before its step (I53).

use std::collections::BTreeSet;

use api::labels;
use serde_json::Value;

use super::units::{self, Unit, revision_in_force, revision_of_older};
use super::updates::{VERSION, is_on_delete, turn};
use super::window::Window;
use super::{Checked, OPERATOR, budget, demand, job, limits};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// The version in the template of a revision's clique.
const KEPT_VERSION: &str = "/template/metadata/annotations/example.com~1version";

/// The operator creates this PodClique.
pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    let (None, Some(created)) = (&record.before, &record.after) else {
        return Ok(());
    };
    if record.actor != OPERATOR {
        return Ok(());
    }
    let Some(right) = versions_of(window, created) else {
        return Ok(());
    };
    let has = view::text(created, VERSION);
    demand(right.contains(has), "I50", || {
        let name = view::name(created);
        format!("{name} was created with version {has:?}, but its replica has {right:?}")
    })
}

/// The versions that the PodClique may have by the states of its set; `None` if one of these does not
/// name its revision, as then the newest templates may be right.
fn versions_of<'a>(window: &Window<'a>, created: &Value) -> Option<BTreeSet<&'a str>> {
    let replica = view::replica(created)?;
    let clique = view::name(created).rsplit('-').next()?;
    let unit = Unit::of_podclique(created);
    let is_surge = unit.is_some_and(|unit| is_surge(window, created, unit.index));
    let mut versions = BTreeSet::new();
    let sets = job::sets(window, created);
    for set in &sets {
        let older = unit.and_then(|unit| revision_of_older(set, unit));
        if is_surge || older.is_none() {
            let in_force = revision_in_force(set, replica)?;
            versions.insert(version_in(kept(window, set, in_force, clique)?));
        }
        if let Some(older) = older {
            versions.insert(version_in(kept(window, set, older, clique)?));
        }
    }
    Some(versions).filter(|_| !sets.is_empty())
}

/// Whether its group may have been observed with this index as that of a surge replica.
fn is_surge(window: &Window<'_>, podclique: &Value, index: i64) -> bool {
    let groups = job::owners(window, podclique);
    let mut from = groups.iter().filter_map(|group| limits::surge_from(group));
    from.any(|from| index >= from)
}

/// The clique in the revision of this name. `None` if the operator may have observed that revision as
/// absent, or without its controller or label: then it takes the newest template.
fn kept<'a>(window: &Window<'a>, set: &Value, revision: &str, clique: &str) -> Option<&'a Value> {
    let is_it = |r: &Value| view::name(r) == revision;
    let states = window.versions(Resource::ControllerRevision, is_it);
    let new: BTreeSet<&str> = window.born_or_gone(Resource::ControllerRevision).collect();
    let is_sound = |r: &Stored| {
        let is_own = view::owner(r).is_some_and(|(_, _, uid)| uid == view::uid(set));
        let is_seen = view::label(r, labels::MANAGED_BY) == labels::MANAGER;
        is_own && is_seen && !view::is_terminating(r) && !new.contains(view::uid(r))
    };
    let found = find_clique(states.first().copied()?, clique);
    found.filter(|_| states.iter().all(|r| is_sound(r)))
}

/// The same whether the operator observes that revision or not: it may know it from a live read.
fn known<'a>(window: &Window<'a>, revision: &str, clique: &str) -> Option<&'a Value> {
    let is_it = |r: &Value| view::name(r) == revision;
    let states = window.versions(Resource::ControllerRevision, is_it);
    find_clique(states.first().copied()?, clique)
}

fn find_clique<'a>(revision: &'a Value, clique: &str) -> Option<&'a Value> {
    let mut cliques = view::list(revision, "/data/cliques");
    cliques.find(|kept| view::text(kept, "/name") == clique)
}

fn version_in(kept: &Value) -> &str {
    view::text(kept, KEPT_VERSION)
}

/// The operator creates this pod: from the template of its PodClique, or as an older one. It has to be
/// an older one if every state of the set says so, and its PodClique notes the hash of that template.
pub(super) fn check_pod(window: &Window<'_>, pod: &Value) -> Checked {
    let (_, podclique, owner) = view::owner(pod).unwrap_or_default();
    let clique = podclique.rsplit('-').next().unwrap_or_default();
    let podcliques = window.of_uid(Resource::PodClique, owner);
    let sets = job::sets(window, pod);
    let unit = Unit::of_pod(pod);
    let older: Vec<Option<&Value>> = sets
        .iter()
        .map(|set| kept(window, set, revision_of_older(set, unit?)?, clique))
        .collect();
    let has = view::text(pod, VERSION);
    let is_of_podclique = podcliques.iter().any(|c| view::text(c, VERSION) == has);
    let mut may_be = sets.iter().filter_map(|set| {
        let revision = revision_of_older(set, unit?)?;
        known(window, revision, clique)
    });
    let is_older = may_be.any(|known| version_in(known) == has);
    let note = labels::OLDER_TEMPLATE_HASH;
    let is_noted = |kept: &Value| {
        let mut states = podcliques.iter();
        states.all(|c| kept["hash"] == view::annotation(c, note))
    };
    let must_be_older = !older.is_empty()
        && !podcliques.is_empty()
        && !budget::is_surge(window, pod)
        && older.iter().all(|kept| kept.is_some_and(is_noted));
    let is_right = is_older || (is_of_podclique && !must_be_older);
    demand(is_right, "I50", || {
        let name = view::name(pod);
        let is_older = if must_be_older { "an" } else { "no" };
        format!("{name} was created with version {has:?}, and it is {is_older} older unit")
    })
}

/// An update takes a unit down: this pod, or this PodClique of a group. Its index has reached the
/// lowest one that the turn may replace in some state of the set.
pub(super) fn check_replaced(
    window: &Window<'_>,
    object: &Value,
    unit: Option<Unit<'_>>,
) -> Checked {
    let Some(unit) = unit else { return Ok(()) };
    let mut sets = job::sets(window, object);
    sets.retain(|set| turn(set) == Some(unit.replica) && !is_on_delete(set));
    let is_kept = |end: &dyn Fn(&Value) -> i64| {
        !sets.is_empty() && sets.iter().all(|set| unit.index < end(set))
    };
    let name = view::name(object);
    demand(
        !is_kept(&|set: &Value| units::partition(set, unit.component)),
        "I50",
        || format!("{name} is deleted for an update, but a partition keeps it"),
    )?;
    // A unit without room gives its index up (decision 168).
    let is_vacated = sets.iter().any(|set| is_held_vacant(set, &unit)) && !has_node(window, object);
    demand(
        is_vacated || !is_kept(&|set: &Value| units::first_replaced(set, unit.component)),
        "I53",
        || format!("{name} is deleted for an update before its step is stored"),
    )
}

/// Whether the turn of the set holds the index of the unit vacant.
fn is_held_vacant(set: &Value, unit: &Unit<'_>) -> bool {
    let path = "/status/updateProgress/currentlyUpdating/0/holdsVacant";
    let listed =
        view::list(set, path).filter(|part| view::text(part, "/component") == unit.component);
    let mut indexes = listed.flat_map(|part| view::list(part, "/indexes"));
    indexes.any(|index| index.as_i64() == Some(unit.index))
}

/// Whether the pod, or a pod of the PodClique, has a node.
fn has_node(window: &Window<'_>, object: &Value) -> bool {
    let is_placed = |pod: &Value| !view::text(pod, "/spec/nodeName").is_empty();
    let is_own =
        |pod: &Value| view::owner(pod).is_some_and(|(_, _, owner)| owner == view::uid(object));
    let mut pods = window.all(Resource::Pod);
    is_placed(object) || pods.any(|(_, pod)| is_own(pod) && is_placed(pod))
}
