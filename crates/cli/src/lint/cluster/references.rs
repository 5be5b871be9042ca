//! References of a pod by name. Optional ones are left out.

use k8s_openapi::api::core::v1::{Container, PodSpec, Volume, VolumeProjection};

use super::answers::NeededKind;
use super::needs::Need;
use crate::lint::parts::{containers, init_containers};

/// References of the pod template; its `PriorityClass` only if it counts.
pub(super) fn of_pod(namespace: &str, at: &str, pod: &PodSpec, own_class: bool) -> Vec<Need> {
    let mut found = of_account(at, pod);
    let class = pod.priority_class_name.as_deref().filter(|_| own_class);
    found.extend(class.map(|name| {
        (
            NeededKind::PriorityClass,
            name,
            format!("{at}.priorityClassName"),
        )
    }));
    for (i, secret) in pod.image_pull_secrets.iter().flatten().enumerate() {
        let at = format!("{at}.imagePullSecrets[{i}].name");
        found.push((NeededKind::Secret, &secret.name, at));
    }
    for (i, volume) in pod.volumes.iter().flatten().enumerate() {
        found.extend(of_volume(&format!("{at}.volumes[{i}]"), volume));
    }
    let all: Vec<_> = containers(at, pod)
        .chain(init_containers(at, pod))
        .collect();
    for (at, container) in &all {
        found.extend(of_container(at, container));
    }
    let named = found.into_iter().filter(|(_, name, _)| !name.is_empty());
    named
        .map(|(kind, name, at)| Need::new(kind, namespace, name, at))
        .collect()
}

/// Kind, name, path of the name.
type Reference<'a> = (NeededKind, &'a str, String);

/// Account `default` exists as soon as its namespace does.
fn of_account<'a>(at: &str, pod: &'a PodSpec) -> Vec<Reference<'a>> {
    let named = pod
        .service_account_name
        .as_deref()
        .filter(|n| !n.is_empty());
    let (name, field) = match (named, pod.service_account.as_deref()) {
        (Some(name), _) => (name, "serviceAccountName"),
        (None, Some(name)) => (name, "serviceAccount"),
        (None, None) => return Vec::new(),
    };
    if name == "default" {
        return Vec::new();
    }
    vec![(NeededKind::ServiceAccount, name, format!("{at}.{field}"))]
}

fn of_volume<'a>(at: &str, volume: &'a Volume) -> Vec<Reference<'a>> {
    let mut found = Vec::new();
    if let Some(claim) = &volume.persistent_volume_claim {
        let at = format!("{at}.persistentVolumeClaim.claimName");
        found.push((NeededKind::Claim, claim.claim_name.as_str(), at));
    }
    if let Some(map) = volume
        .config_map
        .as_ref()
        .filter(|m| m.optional != Some(true))
    {
        found.push((
            NeededKind::ConfigMap,
            map.name.as_str(),
            format!("{at}.configMap.name"),
        ));
    }
    if let Some(secret) = volume.secret.as_ref().filter(|s| s.optional != Some(true)) {
        let name = secret.secret_name.as_deref().unwrap_or_default();
        found.push((NeededKind::Secret, name, format!("{at}.secret.secretName")));
    }
    let sources = volume
        .projected
        .iter()
        .flat_map(|p| p.sources.iter().flatten());
    for (i, source) in sources.enumerate() {
        found.extend(of_source(&format!("{at}.projected.sources[{i}]"), source));
    }
    found
}

fn of_source<'a>(at: &str, source: &'a VolumeProjection) -> Vec<Reference<'a>> {
    let map = source
        .config_map
        .as_ref()
        .filter(|m| m.optional != Some(true));
    let secret = source.secret.as_ref().filter(|s| s.optional != Some(true));
    let map = map.map(|m| {
        (
            NeededKind::ConfigMap,
            m.name.as_str(),
            format!("{at}.configMap.name"),
        )
    });
    let secret = secret.map(|s| {
        (
            NeededKind::Secret,
            s.name.as_str(),
            format!("{at}.secret.name"),
        )
    });
    map.into_iter().chain(secret).collect()
}

fn of_container<'a>(at: &str, container: &'a Container) -> Vec<Reference<'a>> {
    let mut found = Vec::new();
    for (i, from) in container.env_from.iter().flatten().enumerate() {
        let at = format!("{at}.envFrom[{i}]");
        if let Some(map) = from
            .config_map_ref
            .as_ref()
            .filter(|m| m.optional != Some(true))
        {
            found.push((
                NeededKind::ConfigMap,
                map.name.as_str(),
                format!("{at}.configMapRef.name"),
            ));
        }
        if let Some(secret) = from
            .secret_ref
            .as_ref()
            .filter(|s| s.optional != Some(true))
        {
            found.push((
                NeededKind::Secret,
                secret.name.as_str(),
                format!("{at}.secretRef.name"),
            ));
        }
    }
    for (i, variable) in container.env.iter().flatten().enumerate() {
        let Some(from) = &variable.value_from else {
            continue;
        };
        let at = format!("{at}.env[{i}].valueFrom");
        if let Some(key) = from
            .config_map_key_ref
            .as_ref()
            .filter(|k| k.optional != Some(true))
        {
            found.push((
                NeededKind::ConfigMap,
                key.name.as_str(),
                format!("{at}.configMapKeyRef.name"),
            ));
        }
        if let Some(key) = from
            .secret_key_ref
            .as_ref()
            .filter(|k| k.optional != Some(true))
        {
            found.push((
                NeededKind::Secret,
                key.name.as_str(),
                format!("{at}.secretKeyRef.name"),
            ));
        }
    }
    found
}
