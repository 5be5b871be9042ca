//! From files to findings.

use std::collections::{BTreeMap, BTreeSet};

use api::{ClusterTopologyBinding, PodCliqueSet};
use domain::topology::Levels;
use serde::Deserialize as _;

use super::assumed::find_assumed;
use super::object::{JudgedSet, judge_binding, judge_set};
use super::operator::Operator;
use super::remark::Remark;
use super::report::{Finding, Report};
use super::rules::{admitted, gang_trees, repeated};
use super::stored_objects::StoredObjects;
use crate::files::{
    Broken, ManifestObject, Source, YamlNode, find_position, objects_of, read_documents,
};

/// Group and version of our kinds.
const SERVED: &str = "grove.io/v1alpha1";
const SET: &str = "PodCliqueSet";
const TOPOLOGY: &str = "ClusterTopologyBinding";
/// Kinds that users write.
const KNOWN: [&str; 2] = [SET, TOPOLOGY];
/// Kinds of the operator's own objects, which are not checked.
const CHILDREN: [&str; 2] = ["PodClique", "PodCliqueScalingGroup"];
/// Any version of these kinds.
const GROUP: &str = "grove.io/";
const KAI_GROUP: &str = "scheduling.run.ai/";
const POD_GROUP: &str = "PodGroup";

/// All files as they were judged.
#[derive(Debug, Default)]
pub struct JudgedFiles {
    /// Objects that are checked: the operator's kinds, and trees of gangs.
    pub(super) ours: Vec<Ours>,
    /// All other objects: their kinds, namespaces and names.
    pub(super) others: Vec<Other>,
    files: usize,
    unreadable: Vec<Broken>,
    /// Parts of the sets about which an unknown configuration decides.
    assumed: BTreeSet<&'static str>,
}

/// An object that is checked.
#[derive(Debug)]
pub(super) struct Ours {
    file: String,
    node: YamlNode,
    kind: String,
    name: String,
    /// The namespace that it names.
    pub(super) namespace: Option<String>,
    /// The set with its defaults, if it can be inspected.
    pub(super) set: Option<PodCliqueSet>,
    /// Remarks on it.
    pub(super) remarks: Vec<Remark>,
}

/// An object of another kind.
#[derive(Debug)]
pub(super) struct Other {
    pub(super) kind: String,
    pub(super) namespace: Option<String>,
    pub(super) name: String,
}

/// Judges all objects of these files as an operator does that nobody configured.
pub fn judge_sources(sources: &[Source], stored: &StoredObjects) -> JudgedFiles {
    judge_by(&Operator::default(), sources, stored)
}

/// Judges all objects of these files as this operator does; objects that are also in `stored` as updates.
/// Topologies of one file count for the sets of all.
pub fn judge_by(operator: &Operator, sources: &[Source], stored: &StoredObjects) -> JudgedFiles {
    let mut judged = JudgedFiles {
        files: sources.len(),
        ..JudgedFiles::default()
    };
    let mut read = Vec::new();
    for source in sources {
        match read_documents(source) {
            Ok(documents) => read.push((source, documents)),
            Err(broken) => judged.unreadable.push(broken),
        }
    }
    let operator = Operator {
        topologies: levels_by_name(&read),
        ..operator.clone()
    };
    for (source, documents) in &read {
        judged.add(&operator, source, documents, stored);
    }
    if operator.rules.profiles.is_none() {
        let sets = judged.ours.iter().filter_map(|ours| ours.set.as_ref());
        judged.assumed = sets.flat_map(find_assumed).collect();
    }
    judged
}

/// The levels of the topologies in the files, by name.
fn levels_by_name(read: &[(&Source, Vec<YamlNode>)]) -> BTreeMap<String, Levels> {
    let objects = read
        .iter()
        .flat_map(|(_, documents)| documents)
        .flat_map(objects_of);
    objects
        .filter(|object| object.kind == TOPOLOGY && object.api_version == SERVED)
        .filter_map(|object| ClusterTopologyBinding::deserialize(object.node.value()).ok())
        .filter_map(|binding| Some((binding.metadata.name.clone()?, Levels::of(&binding))))
        .collect()
}

impl JudgedFiles {
    fn add(
        &mut self,
        operator: &Operator,
        source: &Source,
        documents: &[YamlNode],
        stored: &StoredObjects,
    ) {
        for object in documents.iter().flat_map(objects_of) {
            if is_ours(&object) || is_gang_tree(&object) {
                self.ours.push(judge(operator, source, &object, stored));
            } else {
                self.others.push(Other {
                    kind: object.kind.to_owned(),
                    namespace: object.namespace.map(str::to_owned),
                    name: object.name.to_owned(),
                });
            }
        }
    }

    /// Names of the topologies in the files.
    pub(super) fn topologies(&self) -> Vec<String> {
        let topologies = self.ours.iter().filter(|ours| ours.kind == TOPOLOGY);
        topologies.map(|ours| ours.name.clone()).collect()
    }

    /// The findings in the order of files and lines, without the warnings of the ignored rules.
    pub fn into_report(self, ignored: &[String]) -> Report {
        let is_reported = |remark: &&Remark| !ignored.iter().any(|id| id == remark.rule.id);
        let mut findings: Vec<Finding> = Vec::new();
        for object in &self.ours {
            let mut placed: Vec<_> = object
                .remarks
                .iter()
                .filter(is_reported)
                .map(|remark| object.place(remark))
                .collect();
            placed.sort_by_key(|f| (f.line, f.column, f.remark.severity));
            findings.extend(placed);
        }
        Report {
            files: self.files,
            checked: self.ours.len(),
            skipped: self.others.len(),
            findings,
            unreadable: self.unreadable,
            assumed: self.assumed.into_iter().collect(),
        }
    }
}

impl Ours {
    /// Keys of the levels of a topology, with their paths.
    pub(super) fn level_keys(&self) -> Vec<(String, String)> {
        let spec = self.node.entry("spec").map(|entry| &entry.value);
        let levels = spec.and_then(|spec| spec.entry("levels"));
        let levels = levels.map_or(&[][..], |entry| entry.value.items());
        levels
            .iter()
            .enumerate()
            .filter_map(|(i, level)| {
                let key = level.text("key")?.to_owned();
                Some((key, format!("spec.levels[{i}].key")))
            })
            .filter(|_| self.kind == TOPOLOGY)
            .collect()
    }

    fn place(&self, remark: &Remark) -> Finding {
        let position = find_position(&self.node, &remark.path);
        Finding {
            file: self.file.clone(),
            line: position.line,
            column: position.column,
            object: format!("{} {}", self.kind, self.name),
            remark: remark.clone(),
        }
    }
}

/// Of our group, or of a kind of ours whatever its apiVersion: no other group has these.
fn is_ours(object: &ManifestObject<'_>) -> bool {
    if object.api_version.starts_with(GROUP) {
        return !CHILDREN.contains(&object.kind);
    }
    admitted::meant_kind(object.kind, KNOWN).is_some()
}

/// A PodGroup of KAI Scheduler.
fn is_gang_tree(object: &ManifestObject<'_>) -> bool {
    object.api_version.starts_with(KAI_GROUP) && object.kind == POD_GROUP
}

fn judge(
    operator: &Operator,
    source: &Source,
    object: &ManifestObject<'_>,
    stored: &StoredObjects,
) -> Ours {
    let mut judged = judge_kind(operator, object, stored);
    judged.remarks.extend(repeated::check(object.node));
    Ours {
        file: source.name.clone(),
        node: object.node.clone(),
        kind: object.kind.to_owned(),
        name: object.name.to_owned(),
        namespace: object.namespace.map(str::to_owned),
        set: judged.set,
        remarks: judged.remarks,
    }
}

fn judge_kind(
    operator: &Operator,
    object: &ManifestObject<'_>,
    stored: &StoredObjects,
) -> JudgedSet {
    if is_gang_tree(object) {
        return JudgedSet {
            remarks: gang_trees::check(&object.node.value()),
            set: None,
        };
    }
    let remarks = misnamed(object);
    let Some(kind) = admitted::meant_kind(object.kind, KNOWN) else {
        return JudgedSet { remarks, set: None };
    };
    let meant = ManifestObject { kind, ..*object };
    let judged = judge_version(operator, &meant, stored);
    JudgedSet {
        remarks: [remarks, judged.remarks].concat(),
        set: judged.set,
    }
}

/// Remarks on its kind and version. Neither hides the rest of the object.
fn misnamed(object: &ManifestObject<'_>) -> Vec<Remark> {
    let is_known = KNOWN.contains(&object.kind);
    let is_served = object.api_version == SERVED;
    let kind = (!is_known).then(|| admitted::unknown_kind(object.kind, KNOWN));
    let version = (!is_served).then(|| admitted::wrong_version(object.api_version, SERVED));
    kind.into_iter().chain(version).collect()
}

fn judge_version(
    operator: &Operator,
    object: &ManifestObject<'_>,
    stored: &StoredObjects,
) -> JudgedSet {
    let sent = object.node.value();
    let old = stored.version_of(object);
    if object.kind == SET {
        return judge_set(operator, &sent, old);
    }
    JudgedSet {
        remarks: judge_binding(operator, &sent, old),
        set: None,
    }
}
