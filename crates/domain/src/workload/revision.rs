//! Revisions (docs/semantics.md §14.8): the pod templates of each accepted generation, kept in a
//! ControllerRevision, so that a replica that is not on the newest ones can be recreated as it was.
//!
//! The content has the form of the Go operator's (`status.currentRevision`, its pull request 710):
//! `{uid, generationHash, cliques: [{name, hash, template}]}`.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::labels::{self, component};
use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodCliqueSet, names};
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::hash;
use crate::Revision;
use crate::object::ownership;

/// The content of a revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RevisionContent {
    /// Uid of the set.
    pub uid: String,
    /// The hash of all its pod templates (`status.currentGenerationHash`).
    pub generation_hash: String,
    /// The pod template of each clique.
    pub cliques: Vec<RevisionClique>,
}

/// The pod template of a clique.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevisionClique {
    /// Name of the clique.
    pub name: String,
    /// Hash of the template (label `grove.io/pod-template-hash`).
    pub hash: String,
    /// Labels, annotations and pod spec, with the set's priority class.
    pub template: PodTemplateSpec,
}

/// A clique with the pod template of a revision, and the hash of that.
pub type Restored = (PodCliqueTemplateSpec, String);

/// The ControllerRevision of these templates.
pub fn build(
    set: &PodCliqueSet,
    hashed: &[(&PodCliqueTemplateSpec, String)],
    generation_hash: &str,
    number: i64,
) -> ControllerRevision {
    let set_name = ownership::name(&set.metadata);
    let name = names::revision(set_name, generation_hash);
    let mut all = labels::default_labels(set_name);
    all.insert(labels::NAME.into(), set_name.into());
    all.insert(labels::COMPONENT.into(), component::REVISION.into());
    let priority = &set.spec.template.priority_class_name;
    let cliques = hashed.iter();
    let content = RevisionContent {
        uid: ownership::uid(&set.metadata).to_owned(),
        generation_hash: generation_hash.to_owned(),
        cliques: cliques
            .map(|(clique, hash)| keep_clique(clique, hash, priority))
            .collect(),
    };
    ControllerRevision {
        metadata: ObjectMeta {
            name: Some(name),
            namespace: set.metadata.namespace.clone(),
            labels: Some(all),
            owner_references: Some(vec![ownership::controller_reference(set)]),
            ..ObjectMeta::default()
        },
        revision: Some(number),
        data: RawExtension(json!(content)),
    }
}

fn keep_clique(clique: &PodCliqueTemplateSpec, hash: &str, priority: &str) -> RevisionClique {
    let mut spec = (*clique.spec.pod_spec).clone();
    if !priority.is_empty() {
        spec.priority_class_name = Some(priority.to_owned());
    }
    let filled = |map: &BTreeMap<String, String>| (!map.is_empty()).then(|| map.clone());
    RevisionClique {
        name: clique.name.clone(),
        hash: hash.to_owned(),
        template: PodTemplateSpec {
            metadata: Some(ObjectMeta {
                labels: filled(&clique.labels),
                annotations: filled(&clique.annotations),
                ..ObjectMeta::default()
            }),
            spec: Some(spec),
        },
    }
}

/// The content of a revision; `None` if somebody edited it into something else.
pub fn decode(revision: &Revision) -> Option<RevisionContent> {
    serde_json::from_str(&revision.data.to_text()).ok()
}

/// The template hash of each clique, by name; none if somebody edited the revision into something
/// else.
pub fn read_hashes(revision: &Revision) -> BTreeMap<String, String> {
    let content = decode(revision);
    let cliques = content.map(|content| content.cliques).unwrap_or_default();
    cliques.into_iter().map(|c| (c.name, c.hash)).collect()
}

/// The clique as it is now, with the pod template of a revision. `None` if the revision has none for
/// it, or one that does not match its hash: somebody edited it.
pub fn restore(content: &RevisionContent, present: &PodCliqueTemplateSpec) -> Option<Restored> {
    let mut cliques = content.cliques.iter();
    let kept = cliques.find(|clique| clique.name == present.name)?;
    let mut restored = present.clone();
    let meta = kept.template.metadata.clone().unwrap_or_default();
    restored.labels = meta.labels.unwrap_or_default();
    restored.annotations = meta.annotations.unwrap_or_default();
    restored.spec.pod_spec = kept.template.spec.clone()?.into();
    let is_intact = hash::pod_template_hash(&restored, "") == kept.hash;
    is_intact.then(|| (restored, kept.hash.clone()))
}

/// The revisions of a set, sorted by number.
#[derive(Clone, Debug, Default)]
pub struct Revisions {
    /// Sorted by number.
    all: Vec<Arc<Revision>>,
    /// Whether their watch is lost.
    is_outdated: bool,
}

impl Revisions {
    /// Those among these objects that the set controls and that stay.
    pub fn of(set: &PodCliqueSet, found: impl IntoIterator<Item = Arc<Revision>>) -> Self {
        let uid = ownership::uid(&set.metadata);
        let stays = |revision: &Arc<Revision>| {
            let meta = &revision.metadata;
            ownership::is_controlled_by(meta, uid) && !ownership::is_terminating(meta)
        };
        let mut own: Vec<_> = found.into_iter().filter(stays).collect();
        own.sort_by(|a, b| (a.revision, a.name()).cmp(&(b.revision, b.name())));
        Self {
            all: own,
            is_outdated: false,
        }
    }

    /// The same, seen while their watch may be lost.
    #[must_use]
    pub fn seen_outdated(self, is_outdated: bool) -> Self {
        Self {
            is_outdated,
            ..self
        }
    }

    /// Whether the revision of that name may exist unseen: nothing that belongs to it is created
    /// from another template meanwhile.
    pub fn awaits(&self, name: &str) -> bool {
        self.is_outdated && self.find(name).is_none()
    }

    /// The revision of that name.
    pub fn find(&self, name: &str) -> Option<&Arc<Revision>> {
        self.all.iter().find(|revision| revision.name() == name)
    }

    /// All of them, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Revision>> {
        self.all.iter()
    }

    /// The largest number; 0 if there is none.
    pub fn largest(&self) -> i64 {
        self.all.last().map_or(0, |revision| revision.revision)
    }

    /// These cliques with the templates of the revision of that name. A clique is left out if the
    /// revision is gone, or has no intact template for it: its PodCliques take the newest one.
    pub fn restore_all<'a>(
        &self,
        name: &str,
        cliques: impl IntoIterator<Item = &'a PodCliqueTemplateSpec>,
    ) -> Vec<Restored> {
        let content = self.find(name).and_then(|revision| decode(revision));
        let restore = |clique| restore(content.as_ref()?, clique);
        cliques.into_iter().filter_map(restore).collect()
    }
}
