//! I49: nothing is edited or deleted for an update whose check cannot have passed: an admission
//! policy has refused new pods of a clique since before the user wrote its template.

use serde_json::Value;

use super::updates::{self, version};
use super::window::Window;
use super::{Checked, LATE, OPERATOR, demand, job};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// The operator deletes this PodClique or pod for a newer template.
pub(super) fn check(window: &Window<'_>, object: &Value) -> Checked {
    check_states(window, object, &job::sets(window, object))
}

/// The operator changes the object by one of these states of its set. If there is none, nobody asked for
/// the change.
fn check_states(window: &Window<'_>, object: &Value, sets: &[&Stored]) -> Checked {
    let refused: Vec<Option<&str>> = sets.iter().map(|set| refused_clique(window, set)).collect();
    let is_accepted = refused.iter().any(Option::is_none);
    demand(is_accepted, "I49", || {
        let name = view::name(object);
        let why = match refused.first().copied().flatten() {
            Some(clique) => format!("new pods of clique {clique} are refused"),
            None => "no state of its set asks for it".to_owned(),
        };
        format!("{name} was changed for an update, but {why}")
    })
}

/// A PodClique that takes another template: by a state of the set that has it. There is one, as no
/// PodClique takes a template of an earlier revision after its creation.
pub(super) fn check_edit(window: &Window<'_>, record: &Record) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    let of_pod = |podclique: &Value| podclique["metadata"]["annotations"].clone();
    if record.actor == OPERATOR && of_pod(before)[VERSION] != of_pod(after)[VERSION] {
        return check_states(window, after, &sets_with_template_of(window, after));
    }
    Ok(())
}

/// The states of its set that have the template of this PodClique.
fn sets_with_template_of<'a>(window: &Window<'a>, podclique: &Value) -> Vec<&'a Stored> {
    let clique = view::name(podclique).rsplit('-').next();
    let clique = clique.unwrap_or_default();
    let is_source = |set: &Value| version(set, clique) == view::text(podclique, updates::VERSION);
    let mut sets = job::sets(window, podclique);
    sets.retain(|set| is_source(set));
    if sets.is_empty() {
        // Another object may control its group by now: then only the name leads to the set.
        let name = view::set_of(podclique);
        let is_named = |set: &Value| view::name(set) == name && is_source(set);
        return window.versions(Resource::PodCliqueSet, is_named);
    }
    sets
}

/// This annotation distinguishes the users' templates.
const VERSION: &str = "example.com/version";

/// A clique of this version of the set whose new pods were refused at any time at which they can
/// have been checked.
fn refused_clique<'a>(window: &Window<'_>, set: &'a Value) -> Option<&'a str> {
    view::list(set, "/spec/template/cliques")
        .map(|c| view::text(c, "/name"))
        .find(|clique| is_refused(window, set, clique))
}

fn is_refused(window: &Window<'_>, set: &Value, clique: &str) -> bool {
    let wanted = version(set, clique);
    let Some(refused) = window.store.refused.get(wanted) else {
        return false;
    };
    let log = window.store.log.get(..window.position).unwrap_or_default();
    let has_it = |r: &Record| {
        let after = r.after.as_ref();
        after.is_some_and(|s| view::uid(s) == view::uid(set) && version(s, clique) == wanted)
    };
    let Some(written) = log.iter().position(has_it).filter(|at| refused <= at) else {
        return false;
    };
    // The first template of a set is not checked.
    let is_first = log
        .get(written)
        .and_then(|r| r.before.as_ref())
        .is_none_or(|s| view::text(s, "/status/currentGenerationHash").is_empty());
    let since = log.get(written..).unwrap_or_default();
    let is_of_clique = |r: &&Record| {
        r.id.namespace == view::namespace(set)
            && r.id.resource == Resource::PodClique
            && r.id.name.ends_with(&format!("-{clique}"))
    };
    let all_stay = since.iter().filter(is_of_clique).all(stays_checked);
    let has_one = window
        .all(Resource::PodClique)
        .any(|(id, c)| id.name.ends_with(&format!("-{clique}")) && has_pods(c));
    !is_first && all_stay && has_one && !is_proven(log, wanted)
}

/// Whether the record leaves the operator with a PodClique of an older template: one that others
/// edit, or that appears or disappears, may have no pods when the others are checked.
fn stays_checked(record: &Record) -> bool {
    let is_ours = [OPERATOR, LATE].contains(&record.actor);
    let states = [&record.before, &record.after];
    is_ours
        && states
            .iter()
            .all(|state| state.as_ref().is_some_and(|c| has_pods(c)))
}

fn has_pods(podclique: &Value) -> bool {
    !view::is_terminating(podclique) && view::number(podclique, "/spec/replicas") > 0
}

/// A template of which a pod is Ready is not checked.
fn is_proven(log: &[Record], wanted: &str) -> bool {
    log.iter()
        .filter(|r| r.id.resource == Resource::Pod)
        .any(|r| {
            let pod = r.after.as_ref();
            pod.is_some_and(|p| {
                p["metadata"]["annotations"][VERSION] == wanted && view::is_ready(p)
            })
        })
}
