//! POST, PUT and PATCH.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Answer, Call, Id, RequestPath, Resource, Store, Stored, completion, seconds, view};

/// Fields that only the API server sets.
const FIXED: [&str; 7] = [
    "uid",
    "name",
    "namespace",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
];

impl Store {
    /// A POST as a dry run: validation and admission come before the name.
    pub(super) fn try_create(
        &mut self,
        target: &RequestPath,
        body: &Value,
    ) -> Result<Answer, Answer> {
        self.admit(target.resource, body)?;
        let id = Id {
            resource: target.resource,
            namespace: target.namespace.clone(),
            name: view::name(body).to_owned(),
        };
        if self.objects.contains_key(&id) {
            return Err(Answer::failure(409, "AlreadyExists", "it already exists"));
        }
        Ok(Answer::created(body.clone()))
    }

    /// An admission policy that refuses pods of some templates, and a quota.
    fn admit(&self, resource: Resource, body: &Value) -> Result<(), Answer> {
        if resource != Resource::Pod {
            return Ok(());
        }
        let used = self.all(Resource::Pod).count();
        if let Some(limit) = self.pod_quota.filter(|limit| used >= *limit) {
            let name = view::name(body);
            let message = format!(
                "pods \"{name}\" is forbidden: exceeded quota: few, requested: pods=1, \
                 used: pods={used}, limited: pods={limit}"
            );
            return Err(Answer::failure(403, "Forbidden", &message));
        }
        let version = view::text(body, "/metadata/annotations/example.com~1version");
        if self.refused.contains_key(version) {
            let message = format!("version {version} is refused");
            return Err(Answer::invalid(&message));
        }
        Ok(())
    }

    pub(super) fn create(
        &mut self,
        target: &RequestPath,
        mut body: Value,
    ) -> Result<Answer, Answer> {
        if !view::text(&body, "/metadata/resourceVersion").is_empty() {
            return Err(Answer::failure(
                500,
                "",
                "resourceVersion should not be set on objects to be created",
            ));
        }
        let id = Id {
            resource: target.resource,
            namespace: target.namespace.clone(),
            name: view::name(&body).to_owned(),
        };
        if id.name.is_empty() {
            return Err(Answer::invalid("metadata.name: Required value"));
        }
        if self.objects.contains_key(&id) {
            let message = format!(
                "{} \"{}\" already exists",
                target.resource.plural(),
                id.name
            );
            return Err(Answer::failure(409, "AlreadyExists", &message));
        }
        self.admit(target.resource, &body)?;
        self.uids += 1;
        let version = self.next_version();
        if target.resource.has_status() {
            remove(&mut body, "status");
        }
        metadata(&mut body).remove("uid");
        completion::complete(target.resource, &mut body);
        let meta = metadata(&mut body);
        for key in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
            meta.remove(key);
        }
        meta.insert("uid".into(), json!(format!("uid-{}", self.uids)));
        meta.insert("namespace".into(), json!(id.namespace));
        meta.insert("resourceVersion".into(), json!(version.to_string()));
        meta.insert("creationTimestamp".into(), json!(seconds(self.now)));
        if target.resource.is_custom() || target.resource == Resource::Pod {
            meta.insert("generation".into(), json!(1));
        }
        drop_empty(meta);
        if target.resource == Resource::Pod {
            start_pod(&mut body);
        }
        let object = Arc::new(body);
        self.insert(&id, object.clone());
        self.record(&id, None, Some(object.clone()), object.clone());
        Ok(Answer::created((*object).clone()))
    }

    pub(super) fn replace(&mut self, id: &Id, sub: &str, body: Value) -> Result<Answer, Answer> {
        if self.get(id).is_none() && sub.is_empty() && id.resource.is_created_by_put() {
            let mut body = body;
            metadata(&mut body).remove("resourceVersion");
            return self.create(&RequestPath::of(id), body);
        }
        let before = self.found(id)?;
        if view::name(&body) != id.name {
            return Err(Answer::failure(
                400,
                "BadRequest",
                "the name of the object does not match",
            ));
        }
        check_preconditions(&before, body.get("metadata"))?;
        let is_unconditional = view::text(&body, "/metadata/resourceVersion").is_empty();
        if is_unconditional && id.resource.is_custom() && sub != "scale" {
            return Err(Answer::invalid(
                "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
            ));
        }
        self.write(id, sub, &before, body)
    }

    pub(super) fn patch(&mut self, id: &Id, sub: &str, call: &Call) -> Result<Answer, Answer> {
        let before = self.found(id)?;
        let mut next = match sub {
            "scale" => super::scale_of(id, &before),
            _ => (*before).clone(),
        };
        if call.content_type.contains("merge-patch") {
            json_patch::merge(&mut next, &call.body);
        } else {
            let operations: json_patch::Patch = serde_json::from_value(call.body.clone())
                .map_err(|e| Answer::failure(400, "BadRequest", &e.to_string()))?;
            // The API server has only this text for a failed test, and for a path that does not
            // exist.
            let failed = "the server rejected our request due to an error in our request";
            json_patch::patch(&mut next, &operations).map_err(|_| Answer::invalid(failed))?;
        }
        check_patched(&before, &next)?;
        self.write(id, sub, &before, next)
    }

    fn write(
        &mut self,
        id: &Id,
        sub: &str,
        before: &Stored,
        wanted: Value,
    ) -> Result<Answer, Answer> {
        let mut next = (**before).clone();
        match sub {
            "" => {
                let status = before.get("status").cloned();
                next = wanted;
                if id.resource.has_status() {
                    set(&mut next, "status", status);
                }
            }
            "status" => {
                set(&mut next, "status", wanted.get("status").cloned());
                if !id.resource.is_custom() {
                    // For the built-in kinds the metadata is stored too, except the owners.
                    let owners = view::at(before, "/metadata/ownerReferences").cloned();
                    set(&mut next, "metadata", wanted.get("metadata").cloned());
                    set(&mut next["metadata"], "ownerReferences", owners);
                }
            }
            "scale" => next["spec"]["replicas"] = json!(view::number(&wanted, "/spec/replicas")),
            other => return Err(Answer::not_found(other)),
        }
        super::rules::check(id, before, &next)?;
        let written = self.put(id, before, next)?;
        Ok(Answer::ok(match sub {
            "scale" => super::scale_of(id, &written),
            _ => (*written).clone(),
        }))
    }

    /// Stores the next state of an object, unless it equals the present one.
    pub(super) fn put(
        &mut self,
        id: &Id,
        before: &Stored,
        mut next: Value,
    ) -> Result<Stored, Answer> {
        let old = before.get("metadata").cloned().unwrap_or_default();
        let meta = metadata(&mut next);
        for key in FIXED {
            match old.get(key) {
                Some(value) => drop(meta.insert(key.into(), value.clone())),
                None => drop(meta.remove(key)),
            }
        }
        meta.insert("resourceVersion".into(), old["resourceVersion"].clone());
        drop_empty(meta);
        completion::complete(id.resource, &mut next);
        if next == **before {
            return Ok(before.clone());
        }
        check_finalizers(before, &next)?;
        let is_changed = |key: &str| next.get(key) != before.get(key);
        let counts = id.resource.is_custom() || id.resource == Resource::Pod;
        if counts && is_changed("spec") {
            next["metadata"]["generation"] =
                json!(view::number(before, "/metadata/generation") + 1);
        }
        let version = self.next_version();
        next["metadata"]["resourceVersion"] = json!(version.to_string());
        let object = Arc::new(next);
        if is_over(&object) {
            self.take_out(id);
            self.record(id, Some(before.clone()), None, object.clone());
        } else {
            self.insert(id, object.clone());
            self.record(
                id,
                Some(before.clone()),
                Some(object.clone()),
                object.clone(),
            );
        }
        Ok(object)
    }
}

/// Whether no finalizer or grace period holds the object any more.
pub(super) fn is_over(object: &Value) -> bool {
    view::is_terminating(object)
        && view::list(object, "/metadata/finalizers").next().is_none()
        && view::number(object, "/metadata/deletionGracePeriodSeconds") == 0
}

/// The API server leaves out empty fields.
fn drop_empty(meta: &mut Map<String, Value>) {
    for key in ["labels", "annotations", "finalizers", "ownerReferences"] {
        let is_empty = match meta.get(key) {
            Some(Value::Object(map)) => map.is_empty(),
            Some(Value::Array(items)) => items.is_empty(),
            Some(Value::Null) => true,
            _ => false,
        };
        if is_empty {
            meta.remove(key);
        }
    }
}

pub(super) fn check_preconditions(before: &Value, wanted: Option<&Value>) -> Result<(), Answer> {
    for key in ["uid", "resourceVersion"] {
        let is = view::at(before, &format!("/metadata/{key}"));
        let asked = wanted
            .and_then(|w| w.get(key))
            .filter(|v| v.as_str() != Some(""));
        if asked.is_some_and(|asked| !asked.is_null() && Some(asked) != is) {
            return Err(Answer::conflict(
                "the object has been modified; please apply your changes to the latest version and try again",
            ));
        }
    }
    Ok(())
}

/// A patch that names another version is a conflict, one that names another uid is invalid.
fn check_patched(before: &Value, next: &Value) -> Result<(), Answer> {
    let wanted = next.get("metadata").and_then(|m| m.get("resourceVersion"));
    check_preconditions(before, Some(&json!({"resourceVersion": wanted})))?;
    if view::uid(next) != view::uid(before) {
        return Err(Answer::another_uid());
    }
    Ok(())
}

fn check_finalizers(before: &Value, next: &Value) -> Result<(), Answer> {
    let had: Vec<&Value> = view::list(before, "/metadata/finalizers").collect();
    let is_new = view::list(next, "/metadata/finalizers").any(|f| !had.contains(&f));
    if view::is_terminating(before) && is_new {
        return Err(Answer::invalid(
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted",
        ));
    }
    Ok(())
}

fn start_pod(pod: &mut Value) {
    let is_gated = !view::gates(pod).is_empty();
    pod["status"] = json!({"phase": "Pending"});
    if is_gated {
        pod["status"]["conditions"] =
            json!([{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]);
    }
}

fn metadata(object: &mut Value) -> &mut Map<String, Value> {
    if !object.is_object() {
        *object = json!({});
    }
    let meta = &mut object["metadata"];
    if !meta.is_object() {
        *meta = json!({});
    }
    match meta {
        Value::Object(map) => map,
        _ => unreachable!("made an object above"),
    }
}

fn set(object: &mut Value, key: &str, value: Option<Value>) {
    match value {
        Some(value) => object[key] = value,
        None => remove(object, key),
    }
}

fn remove(object: &mut Value, key: &str) {
    if let Some(map) = object.as_object_mut() {
        map.remove(key);
    }
}
