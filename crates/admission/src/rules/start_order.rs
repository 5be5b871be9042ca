//! Start order: `startsAfter`, which counts only with `CliqueStartupTypeExplicit`, how many may be
//! waited for, and names that pods which wait need themselves.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use api::PodCliqueSet;
use api::limits::MAX_ITEMS;
use api::podcliqueset::{CliqueStartupType, PodCliqueTemplateSpec};
use api::start_order::{CONTAINER, VOLUME};
use domain::workload::{gang, start_order};
use k8s_openapi::api::core::v1::Container;

use super::circle;
use crate::clique_paths::{cliques, group_of};
use crate::field::{FieldError, Path, choose};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let type_ = pcs.spec.template.clique_startup_type.unwrap_or_default();
    let mut errors = Vec::new();
    if type_ == CliqueStartupType::Explicit {
        let names: HashSet<&str> = cliques(pcs).map(|(_, c)| c.name.as_str()).collect();
        let entries = |(at, c): (Path, _)| check_entries(pcs, &names, &at, c);
        errors.extend(cliques(pcs).flat_map(entries));
        errors.extend(circle::check(pcs));
    }
    if type_ != CliqueStartupType::AnyOrder {
        let minimums = minimums(pcs);
        errors.extend(cliques(pcs).filter_map(|(at, c)| too_many(pcs, &minimums, &at, c)));
        errors.extend(cliques(pcs).flat_map(|(at, clique)| reserved(&at, clique)));
    }
    errors
}

/// PodCliques of each clique that are waited for.
fn minimums(pcs: &PodCliqueSet) -> HashMap<&str, i64> {
    let minimum = |name: &str| i64::from(group_of(pcs, name).map_or(1, gang::group_minimum));
    cliques(pcs)
        .map(|(_, c)| c.name.as_str())
        .map(|name| (name, minimum(name)))
        .collect()
}

/// A PodClique lists all that it waits for, and each of its pods does.
fn too_many(
    pcs: &PodCliqueSet,
    minimums: &HashMap<&str, i64>,
    at: &Path,
    clique: &PodCliqueTemplateSpec,
) -> Option<FieldError> {
    let at_most: i64 = clique
        .spec
        .starts_after
        .iter()
        .map(String::as_str)
        .filter_map(|name| minimums.get(name))
        .sum();
    let is_explicit = pcs.spec.template.clique_startup_type == Some(CliqueStartupType::Explicit);
    if is_explicit && at_most <= i64::from(MAX_ITEMS) {
        return None;
    }
    let before = start_order::cliques_before(&pcs.spec.template, &clique.name);
    let count: i64 = before.iter().filter_map(|name| minimums.get(name)).sum();
    let problem =
        format!("starts after {count} PodCliques, and at most {MAX_ITEMS} are waited for");
    let remedy = "lower minAvailable of the scaling groups that it starts after, or start it after \
                  fewer cliques";
    (count > i64::from(MAX_ITEMS)).then(|| at.wrong(&clique.name, problem, remedy))
}

/// Pods that wait have one more container and volume, and a name is given once in a pod.
fn reserved(at: &Path, clique: &PodCliqueTemplateSpec) -> Vec<FieldError> {
    let at = at.field("spec").field("podSpec");
    let pod = &clique.spec.pod_spec;
    let names = |containers: &[Container]| containers.iter().map(|c| c.name.clone()).collect();
    let containers: Vec<String> = names(&pod.containers);
    let init: Vec<String> = names(pod.init_containers.as_deref().unwrap_or_default());
    let volumes = pod.volumes.iter().flatten().map(|v| v.name.clone());
    let lists = [
        ("containers", containers, CONTAINER),
        ("initContainers", init, CONTAINER),
        ("volumes", volumes.collect(), VOLUME),
    ];
    let taken = lists.into_iter().flat_map(|(list, names, name)| {
        names
            .into_iter()
            .enumerate()
            .filter(move |(_, n)| n == name)
            .map(move |(i, name)| (list, i, name))
    });
    let problem = "is reserved in pods with dependencies; a name occurs once in a pod";
    taken
        .map(|(list, i, name)| {
            let at = at.field(list).index(i).field("name");
            at.wrong(name, problem, "rename it")
        })
        .collect()
}

fn check_entries(
    pcs: &PodCliqueSet,
    names: &HashSet<&str>,
    at: &Path,
    clique: &PodCliqueTemplateSpec,
) -> Vec<FieldError> {
    let at = at.field("spec").field("startsAfter");
    let others = cliques(pcs)
        .map(|(_, other)| other.name.as_str())
        .filter(|other| *other != clique.name);
    // The same for each entry; there may be very many.
    let remedy = LazyCell::new(|| choose(others, "remove it"));
    let mut seen = HashSet::new();
    let mut errors = Vec::new();
    for (i, name) in clique.spec.starts_after.iter().enumerate() {
        let is_new = seen.insert(name);
        let is_other = *name != clique.name && !name.is_empty();
        if !is_new || !is_other || !names.contains(name.as_str()) {
            errors.push(wrong_entry(&at.index(i), clique, name, is_new, &remedy));
        }
    }
    errors
}

/// The error of an existing entry.
fn wrong_entry(
    at: &Path,
    clique: &PodCliqueTemplateSpec,
    name: &str,
    is_new: bool,
    remedy: &str,
) -> FieldError {
    if name.is_empty() {
        return at.missing("the name of a clique is needed", "fill it in or remove it");
    }
    if name == clique.name {
        return at.wrong(name, "a clique cannot start after itself", "remove it");
    }
    if !is_new {
        return at.wrong(name, "duplicate: is listed twice", "remove one of them");
    }
    at.wrong(name, "there is no such clique", remedy)
}
