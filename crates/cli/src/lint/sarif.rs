//! SARIF 2.1.0, for code scanning (OASIS, "Static Analysis Results Interchange Format").

use std::fmt::Write;

use serde::Serialize;

use super::remark::Rule;
use super::report::{Finding, Report};
use super::rules;
use crate::files::Broken;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log of one run.
#[derive(Debug, Serialize)]
pub struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    /// Columns are counted as a text is read, not as it is stored.
    column_kind: &'static str,
    invocations: [Invocation; 1],
    results: Vec<SarifResult>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    default_configuration: Configuration,
}

#[derive(Debug, Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Debug, Serialize)]
struct Message {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Debug, Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<Logical>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Debug, Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical {
    fully_qualified_name: String,
}

/// A report as SARIF.
pub fn to_sarif(report: &Report) -> Log {
    let run = Run {
        tool: Tool {
            driver: Driver {
                name: "kubectl-grove",
                semantic_version: env!("CARGO_PKG_VERSION"),
                rules: rules::ALL.into_iter().map(describe).collect(),
            },
        },
        column_kind: "unicodeCodePoints",
        invocations: [Invocation {
            execution_successful: report.unreadable.is_empty(),
            tool_execution_notifications: report.unreadable.iter().map(notify).collect(),
        }],
        results: report.findings.iter().map(result_of).collect(),
    };
    Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [run],
    }
}

fn describe(rule: &Rule) -> Descriptor {
    let level = rule.severity.word();
    Descriptor {
        id: rule.id,
        short_description: message(rule.about),
        full_description: message(rule.reason),
        default_configuration: Configuration { level },
    }
}

fn result_of(finding: &Finding) -> SarifResult {
    let remark = &finding.remark;
    let index = rules::ALL.iter().position(|rule| *rule == remark.rule);
    let name = format!("{}: {}", finding.object, remark.path);
    let place = (finding.line, finding.column);
    SarifResult {
        rule_id: remark.rule.id,
        rule_index: index,
        level: remark.severity.word(),
        message: message(&remark.to_string()),
        locations: [location(&finding.file, place, vec![name])],
    }
}

fn notify(broken: &Broken) -> Notification {
    let place = (broken.place.line, broken.place.column);
    Notification {
        level: "error",
        message: message(&broken.problem),
        locations: [location(&broken.file, place, Vec::new())],
    }
}

fn location(file: &str, (line, column): (usize, usize), names: Vec<String>) -> Location {
    let logical = names.into_iter().map(|name| Logical {
        fully_qualified_name: name,
    });
    Location {
        physical_location: Physical {
            artifact_location: Artifact { uri: uri_of(file) },
            region: Region {
                start_line: line,
                start_column: column,
            },
        },
        logical_locations: logical.collect(),
    }
}

fn message(text: &str) -> Message {
    Message { text: text.into() }
}

/// The name of a file as a relative reference: what has a meaning in a URI is written as `%20`.
fn uri_of(file: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~+@,=".contains(&byte);
    let mut uri = String::new();
    for byte in file.trim_start_matches("./").bytes() {
        if is_plain(byte) {
            uri.push(char::from(byte));
        } else {
            // Writing into a text never fails.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
