//! From a name as a person has it at hand to its set: `llm`, `pcs/llm`, or any child of the set, such
//! as a pod.

use std::fmt::Debug;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels};
use domain::object::ownership;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use serde::de::DeserializeOwned;

use super::absent::explain_unknown;
use super::{Cluster, load_workload};
use crate::exit::Failure;
use crate::workload::Workload;

/// The kinds that a name may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedKind {
    /// A PodCliqueSet.
    Set,
    /// A PodCliqueScalingGroup.
    Group,
    /// A PodClique.
    Clique,
    /// A PodGang.
    Gang,
    /// A pod.
    Pod,
}

/// Names of the kinds, as kubectl accepts them.
const KINDS: [(NamedKind, [&str; 3]); 5] = [
    (NamedKind::Set, ["podcliqueset", "podcliquesets", "pcs"]),
    (
        NamedKind::Group,
        ["podcliquescalinggroup", "podcliquescalinggroups", "pcsg"],
    ),
    (NamedKind::Clique, ["podclique", "podcliques", "pclq"]),
    (NamedKind::Gang, ["podgang", "podgangs", "pg"]),
    (NamedKind::Pod, ["pod", "pods", "po"]),
];

impl NamedKind {
    /// Its name in a sentence.
    pub(super) fn word(self) -> &'static str {
        let mut all = KINDS.iter();
        let own = all.find(|(kind, _)| *kind == self);
        own.map_or("object", |(_, [word, _, _])| *word)
    }
}

/// A name, and its kind if that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedName<'a> {
    /// The kind; none if any will do.
    pub kind: Option<NamedKind>,
    /// The name.
    pub name: &'a str,
}

/// A set that was found by a name.
#[derive(Debug)]
pub struct Loaded {
    /// The set and its objects.
    pub workload: Workload,
    /// The child by which it was found.
    pub child: Option<(NamedKind, String)>,
}

impl Loaded {
    /// The pod by which it was found.
    pub fn pod(&self) -> Option<&str> {
        match &self.child {
            Some((NamedKind::Pod, pod)) => Some(pod),
            _ => None,
        }
    }
}

/// `NAME` or `TYPE/NAME`, the type as kubectl writes it: `podcliqueset.grove.io/llm`.
///
/// # Errors
/// If the type is another one.
pub fn parse_name(text: &str) -> Result<AskedName<'_>, Failure> {
    let Some((type_, name)) = text.split_once('/') else {
        let kind = None;
        return Ok(AskedName { kind, name: text });
    };
    let lower = type_.to_lowercase();
    let word = lower.split('.').next().unwrap_or_default();
    let known = KINDS.iter().find(|(_, words)| words.contains(&word));
    let kind = known.map(|(kind, _)| *kind).ok_or_else(|| {
        let all: Vec<_> = KINDS.iter().map(|(_, [_, _, short])| *short).collect();
        Failure::BadInput(format!(
            "{text}: {type_} is no type of a set's objects; use one of {}, or only the name",
            all.join(", ")
        ))
    })?;
    let kind = Some(kind);
    Ok(AskedName { kind, name })
}

/// The name of a set on a command line: `NAME` or `pcs/NAME`.
///
/// # Errors
/// If the type is another one.
pub fn parse_set_name(text: &str) -> Result<String, String> {
    let asked = parse_name(text).map_err(|failure| failure.to_string())?;
    match asked.kind {
        None | Some(NamedKind::Set) => Ok(asked.name.to_owned()),
        Some(_) => Err(format!("{text} is no PodCliqueSet; name the set")),
    }
}

/// The name of a set or of one of its objects on a command line, as it was given.
///
/// # Errors
/// If the type is another one.
pub fn parse_any_name(text: &str) -> Result<String, String> {
    let asked = parse_name(text).map_err(|failure| failure.to_string());
    asked.map(|_| text.to_owned())
}

/// The set of that name, or the one that has a child of that name, with its objects.
pub async fn load_named(cluster: &Cluster, text: &str) -> Result<Loaded, Failure> {
    let asked = parse_name(text)?;
    if asked.kind.is_none_or(|kind| kind == NamedKind::Set) {
        match load_workload(cluster, asked.name).await {
            Err(Failure::NotFound(_)) => {}
            loaded => {
                let child = None;
                return loaded.map(|workload| Loaded { workload, child });
            }
        }
    }
    let (kind, set) = find_parent(cluster, asked).await?;
    Ok(Loaded {
        workload: load_workload(cluster, &set).await?,
        child: Some((kind, asked.name.to_owned())),
    })
}

/// The name of the set, without its objects.
pub async fn find_set(cluster: &Cluster, text: &str) -> Result<String, Failure> {
    let asked = parse_name(text)?;
    if asked.kind.is_none_or(|kind| kind == NamedKind::Set) {
        let found = cluster.get::<PodCliqueSet>(asked.name).await?;
        if found.is_some() {
            return Ok(asked.name.to_owned());
        }
    }
    find_parent(cluster, asked).await.map(|(_, set)| set)
}

/// The kind of the child with that name, and the set that its label names.
async fn find_parent(
    cluster: &Cluster,
    asked: AskedName<'_>,
) -> Result<(NamedKind, String), Failure> {
    match find_child(cluster, asked).await {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(explain_unknown(cluster, asked, None).await),
        Err(unread) => Err(explain_unknown(cluster, asked, Some(unread)).await),
    }
}

/// The same; none if no child has that name. Fails if there is none among those that could be read.
pub(super) async fn find_child(
    cluster: &Cluster,
    asked: AskedName<'_>,
) -> Result<Option<(NamedKind, String)>, Failure> {
    let mut unread = None;
    for (kind, _) in KINDS {
        if asked.kind.is_some_and(|wanted| wanted != kind) {
            continue;
        }
        let set = match kind {
            NamedKind::Set => Ok(None),
            NamedKind::Group => set_of::<PodCliqueScalingGroup>(cluster, asked.name).await,
            NamedKind::Clique => set_of::<PodClique>(cluster, asked.name).await,
            NamedKind::Gang => set_of::<PodGang>(cluster, asked.name).await,
            NamedKind::Pod => set_of::<Pod>(cluster, asked.name).await,
        };
        match set {
            Ok(Some(set)) => return Ok(Some((kind, set))),
            Ok(None) => {}
            Err(failure) => unread = unread.or(Some(failure)),
        }
    }
    unread.map_or(Ok(None), Err)
}

async fn set_of<K>(cluster: &Cluster, name: &str) -> Result<Option<String>, Failure>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + DeserializeOwned + Debug,
{
    let found = cluster.get::<K>(name).await?;
    let set = |found: &K| ownership::label(found.meta(), labels::PART_OF).map(str::to_owned);
    Ok(found.as_ref().and_then(set))
}
