//! Levels of a topology, and the topologies of schedulers (Grove,
//! `internal/webhook/admission/clustertopology`).
//!
//! Levels that sets use may be removed: the sets say so in a condition.

use std::collections::{BTreeMap, HashSet};

use api::topology::ClusterTopologyBinding;

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
        unknown(&schedulers, names, rules),
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
            let problem = format!("is that of {} too", list.index(other));
            errors.push(at.wrong(value, problem, "correct or remove one of the two"));
        }
    }
    errors
}

fn unknown<'a>(
    list: &Path,
    names: impl Iterator<Item = &'a str>,
    rules: &Rules,
) -> Vec<FieldError> {
    let is_unknown = |name: &str| !rules.schedulers.iter().any(|known| known == name);
    let problem = "the operator is not configured for this scheduler";
    let remedy = || {
        let known = rules.schedulers.iter().map(String::as_str);
        choose(known, "add it to the operator's configuration")
    };
    names
        .enumerate()
        .filter(|(_, name)| !rules.schedulers.is_empty() && !name.is_empty() && is_unknown(name))
        .map(|(i, name)| {
            let at = list.index(i).field("schedulerName");
            at.wrong(name, problem, remedy())
        })
        .collect()
}
