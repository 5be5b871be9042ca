//! SARIF 2.1.0, for code scanning (OASIS, "Static Analysis Results Interchange Format").

use std::fmt::Write;

use serde_json::{Value, json};

use super::remark::Rule;
use super::report::{Finding, Report};
use super::rules;
use crate::files::Broken;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A report as a SARIF log of one run.
pub fn to_sarif(report: &Report) -> Value {
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "kubectl-grove",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules::ALL.into_iter().map(describe).collect::<Vec<_>>(),
            }},
            // Columns count characters, not bytes.
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.unreadable.is_empty(),
                "toolExecutionNotifications":
                    report.unreadable.iter().map(notify).collect::<Vec<_>>(),
            }],
            "results": report.findings.iter().map(result_of).collect::<Vec<_>>(),
        }],
    })
}

fn describe(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.about},
        "fullDescription": {"text": rule.reason},
        "defaultConfiguration": {"level": rule.severity.word()},
    })
}

fn result_of(finding: &Finding) -> Value {
    let remark = &finding.remark;
    let name = format!("{}: {}", finding.object, remark.path);
    json!({
        "ruleId": remark.rule.id,
        "ruleIndex": rules::ALL.iter().position(|rule| *rule == remark.rule),
        "level": remark.severity.word(),
        "message": {"text": remark.to_string()},
        "locations": [{
            "physicalLocation": place(&finding.file, finding.line, finding.column),
            "logicalLocations": [{"fullyQualifiedName": name}],
        }],
    })
}

fn notify(broken: &Broken) -> Value {
    json!({
        "level": "error",
        "message": {"text": broken.problem},
        "locations": [{
            "physicalLocation": place(&broken.file, broken.position.line, broken.position.column),
        }],
    })
}

fn place(file: &str, line: usize, column: usize) -> Value {
    json!({
        "artifactLocation": {"uri": uri_of(file)},
        "region": {"startLine": line, "startColumn": column},
    })
}

/// The name of a file as a relative reference, with reserved characters as `%20`.
fn uri_of(file: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~+@,=".contains(&byte);
    let mut uri = String::new();
    for byte in file.trim_start_matches("./").bytes() {
        if is_plain(byte) {
            uri.push(char::from(byte));
        } else {
            // Writing into a String never fails.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
