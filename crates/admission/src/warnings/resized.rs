//! Cliques of scaling groups that get another number of pods (docs/reference/environment.md).

use api::PodCliqueSet;
use api::podcliqueset::PodCliqueTemplateSpec;
use domain::update;
use domain::workload::hash;

use super::Warning;
use crate::places::{cliques, group_of};

/// Pods that run know their rank and how many there are from when they were made, and counts restart
/// nothing. Where the template of a clique of the group changes too, its replicas are replaced.
pub(super) fn check(old: Option<&PodCliqueSet>, new: &PodCliqueSet) -> Vec<Warning> {
    let Some(old) = old else { return Vec::new() };
    let before = |name: &str| {
        let mut all = old.spec.template.cliques.iter();
        all.find(|clique| clique.name == name)
    };
    let hash = |set: &PodCliqueSet, clique: &PodCliqueTemplateSpec| {
        hash::pod_template_hash(clique, &set.spec.template.priority_class_name)
    };
    let is_replaced = |clique: &PodCliqueTemplateSpec| {
        !update::is_on_delete(new)
            && before(&clique.name).is_some_and(|c| hash(old, c) != hash(new, clique))
    };
    let resized = cliques(new).filter_map(|(at, clique)| {
        let group = group_of(new, &clique.name)?;
        let is_resized = before(&clique.name)?.spec.replicas != clique.spec.replicas;
        let mut members = new.spec.template.cliques.iter();
        let are_kept = !members.any(|c| group.clique_names.contains(&c.name) && is_replaced(c));
        let text = "running pods keep GROVE_PCSG_POD_INDEX and GROVE_PCSG_TEMPLATE_NUM_PODS until \
                    they are replaced, as they are with a changed label of the clique (but for \
                    OnDelete)";
        let at = at.field("spec").field("replicas");
        (is_resized && are_kept).then(|| Warning::new(&at, text))
    });
    resized.collect()
}
