//! Updates (docs/semantics.md §14): the replica that has the turn, and the time at which a stalled
//! update is reported.

use domain::update;
use domain::workload::layout::{self, LayoutSlot};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::Situation;
use crate::explain::answer::NextStep;
use crate::workload::View;

/// The next step of the running update.
pub(super) fn of_set(situation: &Situation<'_, '_>) -> Vec<NextStep> {
    let view = situation.view;
    let set = &view.workload.set;
    let Some(turn) = update::turn(set).map(|turn| turn.replica_index) else {
        return Vec::new();
    };
    let status = set.status.clone().unwrap_or_default();
    let (done, all) = (status.updated_replicas, set.spec.replicas);
    let text = format!(
        "replica {turn} is being updated ({done}/{all} replicas are); the next one follows once \
         everything in it is ready"
    );
    let mut steps = vec![NextStep::sometime(text)];
    let part = situation.finding.part.as_ref();
    steps.extend(
        part.filter(|p| p.replica == turn)
            .and_then(|p| of_part(view, p)),
    );
    steps
}

/// The time at which the part is reported as stalled.
fn of_part(view: &View<'_>, part: &LayoutSlot<'_>) -> Option<NextStep> {
    let template = &view.workload.set.spec.template;
    let clique = template.cliques.iter().find(|c| c.name == part.clique)?;
    let group = layout::group_of(template, part.clique);
    let rolling = update::rolling_update(clique, group);
    let (object, last) = progress(view, part)?;
    let at = update::deadline_at(rolling, last.as_ref())?;
    if at <= view.now {
        let since = last.map_or(String::new(), |last| format!(" since {:.0}", last.0));
        return Some(NextStep::sometime(format!(
            "the update of {object} has made no progress{since}; it continues once the cause is fixed"
        )));
    }
    let text = format!(
        "the operator reports ProgressDeadlineExceeded for {object} unless its update makes \
         progress; the update continues"
    );
    Some(NextStep::at(at, text))
}

/// The unit of the update and the time of its last progress; none once it is done.
fn progress(view: &View<'_>, part: &LayoutSlot<'_>) -> Option<(String, Option<Time>)> {
    if let Some(group) = view.roster.group_of(part) {
        let progress = group.status.as_ref()?.update_progress.as_ref()?;
        let name = group.metadata.name.clone().unwrap_or_default();
        let is_running = progress.update_ended_at.is_none();
        return is_running.then(|| (name, progress.last_progress_time.clone()));
    }
    let podclique = &view.podclique(part)?.podclique;
    let progress = podclique.status.as_ref()?.update_progress.as_ref()?;
    let is_running = progress.update_ended_at.is_none();
    is_running.then(|| (part.name.clone(), progress.last_progress_time.clone()))
}
