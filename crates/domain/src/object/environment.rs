//! Environment variables that the operator gives to every container, named as by the Go operator.

use api::labels::{self, env};
use k8s_openapi::api::core::v1::{EnvVar, EnvVarSource, ObjectFieldSelector, PodSpec};

/// A variable with a fixed value.
pub fn literal(name: &str, value: impl Into<String>) -> EnvVar {
    EnvVar {
        name: name.into(),
        value: Some(value.into()),
        value_from: None,
    }
}

/// A variable whose value is a label of the pod.
pub fn from_label(name: &str, label: &str) -> EnvVar {
    EnvVar {
        name: name.into(),
        value: None,
        value_from: Some(EnvVarSource {
            field_ref: Some(ObjectFieldSelector {
                api_version: Some("v1".into()),
                field_path: format!("metadata.labels['{label}']"),
            }),
            ..EnvVarSource::default()
        }),
    }
}

/// The variables of a clique in a scaling group; `pods` is the number of pods that one group
/// replica has according to the template.
pub fn of_scaling_group(pods: i32) -> Vec<EnvVar> {
    vec![
        from_label(env::PCSG_NAME, labels::SCALING_GROUP),
        literal(env::PCSG_TEMPLATE_NUM_PODS, pods.to_string()),
        from_label(env::PCSG_INDEX, labels::SCALING_GROUP_REPLICA_INDEX),
    ]
}

/// Puts `variables` first into every container and init container; they replace a user's variable
/// of the same name.
pub fn inject(spec: &mut PodSpec, variables: &[EnvVar]) {
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        let theirs = container.env.take().unwrap_or_default();
        let kept = theirs
            .into_iter()
            .filter(|v| !variables.iter().any(|o| o.name == v.name));
        container.env = Some(variables.iter().cloned().chain(kept).collect());
    }
}

/// Takes the variable of that name out of every container and init container.
pub fn remove(spec: &mut PodSpec, name: &str) {
    let init = spec.init_containers.iter_mut().flatten();
    for container in spec.containers.iter_mut().chain(init) {
        container
            .env
            .iter_mut()
            .for_each(|env| env.retain(|v| v.name != name));
    }
}
