//! A pod that the API server is asked about and does not create.

use std::collections::BTreeMap;

use super::Object;
use crate::object::quantity::parse_quantity;
use crate::update::QUOTA;

/// The API server's words if a webhook is not called in a dry run.
const NO_DRY_RUN: &str = "does not support dry run";

/// The template that a check is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckedTemplate {
    /// Uid of the set.
    pub set_uid: String,
    /// Name of the clique.
    pub clique: String,
    /// Hash of the pods of its template.
    pub hash: String,
}

/// A pod of a new template, to be sent as a dry run.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The pod.
    pub pod: Object,
    /// Its template.
    pub template: CheckedTemplate,
    /// The pod that it would replace, as a `ResourceQuota` counts it: amounts by resource. They become
    /// free in the update.
    pub frees: BTreeMap<String, f64>,
}

/// The answer of the API server to a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckAnswer {
    /// It would create the pod.
    Accepted,
    /// It would refuse the pod, in these words.
    Refused(String),
}

impl CheckAnswer {
    /// The answer to the dry run of a check, from the API server's status code and message.
    /// Validation and admission come before the name: a pod whose name is taken passed them.
    pub fn of_response(code: u16, message: &str, check: &Check) -> Self {
        let is_accepted = match code {
            200..300 | 409 => true,
            400 => message.contains(NO_DRY_RUN),
            403 => message.contains(QUOTA) && may_fit(message, check),
            _ => false,
        };
        if is_accepted {
            Self::Accepted
        } else {
            Self::Refused(message.to_owned())
        }
    }
}

/// Whether the pod fits into the quota once the pod that it replaces is gone. The API server writes
/// `exceeded quota: name, requested: cpu=2, used: cpu=9, limited: cpu=10`.
fn may_fit(message: &str, check: &Check) -> bool {
    let amounts = |word: &str| {
        let text = message.split(word).nth(1).unwrap_or_default();
        let end = text.find(": ").unwrap_or(text.len());
        let text = text.get(..end).unwrap_or_default();
        text.split([',', ' '])
            .filter_map(|pair| pair.split_once('='))
            .filter_map(|(name, amount)| Some((name.to_owned(), parse_quantity(amount)?)))
            .collect::<Vec<_>>()
    };
    let find = |all: &[(String, f64)], name: &str| {
        let mut all = all.iter();
        all.find(|(other, _)| other == name)
            .map(|(_, amount)| *amount)
    };
    let (used, limited) = (amounts("used: "), amounts("limited: "));
    amounts("requested: ").iter().all(|(name, requested)| {
        let freed = check.frees.get(name).copied().unwrap_or_default();
        let (used, limited) = (find(&used, name), find(&limited, name));
        used.zip(limited)
            .is_none_or(|(used, limited)| *requested <= limited - used + freed + f64::EPSILON)
    })
}
