//! The output.

use cli::lint::{RULES, Report, Severity, StoredObjects, draw_report, judge_sources, to_sarif};
use serde_json::{Value, json};

use super::{lint, source};

const BAD: &str = "\
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: serve}
spec:
  replica: 2
  template:
    cliques:
      - name: frontend
        spec:
          roleName: frontend
          replicas: 2
          minAvailable: 3
          podSpec:
            containers:
              - {name: main, image: \"llm:1\", resources: {requests: {cpu: \"1\"}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
";

fn reports() -> Report {
    let sources = [source("a b.yaml", BAD), source("broken.yaml", "a: [\n")];
    judge_sources(&sources, &StoredObjects::default()).into_report(&[])
}

fn plain(report: &Report) -> String {
    anstream::adapter::strip_str(&draw_report(report, Some(80))).to_string()
}

#[test]
fn text_begins_with_the_place_and_fits_a_terminal() {
    let text = plain(&reports());
    insta::assert_snapshot!(text);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

/// In a pipe `grep error` shows whole findings.
#[test]
fn without_a_terminal_each_finding_is_one_line() {
    let report = reports();
    let text = draw_report(&report, None);
    let text = anstream::adapter::strip_str(&text).to_string();
    assert_eq!(text.lines().count(), report.findings.len() + 1, "{text}");
    let first = text.lines().next().unwrap();
    assert!(
        first.ends_with("such as 1 [admitted-with-warning]"),
        "{first}"
    );
}

/// The path of the utilization is longer than a line.
const LONG: &str = "\
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: serve}
spec:
  replicas: 1
  template:
    cliques:
      - name: decode
        spec:
          roleName: decode
          replicas: 1
          podSpec:
            containers:
              - {name: main, image: \"llm:1\", resources: {requests: {cpu: \"1\"}}}
    podCliqueScalingGroups:
      - name: workers
        cliqueNames: [decode]
        scaleConfig:
          maxReplicas: 2
          metrics:
            - type: Resource
              resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}
";

#[test]
fn a_long_path_is_broken_before_a_dot() {
    let path = "spec.template.podCliqueScalingGroups[0].scaleConfig.metrics[0].resource.target\
                .averageUtilization";
    let report = lint(LONG);
    let text = plain(&report);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let broken = "spec.template.podCliqueScalingGroups[0].scaleConfig.metrics[0].resource";
    let at = lines.iter().position(|line| line.ends_with(broken));
    let next = lines[at.unwrap() + 1];
    assert!(
        next.starts_with(".target.averageUtilization: 0: "),
        "{text}"
    );
    assert!(
        draw_report(&report, None).contains(path),
        "in a pipe it is whole"
    );
}

#[test]
fn nothing_found_is_one_line() {
    assert_eq!(
        plain(&lint("")),
        "0 errors, 0 warnings in 1 file: 0 objects checked\n"
    );
}

#[test]
fn json_has_all_parts_of_a_finding() {
    insta::assert_json_snapshot!(reports());
}

#[test]
fn a_rule_may_be_left_out() {
    let sources = [source("a.yaml", BAD)];
    let ignored = ["admitted-with-warning".to_owned()];
    let report = judge_sources(&sources, &StoredObjects::default()).into_report(&ignored);
    assert_eq!((report.errors(), report.warnings()), (2, 0));
}

/// The parts of SARIF 2.1.0 that its schema requires and that code scanning reads.
#[test]
fn sarif_has_the_parts_that_code_scanning_reads() {
    let report = reports();
    let log = serde_json::to_value(to_sarif(&report)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .unwrap()
            .ends_with("sarif-schema-2.1.0.json")
    );
    let run = &log["runs"][0];
    assert_eq!(log["runs"].as_array().unwrap().len(), 1);
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "kubectl-grove");
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), RULES.len());
    for rule in rules {
        let has = |pointer: &str| rule.pointer(pointer).and_then(Value::as_str).is_some();
        let parts = ["/id", "/shortDescription/text", "/fullDescription/text"];
        assert!(parts.into_iter().all(has), "{rule}");
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["error", "warning"].contains(&level), "{rule}");
    }
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), report.findings.len());
    for (result, finding) in results.iter().zip(&report.findings) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(result["ruleId"], rules[index]["id"]);
        assert_eq!(result["message"]["text"], finding.remark.to_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b.yaml");
        let region = json!({"startLine": finding.line, "startColumn": finding.column});
        assert_eq!(place["region"], region);
    }
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notes = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notes.len(), 1);
    assert_eq!(
        notes[0]["locations"][0]["physicalLocation"]["region"]["startLine"],
        1
    );
}

#[test]
fn each_rule_has_a_name_of_its_own_and_a_reason() {
    let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
    let is_kebab = |id: &&str| id.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    assert!(ids.iter().all(is_kebab), "{ids:?}");
    assert!(
        RULES
            .iter()
            .all(|rule| rule.reason.ends_with('.') && rule.about.len() > 10)
    );
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

/// The table in the documentation equals that of the code.
#[test]
fn each_rule_is_documented() {
    let text = include_str!("../../../../../docs/kubectl-grove.md");
    let row = |severity: Severity, id: &str, about: &str, reason: &str| {
        format!("| `{id}` | {} | {about} | {reason} |", severity.word())
    };
    let rows = RULES
        .iter()
        .map(|r| row(r.severity, r.id, r.about, r.reason));
    let missing: Vec<_> = rows.filter(|row| !text.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let documented = text
        .lines()
        .filter(|line| line.starts_with("| `") && line.contains("warning |"));
    let warnings = RULES.iter().filter(|r| r.severity == Severity::Warning);
    assert_eq!(documented.count(), warnings.count());
}
