//! Adapts a recorded status to the simulated pod and its time.

use api::start_order;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::script::Scene;
use crate::view;

/// The status of the scene as of now: its news happened since the scene before.
pub(super) fn translate(scene: &Scene, pod: &Value, since: Timestamp, now: Timestamp) -> Value {
    let mut status = scene.status.clone();
    move_times(&mut status, scene.at, since, now);
    keep_transitions(&mut status, pod);
    add_start(&mut status, pod);
    for list in ["initContainerStatuses", "containerStatuses"] {
        for container in items(&mut status, list) {
            let before = view::list(pod, &format!("/status/{list}"))
                .find(|c| c["name"] == container["name"]);
            if let Some(before) = before {
                keep_times(container, before);
            }
        }
    }
    status
}

fn items<'a>(status: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> {
    let items = status.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten()
}

/// Keeps the distance of a recorded time from the status: it happened equally long before now.
fn move_times(value: &mut Value, recorded: Timestamp, since: Timestamp, now: Timestamp) {
    match value {
        Value::Object(map) => {
            let values = map.values_mut();
            values.for_each(|value| move_times(value, recorded, since, now));
        }
        Value::Array(items) => {
            let items = items.iter_mut();
            items.for_each(|item| move_times(item, recorded, since, now));
        }
        Value::String(text) => {
            if let Ok(time) = text.parse::<Timestamp>() {
                let moved = now - recorded.duration_since(time);
                *text = seconds(moved.min(now).max(since));
            }
        }
        _ => {}
    }
}

fn seconds(time: Timestamp) -> String {
    let whole = Timestamp::from_second(time.as_second());
    whole.unwrap_or(time).to_string()
}

/// A condition that does not flip keeps its time.
fn keep_transitions(status: &mut Value, pod: &Value) {
    const TIME: &str = "lastTransitionTime";
    for condition in items(status, "conditions") {
        let mut before = view::list(pod, "/status/conditions");
        let same = before.find(|c| ["type", "status"].iter().all(|k| c[*k] == condition[*k]));
        let time = same.and_then(|c| c.get(TIME));
        if let Some(time) = time {
            condition[TIME] = time.clone();
        }
    }
}

/// A pod with dependencies has a container that has waited for them.
fn add_start(status: &mut Value, pod: &Value) {
    let mut init = view::list(pod, "/spec/initContainers");
    if !init.any(|c| c["name"] == start_order::CONTAINER) {
        return;
    }
    let waited = json!({
        "name": start_order::CONTAINER, "ready": true, "restartCount": 0,
        "state": {"terminated": {"exitCode": 0, "reason": "Completed"}},
    });
    let others = items(status, "initContainerStatuses").map(|c| c.clone());
    let all: Vec<Value> = std::iter::once(waited).chain(others).collect();
    status["initContainerStatuses"] = json!(all);
}

/// A run of a container keeps its start and its end.
fn keep_times(container: &mut Value, before: &Value) {
    const RUNNING: &str = "/state/running/startedAt";
    const BEGUN: &str = "/state/terminated/startedAt";
    const ENDED: &str = "/state/terminated/finishedAt";
    const LAST: &str = "/lastState/terminated";
    let is_same_run = container["restartCount"] == before["restartCount"];
    let is_same_end = is_same_run
        && view::at(before, "/state/terminated/exitCode")
            == view::at(container, "/state/terminated/exitCode");
    let begun = view::at(before, RUNNING).or_else(|| view::at(before, BEGUN));
    if is_same_run {
        put(container, RUNNING, begun);
        put(container, BEGUN, begun);
        put(container, LAST, view::at(before, LAST));
    } else {
        put(container, LAST, view::at(before, "/state/terminated"));
    }
    if is_same_end {
        put(container, ENDED, view::at(before, ENDED));
    }
    let (begun, ended) = (view::text(container, BEGUN), view::text(container, ENDED));
    if ended < begun {
        let begun = Value::from(begun);
        put(container, ENDED, Some(&begun));
    }
}

/// Replaces the present value.
fn put(container: &mut Value, pointer: &str, value: Option<&Value>) {
    if let (Some(place), Some(value)) = (container.pointer_mut(pointer), value) {
        *place = value.clone();
    }
}
