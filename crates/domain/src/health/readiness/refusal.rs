//! What the API server refused, from `status.lastErrors`.

use api::conditions::Reason;
use api::{LastError, codes};

use super::cause::{self, Cause};

/// The first cause among the errors. A server that did not answer or asks to wait is no cause: the
/// write is repeated.
pub fn refusal(errors: &[LastError]) -> Option<Cause> {
    let passes = [codes::API_UNAVAILABLE, codes::API_THROTTLED];
    let lasting = errors.iter().filter(|e| !passes.contains(&e.code.as_str()));
    cause::first(lasting.map(|e| Cause::new(classify_error(e), e.description.clone())))
}

/// Admission plugins have no codes, only words (Kubernetes, `ResourceQuota`, `ServiceAccount` and
/// `Priority`).
fn classify_error(error: &LastError) -> Reason {
    let says = |words: &str| error.description.contains(words);
    if error.code == codes::NAME_CONFLICT {
        Reason::NameTaken
    } else if says("exceeded quota") {
        Reason::QuotaExceeded
    } else if says("error looking up service account") {
        Reason::ServiceAccountMissing
    } else if says("no PriorityClass with name") {
        Reason::PriorityClassMissing
    } else {
        Reason::RequestRefused
    }
}
