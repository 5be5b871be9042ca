//! Rules of pod specs.

use std::collections::BTreeSet;

use api::PodCliqueSet;
use k8s_openapi::api::core::v1::{Container, EnvVar, PodSpec};

use super::options::Rules;
use crate::clique_paths::cliques;
use crate::field::{FieldError, Path, choose};
use crate::syntax;

pub(super) fn check(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (at, clique) in cliques(pcs) {
        let at = at.field("spec").field("podSpec");
        errors.extend(containers(&at, &clique.spec.pod_spec));
    }
    errors.extend(schedulers(pcs, rules));
    errors
}

/// Placement is the gang scheduler's; a pod that is placed otherwise would escape its gang.
pub(super) fn placed_by_themselves(pcs: &PodCliqueSet) -> Vec<FieldError> {
    cliques(pcs)
        .flat_map(|(at, clique)| {
            let at = at.field("spec").field("podSpec");
            placement(&at, &clique.spec.pod_spec)
        })
        .collect()
}

fn placement(at: &Path, pod: &PodSpec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(node) = pod.node_name.as_deref().filter(|node| !node.is_empty()) {
        let problem = "must not be set: the pod would bypass the scheduler and its gang";
        errors.push(
            at.field("nodeName")
                .wrong(node, problem, "use nodeSelector or affinity"),
        );
    }
    if let Some(spread) = pod
        .topology_spread_constraints
        .as_ref()
        .filter(|s| !s.is_empty())
    {
        let problem = "must not be set: it works against packing a gang";
        let keys: Vec<_> = spread
            .iter()
            .map(|constraint| &constraint.topology_key)
            .collect();
        let at = at.field("topologySpreadConstraints");
        errors.push(at.wrong(keys, problem, "use affinity or podAntiAffinity"));
    }
    errors
}

fn containers(at: &Path, pod: &PodSpec) -> Vec<FieldError> {
    let init = pod.init_containers.as_deref().unwrap_or_default();
    let mut errors = Vec::new();
    if pod.containers.is_empty() {
        let problem = "at least one container is needed";
        errors.push(at.field("containers").missing(problem, "add a container"));
    }
    errors.extend(environments(&at.field("containers"), &pod.containers));
    errors.extend(environments(&at.field("initContainers"), init));
    errors
}

fn environments(at: &Path, containers: &[Container]) -> Vec<FieldError> {
    containers
        .iter()
        .enumerate()
        .flat_map(|(i, container)| {
            let env = container.env.as_deref().unwrap_or_default();
            environment(&at.index(i).field("env"), env)
        })
        .collect()
}

fn environment(at: &Path, env: &[EnvVar]) -> Vec<FieldError> {
    let mut seen = BTreeSet::new();
    let mut errors = Vec::new();
    for (i, variable) in env.iter().enumerate() {
        let at = at.index(i).field("name");
        let name = variable.name.as_str();
        if name.is_empty() {
            errors.push(at.missing("a variable needs a name", "give it one, or remove it"));
        } else if !syntax::is_variable(name) {
            let problem = "the name of a variable has printable ASCII characters except '='";
            errors.push(at.wrong(name, problem, "rename it, such as MY_VARIABLE"));
        } else if !seen.insert(name) {
            errors.push(at.wrong(name, "duplicate: is set twice", "remove one of them"));
        }
    }
    errors
}

/// A gang is placed by one scheduler.
fn schedulers(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut first: Option<(Path, &str)> = None;
    for (at, clique) in cliques(pcs) {
        let at = at.field("spec").field("podSpec").field("schedulerName");
        let name = scheduler_name(&clique.spec.pod_spec, rules);
        errors.extend(unknown_scheduler(&at, name, rules));
        match &first {
            None => first = Some((at, name)),
            Some((_, other)) if *other == name => {}
            Some((other_at, other)) => {
                let problem =
                    format!("all cliques need the same scheduler, and {other_at} is {other:?}");
                errors.push(at.wrong(name, problem, "give all cliques the same schedulerName"));
            }
        }
    }
    errors
}

/// The scheduler of a pod; the configured default if it names none.
pub(crate) fn scheduler_name<'a>(pod: &'a PodSpec, rules: &'a Rules) -> &'a str {
    let own = pod.scheduler_name.as_deref();
    own.filter(|name| !name.is_empty())
        .unwrap_or(&rules.default_scheduler)
}

fn unknown_scheduler(at: &Path, name: &str, rules: &Rules) -> Option<FieldError> {
    if rules.schedulers.is_empty() || rules.schedulers.iter().any(|known| known == name) {
        return None;
    }
    let problem = "the operator is not configured for this scheduler";
    let known = rules.schedulers.iter().map(String::as_str);
    let remedy = choose(known, "add it to the operator's configuration");
    Some(at.wrong(name, problem, remedy))
}
