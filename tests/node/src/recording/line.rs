//! One line of a recording.

use serde_json::{Map, Value, json};

/// Fields that differ from run to run, and that no rule reads.
const LEFT_OUT: [&str; 10] = [
    "containerID",
    "hostIP",
    "hostIPs",
    "image",
    "imageID",
    "lastProbeTime",
    "observedGeneration",
    "podIPs",
    "qosClass",
    "volumeMounts",
];

/// In characters; longer messages of a kubelet are cut.
const LONGEST_MESSAGE: usize = 240;

/// The pod of the recording, and the last line about it.
#[derive(Debug, Default)]
pub(super) struct Said {
    uid: Option<String>,
    last: Value,
}

impl Said {
    /// Whether no pod was seen before; then this pod becomes that of the recording.
    pub(super) fn is_new(&mut self, pod: &Value) -> bool {
        let is_first = self.uid.is_none();
        if is_first {
            self.uid = uid(pod);
        }
        is_first
    }

    /// Whether it is the pod of the recording.
    pub(super) fn is_of(&self, pod: &Value) -> bool {
        self.uid == uid(pod)
    }

    /// The line for that version; `None` if it equals the last line, or is of another pod.
    pub(super) fn next(&mut self, event: &str, pod: &Value) -> Option<Value> {
        if !self.is_of(pod) {
            return None;
        }
        let line = line(event, pod);
        let is_same = event == "MODIFIED" && without_event(&self.last) == without_event(&line);
        self.last = line.clone();
        (!is_same).then_some(line)
    }
}

fn uid(pod: &Value) -> Option<String> {
    let uid = pod.pointer("/metadata/uid").and_then(Value::as_str);
    uid.map(str::to_owned)
}

fn without_event(line: &Value) -> Value {
    let mut line = line.clone();
    if let Some(fields) = line.as_object_mut() {
        fields.remove("ev");
    }
    line
}

fn line(event: &str, pod: &Value) -> Value {
    let of = |field: &str| pod.pointer(field).unwrap_or(&Value::Null);
    let mut line = Map::new();
    line.insert("ev".into(), event.into());
    line.insert("name".into(), of("/metadata/name").clone());
    for key in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        let value = of(&format!("/metadata/{key}"));
        if !value.is_null() {
            line.insert(key.into(), value.clone());
        }
    }
    line.insert("node".into(), of("/spec/nodeName").is_string().into());
    let gates = of("/spec/schedulingGates").as_array().map_or(0, Vec::len);
    if gates > 0 {
        line.insert("gates".into(), json!(gates));
    }
    let uid = uid(pod).unwrap_or_default();
    line.insert("status".into(), kept(of("/status"), &uid));
    line.into()
}

fn kept(value: &Value, uid: &str) -> Value {
    match value {
        Value::Object(fields) => {
            let is_kept = |key: &str| !LEFT_OUT.contains(&key);
            let fields = fields
                .iter()
                .filter(|(key, value)| is_kept(key) && !value.is_null());
            let shorten = |(key, value): (&String, &Value)| match value.as_str() {
                Some(text) if key == "message" => (key.clone(), cut(text, uid).into()),
                _ => (key.clone(), kept(value, uid)),
            };
            Value::Object(fields.map(shorten).collect())
        }
        Value::Array(items) => items.iter().map(|item| kept(item, uid)).collect(),
        other => other.clone(),
    }
}

fn cut(message: &str, uid: &str) -> String {
    message
        .replace(uid, "UID")
        .chars()
        .take(LONGEST_MESSAGE)
        .collect()
}
