//! The versions of plugin, operator and API server.

use k8s_openapi::api::apps::v1::Deployment;

use crate::status::{Check, Observed, Verdict};

const NAME: &str = "versions";
/// The chart's label of its version.
const VERSION: &str = "app.kubernetes.io/version";

pub(super) fn check(observed: &Observed) -> Check {
    let plugin = env!("CARGO_PKG_VERSION");
    let deployments = observed.deployments.as_deref().unwrap_or_default();
    let operator: Vec<&str> = deployments.iter().filter_map(version_of).collect();
    let server = observed.server.as_deref().unwrap_or("unknown");
    let shown = if operator.is_empty() {
        "unknown".to_owned()
    } else {
        operator.join(", ")
    };
    let details = format!("plugin {plugin}, operator {shown}, API server {server}");
    match operator.iter().find(|version| **version != plugin) {
        Some(version) => Check::new(NAME, Verdict::Unknown, details)
            .remedy(format!("install version {version} of kubectl-grove")),
        None if operator.is_empty() => Check::new(NAME, Verdict::Unknown, details),
        None => Check::new(NAME, Verdict::Ok, details),
    }
}

fn version_of(deployment: &Deployment) -> Option<&str> {
    let labels = deployment.metadata.labels.as_ref()?;
    labels.get(VERSION).map(String::as_str)
}
