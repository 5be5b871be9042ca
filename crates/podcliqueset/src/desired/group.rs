//! PodCliqueScalingGroup objects.

use std::collections::BTreeMap;

use api::labels::MNNVL_GROUP;
use api::labels::{self, component};
use api::podcliqueset::PodCliqueScalingGroupConfig;
use api::{PodCliqueScalingGroup, PodCliqueScalingGroupSpec, PodCliqueSet, names};
use domain::object::ownership;
use domain::workload::{clique, gang};

use super::{metadata, with_replica};

/// The group's object in replica `i`.
pub fn build(
    set: &PodCliqueSet,
    config: &PodCliqueScalingGroupConfig,
    i: i32,
) -> PodCliqueScalingGroup {
    let name = names::scaling_group(ownership::name(&set.metadata), i, &config.name);
    let replicas = config.replicas.unwrap_or(1);
    let mut meta = with_replica(metadata(set, &name, &name, component::SCALING_GROUP), i);
    meta.finalizers = Some(vec![labels::PCSG_FINALIZER.into()]);
    meta.annotations = Some(build_annotations(set, config, replicas));
    PodCliqueScalingGroup {
        metadata: meta,
        spec: PodCliqueScalingGroupSpec {
            replicas,
            min_available: Some(gang::group_minimum(config)),
            clique_names: config.clique_names.clone(),
            workload_type: set.spec.workload_type,
        },
        status: None,
    }
}

fn build_annotations(
    set: &PodCliqueSet,
    config: &PodCliqueScalingGroupConfig,
    replicas: i32,
) -> BTreeMap<String, String> {
    let mut all = clique::users_annotations(&config.annotations);
    if let Some(inherited) = ownership::annotation(&set.metadata, MNNVL_GROUP) {
        all.entry(MNNVL_GROUP.into())
            .or_insert_with(|| inherited.to_owned());
    }
    all.insert(labels::TEMPLATE_REPLICAS.into(), replicas.to_string());
    all
}

/// `existing` as it should be, or `None` if it is right. Live `spec.replicas` belongs to users and
/// autoscalers.
pub fn corrected(
    existing: &PodCliqueScalingGroup,
    desired: &PodCliqueScalingGroup,
    is_autoscaled: bool,
) -> Option<PodCliqueScalingGroup> {
    if ownership::is_terminating(&existing.metadata) {
        return None;
    }
    let mut next = existing.clone();
    next.spec = desired.spec.clone();
    // Fixed at creation; an object without a value gets one.
    next.spec.min_available = existing.spec.min_available.or(next.spec.min_available);
    next.spec.replicas = clique::live_replicas(
        existing.spec.replicas,
        ownership::annotation(&existing.metadata, labels::TEMPLATE_REPLICAS),
        ownership::annotation(&desired.metadata, labels::TEMPLATE_REPLICAS),
        is_autoscaled,
    );
    clique::overlay(&mut next.metadata, &desired.metadata);
    clique::add_owner(&mut next.metadata, &desired.metadata);
    clique::add_finalizer(&mut next.metadata, labels::PCSG_FINALIZER);
    (next != *existing).then_some(next)
}
