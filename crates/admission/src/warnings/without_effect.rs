//! Fields that have no effect, or not the one that was meant.

use api::PodCliqueSet;
use api::podcliqueset::CliqueStartupType;
use domain::update;

use super::Warning;
use crate::clique_paths::{cliques, scaling_groups};
use crate::field::Path;
use crate::rules::coherent;

pub(super) fn start_order(pcs: &PodCliqueSet) -> Vec<Warning> {
    let type_ = pcs.spec.template.clique_startup_type.unwrap_or_default();
    let text = "has no effect without cliqueStartupType: CliqueStartupTypeExplicit";
    cliques(pcs)
        .filter(|(_, clique)| !clique.spec.starts_after.is_empty())
        .filter(|_| type_ != CliqueStartupType::Explicit)
        .map(|(at, _)| Warning::new(&at.field("spec").field("startsAfter"), text))
        .collect()
}

/// The template of a job cannot be changed, so there is nothing to update.
pub(super) fn of_job(pcs: &PodCliqueSet) -> Vec<Warning> {
    let text = "has no effect: the template of a Training workload cannot be changed";
    let strategy = pcs.spec.update_strategy.as_ref();
    let strategy = strategy.map(|_| Path::new("spec").field("updateStrategy"));
    let of_cliques = cliques(pcs).filter(|(_, clique)| clique.rolling_update.is_some());
    let of_groups = scaling_groups(pcs).filter(|(_, group)| group.rolling_update.is_some());
    let parts = of_cliques
        .map(|(at, _)| at)
        .chain(of_groups.map(|(at, _)| at));
    strategy
        .into_iter()
        .chain(parts.map(|at| at.field("rollingUpdate")))
        .map(|at| Warning::new(&at, text))
        .collect()
}

/// A partition above all indexes.
pub(super) fn partition(pcs: &PodCliqueSet) -> Vec<Warning> {
    let partition = update::partition(pcs);
    let at = Path::new("spec").field("updateStrategy").field("partition");
    let text = "keeps the templates of all replicas: no update reaches a pod";
    let keeps_all = partition > 0 && partition >= pcs.spec.replicas;
    keeps_all
        .then(|| Warning::new(&at, text))
        .into_iter()
        .collect()
}

/// The same of a clique or group and of all that its autoscaler may add. One that is idle starts
/// again with an unknown count.
pub(super) fn partitions_of_parts(pcs: &PodCliqueSet) -> Vec<Warning> {
    let parts = coherent::parts(pcs).into_iter();
    let kept = parts.filter(|part| part.most > 0 && part.partition() >= part.most);
    kept.map(|part| {
        let (name, most) = (part.name, part.most);
        let text = format!("keeps everything: no update reaches any of the {most} of {name}");
        Warning::new(&part.at.field("partition"), text)
    })
    .collect()
}

pub(super) fn priorities(pcs: &PodCliqueSet) -> Vec<Warning> {
    let of_set = pcs.spec.template.priority_class_name.as_str();
    cliques(pcs)
        .filter_map(|(at, clique)| {
            let own = clique.spec.pod_spec.priority_class_name.as_deref()?;
            let at = at.field("spec").field("podSpec").field("priorityClassName");
            let text = "has no effect: spec.template.priorityClassName is set";
            let is_replaced = ![of_set, ""].contains(&own) && !of_set.is_empty();
            is_replaced.then(|| Warning::new(&at, text))
        })
        .collect()
}
