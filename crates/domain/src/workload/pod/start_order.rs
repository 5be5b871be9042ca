//! The additional parts of a pod with dependencies (docs/semantics.md §8.6). None of them is in the
//! template, so none is in a hash, and another image restarts nothing.

use std::collections::BTreeMap;

use api::labels;
use api::start_order::{
    CONTAINER, MOUNT_PATH, NOT_YET, NOW, START_FILE, STARTS_AFTER_FILE, VOLUME,
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    Capabilities, Container, DownwardAPIVolumeFile, DownwardAPIVolumeSource, ObjectFieldSelector,
    Pod, PodSpec, ResourceRequirements, SecurityContext, Volume, VolumeMount,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// A PodClique that must be up before the pods start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// The number of its pods that have to be Ready or done: its minimum.
    pub pods: i32,
    /// Whether that number is reached.
    pub is_up: bool,
}

/// Gives the pod the waiting init container, the volume that shows it the annotations, and the
/// annotations. Without dependencies the pod stays as it is.
pub fn hold_back_pod(pod: &mut Pod, dependencies: &[Dependency], image: &str, now: Timestamp) {
    if dependencies.is_empty() {
        return;
    }
    let pairs: Vec<String> = dependencies
        .iter()
        .map(|dependency| format!("{}:{}", dependency.name, dependency.pods))
        .collect();
    let annotations = pod.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::STARTS_AFTER.into(), pairs.join(","));
    let is_free = dependencies.iter().all(|dependency| dependency.is_up);
    let start = if is_free { NOW } else { NOT_YET };
    annotations.insert(labels::START.into(), start.into());
    if is_free {
        annotations.insert(labels::START_AT.into(), written(now));
    }
    let spec = pod.spec.get_or_insert_default();
    let container = build_container(spec, image);
    spec.init_containers
        .get_or_insert_default()
        .insert(0, container);
    spec.volumes.get_or_insert_default().push(build_volume());
}

/// A time in the form of annotations: whole seconds, as in all objects.
pub fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn build_container(spec: &PodSpec, image: &str) -> Container {
    let model = spec.containers.first();
    Container {
        name: CONTAINER.into(),
        image: Some(image.to_owned()),
        args: Some(vec![format!("--volume={MOUNT_PATH}")]),
        resources: model.and_then(|c| c.resources.as_ref()).map(copy_resources),
        security_context: Some(confine(model.and_then(|c| c.security_context.as_ref()))),
        // Its log says why it ends early.
        termination_message_policy: Some("FallbackToLogsOnError".into()),
        volume_mounts: Some(vec![VolumeMount {
            name: VOLUME.into(),
            mount_path: MOUNT_PATH.into(),
            read_only: Some(true),
            ..VolumeMount::default()
        }]),
        ..Container::default()
    }
}

/// The resources of the first container, without devices. The init container ends before the first
/// one starts, so the pod needs no more than before; with any other amount its class (`Guaranteed`)
/// would change, or a quota or `LimitRange` that the template was written for would refuse it.
fn copy_resources(model: &ResourceRequirements) -> ResourceRequirements {
    let basic = |all: &Option<BTreeMap<String, Quantity>>| {
        let kept = ["cpu", "memory", "ephemeral-storage"];
        let basic: BTreeMap<_, _> = all
            .iter()
            .flatten()
            .filter(|(name, _)| kept.contains(&name.as_str()))
            .map(|(n, q)| (n.clone(), q.clone()))
            .collect();
        (!basic.is_empty()).then_some(basic)
    };
    ResourceRequirements {
        requests: basic(&model.requests),
        limits: basic(&model.limits),
        claims: None,
    }
}

/// Only the rights that it needs, under the user of the first container: a policy that requires
/// some user, or one other than root, applies to all containers.
fn confine(model: Option<&SecurityContext>) -> SecurityContext {
    let model = model.cloned().unwrap_or_default();
    SecurityContext {
        allow_privilege_escalation: Some(false),
        capabilities: Some(Capabilities {
            add: None,
            drop: Some(vec!["ALL".into()]),
        }),
        read_only_root_filesystem: Some(true),
        run_as_user: model.run_as_user,
        run_as_group: model.run_as_group,
        run_as_non_root: model.run_as_non_root,
        seccomp_profile: model.seccomp_profile,
        se_linux_options: model.se_linux_options,
        ..SecurityContext::default()
    }
}

fn build_volume() -> Volume {
    let file = |path: &str, annotation: &str| DownwardAPIVolumeFile {
        path: path.into(),
        field_ref: Some(ObjectFieldSelector {
            api_version: Some("v1".into()),
            field_path: format!("metadata.annotations['{annotation}']"),
        }),
        ..DownwardAPIVolumeFile::default()
    };
    Volume {
        name: VOLUME.into(),
        downward_api: Some(DownwardAPIVolumeSource {
            items: Some(vec![
                file(START_FILE, labels::START),
                file(STARTS_AFTER_FILE, labels::STARTS_AFTER),
            ]),
            default_mode: Some(0o444),
            ..DownwardAPIVolumeSource::default()
        }),
        ..Volume::default()
    }
}
