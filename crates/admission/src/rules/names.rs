//! Names of the set, its cliques and its groups.
//!
//! Grove accepts DNS subdomains (with dots). This operator requires DNS labels: host names,
//! Services and label values contain them, and a name with a dot would fail only when a pod is
//! created. Each clique has a `roleName` of its own (Grove), though no object is named after it.

use std::collections::BTreeMap;

use api::PodCliqueSet;

use crate::clique_paths::{cliques, group_of, scaling_groups};
use crate::field::{FieldError, Path};
use crate::syntax;

/// Characters that the names in a pod's name may have in all; the rest is for indices and hyphens
/// (Grove).
const MAX_NAMES_LENGTH: usize = 45;
/// Characters that the API server adds to `generateName`.
const GENERATED: usize = 5;
/// Characters of `generateName` that it keeps.
const LONGEST_PREFIX: usize = 63 - GENERATED;

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let mut errors = set_name(pcs);
    let label = syntax::nearest_dns_label;
    errors.extend(cliques(pcs).filter_map(|(at, c)| spelling(&at.field("name"), &c.name, label)));
    errors.extend(
        scaling_groups(pcs).filter_map(|(at, g)| spelling(&at.field("name"), &g.name, label)),
    );
    let of_cliques = cliques(pcs).map(|(at, c)| (at, c.name.as_str()));
    let of_groups = scaling_groups(pcs).map(|(at, g)| (at, g.name.as_str()));
    errors.extend(unique(of_cliques, "name", "name"));
    errors.extend(unique(of_groups, "name", "name"));
    errors.extend(lengths(pcs));
    errors
}

/// Nothing depends on a role, so a stored set may have one twice. An empty one names none.
pub(super) fn equal_roles(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let roles = cliques(pcs).map(|(at, clique)| (at, clique.spec.role_name.as_str()));
    let given = roles.filter(|(_, role)| !role.is_empty());
    unique(given, "spec.roleName", "roleName")
}

/// Services are named after the set, and a Service's name starts with a letter.
fn set_name(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let at = Path::new("metadata.name");
    let Some(name) = pcs.metadata.name.as_deref() else {
        return generated_name(pcs).into_iter().collect();
    };
    // The API server turns it into a name before it calls a webhook.
    let prefix = pcs.metadata.generate_name.as_deref();
    if prefix.is_some_and(|prefix| name.starts_with(prefix))
        && let Some(error) = generated_name(pcs)
    {
        return vec![error];
    }
    if starts_with_digit(name) && syntax::is_dns_label(name) {
        let problem = "must start with a letter, because Services are named after it";
        return vec![at.wrong(name, problem, propose(&with_letter_first(name.to_owned())))];
    }
    let nearest = |name: &str| syntax::nearest_dns_label(name).map(with_letter_first);
    spelling(&at, name, nearest).into_iter().collect()
}

fn starts_with_digit(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_digit())
}

fn with_letter_first(label: String) -> String {
    if starts_with_digit(&label) {
        return format!("s{label}");
    }
    label
}

fn propose(name: &str) -> String {
    format!("name it \"{name}\", for example")
}

/// The API server cuts it and appends letters and digits.
fn generated_name(pcs: &PodCliqueSet) -> Option<FieldError> {
    let prefix = pcs.metadata.generate_name.as_deref()?;
    let starts = prefix.starts_with(|c: char| c.is_ascii_lowercase());
    let cut: String = prefix.chars().take(LONGEST_PREFIX).collect();
    let is_label = starts && syntax::is_dns_label(&format!("{cut}x"));
    let problem = format!(
        "must start with a letter and make a DNS label ({}), because Services are named after it",
        syntax::DNS_LABEL
    );
    let at = Path::new("metadata.generateName");
    (!is_label).then(|| at.wrong(prefix, problem, "change it, for example to \"serve-\""))
}

fn spelling(at: &Path, name: &str, nearest: impl Fn(&str) -> Option<String>) -> Option<FieldError> {
    if name.is_empty() {
        return Some(at.missing("a name is needed", "give it one, such as \"worker\""));
    }
    if syntax::is_dns_label(name) {
        return None;
    }
    let words = syntax::DNS_LABEL;
    let problem = format!("must be a DNS label ({words}), because host names contain it");
    let proposal = nearest(name).unwrap_or_else(|| "worker".into());
    Some(at.wrong(name, problem, propose(&proposal)))
}

/// `field` holds the value, which messages call `what`.
fn unique<'a>(
    named: impl Iterator<Item = (Path, &'a str)>,
    field: &str,
    what: &str,
) -> Vec<FieldError> {
    let mut first: BTreeMap<&str, Path> = BTreeMap::new();
    let mut errors = Vec::new();
    for (at, name) in named {
        match first.get(name) {
            Some(other) => {
                let problem = format!("duplicate: is the {what} of {other} too");
                let remedy = format!("give each its own {what}");
                errors.push(at.field(field).wrong(name, problem, remedy));
            }
            None => {
                first.insert(name, at);
            }
        }
    }
    errors
}

/// The name of a pod has to fit into 63 characters with all that is put around these names.
fn lengths(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let set = set_length(pcs);
    let too_long = |(at, clique): (Path, &str)| {
        let group = group_of(pcs, clique).map(|group| group.name.as_str());
        let all = set + group.map_or(0, str::len) + clique.len();
        let parts = if group.is_some() {
            "set, group and clique"
        } else {
            "set and clique"
        };
        let problem = format!(
            "the names of {parts} have {all} characters in all, and pod names have room for {MAX_NAMES_LENGTH}"
        );
        let remedy = format!("shorten them by {}", all.saturating_sub(MAX_NAMES_LENGTH));
        (all > MAX_NAMES_LENGTH).then(|| at.field("name").wrong(clique, problem, remedy))
    };
    cliques(pcs)
        .map(|(at, c)| (at, c.name.as_str()))
        .filter_map(too_long)
        .collect()
}

/// Characters of the set's name, which may be made from `generateName` only later.
pub(super) fn set_length(pcs: &PodCliqueSet) -> usize {
    match (&pcs.metadata.name, &pcs.metadata.generate_name) {
        (Some(name), _) => name.len(),
        (None, Some(prefix)) => prefix.len() + GENERATED,
        (None, None) => 0,
    }
}
