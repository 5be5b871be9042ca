//! The configurations with which the API server calls the webhook.

use anyhow::{Context as _, Result};
use kube::Client;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls;

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const KINDS: [&str; 2] = [
    "mutatingwebhookconfigurations",
    "validatingwebhookconfigurations",
];

/// All configurations, with the path of each one's kind.
pub struct Configurations(Vec<(String, Value)>);

impl Configurations {
    /// Removes them.
    pub async fn remove(client: &Client) -> Result<Self> {
        let mut removed = Vec::new();
        for kind in KINDS {
            let path = format!("{GROUP}/{kind}");
            let list: Value = calls::send(client, calls::get(&path)?).await?;
            let items = list.get("items").and_then(Value::as_array);
            for item in items.into_iter().flatten() {
                let name = item.pointer("/metadata/name").and_then(Value::as_str);
                let name = name.context("a configuration has no name")?;
                let delete = calls::delete(&format!("{path}/{name}"), None)?;
                calls::send::<IgnoredAny>(client, delete).await?;
                removed.push((path.clone(), as_new(item, name)));
            }
        }
        Ok(Self(removed))
    }

    /// Restores them.
    pub async fn restore(self, client: &Client) -> Result<()> {
        for (path, object) in self.0 {
            calls::send::<IgnoredAny>(client, calls::post(&path, &object)?).await?;
        }
        Ok(())
    }
}

/// Without the fields that the API server adds.
fn as_new(item: &Value, name: &str) -> Value {
    json!({"metadata": {"name": name}, "webhooks": item.get("webhooks")})
}
