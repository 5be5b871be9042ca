//! `lint`.

mod cases;
mod cluster;
mod definition;
mod documents;
mod files;
mod foreign;
mod gang_trees;
mod misspelt;
mod operator;
mod pod_values;
mod pods;
mod remedies;
mod report;
mod rules;
mod sample_pods;
mod wrong_types;

use cli::files::Source;
use cli::lint::{Finding, Report, StoredObjects, judge_sources};

pub fn source(name: &str, text: impl Into<Vec<u8>>) -> Source {
    Source {
        name: name.into(),
        bytes: text.into(),
    }
}

/// The findings of a file, as an object that is created.
fn lint(text: &str) -> Report {
    let source = source("a.yaml", text);
    judge_sources(&[source], &StoredObjects::default()).into_report(&[])
}

/// Line, column and text of the findings of these rules.
fn said(report: &Report, rules: &[&str]) -> Vec<String> {
    let told = |finding: &&Finding| rules.contains(&finding.remark.rule.id);
    let line = |f: &Finding| format!("{}:{}: {}", f.line, f.column, f.remark);
    report.findings.iter().filter(told).map(line).collect()
}
