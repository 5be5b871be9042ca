//! Metrics, found where they are registered.

mod calls;
mod scan;

use super::page::{code, fill, table};
use crate::output::Output;

pub use scan::{Metric, scan};

/// Where metrics are registered.
const FOLDERS: [&str; 3] = [
    "crates/engine/src",
    "crates/operator/src",
    "crates/webhook/src",
];

/// Metrics of any operator have these names, without the prefix of ours.
const USUAL: [&str; 5] = [
    "controller_runtime_",
    "leader_election_",
    "process_",
    "rest_client_",
    "workqueue_",
];

pub(super) fn page() -> anyhow::Result<Output> {
    let (usual, own): (Vec<_>, Vec<_>) = all()?.into_iter().partition(Metric::is_usual);
    let mut places = vec![("own", list(own))];
    let usual = if usual.is_empty() {
        String::new()
    } else {
        format!("{USUAL_HEAD}{}", list(usual))
    };
    places.push(("usual", usual));
    fill("metrics", include_str!("metrics.md"), &places)
}

const USUAL_HEAD: &str = "\
## Of any operator

The same under the names that dashboards for any operator ask for.

";

/// All metrics, by name.
pub fn all() -> anyhow::Result<Vec<Metric>> {
    let mut all = scan(&FOLDERS)?;
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

impl Metric {
    fn is_usual(&self) -> bool {
        USUAL.iter().any(|prefix| self.name.starts_with(prefix))
    }

    /// As Prometheus knows it.
    pub fn exposed(&self) -> String {
        let prefix = if self.is_usual() { "" } else { "grove_" };
        let suffix = match self.sort {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        format!("{prefix}{}{suffix}", self.name)
    }
}

fn list(metrics: Vec<Metric>) -> String {
    let rows = metrics.into_iter().map(|metric| {
        let labels: Vec<String> = metric.labels.iter().map(|label| code(label)).collect();
        [
            code(&metric.exposed()),
            metric.sort.to_owned(),
            labels.join(", "),
            metric.help,
        ]
    });
    table(["Metric", "Type", "Labels", "Meaning"], rows)
}
