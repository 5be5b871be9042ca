//! How long the operator waits for pods that hang in Terminating.

use api::GoDuration;
use domain::health::stuck::{StuckTimeout, StuckTimeouts};

use super::check::positive;
use super::{Config, ConfigError};

impl Config {
    /// The configured values, or the defaults.
    pub fn stuck_timeouts(&self) -> StuckTimeouts {
        let read = |text: &Option<GoDuration>| {
            let text = text.as_ref()?;
            StuckTimeout::read(text).ok()
        };
        let usual = StuckTimeouts::default();
        StuckTimeouts {
            usual: read(&self.stuck_pod_timeout).unwrap_or(usual.usual),
            on_ready_node: read(&self.stuck_pod_timeout_on_ready_node)
                .unwrap_or(usual.on_ready_node),
        }
    }
}

pub(super) fn check(config: &Config) -> Result<(), ConfigError> {
    let (usual, ready) = (
        &config.stuck_pod_timeout,
        &config.stuck_pod_timeout_on_ready_node,
    );
    check_one("stuckPodTimeout", usual.as_ref(), "60s or never")?;
    check_one("stuckPodTimeoutOnReadyNode", ready.as_ref(), "10m or never")
}

fn check_one(key: &str, text: Option<&GoDuration>, usual: &str) -> Result<(), ConfigError> {
    let is_never = |text: &&GoDuration| StuckTimeout::read(text) == Ok(StuckTimeout::Never);
    positive(key, text.filter(|text| !is_never(text)), usual)
}
