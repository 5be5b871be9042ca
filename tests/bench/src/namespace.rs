//! A namespace for one run.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use kube::Client;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::calls;

/// Deleting the events of a thousand pods takes time.
const DEADLINE: Duration = Duration::from_mins(3);
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

const ALL: &str = "/api/v1/namespaces";

/// Creates it.
pub async fn create(client: &Client, name: &str) -> Result<()> {
    create_labelled(client, name, &BTreeMap::new()).await
}

/// Creates it with these labels.
pub async fn create_labelled(
    client: &Client,
    name: &str,
    labels: &BTreeMap<&str, &str>,
) -> Result<()> {
    let manifest = json!({"metadata": {"name": name, "labels": labels}});
    calls::send::<IgnoredAny>(client, calls::post(ALL, &manifest)?).await?;
    Ok(())
}

/// Deletes it and waits until it and all its objects are gone, so that its end does not slow down
/// the next measurement.
pub async fn delete(client: &Client, name: &str) -> Result<()> {
    let path = format!("{ALL}/{name}");
    calls::send::<IgnoredAny>(client, calls::delete(&path, None)?).await?;
    let deadline = Instant::now() + DEADLINE;
    loop {
        match client.request::<IgnoredAny>(calls::get(&path)?).await {
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(()),
            Err(error) => return Err(error.into()),
            Ok(_) if Instant::now() > deadline => bail!("namespace {name} does not end"),
            Ok(_) => tokio::time::sleep(BETWEEN_LOOKS).await,
        }
    }
}
