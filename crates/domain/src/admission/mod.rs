//! What is refused, and with which words.
//!
//! The rules run in the admission webhook on an object with defaults applied. Nothing here assumes
//! that the webhook or the API server's schema did its part before: stored objects may be anything.
//! Rules that need other objects (topologies, scheduler queues) or the unparsed request are not
//! here.
//!
//! Source, unless a rule says otherwise: Grove, `internal/webhook/admission/pcs/validation`.

mod autoscaling;
mod claims;
mod cliques;
mod collisions;
mod field;
mod immutable;
mod metadata;
mod names;
mod pods;
mod scaling_groups;
mod start_order;
mod syntax;
mod termination;
mod topology;
mod training;
mod update;

pub use field::FieldError;
pub use update::validate_update;

use crate::limits;
use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};

pub(crate) use field::Path;

/// What the rules depend on besides the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The scheduler of pods that name none.
    pub default_scheduler: String,
    /// Schedulers that the operator is configured for. Empty: any.
    pub schedulers: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            default_scheduler: "default-scheduler".into(),
            schedulers: Vec::new(),
        }
    }
}

/// Everything that is wrong with a new set that has its defaults applied
/// ([`crate::defaults::apply`]); empty if nothing is.
pub fn validate(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let over = limits::of_template(pcs);
    if over.is_empty() {
        within_limits(pcs, rules)
    } else {
        over
    }
}

/// The same of a set that is within its limits: nothing here walks further than they allow.
pub(crate) fn within_limits(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    [
        names::check(pcs),
        collisions::check(pcs),
        metadata::check(pcs),
        cliques::check(pcs),
        start_order::check(pcs),
        pods::check(pcs, rules),
        scaling_groups::check(pcs),
        autoscaling::check(pcs),
        termination::check(pcs),
        training::check(pcs),
        topology::check(pcs),
        claims::check(pcs),
    ]
    .concat()
}

/// What is wrong with `terminationDelay`, of the set or of its groups; part of [`validate`].
pub fn invalid_delays(pcs: &PodCliqueSet) -> Vec<FieldError> {
    termination::check(pcs)
}

pub(crate) fn template() -> Path {
    Path::new("spec").field("template")
}

/// The cliques with their places in the object.
pub(crate) fn cliques(pcs: &PodCliqueSet) -> impl Iterator<Item = (Path, &PodCliqueTemplateSpec)> {
    let list = template().field("cliques");
    let cliques = pcs.spec.template.cliques.iter().enumerate();
    cliques.map(move |(i, clique)| (list.index(i), clique))
}

/// The scaling groups with their places in the object.
pub(crate) fn scaling_groups(
    pcs: &PodCliqueSet,
) -> impl Iterator<Item = (Path, &PodCliqueScalingGroupConfig)> {
    let list = template().field("podCliqueScalingGroups");
    let groups = pcs.spec.template.scaling_groups.iter().enumerate();
    groups.map(move |(i, group)| (list.index(i), group))
}

/// The scaling group that a clique is in.
fn group_of<'a>(pcs: &'a PodCliqueSet, clique: &str) -> Option<&'a PodCliqueScalingGroupConfig> {
    let groups = &pcs.spec.template.scaling_groups;
    groups
        .iter()
        .find(|group| group.clique_names.iter().any(|name| name == clique))
}

/// A remedy that offers names, and something else to do.
fn choose<'a>(names: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        return otherwise.to_owned();
    }
    format!("choose from {}, or {otherwise}", names.join(", "))
}

fn has_clique(pcs: &PodCliqueSet, name: &str) -> bool {
    pcs.spec
        .template
        .cliques
        .iter()
        .any(|clique| clique.name == name)
}
