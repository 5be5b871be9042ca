//! The remedy for a minimum that is too high. It is fixed at creation (decision 56), so lowering it
//! is no remedy afterwards.

use crate::field::FieldError;

/// Before the set is created.
pub(super) const LOWER_MINIMUM: &str = "lower minAvailable or raise replicas";
/// The same of an autoscaler that goes below it.
pub(super) const LOWER_MINIMUM_OF_AUTOSCALER: &str = "raise minReplicas or lower minAvailable";

/// Replaces the remedy by the ones that are left.
pub(crate) fn offer_no_lower_minimum(error: &mut FieldError) {
    let remedy = match error.remedy.as_str() {
        LOWER_MINIMUM => "raise replicas, or scale down by kubectl scale; minAvailable is fixed",
        LOWER_MINIMUM_OF_AUTOSCALER => "raise minReplicas; minAvailable is fixed",
        _ => return,
    };
    remedy.clone_into(&mut error.remedy);
}
