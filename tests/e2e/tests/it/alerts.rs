//! The chart's alerts, evaluated by promtool: when they fire, and when they must not.

mod idle;
mod promtool;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use crate::harness::control_plane::CHECKOUT;
use promtool::Promtool;

/// Files of cases for promtool, by subject.
const CASES: [(&str, &str); 5] = [
    ("leaders.yaml", include_str!("alerts/leaders.yaml")),
    ("operator.yaml", include_str!("alerts/operator.yaml")),
    ("watches.yaml", include_str!("alerts/watches.yaml")),
    ("webhook.yaml", include_str!("alerts/webhook.yaml")),
    ("workloads.yaml", include_str!("alerts/workloads.yaml")),
];

/// The alerting rules of the chart.
fn rules() -> Vec<Value> {
    let file = CHECKOUT.join("charts/grove/alerts/grove.yaml");
    serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn named(rule: &Value) -> String {
    rule["alert"].as_str().unwrap().to_owned()
}

fn names() -> BTreeSet<String> {
    rules().iter().map(named).collect()
}

#[test]
fn alerts_fire_when_and_only_when_they_say() {
    let promtool = Promtool::with(&rules());
    promtool.check_rules().unwrap();
    for (file, cases) in CASES {
        promtool.test_rules(file, cases).unwrap();
    }
}

#[test]
fn each_alert_has_a_case_in_which_it_fires_and_one_in_which_it_must_not() {
    let mut seen = BTreeMap::<String, (bool, bool)>::new();
    for (_, cases) in CASES {
        let cases: Value = serde_saphyr::from_str(cases).unwrap();
        let tests = cases["tests"].as_array().unwrap().iter();
        let verdicts = tests.flat_map(|test| test["alert_rule_test"].as_array().unwrap());
        for verdict in verdicts {
            let alert = verdict["alertname"].as_str().unwrap();
            let fires = verdict["exp_alerts"].is_array();
            let of_alert = seen.entry(alert.to_owned()).or_default();
            of_alert.0 |= fires;
            of_alert.1 |= !fires;
        }
    }
    assert_eq!(seen.keys().cloned().collect::<BTreeSet<_>>(), names());
    for (alert, verdicts) in &seen {
        assert_eq!(*verdicts, (true, true), "{alert}");
    }
}

#[test]
fn each_alert_has_a_remedy_and_a_link() {
    let text = fs::read_to_string(CHECKOUT.join("docs/alerts.md")).unwrap();
    let headings = text.lines().filter_map(|line| line.strip_prefix("### "));
    let explained: BTreeSet<String> = headings.map(str::to_owned).collect();
    assert_eq!(explained, names(), "sections of docs/alerts.md");
    for rule in rules() {
        let (alert, annotations) = (named(&rule), &rule["annotations"]);
        let anchor = format!("docs/alerts.md#{}", alert.to_lowercase());
        assert_eq!(annotations["runbook_url"], json!(anchor), "{alert}");
        for text in ["summary", "description"] {
            assert!(annotations[text].is_string(), "{alert} has no {text}");
        }
        let severity = rule["labels"]["severity"].as_str().unwrap();
        assert!(
            ["critical", "warning", "info"].contains(&severity),
            "{alert}: {severity}"
        );
    }
}

/// Shows that these tests can fail.
#[test]
fn promtool_notices_an_alert_that_is_wrong() {
    let (file, cases) = CASES[0];
    let mut rules = rules();
    let two_lead = rules.iter_mut().find(|rule| named(rule) == "GroveTwoLead");
    two_lead.unwrap()["expr"] = json!("sum by (namespace) (grove_leader) > 1");
    let verdict = Promtool::with(&rules).test_rules(file, cases);
    let words = verdict.unwrap_err();
    assert!(words.contains("GroveTwoLead"), "{words}");
}

/// Each query of the dashboard as a recording rule.
#[test]
fn the_dashboards_queries_are_understood() {
    let file = CHECKOUT.join("charts/grove/dashboards/grove.json");
    let dashboard: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|p| p["targets"].as_array().into_iter().flatten());
    let record = |(number, target): (usize, &Value)| {
        let query = target["expr"].as_str().unwrap();
        let query = query.replace("$__rate_interval", "5m");
        json!({"record": format!("query:{number}"), "expr": query})
    };
    let rules: Vec<Value> = targets.enumerate().map(record).collect();
    assert!(rules.len() > 20);
    Promtool::with(&rules).check_rules().unwrap();
}
