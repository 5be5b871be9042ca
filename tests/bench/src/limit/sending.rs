//! Requests for one object.

use anyhow::{Context as _, Result};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::driver::Driver;
use crate::calls;
use crate::recording::{GROVE, text};

/// The present state of an object.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its path.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// The version in the last answer.
    pub version: String,
}

impl Driver<'_> {
    /// A user's request, without the status.
    pub(super) async fn post_set(&self, set: &Value) -> Result<Made> {
        let mut body = set.clone();
        if let Some(fields) = body.as_object_mut() {
            fields.remove("status");
        }
        if let Some(fields) = body.get_mut("metadata").and_then(Value::as_object_mut) {
            fields.remove("finalizers");
        }
        let path = calls::path(GROVE, self.namespace, "podcliquesets");
        let answer = calls::send(self.user, calls::post(&path, &body)?).await?;
        made(&path, &answer)
    }

    /// The finalizer, and the first status.
    pub(super) async fn accept_set(&self, set: &Value, set_made: &Made) -> Result<Made> {
        let finalizers = set.pointer("/metadata/finalizers");
        let operations =
            json!([{"op": "add", "path": "/metadata/finalizers", "value": finalizers}]);
        let patch = calls::json_patch(&set_made.path, &operations)?;
        let answer: Value = calls::send(self.account, patch).await?;
        let version = text(&answer, &["metadata", "resourceVersion"])?.to_owned();
        let patched = Made {
            path: set_made.path.clone(),
            name: set_made.name.clone(),
            uid: set_made.uid.clone(),
            version,
        };
        self.put_status(set, &patched, false).await
    }

    pub(super) async fn post(
        &self,
        group: &str,
        kind: &str,
        object: &Value,
        owners: &[Made],
    ) -> Result<Made> {
        let mut sent = object.clone();
        if let Some(fields) = sent.as_object_mut() {
            fields.remove("status");
        }
        let references = sent.pointer_mut("/metadata/ownerReferences");
        let references = references.and_then(Value::as_array_mut);
        for reference in references.into_iter().flatten() {
            let name = text(reference, &["name"])?;
            let owner = owners.iter().find(|owner| owner.name == name);
            let uid = owner.context("an owner is missing")?.uid.clone();
            if let Some(fields) = reference.as_object_mut() {
                fields.insert("uid".into(), json!(uid));
            }
        }
        let path = calls::path(group, self.namespace, kind);
        let answer = calls::send(self.account, calls::post(&path, &sent)?).await?;
        made(&path, &answer)
    }

    /// The first status has no conditions yet.
    pub(super) async fn put_status(
        &self,
        object: &Value,
        made: &Made,
        is_last: bool,
    ) -> Result<Made> {
        let mut status = object.get("status").cloned().unwrap_or_else(|| json!({}));
        if let (false, Some(fields)) = (is_last, status.as_object_mut()) {
            fields.remove("conditions");
        }
        let body = json!({
            "apiVersion": object.get("apiVersion"),
            "kind": object.get("kind"),
            "metadata": {
                "name": made.name, "namespace": self.namespace,
                "uid": made.uid, "resourceVersion": made.version,
            },
            "status": status,
        });
        let put = calls::put(&format!("{}/status", made.path), &body)?;
        let answer: Value = calls::send(self.account, put).await?;
        Ok(Made {
            path: made.path.clone(),
            name: made.name.clone(),
            uid: made.uid.clone(),
            version: text(&answer, &["metadata", "resourceVersion"])?.to_owned(),
        })
    }

    /// The same patch as the operator's.
    pub(super) async fn ungate(&self, pod: &Made) -> Result<()> {
        let gate = "/spec/schedulingGates/0";
        let operations = json!([
            {"op": "test", "path": "/metadata/uid", "value": pod.uid},
            {"op": "test", "path": format!("{gate}/name"), "value": api::labels::POD_GANG_GATE},
            {"op": "remove", "path": gate},
        ]);
        let patch = calls::json_patch(&pod.path, &operations)?;
        calls::send::<IgnoredAny>(self.account, patch).await?;
        Ok(())
    }
}

fn made(path: &str, answer: &Value) -> Result<Made> {
    let name = text(answer, &["metadata", "name"])?.to_owned();
    Ok(Made {
        path: format!("{path}/{name}"),
        uid: text(answer, &["metadata", "uid"])?.to_owned(),
        version: text(answer, &["metadata", "resourceVersion"])?.to_owned(),
        name,
    })
}
