//! Counts that an autoscaler decides about (docs/semantics.md §9.1).

use api::PodCliqueSet;
use api::podclique::AutoScalingConfig;

use super::Warning;
use crate::clique_paths::{cliques, scaling_groups};
use crate::field::Path;

pub(super) fn check(old: Option<&PodCliqueSet>, new: &PodCliqueSet) -> Vec<Warning> {
    let changed = changed_cliques(old, new).into_iter();
    let groups = scaling_groups(new).filter_map(|(at, group)| {
        let scaling = group.scale_config.as_ref()?;
        let at = at.field("replicas");
        let before = old
            .map(|old| &old.spec.template.scaling_groups)
            .and_then(|all| all.iter().find(|g| g.name == group.name));
        let is_changed = before.is_some_and(|before| before.replicas != group.replicas);
        let above = above_limit(&at, scaling, group.replicas.unwrap_or(1));
        above.or_else(|| is_changed.then(|| followed_by_nothing(&at)))
    });
    changed.chain(groups).collect()
}

fn changed_cliques(old: Option<&PodCliqueSet>, new: &PodCliqueSet) -> Vec<Warning> {
    let before = |name: &str| {
        let all = &old?.spec.template.cliques;
        all.iter().find(|clique| clique.name == name)
    };
    cliques(new)
        .filter(|(_, clique)| {
            let before = before(&clique.name).map(|before| before.spec.replicas);
            let is_changed = before.is_some_and(|before| before != clique.spec.replicas);
            clique.spec.auto_scaling_config.is_some() && is_changed
        })
        .map(|(at, _)| followed_by_nothing(&at.field("spec").field("replicas")))
        .collect()
}

fn followed_by_nothing(at: &Path) -> Warning {
    Warning::new(
        at,
        "does not change existing objects: the autoscaler decides",
    )
}

/// Of a clique it is refused.
fn above_limit(at: &Path, scaling: &AutoScalingConfig, replicas: i32) -> Option<Warning> {
    let most = scaling.max_replicas;
    let text = format!("the autoscaler goes down to its maxReplicas ({most}) at once");
    (replicas > most).then(|| Warning::new(at, text))
}
