//! Which revision an undo goes back to, and who else writes the set.

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::{PodCliqueSet, names};
use domain::Revision;
use domain::health::training;
use domain::object::ownership;
use domain::workload::revision::Revisions;
use serde_json::Value;

use crate::exit::Failure;
use crate::json;

/// Marks of tools that write the manifest again from a source of their own.
const MANAGERS: [(&str, &str); 4] = [
    ("argocd.argoproj.io/tracking-id", "Argo CD"),
    ("argocd.argoproj.io/instance", "Argo CD"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ("helm.toolkit.fluxcd.io/name", "Flux"),
];

/// The revision with that number, or the newest one that differs from the manifest.
///
/// # Errors
/// If the set is a job, if there is no such revision, or if it is what the manifest has already.
pub fn choose_revision<'a>(
    set: &PodCliqueSet,
    revisions: &'a Revisions,
    to: Option<i64>,
) -> Result<&'a Revision, Failure> {
    let name = ownership::name(&set.metadata);
    if training::is_training(set) {
        return Err(Failure::BadInput(format!(
            "podcliqueset {name} is a job, whose templates never change: delete it, and apply the \
             older manifest"
        )));
    }
    let validated = validate_set(set, &DefaultsConfig::default());
    let present = names::revision(name, &validated.generation_hash());
    let mut found = revisions.iter().rev().map(AsRef::as_ref);
    let Some(number) = to else {
        return found
            .find(|revision: &&Revision| revision.name() != present)
            .ok_or_else(|| {
                Failure::NotFound(format!(
                    "podcliqueset {name} has no older templates; `kubectl grove history {name}` \
                     lists all revisions"
                ))
            });
    };
    match found.find(|revision: &&Revision| revision.revision == number) {
        None => Err(Failure::NotFound(format!(
            "podcliqueset {name} has no revision {number}; `kubectl grove history {name}` lists \
             all revisions"
        ))),
        Some(revision) if revision.name() == present => Err(Failure::BadInput(format!(
            "podcliqueset {name} has the templates of revision {number} already"
        ))),
        Some(revision) => Ok(revision),
    }
}

/// The tool whose mark the set bears.
pub fn find_manager(set: &Value) -> Option<&'static str> {
    let is_marked =
        |key: &str| !json::label(set, key).is_empty() || !json::annotation(set, key).is_empty();
    let mut managers = MANAGERS.iter();
    let (_, name) = managers.find(|(key, _)| is_marked(key))?;
    Some(name)
}
