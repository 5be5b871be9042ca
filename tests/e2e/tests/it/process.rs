//! The operator as a program: its command line, configuration and probes.

use std::process::{Command, Output};

use serde::Deserialize;
use tempfile::tempdir;

use crate::harness::Namespace;
use crate::harness::control_plane::CHECKOUT;
use crate::harness::manifest::{clique, set};
use crate::harness::operator::binary;

#[test]
fn a_setting_without_effect_is_refused_by_its_name() {
    let cases = [
        ("nonsense: 1", "nonsense"),
        (
            "controllers: {podClique: {concurrentSync: 3}}",
            "concurrentSync",
        ),
        (
            "controllers: {podClique: {concurrentSyncs: 0}}",
            "controllers.podClique.concurrentSyncs: 0 is not in 1..=1000",
        ),
        (
            "debugging: {enableProfiling: true}",
            "debugging: not implemented yet; remove this key",
        ),
        (
            "leaderElection: {leaseDuration: 5s}",
            "leaderElection.renewDeadline: 10s must be less than leaseDuration (5s)",
        ),
        ("server: {metrics: {port: 70000}}", "port"),
        (
            "defaults: {terminationDelay: 0s}",
            "defaults.terminationDelay: 0s must be at least 1s",
        ),
        (
            "defaults: {terminationDelay: soon}",
            "defaults.terminationDelay: ",
        ),
        (
            "gangScheduling: {scaledGangsWaitFor: Godot}",
            "scaledGangsWaitFor",
        ),
        ("logLevel: chatty", "logLevel"),
        (
            "watchNamespaces: [Team_A]",
            "watchNamespaces[0]: \"Team_A\" is not a valid namespace name",
        ),
        (
            "kind: Deployment",
            "kind: is \"Deployment\", must be \"OperatorConfiguration\"",
        ),
    ];
    for (config, message) in cases {
        let dir = tempdir().unwrap();
        let file = dir.path().join("config.yaml");
        std::fs::write(&file, config).unwrap();
        let file = file.to_str().unwrap();
        let output = operator(&["--config", file]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{config}: {stderr}");
        assert!(stderr.contains(file), "{config}: {stderr}");
        assert!(stderr.contains(message), "{config}: {stderr}");
    }
}

#[test]
fn a_configuration_that_is_not_there_is_named() {
    let output = operator(&["--config", "no/such/file.yaml"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("no/such/file.yaml"), "{stderr}");
}

#[test]
fn without_a_cluster_it_says_where_it_looked() {
    let output = operator(&[]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{stderr}");
    assert!(
        stderr.contains("set KUBECONFIG or run inside a cluster"),
        "{stderr}"
    );
}

#[test]
fn the_version_is_printed() {
    for flag in ["--version", "-v"] {
        let output = operator(&[flag]);
        assert_eq!(output.status.code(), Some(0));
        let version = format!("grove-operator {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(String::from_utf8_lossy(&output.stdout), version);
    }
}

#[test]
fn an_unknown_flag_is_refused() {
    let output = operator(&["--no-such-flag"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--no-such-flag"));
}

#[test]
fn a_running_operator_shows_health_readiness_and_metrics() {
    let ns = Namespace::new("metrics");
    ns.apply(&set("svc", &[clique("a", 1)], &[]));
    ns.until("it runs", |seen| seen.expect_ready_pods(1));
    let operator = ns.operator;
    assert_eq!(operator.get("/healthz").unwrap(), (200, "ok\n".to_owned()));
    assert_eq!(operator.get("/readyz").unwrap(), (200, "ok\n".to_owned()));
    let (status, metrics) = operator.get("/metrics").unwrap();
    assert_eq!(status, 200);
    for metric in [
        "grove_reconciles_total",
        "grove_reconcile_duration_seconds_bucket",
        "grove_queue_depth",
        "grove_api_requests_total",
    ] {
        assert!(metrics.contains(metric), "no {metric} in\n{metrics}");
    }
}

/// A duplicate key is an error here; `jq` would keep the last one.
#[derive(Deserialize)]
struct LogLine {
    span: LogSpan,
}

#[derive(Deserialize)]
struct LogSpan {
    name: String,
    controller: String,
    namespace: String,
    object: String,
}

#[test]
fn a_line_of_its_log_says_which_object_it_is_about() {
    let ns = Namespace::new("log");
    ns.apply(&set("logged", &[clique("a", 1)], &[]));
    ns.until("it runs", |seen| seen.expect_ready_pods(1));
    let log = ns
        .operator
        .log_end(&[&ns.name, "\"message\":\"reconciled\""]);
    let lines: Vec<LogLine> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let is_of_set = |line: &&LogLine| line.span.controller == "podcliqueset";
    let line = lines.iter().find(is_of_set);
    let line = line.unwrap_or_else(|| panic!("no line of the set in\n{log}"));
    let span = &line.span;
    assert_eq!(
        [&span.name, &span.namespace, &span.object],
        ["reconcile", ns.name.as_str(), "logged"]
    );
}

/// Runs the operator without a cluster; it has to end by itself.
fn operator(args: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command
        .arg("20")
        .arg(binary())
        .args(args)
        .current_dir(&*CHECKOUT);
    command.env("KUBECONFIG", "no/such/kubeconfig");
    command.output().unwrap()
}
