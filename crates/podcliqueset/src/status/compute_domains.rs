//! ComputeDomains that are disabled, or not ready.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use domain::health::readiness::{self, Cause};
use domain::roster::Roster;
use domain::workload::clique::domain_of;
use domain::workload::layout::LayoutSlot;
use domain::workload::nvlink;

use crate::observe::Snapshot;

/// Condition `SchedulingFeatureUnsupported` if the set has MNNVL groups and the operator's configuration
/// disables them. It holds nothing up.
pub(super) fn report_disabled(snapshot: &Snapshot) -> Option<ConditionUpdate> {
    if snapshot.domains.is_enabled {
        return None;
    }
    let groups = nvlink::enrolled_groups(&snapshot.validated.set);
    let first = groups.first()?;
    Some(ConditionUpdate {
        type_: ConditionType::SchedulingFeatureUnsupported,
        status: Status::True,
        reason: Reason::ComputeDomainsOff,
        message: format!(
            "MNNVL group {first}: network.autoMNNVLEnabled is false in the operator's \
             configuration, so new PodCliques do not join a ComputeDomain; those that do keep it"
        ),
    })
}

/// The cause, with the ComputeDomain of the part if pods on nodes may wait for it.
pub(super) fn complete(
    snapshot: &Snapshot,
    roster: &Roster<'_>,
    cause: Cause,
    part: &LayoutSlot<'_>,
) -> Cause {
    if snapshot.domains.found.is_empty() {
        return cause;
    }
    let Some(seen) = roster.slot(part).standing() else {
        return cause;
    };
    let domain = domain_of(snapshot.name(), &seen.podclique.spec.pod_spec);
    let domain = domain.and_then(|name| snapshot.domains.find(name));
    let pods = seen.pods.iter().map(AsRef::as_ref);
    match domain.and_then(|domain| readiness::explain_domain(domain, pods)) {
        Some(text) => cause.and(&text),
        None => cause,
    }
}
