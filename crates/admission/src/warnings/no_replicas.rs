//! New sets without replicas.

use api::{PodCliqueSet, WorkloadType};

use super::Warning;
use crate::field::Path;

/// A new set that asks for nothing is ready at once, and has no pods: the field was forgotten, as its
/// default is 0.
pub(super) fn check(old: Option<&PodCliqueSet>, new: &PodCliqueSet) -> Option<Warning> {
    let at = Path::new("spec").field("replicas");
    let text = "is 0, which is the default, and then the set has no pods: set it, such as 1";
    // Without replicas a job is refused.
    let is_job = new.spec.workload_type == Some(WorkloadType::Training);
    (old.is_none() && new.spec.replicas == 0 && !is_job).then(|| Warning::new(&at, text))
}
