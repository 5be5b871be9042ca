//! Codes in `status.lastErrors` (the Go operator's, and our own).

/// The spec is refused by the rules of admission.
pub const INVALID_SPEC: &str = "ERR_INVALID_SPEC";
/// The set exceeds the limits of one set.
pub const LIMIT_EXCEEDED: &str = "ERR_LIMIT_EXCEEDED";
/// An object with another owner has the name of a child.
pub const NAME_CONFLICT: &str = "ERR_NAME_CONFLICT";
/// The API server does not answer.
pub const API_UNAVAILABLE: &str = "ERR_API_UNAVAILABLE";
/// The API server asks to wait.
pub const API_THROTTLED: &str = "ERR_API_THROTTLED";
/// A pod was not created; its gang may start with the minimum of the other pods.
pub const CREATE_POD: &str = "ERR_CREATE_POD";
/// A resource claim that pods share does not exist yet, and these pods are not created.
pub const CLAIM_MISSING: &str = "ERR_CLAIM_MISSING";
/// A ComputeDomain is being deleted while pods use it; they keep it.
pub const COMPUTE_DOMAIN_DELETED: &str = "ERR_COMPUTE_DOMAIN_DELETED";
/// The gate of a pod that may be scheduled was not removed.
pub const REMOVE_POD_SCHEDULING_GATE: &str = "ERR_REMOVE_POD_SCHEDULING_GATE";

/// Code of a refused write without a code of its own: `ERR_CREATE_PODGANG`, `ERR_DELETE_POD`,
/// `ERR_SYNC_SERVICE` and so on.
pub fn of_write(verb: &str, kind: &str) -> String {
    let what = match verb {
        "create" => "CREATE",
        "check" => "CHECK",
        "delete" => "DELETE",
        _ => "SYNC",
    };
    format!("ERR_{what}_{}", kind.to_uppercase())
}
