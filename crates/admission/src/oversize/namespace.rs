//! The total of all sets of a namespace: each set has a limit, their number has none.

use api::PodCliqueSet;
use domain::object::size::bytes;
use domain::workload::limits::MAX_NAMESPACE_BYTES;

use crate::field::{FieldError, Path};

/// The error of a set that does not fit beside the other sets of its namespace, which have that
/// many bytes.
pub fn of_namespace(set: &PodCliqueSet, others: i128) -> Option<FieldError> {
    let size = bytes(&set.spec);
    let namespace = set.metadata.namespace.as_deref().unwrap_or("default");
    let problem = format!(
        "bytes are too many beside the {others} of other sets in namespace {namespace}: \
         {MAX_NAMESPACE_BYTES} are allowed for all of them"
    );
    let remedy = format!(
        "delete sets that are not needed (kubectl get podcliquesets -n {namespace}), keep long texts \
         in ConfigMaps, or use another namespace"
    );
    let is_over = size.saturating_add(others) > MAX_NAMESPACE_BYTES;
    let error = || Path::new("spec").wrong(size, problem, remedy);
    is_over.then(|| error().counting("bytes", size))
}

/// The same of a change: one that makes the set no longer is never refused.
pub fn of_change_in_namespace(
    stored: &PodCliqueSet,
    set: &PodCliqueSet,
    others: i128,
) -> Option<FieldError> {
    let grows = bytes(&set.spec) > bytes(&stored.spec);
    of_namespace(set, others).filter(|_| grows)
}
