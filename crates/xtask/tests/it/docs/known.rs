//! The existing names, read from the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use api::podcliqueset::ReplicaAttempt;
use xtask::output;
use xtask::reference::{keys, metrics};
use xtask::source::{self, Item};

use super::names::Name;

/// Conditions and reasons of Kubernetes in documents.
const FOREIGN: [&str; 4] = [
    "FailedGetResourceMetric",
    "PodScheduled",
    "ScalingActive",
    "StaleJob",
];

/// Names by their sort.
pub struct Known {
    metrics: BTreeMap<String, BTreeSet<String>>,
    keys: BTreeSet<String>,
    variables: BTreeSet<String>,
    conditions: BTreeSet<String>,
    reasons: BTreeSet<String>,
    events: BTreeSet<String>,
    alerts: BTreeSet<String>,
}

impl Known {
    pub fn read() -> Self {
        let conditions = source::parse("crates/api/src/conditions.rs").unwrap();
        let names = |name| names_of(source::variants(&conditions, name).unwrap());
        let reasons = names("Reason");
        let mut events = reasons.clone();
        let constants = source::constants(&source::parse("crates/api/src/events.rs").unwrap());
        events.extend(constants.into_iter().map(|event| event.value));
        for write in api::events::WRITES {
            events.extend([write.success, write.failure].map(|reason| reason.to_string()));
        }
        Self {
            metrics: metrics(),
            keys: keys::names().unwrap().into_iter().collect(),
            variables: variables(),
            conditions: names("ConditionType"),
            reasons,
            events,
            alerts: alerts(),
        }
    }

    /// The error of this name, if it has one.
    pub fn find_fault(&self, name: &Name) -> Option<String> {
        let (sort, name, is_known) = match name {
            Name::Metric(name, labels) => return self.find_fault_of_metric(name, labels),
            Name::Key(name) => ("key", name, self.keys.contains(name)),
            Name::Variable(name) => ("variable", name, self.variables.contains(name)),
            Name::Condition(name) => ("condition", name, self.conditions.contains(name)),
            Name::Reason(name) => ("reason", name, self.is_reason(name)),
            Name::Event(name) => ("event", name, self.events.contains(name)),
            Name::Alert(name) => ("alert", name, self.alerts.contains(name)),
        };
        let is_known = is_known || FOREIGN.contains(&name.as_str());
        (!is_known).then(|| format!("no {sort} {name}"))
    }

    fn is_reason(&self, name: &str) -> bool {
        let of_attempts = [
            ReplicaAttempt::BREACHED,
            ReplicaAttempt::PODCLIQUE_FAILED,
            ReplicaAttempt::REQUESTED,
            ReplicaAttempt::ADOPTED,
            ReplicaAttempt::CREATED,
        ];
        self.events.contains(name) || self.reasons.contains(name) || of_attempts.contains(&name)
    }

    fn find_fault_of_metric(&self, name: &str, labels: &[String]) -> Option<String> {
        let Some(known) = self.metrics.get(name) else {
            return Some(format!("no metric {name}"));
        };
        let wrong = labels.iter().find(|label| !known.contains(*label))?;
        Some(format!("metric {name} has no label {wrong}"))
    }
}

fn names_of(items: Vec<Item>) -> BTreeSet<String> {
    items.into_iter().map(|item| item.name).collect()
}

/// Every series by its name, with its labels.
fn metrics() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for metric in metrics::all().unwrap() {
        let labels: BTreeSet<String> = metric.labels.iter().cloned().collect();
        let name = metric.exposed();
        if metric.sort == "histogram" {
            for suffix in ["_bucket", "_sum", "_count"] {
                let mut labels = labels.clone();
                labels.insert("le".to_owned());
                all.insert(format!("{name}{suffix}"), labels);
            }
        }
        all.insert(name, labels);
    }
    all
}

fn variables() -> BTreeSet<String> {
    let items = source::parse("crates/api/src/labels.rs").unwrap();
    let of = |name| source::constants(source::module(&items, name).unwrap());
    let all = of("env").into_iter().chain(of("operator_env"));
    all.map(|item| item.value).collect()
}

fn alerts() -> BTreeSet<String> {
    let file = output::root().join("charts/grove/alerts/grove.yaml");
    let text = fs::read_to_string(file).unwrap();
    let names = text.lines().filter_map(|line| line.split_once("alert: "));
    names.map(|(_, name)| name.trim().to_owned()).collect()
}
