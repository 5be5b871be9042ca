//! A pod that the API server is asked about and does not create.

use std::collections::BTreeMap;

use super::Object;

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
