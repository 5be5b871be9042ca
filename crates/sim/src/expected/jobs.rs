//! The right states of a training job in a cluster at rest: it has succeeded, or was given up, or
//! it still runs correctly.

use std::collections::BTreeSet;

use serde_json::Value;

use super::gangs::check_gang;
use super::{Gangs, check_breach, check_generation, is_rooted, pods_of, ready, wrong_labels};
use crate::actors::is_endless;
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::view;

/// The errors in a job.
pub(super) fn problems(store: &Store, set: &Value, gangs: &Gangs) -> Vec<String> {
    let mut problems = Vec::from_iter(check_generation(set));
    if view::list(set, "/status/lastErrors").next().is_some() {
        problems.push("set: lastErrors is not empty".to_owned());
    }
    let cliques = cliques(store, set);
    let phase = view::text(set, "/status/phase");
    problems.extend(ready::job(set, phase));
    match phase {
        "Succeeded" => problems.extend(not_done(store, set, gangs)),
        "Failed" if view::has_condition(set, "Failed") => {}
        "Running" if !view::has_condition(set, "Failed") => {
            problems.extend(running(store, set, gangs, &cliques));
            return problems;
        }
        _ => problems.push(format!("set: phase is {phase:?}")),
    }
    for clique in cliques {
        let pods = pods_of(store, view::uid(clique)).filter(|p| !view::is_finished(p));
        problems.extend(pods.map(|p| format!("pod {} of a job that is over", view::name(p))));
        problems.extend(check_generation(clique));
    }
    problems
}

/// The objects that need not exist: nothing is created for a job that is over, and no PodClique
/// whose work is done is recreated.
pub(super) fn needless(set: &Value, wanted: &BTreeSet<Id>, gangs: &Gangs) -> Vec<Id> {
    if view::is_over(set) {
        return wanted.iter().cloned().collect();
    }
    gangs
        .values()
        .flatten()
        .filter(|part| is_latched(set, part))
        .map(|part| Id::new(Resource::PodClique, part))
        .collect()
}

/// Whether the set remembers that the PodClique has done its work.
fn is_latched(set: &Value, part: &str) -> bool {
    let mut entries = view::list(set, "/status/replicaAttempts");
    entries.any(|e| view::list(e, "/succeeded").any(|n| n == part))
}

fn not_done(store: &Store, set: &Value, gangs: &Gangs) -> Vec<String> {
    let has_succeeded = |part: &&String| {
        let clique = store.get(&Id::new(Resource::PodClique, part));
        is_latched(set, part) || clique.is_some_and(|c| view::has_condition(c, "Succeeded"))
    };
    gangs
        .values()
        .flatten()
        .filter(|part| !has_succeeded(part))
        .map(|part| format!("set: Succeeded, but {part} has not"))
        .collect()
}

fn cliques<'a>(store: &'a Store, set: &Value) -> Vec<&'a Stored> {
    let is_own = |c: &Value| view::set_of(c) == view::name(set);
    let all = store.all(Resource::PodClique);
    all.filter(|(id, c)| is_own(c) && is_rooted(store, id))
        .map(|(_, c)| c)
        .collect()
}

/// Every index is completed, or held by a pod that is Ready and never ends by itself.
fn running(store: &Store, set: &Value, gangs: &Gangs, cliques: &[&Stored]) -> Vec<String> {
    let mut problems = Vec::new();
    for (gang, parts) in gangs {
        problems.extend(check_gang(store, gang, parts));
    }
    let wanted = view::number(set, "/spec/replicas");
    for count in ["replicas", "availableReplicas"] {
        let said = view::number(set, &format!("/status/{count}"));
        if said != wanted {
            problems.push(format!("set: status.{count} is {said}, {wanted} is right"));
        }
    }
    let runs = |c: &&&Stored| pods_of(store, view::uid(c)).any(is_up);
    if cliques.iter().find(runs).is_none() {
        problems.push("set: Running, but nothing runs any more".to_owned());
    }
    if view::deadline(set).is_some_and(|at| at <= store.now) {
        problems.push("set: it runs for too long".to_owned());
    }
    problems.extend(cliques.iter().flat_map(|c| check_clique(store, c)));
    problems
}

fn is_up(pod: &Value) -> bool {
    view::is_ready(pod) && is_endless(pod)
}

fn check_clique(store: &Store, clique: &Value) -> Vec<String> {
    let name = view::name(clique);
    let mut problems = Vec::from_iter(check_generation(clique));
    problems.extend(check_breach(clique));
    let done = view::completed(clique);
    let pods: Vec<&Value> = pods_of(store, view::uid(clique)).collect();
    let mut filled = done.clone();
    for pod in &pods {
        let index = view::index(pod).unwrap_or(-1);
        if is_up(pod) && !filled.insert(index) {
            problems.push(format!("{name}: index {index} is held twice"));
        }
        let is_done = view::is_completed(pod) && done.contains(&index);
        if !is_up(pod) && !is_done {
            problems.push(format!(
                "{name}: {} is neither up nor done",
                view::name(pod)
            ));
        }
        problems.extend(wrong_labels(pod, clique));
    }
    let wanted = view::number(clique, "/spec/replicas");
    if !filled.iter().copied().eq(0..wanted) {
        problems.push(format!("{name}: {filled:?} are up or done of {wanted}"));
    }
    let is_done = i64::try_from(done.len()) == Ok(wanted);
    if view::has_condition(clique, "Succeeded") != is_done {
        problems.push(format!("{name}: Succeeded with {done:?} of {wanted} done"));
    }
    let counts = [("replicas", pods.len()), ("readyReplicas", filled.len())];
    for (count, right) in counts {
        let said = view::number(clique, &format!("/status/{count}"));
        if i64::try_from(right) != Ok(said) {
            problems.push(format!(
                "{name}: status.{count} is {said}, {right} is right"
            ));
        }
    }
    problems
}
