//! How an existing PodClique object is corrected.

use api::{PodClique, PodCliqueSpec, labels};
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::metadata::{add_finalizer, add_owner, overlay, own_keys, remove_dropped};
use super::nvlink;
use crate::object::{environment, ownership};
use crate::workload::hash;

/// `existing` as it should be, or `None` if it is right.
///
/// Foreign content stays: other keys, finalizers, a live `spec.replicas` that was scaled. A
/// PodClique of another template generation keeps its pod template until its turn in an update,
/// `is_template_due`.
pub fn corrected(
    existing: &PodClique,
    desired: &PodClique,
    is_autoscaled: bool,
    is_template_due: bool,
) -> Option<PodClique> {
    if ownership::is_terminating(&existing.metadata) {
        return None;
    }
    let is_same_template = is_of_template(existing, desired);
    let is_updated = is_template_due && !is_same_template;
    let takes_template = is_updated || is_same_template;
    let mut metadata = corrected_metadata(existing, desired, takes_template);
    if is_updated {
        // Pods of the previous template must not pass for pods of this one (decision 76).
        for key in [labels::REBASED_FROM, labels::MADE_WITH_HASH] {
            let annotations = metadata.annotations.as_mut();
            annotations.and_then(|all| all.remove(key));
        }
    }
    let mut spec = desired.spec.clone();
    if nvlink::has_claim(&existing.spec.pod_spec) {
        nvlink::keep_claim(&mut spec.pod_spec, &existing.spec.pod_spec);
    }
    // Fixed at creation; an object without a value gets one.
    spec.min_available = existing.spec.min_available.or(spec.min_available);
    let stamp = |meta| ownership::annotation(meta, labels::TEMPLATE_REPLICAS);
    spec.replicas = live_replicas(
        existing.spec.replicas,
        stamp(&existing.metadata),
        stamp(&desired.metadata),
        is_autoscaled,
    );
    let takes_pods =
        takes_template && !hash::is_same_pod_spec(&existing.spec.pod_spec, &spec.pod_spec);
    let is_right =
        !takes_pods && metadata == existing.metadata && is_same_but_for_pods(&spec, &existing.spec);
    if is_right {
        return None;
    }
    if !takes_pods {
        spec.pod_spec = existing.spec.pod_spec.clone();
    }
    Some(PodClique {
        metadata,
        spec,
        status: existing.status.clone(),
    })
}

/// `desired` without more pods than the template had when its count was last stamped: the added
/// pods wait for the new template, so that none is created from the old one only to be replaced. A
/// scaled count stays, and a lower count takes effect at once.
pub fn without_rise(existing: &PodClique, desired: PodClique) -> PodClique {
    let stamp = ownership::annotation(&existing.metadata, labels::TEMPLATE_REPLICAS);
    let count: Option<i32> = stamp.and_then(|s| s.parse().ok());
    let rises = |count: &i32| *count < desired.spec.replicas && !is_of_template(existing, &desired);
    let Some(count) = count.filter(rises) else {
        return desired;
    };
    let mut held = desired;
    held.spec.replicas = count;
    let annotations = held.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::TEMPLATE_REPLICAS.into(), count.to_string());
    held
}

fn corrected_metadata(
    existing: &PodClique,
    desired: &PodClique,
    takes_template: bool,
) -> ObjectMeta {
    let wanted = &desired.metadata;
    let mut next = existing.metadata.clone();
    if takes_template {
        remove_dropped(&mut next, wanted);
        overlay(&mut next, wanted);
    } else {
        // The user's labels belong to the template: they change with it, on the replica's turn.
        overlay(&mut next, &own_keys(wanted));
    }
    set_hash_label(&mut next, existing, takes_template);
    if ownership::annotation(wanted, labels::OLDER_TEMPLATE_HASH).is_none() {
        let annotations = next.annotations.as_mut();
        annotations.and_then(|all| all.remove(labels::OLDER_TEMPLATE_HASH));
    }
    add_owner(&mut next, wanted);
    add_finalizer(&mut next, labels::PCLQ_FINALIZER);
    next
}

/// Whether both are equal, except for the pods' template.
fn is_same_but_for_pods(one: &PodCliqueSpec, other: &PodCliqueSpec) -> bool {
    let PodCliqueSpec {
        role_name,
        pod_spec: _,
        replicas,
        min_available,
        starts_after,
        auto_scaling_config,
        workload_type,
    } = one;
    *role_name == other.role_name
        && *replicas == other.replicas
        && *min_available == other.min_available
        && *starts_after == other.starts_after
        && *auto_scaling_config == other.auto_scaling_config
        && *workload_type == other.workload_type
}

/// The next live `spec.replicas`: it follows the template only if it was not scaled since the last
/// template value, `stamped`, was stored. An object without a stamp only gets one.
pub fn live_replicas(
    live: i32,
    stamped: Option<&str>,
    template: Option<&str>,
    is_autoscaled: bool,
) -> i32 {
    let stamped: Option<i32> = stamped.and_then(|s| s.parse().ok());
    let template: Option<i32> = template.and_then(|t| t.parse().ok());
    match (stamped, template) {
        (Some(stamped), Some(template)) if stamped == live && !is_autoscaled => template,
        _ => live,
    }
}

/// Whether both come from the same pod template. A hash that another implementation wrote cannot be
/// compared: then the pod templates themselves are compared.
fn is_of_template(existing: &PodClique, desired: &PodClique) -> bool {
    let theirs = ownership::label(&existing.metadata, labels::POD_TEMPLATE_HASH);
    let ours = ownership::label(&desired.metadata, labels::POD_TEMPLATE_HASH);
    let is_same = || {
        let (theirs, ours) = (&existing.spec.pod_spec, &desired.spec.pod_spec);
        hash::is_same_pod_spec(&timeless(theirs), &timeless(ours))
    };
    match theirs {
        Some(hash) if hash::is_ours(hash) => theirs == ours,
        _ => is_same(),
    }
}

/// The pod template without the parts that the template's hash excludes: the variable with the
/// number of pods of a group replica when the PodClique was created, which the Go operator never
/// corrects, and the claim that is not in the set.
fn timeless(pod_spec: &PodSpec) -> PodSpec {
    let mut spec = pod_spec.clone();
    environment::remove(&mut spec, labels::env::PCSG_TEMPLATE_NUM_PODS);
    nvlink::remove_claim(&mut spec);
    spec
}

/// A PodClique of another generation keeps its own hash. A hash that another implementation wrote
/// is replaced by ours, and the old one is noted so that its pods can be relabelled, not restarted.
fn set_hash_label(next: &mut ObjectMeta, existing: &PodClique, is_same_template: bool) {
    let before = ownership::label(&existing.metadata, labels::POD_TEMPLATE_HASH).map(str::to_owned);
    let is_ours = before.as_deref().is_some_and(hash::is_ours);
    if let (false, Some(foreign)) = (is_ours, &before) {
        let annotations = next.annotations.get_or_insert_default();
        annotations.insert(labels::REBASED_FROM.into(), foreign.clone());
    }
    if is_same_template {
        return;
    }
    let own = if is_ours {
        before.unwrap_or_default()
    } else {
        hash::pod_spec_hash(&existing.spec.pod_spec)
    };
    next.labels
        .get_or_insert_default()
        .insert(labels::POD_TEMPLATE_HASH.into(), own);
}
