//! Levels of a topology, and the topologies of schedulers (Grove,
//! `internal/webhook/admission/clustertopology`).
//!
//! Levels that sets use may be removed: the sets say so in a condition.

use std::collections::{BTreeMap, HashSet};

use api::topology::ClusterTopologyBinding;
use domain::scheduling::{DEFAULT_SCHEDULER, Profiles};

use super::options::Rules;
use crate::error_limit::bound_errors;
use crate::field::{FieldError, Path, choose};

/// All errors of a topology. As with a set, an update is refused only for errors that it
/// introduces, and a topology that is being deleted may have any.
pub fn validate_binding(
    old: Option<&ClusterTopologyBinding>,
    new: &ClusterTopologyBinding,
    rules: &Rules,
) -> Vec<FieldError> {
    if new.metadata.deletion_timestamp.is_some() {
        return Vec::new();
    }
    let before = old.map(|old| check(old, rules)).unwrap_or_default();
    let before: HashSet<FieldError> = before.into_iter().collect();
    let mut errors = check(new, rules);
    errors.retain(|error| !before.contains(error));
    bound_errors(errors)
}

fn check(binding: &ClusterTopologyBinding, rules: &Rules) -> Vec<FieldError> {
    let levels = Path::new("spec").field("levels");
    let schedulers = Path::new("spec").field("schedulerTopologyBindings");
    let spec = &binding.spec;
    let domains = spec.levels.iter().map(|level| level.domain.as_str());
    let keys = spec.levels.iter().map(|level| level.key.as_str());
    let names = &spec.scheduler_topology_bindings;
    let names = names.iter().map(|known| known.scheduler_name.as_str());
    [
        no_levels(&levels, binding).into_iter().collect(),
        once(&levels, "domain", domains),
        once(&levels, "key", keys),
        once(&schedulers, "schedulerName", names.clone()),
        without_topology(&schedulers, names, rules),
    ]
    .concat()
}

fn no_levels(at: &Path, binding: &ClusterTopologyBinding) -> Option<FieldError> {
    let remedy = "list the levels, broadest first";
    let is_empty = binding.spec.levels.is_empty();
    is_empty.then(|| at.missing("at least one level is needed", remedy))
}

fn once<'a>(list: &Path, field: &str, values: impl Iterator<Item = &'a str>) -> Vec<FieldError> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut errors = Vec::new();
    for (i, value) in values.enumerate() {
        let at = list.index(i).field(field);
        let other = *first.entry(value).or_insert(i);
        if value.is_empty() {
            errors.push(at.missing("a value is needed", "fill it in, or remove the entry"));
        } else if other != i {
            let problem = format!("duplicate: is that of {} too", list.index(other));
            errors.push(at.wrong(value, problem, "correct or remove one of the two"));
        }
    }
    errors
}

/// Entries of schedulers that read no topology. They are known only with the operator's
/// configuration.
fn without_topology<'a>(
    list: &Path,
    names: impl Iterator<Item = &'a str>,
    rules: &Rules,
) -> Vec<FieldError> {
    let Some(profiles) = &rules.profiles else {
        return Vec::new();
    };
    let wrong = names.enumerate().filter_map(|(i, name)| {
        let (problem, otherwise) = describe_lack(name, profiles)?;
        let remedy = choose(aware_schedulers(profiles), otherwise);
        let at = list.index(i).field("schedulerName");
        Some(at.wrong(name, problem, remedy))
    });
    wrong.collect()
}

/// Why a scheduler reads no topology, and what to do if no other one does.
fn describe_lack(name: &str, profiles: &Profiles) -> Option<(&'static str, &'static str)> {
    if name.is_empty() {
        // An error of its own.
        return None;
    }
    // Pods may name the default one without a profile.
    let is_enabled = name == DEFAULT_SCHEDULER || profiles.names().any(|known| known == name);
    if !is_enabled {
        let remedy = "add a profile for it to scheduler.profiles of the operator's configuration";
        return Some(("scheduler backend is not enabled in Grove", remedy));
    }
    let is_aware = is_aware(name, profiles);
    let problem = "does not implement topology-aware scheduling";
    (!is_aware).then_some((problem, "remove the entry"))
}

fn aware_schedulers(profiles: &Profiles) -> impl Iterator<Item = &str> {
    profiles
        .names()
        .filter(move |name| is_aware(name, profiles))
}

fn is_aware(name: &str, profiles: &Profiles) -> bool {
    let backend = profiles.backend_of(Some(name));
    backend.without_domains().is_none()
}
