//! PodGangs at rest.

use std::collections::BTreeSet;

use super::{pods_of, ready};
use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::{queue, view};

pub(super) fn check_gang(store: &Store, name: &str, parts: &BTreeSet<String>) -> Vec<String> {
    let Some(gang) = store.get(&Id::new(Resource::PodGang, name)) else {
        return vec![];
    };
    let mut problems = Vec::new();
    let listed: BTreeSet<&str> = view::list(gang, "/spec/podgroups")
        .map(|g| view::text(g, "/name"))
        .collect();
    if listed != parts.iter().map(String::as_str).collect() {
        problems.push(format!("{name} has parts {listed:?}, {parts:?} are right"));
    }
    for group in view::list(gang, "/spec/podgroups") {
        let part = view::text(group, "/name");
        let Some(clique) = store.get(&Id::new(Resource::PodClique, part)) else {
            continue;
        };
        let refs: BTreeSet<&str> = view::list(group, "/podReferences")
            .map(|r| view::text(r, "/name"))
            .collect();
        let pods: BTreeSet<&str> = pods_of(store, view::uid(clique)).map(view::name).collect();
        // It lost its quota when its pods had completed, and needs none any more.
        let lists_none = queue::is_queued(gang) && !queue::is_reserved(gang) && refs.is_empty();
        if refs != pods && !lists_none {
            problems.push(format!("{name}: {part} lists {refs:?}, {pods:?} exist"));
        }
        let least =
            view::number(clique, "/spec/minAvailable").min(view::number(clique, "/spec/replicas"));
        if view::number(group, "/minReplicas") != least {
            problems.push(format!("{name}: minReplicas of {part} is not {least}"));
        }
    }
    problems
}

pub(super) fn check_phase(store: &Store, name: &str) -> Option<String> {
    let gang = store.get(&Id::new(Resource::PodGang, name))?;
    let phase = view::text(gang, "/status/phase");
    let wrong = (phase != "Running").then(|| format!("{name}: phase is {phase}"));
    wrong.or_else(|| ready::gang(gang))
}
