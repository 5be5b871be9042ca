//! Topology constraints that the API server has dropped: it does so without an error where the
//! feature is off.

use api::conditions::Reason;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Facts;
use crate::backend::{dropped_fields, note_fields, report_dropped};

const FIELD: &str = "schedulingConstraints";

const REMEDY: &str = "the gang's pods need not share their required topology domain; enable feature \
    gate TopologyAwareWorkloadScheduling of the API server and of kube-scheduler, then delete the \
    pods of the gang";

/// Notes that the object is created with a constraint.
pub(super) fn note_constraint(metadata: &mut ObjectMeta) {
    note_fields(metadata, &vec![(FIELD, true)]);
}

/// The report if one of the objects has lost its constraint.
pub(in crate::backend) fn dropped(facts: &Facts) -> Option<(Reason, String)> {
    let groups = facts.groups.values().map(|group| {
        let constraints = group.spec.scheduling_constraints.as_ref();
        ("podgroups", &group.metadata, constraints.is_some())
    });
    let composites = facts.composites.values().map(|composite| {
        let constraints = composite.spec.scheduling_constraints.as_ref();
        (
            "compositepodgroups",
            &composite.metadata,
            constraints.is_some(),
        )
    });
    groups
        .chain(composites)
        .find_map(|(kind, metadata, is_there)| {
            let dropped = dropped_fields(metadata, &vec![(FIELD, is_there)]);
            report_dropped(&format!("{kind}.scheduling.k8s.io"), &dropped, REMEDY)
        })
}
