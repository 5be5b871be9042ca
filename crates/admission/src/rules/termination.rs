//! `terminationDelay`, of the set and of its groups (docs/semantics.md §3.1).

use api::duration::DurationError;
use api::{GoDuration, PodCliqueSet, WorkloadType};

use domain::health::termination;

use crate::clique_paths::{scaling_groups, template};
use crate::field::{FieldError, Path};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let type_ = pcs.spec.workload_type.unwrap_or_default();
    let own = pcs.spec.template.termination_delay.as_ref();
    let at = template().field("terminationDelay");
    let instead = "omit terminationDelay to disable gang termination, or choose one such as 4h";
    let mut errors = Vec::new();
    errors.extend(own.and_then(|own| check_delay(&at, own, type_, instead)));
    for (at, group) in scaling_groups(pcs) {
        let at = at.field("terminationDelay");
        let instead = "choose one such as 4h, or omit it to use spec.template.terminationDelay";
        let given = group.termination_delay.as_ref();
        errors.extend(given.and_then(|given| check_delay(&at, given, type_, instead)));
        errors.extend(
            given
                .filter(|_| own.is_none())
                .map(|given| alone(&at, given)),
        );
    }
    errors
}

fn alone(at: &Path, given: &GoDuration) -> FieldError {
    let problem = "a group's delay replaces spec.template.terminationDelay, which is not set: gang \
                   termination is off";
    let remedy = "set spec.template.terminationDelay too, or remove this one";
    at.wrong(given, problem, remedy)
}

/// No delay at all is for training jobs, where every failure counts (docs/semantics.md §5.4).
fn check_delay(
    at: &Path,
    given: &GoDuration,
    type_: WorkloadType,
    instead: &str,
) -> Option<FieldError> {
    match given.parse() {
        Err(error) => Some(unreadable(at, given, &error)),
        Ok(delay) if delay.is_negative() => Some(at.wrong(given, "must not be negative", instead)),
        Ok(delay) if delay < termination::SHORTEST && type_ == WorkloadType::Inference => {
            let problem = "must be at least 1s, because pods need time to come back";
            Some(at.wrong(given, problem, instead))
        }
        Ok(_) => None,
    }
}

pub(super) fn unreadable(at: &Path, given: &GoDuration, error: &DurationError) -> FieldError {
    match error {
        DurationError::Malformed(_) => {
            let remedy = add_unit(
                given,
                "write numbers with units h, m, s, ms: 30s, 4h, 1h30m",
            );
            at.wrong(given, "is not a duration", remedy)
        }
        DurationError::TooLong(_) => at.wrong(given, "is longer than 292 years", "shorten it"),
    }
}

/// The remedy for a number without a unit, and `otherwise` for other texts.
pub(super) fn add_unit(given: &GoDuration, otherwise: &str) -> String {
    let seconds = GoDuration(format!("{given}s"));
    let is_number = given.0.ends_with(|c: char| c.is_ascii_digit());
    match seconds.parse() {
        Ok(length) if is_number && !length.is_negative() => {
            format!("write it with a unit, such as {seconds}")
        }
        _ => otherwise.to_owned(),
    }
}
