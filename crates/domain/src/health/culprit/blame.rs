//! The pod that a termination goes back to (docs/semantics.md §4.1).

use api::podcliqueset::TerminationCause;
use jiff::Timestamp;

use super::Culprit;
use crate::health::availability::CliqueFacts;

/// A culprit and its clique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// Name of the clique in the template.
    pub clique: String,
    /// The culprit among its pods.
    pub culprit: Culprit,
}

/// The pod that was lost first among these cliques, by those that are not up; without a loss the one
/// with the most serious trouble.
pub fn blame<'a>(cliques: impl Iterator<Item = (&'a str, CliqueFacts)>) -> Option<Blamed> {
    cliques
        .filter(|(_, facts)| !facts.is_up())
        .filter_map(|(clique, facts)| Some((clique, facts.cause.or(facts.culprit)?)))
        .min_by(|(_, a), (_, b)| order(a).cmp(&order(b)))
        .map(|(clique, culprit)| Blamed {
            clique: clique.to_owned(),
            culprit,
        })
}

fn order(culprit: &Culprit) -> (bool, bool, Timestamp, &str) {
    let (is_other, is_mild) = (!culprit.is_loss, !culprit.is_serious);
    (is_other, is_mild, culprit.since, &culprit.text)
}

impl Blamed {
    /// In the form that a status keeps; `None` if an earlier version stored the culprit, without its
    /// parts.
    pub fn to_record(&self) -> Option<TerminationCause> {
        let pod = self.culprit.pod.as_ref()?;
        Some(TerminationCause {
            clique: self.clique.clone(),
            pod: pod.name.clone(),
            node: pod.node.clone(),
            reason: pod.reason.clone(),
            exit_code: pod.exit_code,
            message: pod.last_words.clone(),
            time: self.culprit.time(),
        })
    }
}
