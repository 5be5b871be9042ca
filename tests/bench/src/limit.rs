//! The limit driver: the same objects without any logic, by the least number of writes.
//!
//! It knows all names and needs no watch. A gang is made as the operator has to: its PodCliques,
//! their pods, the PodGang once all of them exist, then the gates; each status is written twice.

use std::time::Instant;

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::Client;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls::{self, Call};
use crate::creation::Times;
use crate::namespace;
use crate::observer::Observer;
use crate::recording::{GANGS, GROVE, Gang, Recording, text};
use crate::site::Site;

/// Gangs at once: the operator works on as many PodCliques.
const GANGS_AT_ONCE: usize = 10;

/// Makes all of it in the namespace it was recorded for, waits until the pods are Ready, deletes them.
pub async fn run(site: &Site, recording: &Recording, name: &str, count: u32) -> Result<Times> {
    namespace::create(&site.user, name).await?;
    let mut observer = Observer::start(&site.user, name, count).await?;
    let driver = Driver {
        user: &site.user,
        account: &site.account,
        namespace: name,
    };
    let began = Instant::now();
    let pods = driver.make(recording).await?;
    observer.until("all are Ready", |seen| seen.ready).await?;
    let seen = observer.seen();

    let deletes = pods
        .iter()
        .map(|pod| calls::delete(&pod.path, Some(&pod.uid)));
    let deletes: Result<Vec<Call>> = deletes.collect();
    let end = Instant::now();
    calls::send_all::<IgnoredAny>(&site.account, deletes?).await?;
    let gone = observer.until("all are gone", |seen| seen.gone).await?;
    driver.release(recording).await?;
    namespace::delete(&site.user, name).await?;
    Times::new(began, &seen, gone.duration_since(end).as_secs_f64())
}

/// An object as it is now.
struct Made {
    path: String,
    name: String,
    uid: String,
    version: String,
}

struct Driver<'a> {
    user: &'a Client,
    account: &'a Client,
    namespace: &'a str,
}

impl Driver<'_> {
    async fn make(&self, recording: &Recording) -> Result<Vec<Made>> {
        let posting = recording.sets.iter().map(|set| self.post_set(set));
        let sets: Vec<Made> = at_once_in_order(posting, calls::WIDTH).await?;
        let accepted = recording.sets.iter().zip(&sets);
        let accepted = accepted.map(|(set, made)| self.accept_set(set, made));
        let accepted: Vec<Made> = at_once_in_order(accepted, calls::WIDTH).await?;
        let services = recording.services.iter();
        let services = services.map(|service| self.post("api/v1", "services", service, &sets));
        at_once(services, calls::WIDTH).await?;
        let gangs = recording.gangs.iter();
        let gangs = gangs.map(|gang| self.make_gang(gang, &sets));
        let pods: Vec<Vec<Made>> = at_once(gangs, GANGS_AT_ONCE).await?;
        let ended = recording.sets.iter().zip(&accepted);
        let ended = ended.map(|(set, made)| self.put_status(set, made, true));
        at_once(ended, calls::WIDTH).await?;
        Ok(pods.into_iter().flatten().collect())
    }

    /// As the user does; the status is none of his.
    async fn post_set(&self, set: &Value) -> Result<Made> {
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
    async fn accept_set(&self, set: &Value, set_made: &Made) -> Result<Made> {
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

    async fn make_gang(&self, gang: &Gang, sets: &[Made]) -> Result<Vec<Made>> {
        let mut podcliques = Vec::new();
        let mut pods = Vec::new();
        for (podclique, own) in &gang.podcliques {
            let made = self.post(GROVE, "podcliques", podclique, sets).await?;
            let owner = std::slice::from_ref(&made);
            let posts = own
                .iter()
                .map(|pod| self.post("api/v1", "pods", pod, owner));
            pods.extend(at_once(posts, calls::WIDTH).await?);
            podcliques.push((podclique, self.put_status(podclique, &made, false).await?));
        }
        let posted = self.post(GANGS, "podgangs", &gang.gang, sets).await?;
        let posted = self.put_status(&gang.gang, &posted, false).await?;
        at_once(pods.iter().map(|pod| self.ungate(pod)), calls::WIDTH).await?;
        for (podclique, made) in podcliques {
            self.put_status(podclique, &made, true).await?;
        }
        self.put_status(&gang.gang, &posted, true).await?;
        Ok(pods)
    }

    async fn post(&self, group: &str, kind: &str, object: &Value, owners: &[Made]) -> Result<Made> {
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

    /// The first one has no conditions yet.
    async fn put_status(&self, object: &Value, made: &Made, is_last: bool) -> Result<Made> {
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

    /// The operator's own patch.
    async fn ungate(&self, pod: &Made) -> Result<()> {
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

    /// Takes the finalizers off, so that the namespace can end.
    async fn release(&self, recording: &Recording) -> Result<()> {
        let podcliques = recording.gangs.iter().flat_map(|gang| &gang.podcliques);
        let podcliques = podcliques.map(|(podclique, _)| ("podcliques", podclique));
        let sets = recording.sets.iter().map(|set| ("podcliquesets", set));
        let patches = podcliques.chain(sets).map(|(kind, object)| {
            let name = text(object, &["metadata", "name"])?;
            let path = calls::path(GROVE, self.namespace, format!("{kind}/{name}"));
            calls::json_patch(
                &path,
                &json!([{"op": "remove", "path": "/metadata/finalizers"}]),
            )
        });
        let patches: Result<Vec<Call>> = patches.collect();
        calls::send_all::<IgnoredAny>(self.user, patches?).await?;
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

async fn at_once<T>(
    all: impl Iterator<Item = impl Future<Output = Result<T>>>,
    width: usize,
) -> Result<Vec<T>> {
    stream::iter(all)
        .buffer_unordered(width)
        .try_collect()
        .await
}

async fn at_once_in_order<T>(
    all: impl Iterator<Item = impl Future<Output = Result<T>>>,
    width: usize,
) -> Result<Vec<T>> {
    stream::iter(all).buffered(width).try_collect().await
}
