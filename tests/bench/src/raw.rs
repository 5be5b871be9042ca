//! The raw driver: the same pods without any logic, as fast as this machine takes them.

use std::time::Instant;

use anyhow::Result;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::calls::{self, Call};
use crate::creation::Times;
use crate::model::Model;
use crate::namespace;
use crate::observer::Observer;
use crate::site::Site;

/// Creates so many pods, takes off the gates once all exist, waits until they are Ready, deletes
/// them; in a namespace of its own.
pub async fn run(site: &Site, model: &Model, name: &str, count: u32) -> Result<Times> {
    namespace::create(&site.user, name).await?;
    let owners = calls::path("api/v1", name, "configmaps");
    let owner = json!({"metadata": {"name": "set-0-0-role-0"}});
    let owner: Made = calls::send(&site.user, calls::post(&owners, &owner)?).await?;
    let owner = (&*owner.metadata.name, &*owner.metadata.uid);
    let path = calls::path("api/v1", name, "pods");
    let post = |index| calls::post(&path, &model.pod(index, owner));
    let posts: Vec<Call> = (0..count).map(post).collect::<Result<_>>()?;
    let mut observer = Observer::start(&site.user, name, count).await?;

    let began = Instant::now();
    let pods: Vec<Made> = calls::send_all(&site.account, posts).await?;
    let gates: Result<Vec<Call>> = pods.iter().map(|pod| pod.ungate(name)).collect();
    calls::send_all::<IgnoredAny>(&site.account, gates?).await?;
    observer.until("all are Ready", |seen| seen.ready).await?;
    let seen = observer.seen();

    let deletes: Result<Vec<Call>> = pods.iter().map(|pod| pod.delete(name)).collect();
    let end = Instant::now();
    calls::send_all::<IgnoredAny>(&site.account, deletes?).await?;
    let gone = observer.until("all are gone", |seen| seen.gone).await?;
    namespace::delete(&site.user, name).await?;
    Times::new(began, &seen, gone.duration_since(end).as_secs_f64())
}

/// What the raw driver needs of an answer.
#[derive(Clone, Debug, Deserialize)]
struct Made {
    metadata: MadeMetadata,
}

#[derive(Clone, Debug, Deserialize)]
struct MadeMetadata {
    name: String,
    uid: String,
}

impl Made {
    fn path(&self, namespace: &str) -> String {
        calls::path("api/v1", namespace, format!("pods/{}", self.metadata.name))
    }

    /// The operator's own patch.
    fn ungate(&self, namespace: &str) -> Result<Call> {
        let gate = "/spec/schedulingGates/0";
        let operations = json!([
            {"op": "test", "path": "/metadata/uid", "value": self.metadata.uid},
            {"op": "test", "path": format!("{gate}/name"), "value": api::labels::POD_GANG_GATE},
            {"op": "remove", "path": gate},
        ]);
        calls::json_patch(&self.path(namespace), &operations)
    }

    fn delete(&self, namespace: &str) -> Result<Call> {
        calls::delete(&self.path(namespace), Some(&self.metadata.uid))
    }
}
