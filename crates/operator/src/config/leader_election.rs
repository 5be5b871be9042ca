//! Leader election among several operators.

use std::time::Duration;

use api::GoDuration;
use serde::Deserialize;

use super::{ConfigError, positive, problem};

/// Leader election by a Lease (Grove, `leaderElection`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct LeaderElection {
    /// Whether there may be other operators. Default `false`: this one is alone.
    pub enabled: bool,
    lease_duration: Option<GoDuration>,
    renew_deadline: Option<GoDuration>,
    retry_period: Option<GoDuration>,
    resource_lock: Option<String>,
    resource_name: Option<String>,
    resource_namespace: Option<String>,
}

impl LeaderElection {
    /// This long after the last renewal that it saw, another operator takes over. Default `15s`.
    pub fn lease_duration(&self) -> Duration {
        or_seconds(self.lease_duration.as_ref(), 15)
    }

    /// The leader writes for this long after the last renewal that succeeded. Default `10s`.
    pub fn renew_deadline(&self) -> Duration {
        or_seconds(self.renew_deadline.as_ref(), 10)
    }

    /// How often the leader renews. Default `2s`.
    pub fn retry_period(&self) -> Duration {
        or_seconds(self.retry_period.as_ref(), 2)
    }

    /// Name of the Lease. Default `grove-operator-leader-election`.
    pub fn name(&self) -> String {
        let name = self.resource_name.as_deref();
        name.unwrap_or("grove-operator-leader-election").to_owned()
    }

    /// Namespace of the Lease. Default: the namespace of the operator.
    pub fn namespace(&self, own: &str) -> String {
        let named = self.resource_namespace.as_deref();
        named.filter(|n| !n.is_empty()).unwrap_or(own).to_owned()
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (key, value, usual) in [
            ("leaseDuration", &self.lease_duration, "15s"),
            ("renewDeadline", &self.renew_deadline, "10s"),
            ("retryPeriod", &self.retry_period, "2s"),
        ] {
            positive(&format!("leaderElection.{key}"), value.as_ref(), usual)?;
        }
        if self.resource_lock.as_deref().is_some_and(|l| l != "leases") {
            return Err(problem(
                "leaderElection.resourceLock",
                "must be leases; there is no other lock",
            ));
        }
        let (duration, deadline, period) = (
            self.lease_duration(),
            self.renew_deadline(),
            self.retry_period(),
        );
        if duration.subsec_nanos() != 0 {
            let text = format!("{duration:?} must be whole seconds, as a Lease holds them");
            return Err(problem("leaderElection.leaseDuration", &text));
        }
        // The time in between is for the leader's last writes to be carried out.
        if deadline >= duration {
            let text = format!("{deadline:?} must be less than leaseDuration ({duration:?})");
            return Err(problem("leaderElection.renewDeadline", &text));
        }
        if period >= deadline {
            let text = format!("{period:?} must be less than renewDeadline ({deadline:?})");
            return Err(problem("leaderElection.retryPeriod", &text));
        }
        Ok(())
    }
}

fn or_seconds(duration: Option<&GoDuration>, default: u64) -> Duration {
    let parsed = duration.and_then(|d| d.parse().ok());
    let parsed = parsed.and_then(|d| Duration::try_from(d).ok());
    parsed.unwrap_or(Duration::from_secs(default))
}
