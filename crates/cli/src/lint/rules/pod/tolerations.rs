//! Tolerations whose parts contradict each other.

use k8s_openapi::api::core::v1::{PodSpec, Toleration};

use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_TOLERATION: Rule = Rule::error(
    "invalid-toleration",
    "a toleration with operator Exists and a value, or with another operator and no key",
    "The API server stores the set and refuses each of its pods.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Vec<Remark> {
    let tolerations = pod.tolerations.iter().flatten().enumerate();
    tolerations
        .filter_map(|(i, toleration)| of_toleration(&format!("{at}.tolerations[{i}]"), toleration))
        .collect()
}

fn of_toleration(at: &str, toleration: &Toleration) -> Option<Remark> {
    let key = toleration.key.as_deref().unwrap_or_default();
    let value = toleration.value.as_deref().unwrap_or_default();
    match toleration.operator.as_deref().unwrap_or_default() {
        "Exists" if !value.is_empty() => {
            let problem = "must not be set with operator Exists".to_owned();
            let remark = Remark::new(&INVALID_TOLERATION, format!("{at}.value"), problem);
            let remark = remark.value(format!("{value:?}"));
            Some(remark.remedy("remove it, or use operator Equal"))
        }
        "" | "Equal" if key.is_empty() => {
            let problem = "a toleration without a key needs operator Exists".to_owned();
            let remark = Remark::new(&INVALID_TOLERATION, format!("{at}.operator"), problem);
            Some(remark.remedy("set a key, or operator: Exists to tolerate every taint"))
        }
        _ => None,
    }
}
