//! Whether the kubelet starts a container again after its end.

use serde::Deserialize;

use super::{ContainerStatus, Pod, Terminated};

/// `spec.restartPolicy` of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum RestartPolicy {
    /// Containers are started again however they end; also any value that this operator does not
    /// know.
    #[default]
    Always,
    /// Containers are started again unless they end with exit code 0.
    OnFailure,
    /// No container is started again.
    Never,
}

impl From<String> for RestartPolicy {
    fn from(text: String) -> Self {
        match text.as_str() {
            "Never" => Self::Never,
            "OnFailure" => Self::OnFailure,
            _ => Self::Always,
        }
    }
}

impl Pod {
    /// The end of an app container that is not started again. A container with its own restart
    /// policy may be started again.
    pub fn final_end<'a>(&self, container: &'a ContainerStatus) -> Option<&'a Terminated> {
        let end = container.state.terminated.as_ref()?;
        let is_final = match self.spec.restart_policy {
            RestartPolicy::Always => false,
            RestartPolicy::OnFailure => end.exit_code == 0,
            RestartPolicy::Never => true,
        };
        let spec = self.find_container(&container.name);
        let has_own = spec.is_some_and(|c| c.has_own_restart_policy);
        (is_final && !has_own).then_some(end)
    }

    /// Whether all of its app containers have ended and none is started again: the pod is about to
    /// be Succeeded or Failed, if it is not yet.
    pub fn has_run_out(&self) -> bool {
        let containers = &self.status.container_statuses;
        let have_ended = containers.iter().all(|c| self.final_end(c).is_some());
        self.is_finished() || (!containers.is_empty() && have_ended)
    }
}
