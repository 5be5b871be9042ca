//! Whether a part of a job's replica failed, in any state that the operator may have observed. A
//! part that was done, Ready or about to be done in all of them is no failure (I25).

use std::collections::{BTreeMap, BTreeSet};

use api::labels;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::window::Window;
use super::{job, pace};
use crate::resource::Resource;
use crate::store::Stored;
use crate::view;

/// Whether, in any observable state, one of its PodCliques failed or still counts as failed.
pub(super) fn has_failed(window: &Window<'_>, set: &Value, replica: i64, at: Timestamp) -> bool {
    let present = view::attempt(set, replica);
    let is_current = |c: &Value| {
        view::is_job(c) && view::replica(c) == Some(replica) && job::attempt_of(c) == present
    };
    let candidates = window.versions(Resource::PodClique, is_current);
    let sets = job::sets(window, set);
    let is_of_set = |c: &Value| {
        job::sets(window, c)
            .into_iter()
            .any(|s| view::uid(s) == view::uid(set))
    };
    let has_failed = candidates.into_iter().any(|c| {
        let is_due = || sets.iter().any(|s| due(c, s).is_some_and(|due| due <= at));
        let has_failed =
            || is_lost(c) || has_given_up(window, c) || (is_due() && may_be_short(window, c));
        is_of_set(c) && has_failed()
    });
    has_failed || is_gone(window, set, replica)
}

/// Whether a PodClique of the present attempt disappeared before its work was done, however long
/// ago: it is missing since then.
fn is_gone(window: &Window<'_>, set: &Value, replica: i64) -> bool {
    let present = view::attempt(set, replica);
    let born = view::time(set, "/metadata/creationTimestamp");
    window.store.log.iter().take(window.position).any(|r| {
        let went = r.before.as_ref().filter(|_| r.after.is_none());
        let is_meant = |c: &Stored| {
            view::namespace(c) == view::namespace(set)
                && view::set_of(c) == view::name(set)
                && view::replica(c) == Some(replica)
                && job::attempt_of(c) == present
                && !(view::has_condition(c, "Succeeded") && is_in_our_hands(c))
        };
        r.id.resource == Resource::PodClique
            && born.is_none_or(|born| born <= r.time)
            && went.is_some_and(is_meant)
    })
}

/// A PodClique that a user gave another owner does not belong to the job any more: its status does
/// not count.
fn is_in_our_hands(podclique: &Value) -> bool {
    view::owner(podclique).is_none_or(|(kind, ..)| kind.starts_with("PodClique"))
}

/// It was deleted before its work was done, and not by the operator.
fn is_lost(podclique: &Value) -> bool {
    view::is_terminating(podclique) && !view::has_condition(podclique, "Succeeded")
}

/// Its status has an index that failed too often in a row, and a pod of it did.
fn has_given_up(window: &Window<'_>, podclique: &Value) -> bool {
    const EARLIER_FAILURES: i64 = 4;
    let mut conditions = view::list(podclique, "/status/conditions");
    let says_so = conditions.any(|c| view::text(c, "/reason") == "PodKeepsFailing");
    let uid = view::uid(podclique);
    let is_own = |p: &Value| view::owner(p).is_some_and(|o| o.2 == uid);
    let is_last = |p: &&Stored| {
        let has_failed = view::text(p, "/status/phase") == "Failed"
            || view::exit_codes(p).iter().any(|code| *code != 0);
        has_failed && pace::failure_count(p) >= EARLIER_FAILURES
    };
    says_so && window.versions(Resource::Pod, is_own).iter().any(is_last)
}

/// When the stored breach is due.
fn due(podclique: &Value, set: &Value) -> Option<Timestamp> {
    let mut conditions = view::list(podclique, "/status/conditions");
    let breach = conditions.find(|c| {
        view::text(c, "/type") == "MinAvailableBreached" && view::text(c, "/status") == "True"
    })?;
    // A crash loop is one breach, and its condition changes all the time.
    let since = view::time(podclique, "/status/breachedSince")
        .or_else(|| view::time(breach, "/lastTransitionTime"))?;
    since.checked_add(delay(podclique, set)).ok()
}

/// The delay of its group, else of the set, else none.
fn delay(podclique: &Value, set: &Value) -> SignedDuration {
    let group = view::label(podclique, labels::SCALING_GROUP);
    let own = view::list(set, "/spec/template/podCliqueScalingGroups")
        .find(|g| group.ends_with(&format!("-{}", view::text(g, "/name"))))
        .and_then(|g| view::duration(g, "/terminationDelay"));
    let of_set = view::duration(set, "/spec/template/terminationDelay");
    own.or(of_set).unwrap_or_default()
}

/// Whether it may have been observed with fewer pods than it needs.
fn may_be_short(window: &Window<'_>, podclique: &Value) -> bool {
    let wanted = view::number(podclique, "/spec/replicas");
    let least = podclique.pointer("/spec/minAvailable");
    let least = least.and_then(Value::as_i64).unwrap_or(wanted).min(wanted);
    let up = surely_up(window, view::uid(podclique));
    i64::try_from(up.len()).unwrap_or(0) < least
}

/// Indexes that were done, Ready or about to be done all the time.
fn surely_up(window: &Window<'_>, podclique: &str) -> BTreeSet<i64> {
    let mut up = surely_done(window, podclique);
    for pods in steady_pods(window, podclique).into_values() {
        let is_up = |p: &Stored| view::is_ready(p) || view::is_completed(p) || is_finishing(p);
        if pods.iter().all(|p| is_up(p)) {
            up.extend(pods.iter().filter_map(|p| view::index(p)));
        }
    }
    up
}

/// Indexes that were done all the time, as stored.
pub(super) fn surely_done(window: &Window<'_>, podclique: &str) -> BTreeSet<i64> {
    let mut versions = window.of_uid(Resource::PodClique, podclique).into_iter();
    let first = versions
        .next()
        .map(|c| view::completed(c))
        .unwrap_or_default();
    versions.fold(first, |done, c| &done & &view::completed(c))
}

/// All states of the pods of a PodClique that existed, and were its own, all the time, by uid.
pub(super) fn steady_pods<'a>(
    window: &Window<'a>,
    podclique: &str,
) -> BTreeMap<&'a str, Vec<&'a Stored>> {
    let is_own = |p: &Value| view::owner(p).is_some_and(|o| o.2 == podclique);
    let mut pods: BTreeMap<&str, Vec<&Stored>> = BTreeMap::new();
    for pod in window.versions(Resource::Pod, is_own) {
        pods.entry(view::uid(pod)).or_default().push(pod);
    }
    for uid in window.born_or_gone(Resource::Pod) {
        pods.remove(uid);
    }
    for taken in window.versions(Resource::Pod, |p| !is_own(p)) {
        pods.remove(view::uid(taken));
    }
    pods
}

/// The containers ended well, but the phase does not show it yet.
fn is_finishing(pod: &Value) -> bool {
    let codes = view::exit_codes(pod);
    view::text(pod, "/status/phase") == "Running"
        && !view::is_terminating(pod)
        && !codes.is_empty()
        && codes.iter().all(|code| *code == 0)
}
