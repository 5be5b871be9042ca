//! The restart policy of pods.

use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_POLICY: Rule = Rule::error(
    "invalid-restart-policy",
    "a restartPolicy other than Always, OnFailure and Never",
    "The API server stores the set and refuses each of its pods.",
);

const POLICIES: [&str; 3] = ["Always", "OnFailure", "Never"];

pub(super) fn check(at: &str, pod: &PodSpec) -> Option<Remark> {
    let policy = pod.restart_policy.as_deref()?;
    let is_known = policy.is_empty() || POLICIES.contains(&policy);
    (!is_known).then(|| {
        let problem = "is no restart policy".to_owned();
        let remark = Remark::new(&INVALID_POLICY, format!("{at}.restartPolicy"), problem);
        remark
            .value(format!("{policy:?}"))
            .remedy("use one of Always, OnFailure, Never")
    })
}
