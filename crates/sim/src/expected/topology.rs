//! At rest no pod waits for a topology domain in which nobody of its scope runs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::resource::Resource;
use crate::store::Store;
use crate::topology::scopes::{self, Scope};
use crate::topology::{LEVELS, pin};
use crate::view;

pub(super) fn problems(store: &Store) -> Vec<String> {
    let pods = || store.all(Resource::Pod).map(|(_, pod)| &**pod);
    let is_bound = |pod: &&Value| !view::text(pod, "/spec/nodeName").is_empty();
    let running: BTreeSet<String> = pods()
        .filter(|pod| is_bound(pod) && view::is_live(pod))
        .flat_map(|pod| scopes::of_standing_pod(store, pod))
        .map(|scope| scope.name)
        .collect();
    pods()
        .filter(|pod| !is_bound(pod) && view::is_live(pod))
        .filter_map(|pod| {
            let pin = pin(pod)?;
            let scopes = scopes::of_standing_pod(store, pod);
            let empty = pinning(&scopes, &pin).find(|scope| !running.contains(&scope.name))?;
            let (name, scope) = (view::name(pod), &empty.name);
            Some(format!(
                "{name} waits for {pin}, where nobody of {scope} runs"
            ))
        })
        .collect()
}

/// The scopes that the pin is for: the outermost one of each level that it names.
fn pinning<'a>(scopes: &'a [Scope], pin: &'a Value) -> impl Iterator<Item = &'a Scope> {
    LEVELS
        .iter()
        .enumerate()
        .filter_map(move |(position, (_, key))| {
            let mut of_level = scopes
                .iter()
                .filter(move |scope| scope.position == position);
            of_level.next().filter(|_| pin.get(key).is_some())
        })
}
