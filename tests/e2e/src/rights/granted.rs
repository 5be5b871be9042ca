//! What a role grants.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::Right;

#[derive(Deserialize)]
struct Role {
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    api_groups: Vec<String>,
    resources: Vec<String>,
    verbs: Vec<String>,
}

/// The rights of a role, given as YAML.
pub fn granted(role: &str) -> Result<BTreeSet<Right>> {
    let role: Role = serde_saphyr::from_str(role).context("the rendered role")?;
    Ok(role.rules.iter().flat_map(rights).collect())
}

fn rights(rule: &Rule) -> Vec<Right> {
    let mut rights = Vec::new();
    for group in &rule.api_groups {
        for resource in &rule.resources {
            rights.extend(rule.verbs.iter().map(|verb| Right {
                verb: verb.clone(),
                group: group.clone(),
                resource: resource.clone(),
            }));
        }
    }
    rights
}
