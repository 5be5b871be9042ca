//! A deadline for progress that a new unit cannot meet: without a readiness probe it counts only a
//! while after it is Ready.

use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueTemplateSpec, RollingUpdate};
use domain::update;

use super::Warning;
use crate::clique_paths::{cliques, group_of, scaling_groups};
use crate::field::Path;

/// Beside a given `minReadySeconds` such a deadline is refused.
pub(super) fn check(pcs: &PodCliqueSet) -> Vec<Warning> {
    let standalone = cliques(pcs).filter(|(_, clique)| group_of(pcs, &clique.name).is_none());
    let of_cliques = standalone
        .filter_map(|(at, clique)| of_one(&at, clique.rolling_update.as_ref()?, [clique]));
    let of_groups = scaling_groups(pcs).filter_map(|(at, group)| {
        let cliques = pcs.spec.template.cliques.iter();
        let members = cliques.filter(|clique| group.clique_names.contains(&clique.name));
        of_one(&at, group.rolling_update.as_ref()?, members)
    });
    of_cliques.chain(of_groups).collect()
}

fn of_one<'a>(
    at: &Path,
    rolling: &RollingUpdate,
    cliques: impl IntoIterator<Item = &'a PodCliqueTemplateSpec>,
) -> Option<Warning> {
    let deadline = rolling.progress_deadline.as_ref()?.parse().ok()?;
    let default = update::min_ready(Some(rolling), cliques).as_secs();
    let is_late = default > 0 && deadline.as_secs() <= default;
    let text = format!(
        "a new pod without a readiness probe counts after {default}s, so every update is reported as \
         standing still; raise it, add readiness probes, or set minReadySeconds"
    );
    let at = at.field("rollingUpdate").field("progressDeadline");
    let is_unset = rolling.min_ready_seconds.is_none();
    (is_unset && is_late).then(|| Warning::new(&at, text))
}
