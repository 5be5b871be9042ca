//! Start order: `startsAfter`, which counts only with `CliqueStartupTypeExplicit`, how many may be
//! waited for, and names that pods which wait need themselves.

use std::collections::{BTreeMap, BTreeSet};

use api::PodCliqueSet;
use api::limits::MAX_ITEMS;
use api::podcliqueset::{CliqueStartupType, PodCliqueTemplateSpec};
use api::start_order::{CONTAINER, VOLUME};
use domain::workload::{gang, start_order};
use k8s_openapi::api::core::v1::Container;

use crate::field::{FieldError, Path, choose};
use crate::places::{cliques, group_of, has_clique, template};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let type_ = pcs.spec.template.clique_startup_type.unwrap_or_default();
    let mut errors = Vec::new();
    if type_ == CliqueStartupType::Explicit {
        errors.extend(cliques(pcs).flat_map(|(at, clique)| check_entries(pcs, &at, clique)));
        errors.extend(circle(pcs));
    }
    if type_ != CliqueStartupType::AnyOrder {
        errors.extend(cliques(pcs).filter_map(|(at, clique)| too_many(pcs, &at, clique)));
        errors.extend(cliques(pcs).flat_map(|(at, clique)| reserved(&at, clique)));
    }
    errors
}

/// A PodClique lists all that it waits for, and each of its pods does.
fn too_many(pcs: &PodCliqueSet, at: &Path, clique: &PodCliqueTemplateSpec) -> Option<FieldError> {
    let before = start_order::cliques_before(&pcs.spec.template, &clique.name);
    let counts = before.into_iter().map(|name| {
        let group = group_of(pcs, name);
        i64::from(group.map_or(1, gang::group_minimum))
    });
    let count: i64 = counts.sum();
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
        let taken = names
            .into_iter()
            .enumerate()
            .filter(move |(_, n)| n == name);
        taken.map(move |(i, name)| (list, i, name))
    });
    let problem = "is what pods have that start in an order; a name is given once in a pod";
    taken
        .map(|(list, i, name)| {
            let at = at.field(list).index(i).field("name");
            at.wrong(name, problem, "rename it")
        })
        .collect()
}

fn check_entries(pcs: &PodCliqueSet, at: &Path, clique: &PodCliqueTemplateSpec) -> Vec<FieldError> {
    let at = at.field("spec").field("startsAfter");
    let mut seen = BTreeSet::new();
    let mut errors = Vec::new();
    for (i, name) in clique.spec.starts_after.iter().enumerate() {
        let is_repeated = !seen.insert(name);
        errors.extend(entry(pcs, &at.index(i), clique, name, is_repeated));
    }
    errors
}

fn entry(
    pcs: &PodCliqueSet,
    at: &Path,
    clique: &PodCliqueTemplateSpec,
    name: &str,
    is_repeated: bool,
) -> Option<FieldError> {
    if name.is_empty() {
        return Some(at.missing("the name of a clique is needed", "fill it in or remove it"));
    }
    if name == clique.name {
        return Some(at.wrong(name, "a clique cannot start after itself", "remove it"));
    }
    if is_repeated {
        return Some(at.wrong(name, "is listed twice", "remove one of them"));
    }
    let others = pcs.spec.template.cliques.iter().map(|c| c.name.as_str());
    let others = others.filter(|other| *other != clique.name);
    let problem = "there is no such clique";
    (!has_clique(pcs, name)).then(|| at.wrong(name, problem, choose(others, "remove it")))
}

/// Cliques that wait for each other never start.
fn circle(pcs: &PodCliqueSet) -> Option<FieldError> {
    let waits = waits(pcs);
    let start = *waits.keys().next()?;
    let mut walk = vec![start];
    loop {
        // Every clique left waits for another one that is left, so the walk ends in a circle.
        let next = *waits.get(walk.last()?)?.first()?;
        if let Some(from) = walk.iter().position(|name| *name == next) {
            let circle: Vec<_> = walk.iter().copied().skip(from).chain([next]).collect();
            let at = template().field("cliques");
            let problem = "these cliques wait for each other and would never start";
            let last = walk.last().copied().unwrap_or_default();
            let remedy = format!("remove {next:?} from the startsAfter of {last:?}, for example");
            return Some(at.wrong(circle.join(" -> "), problem, remedy));
        }
        walk.push(next);
    }
}

/// Which cliques wait for which others, without those that would start: what is left is in a circle
/// or waits for one.
fn waits(pcs: &PodCliqueSet) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut left: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for clique in &pcs.spec.template.cliques {
        let known = clique.spec.starts_after.iter().map(String::as_str);
        let known = known.filter(|name| *name != clique.name && has_clique(pcs, name));
        left.entry(&clique.name).or_default().extend(known);
    }
    loop {
        let started: Vec<_> = left
            .iter()
            .filter(|(_, w)| w.is_empty())
            .map(|(n, _)| *n)
            .collect();
        if started.is_empty() {
            return left;
        }
        for name in started {
            left.remove(name);
            for waits in left.values_mut() {
                waits.remove(name);
            }
        }
    }
}
