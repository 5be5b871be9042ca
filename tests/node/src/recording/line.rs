//! One line of a recording.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// What differs from run to run, and what no rule reads.
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

/// What was written of each pod last, by name.
#[derive(Debug, Default)]
pub(super) struct Said {
    lines: BTreeMap<String, Value>,
}

impl Said {
    /// The line for that version of a pod; none where it says what the last one said.
    pub(super) fn next(&mut self, event: &str, pod: &Value) -> Option<Value> {
        let line = line(event, pod);
        let name = line.get("name").map(Value::to_string);
        let last = self.lines.insert(name.unwrap_or_default(), line.clone());
        let same = last.is_some_and(|last| {
            event == "MODIFIED" && without_event(&last) == without_event(&line)
        });
        (!same).then_some(line)
    }
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
    line.insert("status".into(), kept(of("/status")));
    line.into()
}

fn kept(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_kept = |key: &str| !LEFT_OUT.contains(&key);
            let fields = fields
                .iter()
                .filter(|(key, value)| is_kept(key) && !value.is_null());
            let shorten = |(key, value): (&String, &Value)| match value.as_str() {
                Some(text) if key == "message" => (key.clone(), cut(text).into()),
                _ => (key.clone(), kept(value)),
            };
            Value::Object(fields.map(shorten).collect())
        }
        Value::Array(items) => items.iter().map(kept).collect(),
        other => other.clone(),
    }
}

fn cut(message: &str) -> String {
    message.chars().take(LONGEST_MESSAGE).collect()
}
