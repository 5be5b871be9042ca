//! Topology constraints in the cluster that a set is sent to: its ClusterTopologyBindings, and the
//! operator's configuration.
//!
//! Only requests are judged by it. A binding may be deleted later, and a stored set that names it
//! is not invalid for that: condition `TopologyLevelsUnavailable` reports it (docs/topology.md).

use std::collections::BTreeMap;

use api::PodCliqueSet;
use domain::object::text::cut_text;
use domain::scheduling::Backend;
use domain::topology::{Levels, binding_name, find_group_in_pieces, has_constraints};

use super::{Placed, constraints, hierarchy};
use crate::field::{FieldError, MAX_SHOWN_CHARS, join_names};
use crate::rules::options::Rules;
use crate::rules::pods::scheduler_name;

/// The errors of the constraints of a new set.
pub(crate) fn check_new(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    if !has_constraints(&pcs.spec.template) {
        return Vec::new();
    }
    if rules.allows_topology {
        return find_errors(pcs, rules);
    }
    constraints(pcs).iter().map(disabled).collect()
}

/// The errors of constraints that an update completes: it gives them the topology that they lacked
/// (Grove). Other changes of them are refused, and those that stay are not judged again.
pub(crate) fn check_change(
    old: &PodCliqueSet,
    new: &PodCliqueSet,
    rules: &Rules,
) -> Vec<FieldError> {
    let (before, after) = (&old.spec.template, &new.spec.template);
    let had_no_name = has_constraints(before) && binding_name(before).is_none();
    if rules.allows_topology && had_no_name && binding_name(after).is_some() {
        return find_errors(new, rules);
    }
    Vec::new()
}

fn disabled(placed: &Placed<'_>) -> FieldError {
    let problem = "topology constraints are not allowed when Topology Aware Scheduling is disabled";
    let remedy = "remove it, or set topologyAwareScheduling.enabled in the operator's \
                  configuration to true";
    placed.at.wrong(placed.constraint, problem, remedy)
}

fn find_errors(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let placed = constraints(pcs);
    let known = rules.topologies.as_ref();
    let named = known.zip(binding_name(&pcs.spec.template));
    let mut errors = named
        .map(|(known, name)| compare_with_binding(&placed, name, known))
        .unwrap_or_default();
    errors.extend(not_honoured(pcs, &placed, rules));
    errors.extend(in_pieces(pcs, &placed, rules));
    errors
}

/// `name` is the topology that all constraints have to name.
fn compare_with_binding(
    placed: &[Placed<'_>],
    name: &str,
    known: &BTreeMap<String, Levels>,
) -> Vec<FieldError> {
    let Some(levels) = known.get(name) else {
        return unknown_binding(placed, name, known).into_iter().collect();
    };
    // A constraint that names another topology has an error already.
    let is_judged = |placed: &&Placed<'_>| placed.topology().is_none_or(|own| own == name);
    let judged: Vec<_> = placed.iter().filter(is_judged).collect();
    let mut errors: Vec<_> = judged
        .iter()
        .flat_map(|placed| unknown_levels(placed, name, levels))
        .collect();
    errors.extend(hierarchy::check(&judged, levels));
    errors
}

fn unknown_binding(
    placed: &[Placed<'_>],
    name: &str,
    known: &BTreeMap<String, Levels>,
) -> Option<FieldError> {
    let first = placed.iter().find(|p| p.constraint.topology_name == name)?;
    let short = cut_text(name, MAX_SHOWN_CHARS);
    let problem = format!("ClusterTopologyBinding {short:?} does not exist");
    let others = join_names(known.keys().map(String::as_str));
    let remedy = if others.is_empty() {
        "create it".to_owned()
    } else {
        format!("create it, or use one of {others}")
    };
    let at = first.at.field("topologyName");
    Some(at.wrong(name, problem, remedy))
}

fn unknown_levels(placed: &Placed<'_>, name: &str, levels: &Levels) -> Vec<FieldError> {
    let pack = placed.constraint.pack.as_ref();
    let fields = [
        ("pack.required", pack.map(|pack| &pack.required)),
        ("pack.preferred", pack.map(|pack| &pack.preferred)),
        ("packDomain", Some(&placed.constraint.pack_domain)),
    ];
    let others = join_names(levels.domains());
    let remedy = if others.is_empty() {
        "add it to spec.levels of the ClusterTopologyBinding".to_owned()
    } else {
        format!("use one of {others}")
    };
    let error = |(field, domain): (&str, Option<&String>)| {
        let domain = domain.filter(|domain| !domain.is_empty())?;
        let [short, name] = [domain.as_str(), name].map(|text| cut_text(text, MAX_SHOWN_CHARS));
        let problem =
            format!("topology domain {short:?} does not exist in ClusterTopologyBinding {name:?}");
        let at = placed.at.field(field);
        let is_unknown = levels.position(domain).is_none();
        is_unknown.then(|| at.wrong(domain, problem, remedy.as_str()))
    };
    fields.into_iter().filter_map(error).collect()
}

/// The first constraint of all replicas of a group of which several start together, if the set's
/// scheduler gets them one by one: no gang of the set would start.
fn in_pieces(pcs: &PodCliqueSet, placed: &[Placed<'_>], rules: &Rules) -> Option<FieldError> {
    let profiles = rules.profiles.as_ref()?;
    let clique = pcs.spec.template.cliques.first()?;
    let backend = profiles.backend_of(Some(scheduler_name(&clique.spec.pod_spec, rules)));
    let is_tree = matches!(backend, Backend::KaiTree | Backend::KubernetesTree);
    if is_tree || backend.without_domains().is_some() {
        return None;
    }
    let name = find_group_in_pieces(&pcs.spec.template)?;
    let mut placed = placed.iter();
    let placed = placed.find(|placed| placed.is_of_all_replicas(name))?;
    let problem =
        "only a profile with gangs: Tree places the replicas of minAvailable in one domain";
    let remedy = "use such a profile, or minAvailable: 1, or pack.preferred";
    Some(
        placed
            .at_required()
            .wrong(placed.pack().required?, problem, remedy),
    )
}

/// The outermost constraint that the set's scheduler cannot keep: no gang of the set would start.
fn not_honoured(pcs: &PodCliqueSet, placed: &[Placed<'_>], rules: &Rules) -> Option<FieldError> {
    let profiles = rules.profiles.as_ref()?;
    let clique = pcs.spec.template.cliques.first()?;
    let name = scheduler_name(&clique.spec.pod_spec, rules);
    let backend = profiles.backend_of(Some(name));
    let title = backend.without_domains()?;
    // A scheduler without a profile has this backend and another name.
    let scheduler = if backend == Backend::DefaultScheduler {
        cut_text(name, MAX_SHOWN_CHARS)
    } else {
        title.to_owned()
    };
    let (at, domain) = placed
        .iter()
        .find_map(|placed| Some((placed.at_required(), placed.pack().required?)))?;
    let problem = format!("{scheduler} cannot honour pack.required");
    let remedy = "use a scheduler whose profile has backend kai-scheduler or kubernetes, or \
                  pack.preferred";
    Some(at.wrong(domain, problem, remedy))
}
