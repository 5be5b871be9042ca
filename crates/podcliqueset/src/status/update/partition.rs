//! Why an update rests: partitions keep the templates of all that is left (docs/semantics.md §14.2).

use api::PodCliqueSetStatus;
use domain::roster::Roster;
use domain::update;

use super::report::running;
use crate::observe::Snapshot;
use crate::rollout;

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
    update::components_of(&snapshot.validated.set.spec.template)
        .filter(|component| component.partition() > 0)
        .map(|component| {
            let units = component.group.map_or("pods", |_| "replicas");
            let (name, partition) = (component.name, component.partition());
            format!(
                "{units} of {name} below {partition} keep their templates: lower its \
                 rollingUpdate.partition to go on"
            )
        })
        .collect()
}
