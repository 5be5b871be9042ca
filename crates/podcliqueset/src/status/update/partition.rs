//! Why an update rests: partitions keep the templates of all that is left (docs/semantics.md §14.2).

use api::PodCliqueSetStatus;
use domain::roster::Roster;
use domain::update;
use domain::workload::layout;

use super::report::running;
use crate::observe::Snapshot;
use crate::rollout::{self, Partitions};

/// Which partitions keep all that is left; `None` if something of it is replaced.
pub(super) fn explain_rest(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    next: &PodCliqueSetStatus,
) -> Option<String> {
    let partition = update::partition(&snapshot.validated.set);
    let kept_units = explain_components(snapshot);
    let has_turn = running(next).is_none_or(|p| !p.currently_updating.is_empty());
    if (partition <= 0 && kept_units.is_empty()) || has_turn {
        return None;
    }
    let hashed = rollout::hash_templates(snapshot);
    let survey = rollout::survey(snapshot, roster, &rollout::newest(&hashed));
    let rests = |r: &rollout::Progress| !r.is_open && (!r.is_outdated || r.index < partition);
    if !survey.iter().all(rests) {
        return None;
    }
    let mut parts = kept_units;
    if survey.iter().any(|r| r.is_outdated) {
        let kept = format!(
            "replicas below {partition} keep their templates: lower \
             spec.updateStrategy.partition to go on"
        );
        parts.insert(0, kept);
    }
    Some(parts.join("; "))
}

fn explain_components(snapshot: &Snapshot) -> Vec<String> {
    let set = &snapshot.validated.set;
    let template = &set.spec.template;
    let cliques = layout::standalone_cliques(template).map(|clique| ("pods", &clique.name));
    let groups = template
        .scaling_groups
        .iter()
        .map(|group| ("replicas", &group.name));
    cliques
        .chain(groups)
        .map(|(units, name)| (units, name, Partitions::of_component(set, name)))
        .filter(|(_, _, partition)| *partition > 0)
        .map(|(units, name, partition)| {
            format!(
                "{units} of {name} below {partition} keep their templates: lower its \
                 rollingUpdate.partition to go on"
            )
        })
        .collect()
}
