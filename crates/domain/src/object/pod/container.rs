//! The containers of a pod, as in its spec.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Pod;

/// A container of a pod's spec.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Full")]
pub struct Container {
    /// Name of the container.
    pub name: String,
    /// Its image. A status keeps the previous image if the image of a running pod was changed.
    pub image: String,
    /// Whether it has `restartPolicy: Always` of its own: as an init container it then runs beside
    /// the app containers.
    pub restarts_always: bool,
    /// Whether it has a restart policy, or rules for it, of its own.
    pub has_own_restart_policy: bool,
    /// Whether it has a probe; the kubelet ends the container if the probe fails.
    pub is_probed: bool,
    /// Whether it has a start hook; the kubelet ends the container if the hook fails.
    pub has_start_hook: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Full {
    name: String,
    #[serde(default)]
    image: String,
    restart_policy: Option<String>,
    restart_policy_rules: Option<IgnoredAny>,
    liveness_probe: Option<IgnoredAny>,
    startup_probe: Option<IgnoredAny>,
    lifecycle: Option<Lifecycle>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lifecycle {
    post_start: Option<IgnoredAny>,
}

impl From<Full> for Container {
    fn from(full: Full) -> Self {
        let hook = full.lifecycle.and_then(|l| l.post_start);
        Self {
            has_own_restart_policy: full.restart_policy.is_some()
                || full.restart_policy_rules.is_some(),
            restarts_always: full.restart_policy.as_deref() == Some("Always"),
            is_probed: full.liveness_probe.is_some() || full.startup_probe.is_some(),
            has_start_hook: hook.is_some(),
            name: full.name,
            image: full.image,
        }
    }
}

impl Pod {
    /// The container of that name in its spec, init containers among them.
    pub fn find_container(&self, name: &str) -> Option<&Container> {
        let mut all = self
            .spec
            .init_containers
            .iter()
            .chain(&self.spec.containers);
        all.find(|c| c.name == name)
    }

    /// Whether the container of that name ends before the app containers start. An init container
    /// that restarts always is an app container by nature.
    pub fn is_init_container(&self, name: &str) -> bool {
        let mut init = self.status.init_container_statuses.iter();
        let restarts_always = self.find_container(name).is_some_and(|c| c.restarts_always);
        init.any(|c| c.name == name) && !restarts_always
    }
}
