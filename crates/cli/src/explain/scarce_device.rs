//! Devices that the scheduler finds too few of: where no node has any of that name, it is misspelt, or
//! its device plugin is missing. The scheduler reports both as it reports nodes without room.

use std::collections::BTreeSet;

use api::PodCliqueSet;
use api::conditions::Reason;

use super::answer::Explanation;
use super::find::Finding;
use super::remedy::remedy_of;
use crate::lint::{devices_of, nearest_resource};

/// A device that pods request and the scheduler finds too few of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScarceDevice {
    /// Name of the resource.
    pub name: String,
    /// The field of the set that requests it.
    pub field: String,
}

/// The devices of the clique that the sentence of the cause names.
pub(super) fn find_scarce(set: &PodCliqueSet, finding: &Finding<'_>) -> Vec<ScarceDevice> {
    let cause = finding.cause.as_ref();
    let cause = cause.filter(|cause| cause.reason == Reason::InsufficientResources);
    let (Some(cause), Some(part)) = (cause, finding.part.as_ref()) else {
        return Vec::new();
    };
    let mut cliques = set.spec.template.cliques.iter();
    let Some(index) = cliques.position(|clique| clique.name == part.clique) else {
        return Vec::new();
    };
    let of_clique = format!("spec.template.cliques[{index}].");
    let devices = devices_of(set).into_iter();
    devices
        .filter(|(field, name)| field.starts_with(&of_clique) && mentions(&cause.text, name))
        .map(|(field, name)| ScarceDevice::of(&field, name))
        .collect()
}

/// Whether it is a word of the sentence.
fn mentions(sentence: &str, name: &str) -> bool {
    let mut words = sentence.split([' ', ',', ';']);
    words.any(|word| word.trim_end_matches('.') == name)
}

impl ScarceDevice {
    /// The field has the name as its key: `..resources.limits[NAME]`.
    fn of(field: &str, name: &str) -> Self {
        let key = format!("[{name}]");
        Self {
            name: name.to_owned(),
            field: field.strip_suffix(&key).unwrap_or(field).to_owned(),
        }
    }

    /// The remedy if nodes have only these resources; `edit` is the command that changes the set.
    fn remedy(&self, known: &[&str], edit: &str) -> String {
        let (name, field) = (&self.name, &self.field);
        match nearest_resource(known, name) {
            Some(meant) => format!(
                "no node has {name}; did you mean {meant}? Write it into `{field}` with {edit}"
            ),
            None => format!(
                "no node has {name}: add such nodes, install its device plugin, or correct the name in \
                 `{field}` with {edit}"
            ),
        }
    }
}

/// Adds the devices that no node has to the cause, and their remedy in place of the one for nodes
/// without room. `offered` are the resources of all nodes.
pub fn tell_missing(answer: &mut Explanation, scarce: &[ScarceDevice], offered: &BTreeSet<String>) {
    let known: Vec<&str> = offered.iter().map(String::as_str).collect();
    let missing = scarce.iter().filter(|d| !offered.contains(&d.name));
    let missing: Vec<&ScarceDevice> = missing.collect();
    let (set, namespace) = (&answer.set, &answer.namespace);
    let edit = format!("`kubectl edit podcliqueset {set} -n {namespace}`");
    let remedies: Vec<String> = missing.iter().map(|d| d.remedy(&known, &edit)).collect();
    for device in &missing {
        answer.cause.push_str("; no node has ");
        answer.cause.push_str(&device.name);
    }
    let is_for_room = answer.remedy.as_deref() == remedy_of(Reason::InsufficientResources);
    if is_for_room && !remedies.is_empty() {
        answer.remedy = Some(remedies.join("; "));
    }
}
