//! Metrics of a fresh operator without any workload.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::promtool::Promtool;
use super::{named, rules};
use crate::harness::lane::Lane;

/// Metrics that exist only with a workload, with a request about one, or with the webhook.
const NOT_YET: [&str; 11] = [
    "grove_admission_duration_seconds_bucket",
    "grove_admission_requests_total",
    "grove_api_requests_total",
    "grove_not_ready_oldest_seconds",
    "grove_objects",
    "grove_podgang_pending_oldest_seconds",
    "grove_replica_terminations_total",
    "grove_update_idle_seconds",
    "grove_updates",
    "grove_webhook_ca_bundle_rewrites_total",
    "grove_webhook_certificate",
];

#[test]
fn a_fresh_operator_fires_no_alert() {
    let lane = Lane::start("alerts-idle");
    lane.operator.wait_until_ready().unwrap();
    lane.operator.wait_until_leads();
    let (status, metrics) = lane.operator.get("/metrics").unwrap();
    assert_eq!(status, 200);
    lane.expect_alive();
    let series: Vec<(&str, &str)> = metrics.lines().filter_map(read_sample).collect();
    expect_known(&series);

    let times = ["1m", "6m", "20m", "2h", "6h"];
    let verdicts = rules().into_iter().flat_map(|rule| {
        let nothing = move |time| json!({"alertname": named(&rule), "eval_time": time});
        times.map(nothing)
    });
    let cases = json!({
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "1m",
        "tests": [{
            "name": "a fresh idle operator",
            "interval": "1m",
            "input_series": series.iter().map(as_scraped).collect::<Vec<Value>>(),
            "alert_rule_test": verdicts.collect::<Vec<Value>>(),
        }],
    });
    let promtool = Promtool::with(&rules());
    promtool
        .test_rules("idle.yaml", &cases.to_string())
        .unwrap();
}

/// A line with a value: the series and the value.
fn read_sample(line: &str) -> Option<(&str, &str)> {
    line.rsplit_once(' ').filter(|_| !line.starts_with('#'))
}

/// The form in which Prometheus stores it, constant for six hours.
fn as_scraped((series, value): &(&str, &str)) -> Value {
    let target = r#"namespace="grove-system",job="grove-operator",pod="a""#;
    let series = match series.split_once('{') {
        Some((name, labels)) => format!("{name}{{{target},{labels}"),
        None => format!("{series}{{{target}}}"),
    };
    json!({"series": series, "values": format!("{value}x360")})
}

/// Every queried series exists from the start: otherwise a silent alert would prove nothing.
fn expect_known(series: &[(&str, &str)]) {
    let name = |(series, _): &(&str, &str)| series.split('{').next().unwrap().to_owned();
    let known: BTreeSet<String> = series.iter().map(name).collect();
    for rule in rules() {
        let expression = rule["expr"].as_str().unwrap();
        let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let metrics = words.filter(|w| w.starts_with("grove_") || w.starts_with("workqueue_"));
        for metric in metrics {
            let is_later = NOT_YET.iter().any(|begin| metric.starts_with(begin));
            assert!(
                is_later || known.contains(metric),
                "no {metric} in {known:?}"
            );
        }
    }
}
