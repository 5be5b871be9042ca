//! Errors and warnings of the API server and of the webhook.

use admission::Warning;
use strsim::osa_distance;

use crate::lint::remark::{NOT_SET, Remark, Rule, Severity};

pub(in crate::lint) const REFUSED: Rule = Rule {
    id: "refused",
    severity: Severity::Error,
    about: "the operator's webhook refuses it",
    reason: "The API server does not store the object. Without the webhook it does, but the operator \
             creates nothing until the error is corrected (docs/admission.md).",
};

pub(in crate::lint) const DEFINITION: Rule = Rule {
    id: "definition",
    severity: Severity::Error,
    about: "a type, a limit or a required field of the definition",
    reason: "The API server refuses the object, webhook or not.",
};

pub(in crate::lint) const WRONG_VERSION: Rule = Rule {
    id: "wrong-version",
    severity: Severity::Error,
    about: "an apiVersion of one of our kinds that is missing, of another group, or not served",
    reason: "The API server does not know the kind in that version.",
};

pub(in crate::lint) const UNKNOWN_KIND: Rule = Rule::error(
    "unknown-kind",
    "a kind that grove.io does not have",
    "The API server does not know the kind.",
);

pub(in crate::lint) const WARNED: Rule = Rule::warning(
    "admitted-with-warning",
    "the operator's webhook warns about it",
    "The API server stores the object, but one of its fields has no effect or a surprising one \
     (docs/admission.md).",
);

pub(in crate::lint) const UNKNOWN_FIELD: Rule = Rule::error(
    "unknown-field",
    "a field that does not exist",
    "`kubectl apply` refuses the object. For other clients the API server drops the field without a \
     warning, and its default counts.",
);

/// A warning of the webhook.
pub(in crate::lint) fn warning(warning: Warning) -> Remark {
    Remark::new(&WARNED, warning.path, warning.text)
}

/// A version that is not served.
pub(in crate::lint) fn wrong_version(version: &str, served: &str) -> Remark {
    let group = served.split('/').next().unwrap_or_default();
    let is_of_group = version.split('/').next() == Some(group);
    let (value, problem) = match version {
        "" => (NOT_SET.to_owned(), "each object needs one".to_owned()),
        _ if is_of_group => (
            format!("{version:?}"),
            "this version is not served".to_owned(),
        ),
        _ => (
            format!("{version:?}"),
            format!("the group of this kind is {group}"),
        ),
    };
    let remark = Remark::new(&WRONG_VERSION, "apiVersion", problem);
    let remedy = format!("write apiVersion: {served}");
    remark.value(value).remedy(remedy)
}

/// A kind that does not exist; users write one of the known ones.
pub(in crate::lint) fn unknown_kind(kind: &str, known: [&'static str; 2]) -> Remark {
    let (meant, _) = nearest_kind(kind, known);
    let problem = "grove.io has no such kind".to_owned();
    let remark = Remark::new(&UNKNOWN_KIND, "kind", problem);
    remark
        .value(format!("{kind:?}"))
        .remedy(format!("did you mean {meant}?"))
}

/// So many letters differ at most in a kind that was misspelt, whatever their case.
const NEAR: usize = 2;

/// The known kind that was certainly meant, if there is one.
pub(in crate::lint) fn meant_kind(kind: &str, known: [&'static str; 2]) -> Option<&'static str> {
    let (meant, distance) = nearest_kind(kind, known);
    (distance <= NEAR).then_some(meant)
}

fn nearest_kind(kind: &str, known: [&'static str; 2]) -> (&'static str, usize) {
    let lower = kind.to_lowercase();
    let distances = known.map(|known| (known, osa_distance(&known.to_lowercase(), &lower)));
    let nearest = distances.into_iter().min_by_key(|(_, distance)| *distance);
    nearest.unwrap_or_default()
}
