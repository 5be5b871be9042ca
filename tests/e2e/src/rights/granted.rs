//! The rights in a role.

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
    #[serde(default)]
    resource_names: Vec<String>,
}

/// The rights of roles, given as YAML, one document each.
pub fn granted(roles: &str) -> Result<BTreeSet<Right>> {
    let mut granted = BTreeSet::new();
    for role in roles.split("\n---") {
        if role.contains("\nrules:") {
            let role: Role = serde_saphyr::from_str(role).context("the rendered role")?;
            granted.extend(role.rules.iter().flat_map(rights));
        }
    }
    Ok(granted)
}

fn rights(rule: &Rule) -> Vec<Right> {
    let all = [String::new()];
    let names = if rule.resource_names.is_empty() {
        &all[..]
    } else {
        &rule.resource_names
    };
    let mut rights = Vec::new();
    for group in &rule.api_groups {
        for resource in &rule.resources {
            for verb in &rule.verbs {
                rights.extend(names.iter().map(|name| Right {
                    verb: verb.clone(),
                    group: group.clone(),
                    resource: resource.clone(),
                    name: name.clone(),
                }));
            }
        }
    }
    rights
}
