//! The objects of a namespace, and their comparison with the expected ones.

use std::array;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use e2e::objects::KINDS;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::client;

/// The objects in a namespace that was never used.
const FROM_KUBERNETES: [&str; 1] = ["default"];

/// The objects of a namespace, except those of every namespace, and the chart's: each kind as of
/// one time.
#[derive(Debug)]
pub struct Seen {
    kinds: [OnceCell<Vec<Arc<Value>>>; KINDS.len()],
    /// The source of kinds that are read on request.
    source: Option<Source>,
    failure: OnceCell<String>,
}

/// A namespace of a control plane.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) kubeconfig: PathBuf,
    pub(super) namespace: String,
}

impl Seen {
    /// These objects, kind by kind.
    pub(super) fn of_kinds(kinds: Vec<Vec<Arc<Value>>>) -> Self {
        let mut kinds = kinds.into_iter();
        Self {
            kinds: array::from_fn(|_| made_here(kinds.next().unwrap_or_default()).into()),
            source: None,
            failure: OnceCell::new(),
        }
    }

    /// These objects, in any order.
    pub fn of<'a>(objects: impl Iterator<Item = &'a Value>) -> Self {
        let mut kinds = vec![Vec::new(); KINDS.len()];
        for object in objects {
            let kind = object["kind"].as_str().unwrap();
            kinds[place(kind)].push(Arc::new(object.clone()));
        }
        Self::of_kinds(kinds)
    }

    /// The existing objects, read kind by kind on request: a test of pods need not wait for lists
    /// of all kinds.
    pub(super) fn on_demand(source: Source) -> Self {
        Self {
            kinds: array::from_fn(|_| OnceCell::new()),
            source: Some(source),
            failure: OnceCell::new(),
        }
    }

    /// The objects with this label.
    pub(super) fn labelled(&self, label: &str, value: &str) -> Self {
        let has_label = |object: &Arc<Value>| object["metadata"]["labels"][label] == value;
        let of_kind = |place: usize| -> Vec<Arc<Value>> {
            let all = self.of_kind(place).iter();
            all.filter(|object| has_label(object)).cloned().collect()
        };
        Self::of_kinds((0..KINDS.len()).map(of_kind).collect())
    }

    /// Fails if a requested kind could not be read.
    pub(super) fn expect_read(&self) -> Result<(), String> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }

    fn of_kind(&self, place: usize) -> &[Arc<Value>] {
        self.kinds[place].get_or_init(|| {
            let Some(source) = &self.source else {
                return Vec::new();
            };
            let Source {
                kubeconfig,
                namespace,
            } = source;
            let found = client::read_kind(kubeconfig, namespace, place).unwrap_or_else(|error| {
                let _ = self.failure.set(error);
                Vec::new()
            });
            made_here(found.into_iter().map(Arc::new).collect())
        })
    }

    /// All objects, kind after kind.
    pub fn everything(&self) -> Vec<&Value> {
        let places = 0..KINDS.len();
        let all = places.flat_map(|place| self.of_kind(place));
        all.map(Arc::as_ref).collect()
    }

    /// Fails if any object exists.
    pub fn expect_nothing(&self) -> Result<(), String> {
        same("what is left", &self.everything(), &vec![])
    }

    /// The objects of that kind, by name.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        let all = self.of_kind(place(kind));
        all.iter().map(Arc::as_ref).collect()
    }

    /// The names of the objects of that kind.
    pub fn names(&self, kind: &str) -> BTreeSet<&str> {
        self.all(kind).into_iter().map(name).collect()
    }

    /// The object of that kind and name.
    pub fn one(&self, kind: &str, called: &str) -> Result<&Value, String> {
        let found = self
            .all(kind)
            .into_iter()
            .find(|object| name(object) == called);
        found.ok_or_else(|| format!("no {kind} {called}, but {:?}", self.names(kind)))
    }

    /// The pods of that PodClique, by index.
    pub fn pods(&self, podclique: &str) -> Vec<&Value> {
        let is_member = |pod: &&Value| pod["metadata"]["labels"]["grove.io/podclique"] == podclique;
        let mut pods: Vec<_> = self.all("Pod").into_iter().filter(is_member).collect();
        pods.sort_by_key(|pod| index(pod));
        pods
    }

    /// Fails unless the objects of that kind have these names.
    pub fn expect_names(&self, kind: &str, names: &[&str]) -> Result<(), String> {
        let should = names.iter().copied().collect();
        same(kind, &self.names(kind), &should)
    }

    /// Fails unless that many pods are Ready and no other exists.
    pub fn expect_ready_pods(&self, count: usize) -> Result<(), String> {
        let pods = self.all("Pod");
        let ready = pods.iter().filter(|pod| is_ready(pod)).count();
        same("(pods, ready pods)", &(pods.len(), ready), &(count, count))
    }
}

/// The position of that kind in [`KINDS`].
fn place(kind: &str) -> usize {
    let place = KINDS.iter().position(|(_, _, known)| *known == kind);
    place.unwrap_or_else(|| panic!("{kind} is not read: add it to KINDS"))
}

/// Without the objects of every namespace, and the chart's.
fn made_here(mut objects: Vec<Arc<Value>>) -> Vec<Arc<Value>> {
    objects.retain(|object| {
        let is_of_kubernetes =
            object["kind"] == "ServiceAccount" && FROM_KUBERNETES.contains(&name(object));
        let is_of_chart = !object["metadata"]["labels"]["helm.sh/chart"].is_null();
        !is_of_kubernetes && !is_of_chart
    });
    objects
}

/// The owner references of all objects that this object controls.
pub fn controlled_by(owner: &Value) -> Value {
    json!([{
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": true,
        "blockOwnerDeletion": true,
    }])
}

/// The object's name.
pub fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap()
}

/// When kubectl last applied a manifest that changed the object, in whole seconds.
pub fn applied_at(object: &Value) -> Timestamp {
    let entries = object["metadata"]["managedFields"].as_array();
    let entries = entries.into_iter().flatten();
    let applied = entries.filter(|entry| entry["manager"] == "kubectl-client-side-apply");
    let times = applied.map(|entry| entry["time"].as_str().unwrap());
    times
        .map(|at| at.parse::<Timestamp>().unwrap())
        .max()
        .unwrap()
}

/// The pod's index in its PodClique.
pub fn index(pod: &Value) -> u32 {
    let label = &pod["metadata"]["labels"]["grove.io/podclique-pod-index"];
    label.as_str().unwrap().parse().unwrap()
}

/// Whether the pod is Ready and not terminating.
pub fn is_ready(pod: &Value) -> bool {
    condition(pod, "Ready").starts_with("True") && pod["metadata"]["deletionTimestamp"].is_null()
}

/// The names of the pod's scheduling gates.
pub fn gates(pod: &Value) -> Vec<&str> {
    let gates = pod["spec"]["schedulingGates"]
        .as_array()
        .into_iter()
        .flatten();
    gates.map(|gate| gate["name"].as_str().unwrap()).collect()
}

/// The names of all pods that the PodGang lists, as `podgroup: pods`.
pub fn listed(gang: &Value) -> Vec<(&str, Vec<&str>)> {
    let groups = gang["spec"]["podgroups"].as_array().into_iter().flatten();
    groups
        .map(|group| {
            let references = group["podReferences"].as_array().into_iter().flatten();
            let pods = references.map(|r| r["name"].as_str().unwrap()).collect();
            (group["name"].as_str().unwrap(), pods)
        })
        .collect()
}

/// A condition of the object as `status/reason`, or nothing.
pub fn condition(object: &Value, type_: &str) -> String {
    let conditions = object["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    let found = conditions
        .into_iter()
        .find(|condition| condition["type"] == type_);
    found.map_or_else(String::new, |condition| {
        let text = |key: &str| condition[key].as_str().unwrap_or_default().to_owned();
        format!("{}/{}", text("status"), text("reason"))
    })
}

/// Fails unless both are equal.
pub fn same<T: PartialEq + Debug>(what: &str, is: &T, should: &T) -> Result<(), String> {
    if is == should {
        return Ok(());
    }
    Err(format!("{what} is {is:?}, should be {should:?}"))
}

/// Fails unless everything of `should` is there with the same value; `is` may have more fields, but
/// no longer lists.
pub fn subset(what: &str, is: &Value, should: &Value) -> Result<(), String> {
    match (is, should) {
        (Value::Object(is), Value::Object(should)) => should.iter().try_for_each(|(key, value)| {
            let found = is.get(key).unwrap_or(&Value::Null);
            subset(&format!("{what}.{key}"), found, value)
        }),
        (Value::Array(is), Value::Array(should)) if is.len() == should.len() => {
            let mut pairs = is.iter().zip(should).enumerate();
            pairs.try_for_each(|(i, (is, should))| subset(&format!("{what}[{i}]"), is, should))
        }
        _ => same(what, is, should),
    }
}
