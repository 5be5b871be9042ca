//! The report while a newer template waits for its check (docs/semantics.md §14.6): `Ready` has its
//! generation, and must not say that all of it runs.

use api::conditions::{ConditionUpdate, Reason};

/// `UpdateInProgress` of a set of which a newer template is not accepted yet, if it says nothing else.
pub(in crate::status) fn describe_check(
    report: ConditionUpdate,
    is_waiting: bool,
) -> ConditionUpdate {
    if !is_waiting || report.reason != Reason::NoActiveUpdate {
        return report;
    }
    ConditionUpdate {
        message:
            "a newer template is being checked; its update begins when the API server accepts it"
                .to_owned(),
        ..report
    }
}

/// `Ready` of such a set: `Updating` from the first moment on. Every other cause stays.
pub(in crate::status) fn note_check(
    ready: ConditionUpdate,
    report: &ConditionUpdate,
    is_waiting: bool,
) -> ConditionUpdate {
    let is_unsaid = [Reason::NoActiveUpdate, Reason::TemplateUnchecked].contains(&report.reason);
    let runs = [Reason::AllReady, Reason::MinimumReady].contains(&ready.reason);
    if !(is_waiting && is_unsaid && runs) {
        return ready;
    }
    ConditionUpdate {
        reason: Reason::Updating,
        message: format!("{}; {}", ready.message, report.message),
        ..ready
    }
}
