//! A suspended set at rest: it has no unfinished pod, and says so.

use super::{Resource, Store, is_rooted, ready, view};

/// The errors in the suspended sets, and in those that are to be.
pub fn suspended_problems(store: &Store) -> Vec<String> {
    let namespaces = store.namespaces();
    namespaces
        .into_iter()
        .map(|name| store.within(&name))
        .flat_map(|store| problems_within(&store))
        .collect()
}

fn problems_within(store: &Store) -> Vec<String> {
    let sets = store.all(Resource::PodCliqueSet);
    let sets = sets.filter(|(_, set)| !view::is_over(set));
    let (mut problems, mut is_any) = (Vec::new(), false);
    for (_, set) in sets {
        is_any = true;
        problems.extend(ready::suspended(set));
    }
    let pods = store.all(Resource::Pod);
    let left = pods.filter(|(id, pod)| is_any && view::is_live(pod) && is_rooted(store, id));
    problems.extend(left.map(|(id, _)| format!("{id} runs, and its set is suspended")));
    problems
}
