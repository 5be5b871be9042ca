//! Schedulers that cannot exist.

use k8s_openapi::api::core::v1::PodSpec;

use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const INVALID_SCHEDULER: Rule = Rule::warning(
    "invalid-scheduler-name",
    "a schedulerName with other characters than lower-case letters, digits, hyphens and dots",
    "The API server accepts any name, and pods of a scheduler that does not exist stay Pending without an \
     event.",
);

pub(super) fn check(at: &str, pod: &PodSpec) -> Option<Remark> {
    let name = pod.scheduler_name.as_deref()?;
    let is_allowed =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    (!name.chars().all(is_allowed)).then(|| {
        let problem = "a scheduler has a name of lower-case letters, digits, hyphens and dots";
        let at = format!("{at}.schedulerName");
        let remark = Remark::new(&INVALID_SCHEDULER, at, problem.to_owned());
        let meant = name.to_lowercase().replace(|c| !is_allowed(c), "-");
        remark
            .value(format!("{name:?}"))
            .remedy(format!("did you mean {meant}?"))
    })
}
