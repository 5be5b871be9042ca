//! The watched objects of a namespace, and readers of their fields.

use std::sync::Arc;

use e2e::objects::KINDS;
use serde_json::Value;

/// Kind by kind.
pub struct Seen(pub Vec<Vec<Arc<Value>>>);

impl Seen {
    /// The objects of that kind.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        let place = KINDS
            .iter()
            .position(|(_, _, known)| *known == kind)
            .unwrap();
        self.0[place].iter().map(AsRef::as_ref).collect()
    }

    /// The object of that kind and name.
    pub fn one(&self, kind: &str, called: &str) -> Result<&Value, String> {
        let found = self
            .all(kind)
            .into_iter()
            .find(|object| name(object) == called);
        found.ok_or_else(|| format!("no {kind} {called}"))
    }

    /// The PodCliqueSet of that name.
    pub fn set(&self, called: &str) -> Result<&Value, String> {
        self.one("PodCliqueSet", called)
    }

    /// All pods.
    pub fn pods(&self) -> Vec<&Value> {
        self.all("Pod")
    }

    /// The pods of that PodClique, by index, including pods that are being deleted.
    pub fn pods_of(&self, podclique: &str) -> Vec<&Value> {
        let label = |pod: &Value, key: &str| pod["metadata"]["labels"][key].clone();
        let mut pods = self.pods();
        pods.retain(|pod| label(pod, "grove.io/podclique") == podclique);
        pods.sort_by_key(|pod| label(pod, "grove.io/podclique-pod-index").to_string());
        pods
    }
}

/// The object's name.
pub fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// The object's uid.
pub fn uid(object: &Value) -> String {
    object["metadata"]["uid"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// A condition of the object, or null.
pub fn condition<'a>(object: &'a Value, type_: &str) -> &'a Value {
    let all = object["status"]["conditions"].as_array();
    let found = all
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == type_);
    found.unwrap_or(&Value::Null)
}

/// `status/reason` of a condition; empty if it is absent.
pub fn state(object: &Value, type_: &str) -> String {
    let found = condition(object, type_);
    let text = |key: &str| found[key].as_str().unwrap_or_default();
    format!("{}/{}", text("status"), text("reason"))
}

/// The message of a condition; empty if it is absent.
pub fn message<'a>(object: &'a Value, type_: &str) -> &'a str {
    condition(object, type_)["message"]
        .as_str()
        .unwrap_or_default()
}

/// Whether the object is being deleted.
pub fn is_going(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

/// Whether a pod is Ready and stays.
pub fn is_ready(pod: &Value) -> bool {
    !is_going(pod) && condition(pod, "Ready")["status"] == "True"
}

/// How often the pod's containers were restarted.
pub fn restarts(pod: &Value) -> u64 {
    let statuses = pod["status"]["containerStatuses"].as_array();
    let counts = statuses
        .into_iter()
        .flatten()
        .map(|status| status["restartCount"].as_u64());
    counts.flatten().sum()
}
