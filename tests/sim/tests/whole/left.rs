//! A running set in the state of the Go operator (docs/migration.md): with its hashes, and without
//! fields that only this operator writes.

use api::labels::{GROVE_PREFIX, POD_CLIQUE, POD_TEMPLATE_HASH};
use serde_json::{Value, json};
use sim::{Id, Resource, Store, view};

/// The Go operator's hash of the set's template.
const GENERATION: &str = "c7d5868794b65cf8b4f";
/// The writer of these changes in the log.
const WRITER: &str = "go-operator";

/// Gives all running objects to the Go operator.
pub fn leave(store: &mut Store) {
    let of_kinds = |id: &Id| KINDS.contains(&id.resource);
    let ids: Vec<Id> = store.objects().map(|(id, _)| id.clone()).collect();
    for id in ids.into_iter().filter(of_kinds) {
        store.edit(WRITER, &id, |object| {
            let annotations = object["metadata"]["annotations"].as_object_mut();
            if let Some(annotations) = annotations {
                annotations.retain(|key, _| !key.starts_with(GROVE_PREFIX));
            }
            leave_hashes(object);
        });
    }
}

const KINDS: [Resource; 4] = [
    Resource::PodCliqueSet,
    Resource::PodCliqueScalingGroup,
    Resource::PodClique,
    Resource::Pod,
];

fn leave_hashes(object: &mut Value) {
    let podclique = view::label(object, POD_CLIQUE);
    let name = if podclique.is_empty() {
        view::name(object)
    } else {
        podclique
    };
    // Digits of a number, in letters.
    let letters = name.bytes().rev().cycle().take(10);
    let hash: String = letters.map(|b| char::from(b'b' + b % 8)).collect();
    if !view::label(object, POD_TEMPLATE_HASH).is_empty() {
        object["metadata"]["labels"][POD_TEMPLATE_HASH] = json!(hash);
    }
    for (field, text) in [
        ("currentPodTemplateHash", hash.as_str()),
        ("currentGenerationHash", GENERATION),
        ("currentPodCliqueSetGenerationHash", GENERATION),
    ] {
        if let Some(stored) = object["status"].get_mut(field) {
            *stored = json!(text);
        }
    }
}

/// Whether all hashes are this operator's.
pub fn is_adopted(store: &Store) -> bool {
    let of_kind = |kind| store.all(kind).map(|(_, object)| object);
    let mut labelled = of_kind(Resource::PodClique).chain(of_kind(Resource::Pod));
    let mut sets = of_kind(Resource::PodCliqueSet);
    labelled.all(|object| view::label(object, POD_TEMPLATE_HASH).starts_with("r1"))
        && sets.all(|set| view::text(set, "/status/currentGenerationHash").starts_with("r1"))
}
