//! The served, the queried and the documented metrics are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use api::conditions::Reason;
use engine::metrics::{ByCause, ByCode, ByDrop, ByLease, ByMilestone, ByRequest, Metrics};
use engine::state_metrics;
use serde_json::Value;
use webhook::metrics::{ByAnswer, ByConfiguration, ByField, ByWebhook};

use super::{Context, PodCliqueSet, PodGang, context, gang, of_sets, of_update};

const DASHBOARD: &str = include_str!("../../../../../charts/grove/dashboards/grove.json");
const ALERTS: &str = include_str!("../../../../../charts/grove/alerts/grove.yaml");
const OPERATIONS: &str = include_str!("../../../../../docs/operations.md");

/// The prefixes of the names of our metrics.
const PREFIXES: [&str; 6] = [
    "controller_runtime_",
    "grove_",
    "leader_election_",
    "process_",
    "rest_client_",
    "workqueue_",
];
/// Labels that Prometheus adds: of targets, and of buckets.
const OF_TARGETS: [&str; 5] = ["instance", "job", "le", "namespace", "pod"];

/// Labels by metric, as it is called in queries, without the suffixes of histograms.
type Labels = BTreeMap<String, BTreeSet<String>>;

/// All served metrics.
fn served() -> Labels {
    let text = whole();
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let mut all = Labels::new();
    for sample in samples {
        let (series, _) = sample.rsplit_once(' ').unwrap();
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        all.entry(base_of(name).to_owned())
            .or_default()
            .extend(names_of_labels(labels).filter(|label| label != "le"));
    }
    all
}

/// The names in `a="x",b=~"y"}`.
fn names_of_labels(labels: &str) -> impl Iterator<Item = String> {
    let parts = labels.split(['{', ',', '}']);
    let names = parts.filter_map(|part| part.split_once(['=', '!']));
    names.map(|(name, _)| name.trim().to_owned())
}

fn base_of(name: &str) -> &str {
    let suffixes = ["_bucket", "_sum", "_count"];
    suffixes
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name)
}

/// Every metric in the text.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    let metrics = words.filter(|w| PREFIXES.iter().any(|prefix| w.starts_with(prefix)));
    metrics.map(|w| base_of(w).to_owned()).collect()
}

#[tokio::test]
async fn the_dashboard_the_alerts_and_the_documentation_name_metrics_that_exist() {
    let served: BTreeSet<String> = served().into_keys().collect();
    let mut files = vec![
        ("dashboard".to_owned(), DASHBOARD.to_owned()),
        ("alerts".to_owned(), ALERTS.to_owned()),
    ];
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    for entry in fs::read_dir(docs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "md") {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path.display().to_string(), text));
        }
    }
    for (file, text) in files {
        let named = named(&text);
        let unknown: Vec<&String> = named.difference(&served).collect();
        assert!(unknown.is_empty(), "{file}: {unknown:?}");
    }
    assert!(named(DASHBOARD).len() > 10 && named(ALERTS).len() > 10);
}

/// The table of docs/operations.md: `| `name{label,label}` | meaning |`.
fn documented() -> Labels {
    let rows = OPERATIONS.lines().filter_map(|l| l.strip_prefix("| `"));
    let cells = rows
        .filter_map(|row| row.split_once('`'))
        .map(|(cell, _)| cell);
    let metrics = cells.filter(|cell| PREFIXES.iter().any(|prefix| cell.starts_with(prefix)));
    let split = |cell: &str| {
        let (name, labels) = cell.split_once('{').unwrap_or((cell, ""));
        let labels = labels.trim_end_matches('}').split(',');
        let labels = labels.filter(|l| !l.is_empty()).map(str::to_owned);
        (name.to_owned(), labels.collect())
    };
    metrics.map(split).collect()
}

#[tokio::test]
async fn every_metric_is_documented_with_its_labels() {
    assert_eq!(documented(), served());
}

#[tokio::test]
async fn queries_select_by_labels_that_exist() {
    let served = served();
    let mut selectors = 0;
    for query in queries() {
        let mut rest = query.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let is_part = |c: char| c.is_ascii_lowercase() || c == '_';
            let name = before.rsplit(|c| !is_part(c)).next().unwrap();
            let (labels, behind) = after.split_once('}').unwrap();
            let known = &served[base_of(name)];
            for label in names_of_labels(labels) {
                let is_known = known.contains(&label) || OF_TARGETS.contains(&label.as_str());
                assert!(is_known, "{name} has no label {label}: {query}");
                selectors += 1;
            }
            rest = behind;
        }
    }
    assert!(selectors > 20, "{selectors}");
}

#[test]
fn alerts_name_reasons_that_exist() {
    let (_, after) = ALERTS.split_once("reason=~\"").unwrap();
    let (reasons, _) = after.split_once('"').unwrap();
    for reason in reasons.split('|') {
        assert!(reason.parse::<Reason>().is_ok(), "{reason}");
    }
}

fn panels() -> Vec<Value> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    panels.filter(|p| p["type"] != "row").cloned().collect()
}

/// Of the dashboard and of the alerts.
fn queries() -> Vec<String> {
    let rules: Vec<Value> = serde_saphyr::from_str(ALERTS).unwrap();
    let targets = panels();
    let targets = targets
        .iter()
        .flat_map(|p| p["targets"].as_array().unwrap());
    let all = rules.iter().chain(targets).map(|at| at["expr"].as_str());
    all.map(|query| query.unwrap().to_owned()).collect()
}

#[test]
fn every_panel_has_a_description_and_selects_operators() {
    let mut ids = BTreeSet::new();
    for panel in panels() {
        let title = panel["title"].as_str().unwrap();
        let description = panel["description"].as_str().unwrap();
        assert!(description.len() > 20, "{title}: {description:?}");
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title}");
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            assert!(query.contains("job=~\"$job\""), "{title}: {query}");
        }
    }
}

/// Metrics with one value of each.
fn whole() -> String {
    let mut metrics = Metrics::default();
    operator::about::register(&mut metrics);
    of_webhook().register(metrics.registry());
    metrics.begin_controller("podclique");
    metrics.begin_watch("Pod");
    metrics.begin_namespace("default");
    let (kind, namespace) = ("Pod", "default".to_owned());
    let by = engine::metrics::ByKind { kind };
    metrics.watch_silence.get_or_create(&by).set(1.0);
    let by = ByMilestone {
        milestone: "Ready",
        namespace,
    };
    metrics.waits.get_or_create(&by).observe(1.0);
    let by = ByDrop { reason: "Budget" };
    metrics.events_dropped.get_or_create(&by).inc();
    let name = "lease".to_owned();
    metrics.usual.leads.get_or_create(&ByLease { name }).set(1);
    of_requests(&metrics);
    let context: Context = context();
    context.caches.of::<PodGang>().apply(gang(false, 0));
    context.caches.of::<PodCliqueSet>().apply(of_sets(None));
    context.caches.of::<PodCliqueSet>().apply(of_update());
    metrics.encode(&state_metrics::registry(&context))
}

fn of_requests(metrics: &Metrics) {
    let by = ByRequest {
        verb: "get",
        resource: "pods".to_owned(),
        subresource: "",
        code: 200,
    };
    metrics.requests.get_or_create(&by).inc();
    let by = ByCode {
        code: "200".to_owned(),
        method: "GET",
    };
    metrics.usual.requests.get_or_create(&by).inc();
    let by = engine::metrics::ByAction {
        kind: "Pod",
        action: "create",
        result: "ok",
    };
    metrics.actions.get_or_create(&by).inc();
    let by = ByCause {
        level: "PodCliqueSet",
        namespace: "default".to_owned(),
        reason: "GangTerminated".to_owned(),
    };
    metrics.terminations.get_or_create(&by).inc();
}

/// The webhook's, with one value of each.
fn of_webhook() -> webhook::metrics::Metrics {
    let metrics = webhook::metrics::Metrics::default();
    let webhook = "validate-podcliqueset";
    let by = ByAnswer {
        webhook,
        operation: "create",
        result: "failed",
    };
    metrics.answers.get_or_create(&by).inc();
    let by = ByWebhook { webhook };
    metrics.durations.get_or_create(&by).observe(0.1);
    let field = "spec.replicas".to_owned();
    let by = ByField { webhook, field };
    metrics.refusals.get_or_create(&by).inc();
    let configuration = "MutatingWebhookConfiguration any".to_owned();
    let by = ByConfiguration { configuration };
    metrics.bundle_rewrites.get_or_create(&by).inc();
    metrics
}
