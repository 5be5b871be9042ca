//! The objects, and the API server's treatment of each write.

use std::sync::Arc;

use domain::Key;
use domain::plan::Kind;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use super::kinds::find_feed;
use super::{Id, Stored, World, schema, unreadable};
use crate::exit::Failure;
use crate::json;

/// Metadata that no writer changes.
const FIXED: [&str; 8] = [
    "uid",
    "name",
    "namespace",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

impl World {
    /// Adds an object from the cluster.
    pub fn put_found(&mut self, kind: Kind, object: Value) -> Result<(), Failure> {
        let id = (kind, key_of(&object));
        let version = json::meta(&object, "resourceVersion").parse().unwrap_or(0);
        self.version = self.version.max(version);
        self.keep_found_progress(&id, &object);
        if kind == Kind::of::<Pod>() {
            let pods = if is_waiting(&object) {
                &mut self.starting
            } else {
                &mut self.as_found
            };
            pods.insert(id.clone());
        }
        self.show(&id, &Arc::new(object))
    }

    /// Stores a new object.
    pub(crate) fn insert_new(&mut self, id: &Id, mut object: Value) -> Result<(), Failure> {
        let is_custom = find_feed(id.0).is_some_and(|feed| feed.is_custom);
        json::remove(&mut object, "", "status");
        schema::complete(id.0.name(), &mut object);
        complete(id.0, &mut object);
        self.created = self.created.saturating_add(1);
        let (uid, version) = (format!("plan-{}", self.created), self.next_version());
        set_meta(&mut object, "uid", json!(uid));
        set_meta(&mut object, "resourceVersion", json!(version));
        set_meta(&mut object, "creationTimestamp", json!(self.stamp()));
        if is_custom {
            set_meta(&mut object, "generation", json!(1));
        }
        drop_empty(&mut object);
        if id.0 == Kind::of::<Pod>() {
            self.start(id, &mut object);
        }
        self.show(id, &Arc::new(object))
    }

    /// Stores the next state of an object except its status, which has other writers.
    pub(crate) fn put(&mut self, id: &Id, mut next: Value) -> Result<(), Failure> {
        let status = self
            .get(id)
            .and_then(|before| before.get("status"))
            .cloned();
        match status {
            Some(status) => json::set(&mut next, "", "status", status),
            None => json::remove(&mut next, "", "status"),
        }
        self.put_all(id, next)
    }

    /// Stores the next state of an object, unless nothing changed.
    pub(super) fn put_all(&mut self, id: &Id, mut next: Value) -> Result<(), Failure> {
        let Some(before) = self.get(id).cloned() else {
            return Ok(());
        };
        keep_fixed(&before, &mut next);
        schema::complete(id.0.name(), &mut next);
        complete(id.0, &mut next);
        if next == *before {
            return Ok(());
        }
        let generation = json::at(&before, "/metadata/generation").as_i64();
        let is_respecified = next.get("spec") != before.get("spec");
        if let Some(generation) = generation.filter(|_| is_respecified) {
            set_meta(&mut next, "generation", json!(generation.saturating_add(1)));
        }
        set_meta(&mut next, "resourceVersion", json!(self.next_version()));
        if is_over(&next) {
            return self.remove(id, &next);
        }
        if id.0 == Kind::of::<Pod>() && !self.as_found.contains(id) {
            self.starting.insert(id.clone());
        }
        self.show(id, &Arc::new(next))
    }

    /// Deletes an object: at once, or when its last finalizer is gone. Pods end at once.
    pub(super) fn delete(&mut self, id: &Id) -> Result<(), Failure> {
        let Some(before) = self.get(id).cloned() else {
            return Ok(());
        };
        let mut next = (*before).clone();
        if !json::is_terminating(&next) {
            set_meta(&mut next, "deletionTimestamp", json!(self.stamp()));
        }
        set_meta(&mut next, "deletionGracePeriodSeconds", json!(0));
        set_meta(&mut next, "resourceVersion", json!(self.next_version()));
        if is_over(&next) {
            return self.remove(id, &next);
        }
        self.show(id, &Arc::new(next))
    }

    fn remove(&mut self, id: &Id, last: &Value) -> Result<(), Failure> {
        self.objects.remove(id);
        self.starting.remove(id);
        self.as_found.remove(id);
        self.forget_owners(id, last);
        let uid = json::meta(last, "uid").to_owned();
        self.uids.remove(&uid);
        if let Some(feed) = find_feed(id.0) {
            let triggered = (feed.hide)(&self.caches, &self.triggers, last);
            self.trigger(triggered.map_err(|error| unreadable(&describe(id), &error))?);
        }
        self.collect_garbage(&uid)
    }

    /// Shows the new state of the object to the caches.
    fn show(&mut self, id: &Id, object: &Stored) -> Result<(), Failure> {
        if let Some(before) = self.objects.insert(id.clone(), object.clone()) {
            self.forget_owners(id, &before);
        }
        self.uids.insert(json::meta(object, "uid").to_owned());
        self.note_owners(id, object);
        if let Some(feed) = find_feed(id.0) {
            let triggered = (feed.show)(&self.caches, &self.triggers, object);
            self.trigger(triggered.map_err(|error| unreadable(&describe(id), &error))?);
        }
        Ok(())
    }

    fn next_version(&mut self) -> String {
        self.version = self.version.saturating_add(1);
        self.version.to_string()
    }

    /// The time in the format of objects.
    pub(super) fn stamp(&self) -> String {
        let seconds = jiff::Timestamp::from_second(self.now.as_second());
        seconds.unwrap_or(self.now).to_string()
    }
}

fn describe((kind, key): &Id) -> String {
    format!("{kind} {key}")
}

/// Namespace and name of an object.
fn key_of(object: &Value) -> Key {
    Key::new(json::meta(object, "namespace"), json::meta(object, "name"))
}

fn set_meta(object: &mut Value, field: &str, value: Value) {
    json::set(object, "/metadata", field, value);
}

fn keep_fixed(before: &Value, next: &mut Value) {
    for key in FIXED {
        let old = json::at(before, &format!("/metadata/{key}"));
        set_meta(next, key, old.clone());
    }
    drop_empty(next);
}

/// The API server drops empty values.
fn drop_empty(object: &mut Value) {
    let is_empty = |value: &Value| match value {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        other => other.is_null(),
    };
    if let Some(Value::Object(meta)) = object.get_mut("metadata") {
        meta.retain(|_, value| !is_empty(value));
    }
}

/// Whether a deleted object has no finalizers.
fn is_over(object: &Value) -> bool {
    json::is_terminating(object) && json::items(object, "/metadata/finalizers").next().is_none()
}

/// Whether the pod waits for the operator and not for the cluster.
fn is_waiting(pod: &Value) -> bool {
    let mut gates = json::items(pod, "/spec/schedulingGates");
    gates.next().is_some() || json::is_terminating(pod)
}

/// Fields that the API server sets in built-in kinds, as far as the operator compares them.
fn complete(kind: Kind, object: &mut Value) {
    if kind != Kind::of::<HorizontalPodAutoscaler>() {
        return;
    }
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else {
        return;
    };
    spec.entry("minReplicas").or_insert(json!(1));
    let metrics = spec.entry("metrics").or_insert(json!([]));
    if metrics.as_array().is_some_and(Vec::is_empty) {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        let cpu = json!({"name": "cpu", "target": target});
        *metrics = json!([{"type": "Resource", "resource": cpu}]);
    }
}
