//! The operator's objects for a workload, for the limit driver to create again.

use std::collections::{HashMap, HashSet};

use anyhow::{Context as _, Result, bail};
use kube::Client;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::calls;

/// The operator's own kinds.
pub const GROVE: &str = "apis/grove.io/v1alpha1";
/// The kind of gangs.
pub const GANGS: &str = "apis/scheduler.grove.io/v1alpha1";

type Fields = Map<String, Value>;

/// The objects of a namespace as the operator sent them, without uids.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recording {
    /// The user's objects, with the last status.
    pub sets: Vec<Value>,
    /// The headless Services.
    pub services: Vec<Value>,
    /// The PodCliqueScalingGroups as created, with the last status.
    pub groups: Vec<Value>,
    /// The gangs.
    pub gangs: Vec<Gang>,
    /// The gangs of a scaling.
    pub scaled: Vec<Gang>,
}

/// A PodGang with all objects that it waits for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Gang {
    /// The PodGang, with its last status.
    pub gang: Value,
    /// Its PodCliques, each with its last status, and their pods.
    pub podcliques: Vec<(Value, Vec<Value>)>,
}

impl Recording {
    /// Reads the operator's objects in this namespace. After a scaling, only gangs with these names
    /// existed before.
    pub async fn take(
        client: &Client,
        namespace: &str,
        before: Option<&HashSet<String>>,
    ) -> Result<Self> {
        let list = async |group: &str, kind: &str| list(client, namespace, group, kind).await;
        let mut pods: HashMap<String, Vec<Value>> = HashMap::new();
        for pod in list("api/v1", "pods").await? {
            let podclique = text(&pod, &["metadata", "labels", api::labels::POD_CLIQUE])?;
            let all = pods.entry(podclique.to_owned()).or_default();
            all.push(sent_pod(&pod));
        }
        let mut podcliques = HashMap::new();
        for podclique in list(GROVE, "podcliques").await? {
            let name = text(&podclique, &["metadata", "name"])?.to_owned();
            let own = pods.remove(&name).unwrap_or_default();
            podcliques.insert(name, (sent(&podclique, "PodClique"), own));
        }
        let gangs = list(GANGS, "podgangs").await?;
        let gangs = gangs.iter().map(|gang| {
            let groups = gang.pointer("/spec/podgroups").and_then(Value::as_array);
            let names = groups.into_iter().flatten();
            let names = names.map(|group| text(group, &["name"]));
            let take = |name: Result<&str>| podcliques.remove(name?).context("a part is missing");
            let podcliques = names.map(take).collect::<Result<_>>()?;
            let gang = sent(gang, "PodGang");
            Ok(Gang { gang, podcliques })
        });
        let gangs: Vec<Gang> = gangs.collect::<Result<_>>()?;
        let is_first = |gang: &Gang| {
            let name = text(&gang.gang, &["metadata", "name"]).unwrap_or_default();
            before.is_none_or(|before| before.contains(name))
        };
        let (gangs, scaled) = gangs.into_iter().partition(is_first);
        if !podcliques.is_empty() || !pods.is_empty() {
            bail!("there are PodCliques in no PodGang, or pods of no PodClique");
        }
        let sets = list(GROVE, "podcliquesets").await?;
        let services = list("api/v1", "services").await?;
        let groups = list(GROVE, "podcliquescalinggroups").await?;
        Ok(Self {
            groups: groups.iter().map(sent_group).collect(),
            sets: sets.iter().map(|o| sent(o, "PodCliqueSet")).collect(),
            services: services.iter().map(sent_service).collect(),
            gangs,
            scaled,
        })
    }

    /// The same in another namespace; no other text may contain the namespace's name.
    pub fn moved(&self, from: &str, to: &str) -> Result<Self> {
        let text = serde_json::to_string(self)?.replace(from, to);
        Ok(serde_json::from_str(&text)?)
    }
}

/// The names of the existing PodGangs.
pub async fn gang_names(client: &Client, namespace: &str) -> Result<HashSet<String>> {
    let gangs = list(client, namespace, GANGS, "podgangs").await?;
    let names = gangs.iter().map(|gang| text(gang, &["metadata", "name"]));
    names.map(|name| Ok(name?.to_owned())).collect()
}

async fn list(client: &Client, namespace: &str, group: &str, kind: &str) -> Result<Vec<Value>> {
    let path = calls::path(group, namespace, kind);
    let list: List = calls::send(client, calls::get(&path)?).await?;
    Ok(list.items)
}

/// A text in an object, by its path of keys.
pub fn text<'a>(object: &'a Value, keys: &[&str]) -> Result<&'a str> {
    let found = keys.iter().try_fold(object, |object, key| object.get(key));
    let found = found.and_then(Value::as_str);
    found.with_context(|| format!("{} is missing in {object}", keys.join(".")))
}

/// Without the API server's additions; items of a list do not name their kind.
fn sent(object: &Value, kind: &str) -> Value {
    let mut sent = object.clone();
    if let Some(fields) = sent.get_mut("metadata").and_then(Value::as_object_mut) {
        let keys = [
            "name",
            "labels",
            "annotations",
            "finalizers",
            "ownerReferences",
        ];
        keep(fields, &keys);
    }
    let version = if kind == "PodGang" { GANGS } else { GROVE };
    let version = version.trim_start_matches("apis/");
    if let Some(fields) = sent.as_object_mut() {
        fields.insert("apiVersion".into(), json!(version));
        fields.insert("kind".into(), json!(kind));
    }
    sent
}

/// It had one replica before the scaling.
fn sent_group(group: &Value) -> Value {
    let mut sent = sent(group, "PodCliqueScalingGroup");
    if let Some(spec) = sent.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert("replicas".into(), json!(1));
    }
    sent
}

fn sent_service(service: &Value) -> Value {
    let mut sent = sent(service, "Service");
    if let Some(fields) = sent.as_object_mut() {
        fields.insert("apiVersion".into(), json!("v1"));
        fields.remove("status");
    }
    if let Some(spec) = sent.get_mut("spec").and_then(Value::as_object_mut) {
        keep(spec, &["selector", "publishNotReadyAddresses"]);
        spec.insert("clusterIP".into(), json!("None"));
    }
    sent
}

/// Without the additions of the API server, its admission plugins and the scheduler.
fn sent_pod(pod: &Value) -> Value {
    let mut sent = sent(pod, "Pod");
    if let Some(fields) = sent.as_object_mut() {
        fields.insert("apiVersion".into(), json!("v1"));
        fields.remove("status");
    }
    let Some(spec) = sent.get_mut("spec").and_then(Value::as_object_mut) else {
        return sent;
    };
    keep(spec, &["containers", "hostname", "subdomain"]);
    let gates = json!([{"name": api::labels::POD_GANG_GATE}]);
    spec.insert("schedulingGates".into(), gates);
    let containers = spec.get_mut("containers").and_then(Value::as_array_mut);
    for container in containers.into_iter().flatten() {
        if let Some(container) = container.as_object_mut() {
            keep(container, &["name", "image", "resources", "env"]);
        }
    }
    sent
}

fn keep(object: &mut Fields, keys: &[&str]) {
    object.retain(|key, _| keys.contains(&key.as_str()));
}

#[derive(Deserialize)]
struct List {
    items: Vec<Value>,
}
