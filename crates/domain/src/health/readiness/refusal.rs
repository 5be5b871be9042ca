//! The requests that the API server refused, from `status.lastErrors`.

use api::conditions::Reason;
use api::{LastError, codes};

use super::cause::{self, Cause};

/// The first cause among the errors.
pub fn refusal(errors: &[LastError]) -> Option<Cause> {
    find_first(refusals(errors))
}

/// The first cause among the errors that are no answer to the check of a template: nothing that runs waits
/// for that.
pub fn refusal_of_write(errors: &[LastError]) -> Option<Cause> {
    find_first(refusals(errors).filter(|(_, error)| !is_of_check(error)))
}

/// The first cause among those that are.
pub fn refusal_of_check(errors: &[LastError]) -> Option<Cause> {
    find_first(refusals(errors).filter(|(_, error)| is_of_check(error)))
}

/// Whether the API server was asked whether it accepts a pod of a changed template.
fn is_of_check(error: &LastError) -> bool {
    error.code == codes::of_write("check", "Pod")
}

fn find_first<'a>(refusals: impl Iterator<Item = (Reason, &'a LastError)>) -> Option<Cause> {
    cause::first(refusals.map(|(reason, error)| Cause::new(reason, error.description.clone())))
}

/// The refusals of the API server, in terms of condition `Ready`. A server that did not answer, or
/// asks to wait, refuses nothing, as the write is repeated; errors in the spec are reported
/// separately, and a ComputeDomain that pods still use holds nothing up.
pub fn refusals(errors: &[LastError]) -> impl Iterator<Item = (Reason, &LastError)> {
    const OTHERS: [&str; 5] = [
        codes::API_UNAVAILABLE,
        codes::API_THROTTLED,
        codes::INVALID_SPEC,
        codes::LIMIT_EXCEEDED,
        codes::COMPUTE_DOMAIN_DELETED,
    ];
    errors
        .iter()
        .filter(|e| !OTHERS.contains(&e.code.as_str()))
        .map(|e| (classify_error(e), e))
}

/// Admission plugins have no codes, only words
/// (Kubernetes, `ResourceQuota`, `ServiceAccount` and `Priority`).
fn classify_error(error: &LastError) -> Reason {
    let says = |words: &str| error.description.contains(words);
    if error.code == codes::NAME_CONFLICT {
        Reason::NameTaken
    } else if error.code == codes::CLAIM_MISSING {
        Reason::ClaimMissing
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
