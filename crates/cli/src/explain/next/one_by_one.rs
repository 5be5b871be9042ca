//! A gang of which a part has nodes, while its scheduler places pods one by one.

use api::conditions::Reason;
use api::labels;
use domain::Pod;
use domain::object::ownership;

use super::Situation;
use crate::explain::answer::NextStep;
use crate::workload::pod_state;

/// The chart's value that has Kubernetes' own scheduler place gangs as a whole (1.37).
const ALL_OR_NOTHING: &str = "for all or nothing set the chart's value `config.scheduler.profiles` to \
                              `[{name: default-scheduler, backend: kubernetes}]` (Kubernetes 1.37, \
                              docs/gang-scheduling.md)";

/// The pods of the gang that keep their nodes while others of its minimum find none.
pub(super) fn of_gang(situation: &Situation<'_, '_>) -> Option<NextStep> {
    let is_short = matches!(
        situation.reason,
        Some(Reason::InsufficientResources | Reason::Unschedulable)
    );
    let podclique = situation.finding.podclique.filter(|_| is_short)?;
    if podclique.count(Pod::is_scheduled) >= podclique.minimum() {
        return None;
    }
    let mut waiting = podclique.staying().filter(|pod| !pod.is_scheduled());
    let waiting = waiting.find(|pod| is_placed_alone(pod))?;
    let gang = ownership::label(&waiting.metadata, labels::POD_GANG)?;
    let placed = situation.view.workload.pods.iter().filter(|pod| {
        ownership::label(&pod.metadata, labels::POD_GANG) == Some(gang)
            && pod_state::node_of(pod).is_some()
    });
    let subject = match placed.count() {
        0 => return None,
        1 => format!("1 pod of gang {gang} keeps its node"),
        many => format!("{many} pods of gang {gang} keep their nodes"),
    };
    let text =
        format!("{subject} meanwhile: default-scheduler places pods one by one; {ALL_OR_NOTHING}");
    Some(NextStep::sometime(text))
}

/// Whether its scheduler knows nothing of its gang.
fn is_placed_alone(pod: &Pod) -> bool {
    pod.names_scheduler(None) && pod.pod_group().is_none()
}
