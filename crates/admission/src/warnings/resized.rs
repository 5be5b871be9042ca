//! Cliques of scaling groups that get another number of pods (docs/reference/environment.md).

use std::collections::{HashMap, HashSet};

use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use domain::update;
use domain::workload::hash;

use super::Warning;
use crate::clique_paths::cliques;

/// Pods that run know their rank and how many there are from when they were made, and counts restart
/// nothing. Where the template of a clique of the group changes too, its replicas are replaced.
pub(super) fn check(old: Option<&PodCliqueSet>, new: &PodCliqueSet) -> Vec<Warning> {
    let Some(old) = old else { return Vec::new() };
    let change = Change {
        sets: [old, new],
        cliques: [by_name(old), by_name(new)],
    };
    // Computed once for all groups: a hash reads a whole template.
    let groups = new.spec.template.scaling_groups.iter();
    let kept: HashSet<&str> = groups
        .filter(|group| change.keeps_resized(group))
        .flat_map(names_of)
        .collect();
    let resized = cliques(new).filter(|(_, clique)| {
        let name = clique.name.as_str();
        kept.contains(name) && change.resizes(name)
    });
    let text = "running pods keep GROVE_PCSG_POD_INDEX and GROVE_PCSG_TEMPLATE_NUM_PODS until they \
                are replaced, as they are with a changed label of the clique (but for OnDelete)";
    resized
        .map(|(at, _)| Warning::new(&at.field("spec").field("replicas"), text))
        .collect()
}

type Cliques<'a> = HashMap<&'a str, &'a PodCliqueTemplateSpec>;

/// A set before and after.
struct Change<'a> {
    sets: [&'a PodCliqueSet; 2],
    cliques: [Cliques<'a>; 2],
}

impl Change<'_> {
    /// Whether pods of the group stay though there are to be more or fewer of them.
    fn keeps_resized(&self, group: &PodCliqueScalingGroupConfig) -> bool {
        let [_, new] = self.sets;
        names_of(group).any(|name| self.resizes(name))
            && (update::is_on_delete(new) || !names_of(group).any(|name| self.replaces(name)))
    }

    fn resizes(&self, clique: &str) -> bool {
        self.differs(clique, |_, clique| clique.spec.replicas)
    }

    fn replaces(&self, clique: &str) -> bool {
        self.differs(clique, |set, clique| {
            hash::pod_template_hash(clique, &set.spec.template.priority_class_name)
        })
    }

    /// Whether a value differs between the old and the new clique; a clique of one version only
    /// does not count.
    fn differs<T: PartialEq>(
        &self,
        clique: &str,
        read: impl Fn(&PodCliqueSet, &PodCliqueTemplateSpec) -> T,
    ) -> bool {
        let [old, new] = self.sets;
        let [before, after] = &self.cliques;
        before
            .get(clique)
            .zip(after.get(clique))
            .is_some_and(|(before, after)| read(old, before) != read(new, after))
    }
}

fn by_name(set: &PodCliqueSet) -> Cliques<'_> {
    set.spec
        .template
        .cliques
        .iter()
        .map(|clique| (clique.name.as_str(), clique))
        .collect()
}

fn names_of(group: &PodCliqueScalingGroupConfig) -> impl Iterator<Item = &str> {
    group.clique_names.iter().map(String::as_str)
}
