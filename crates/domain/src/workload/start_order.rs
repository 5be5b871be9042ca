//! The start order of PodCliques (docs/semantics.md §8.6; Grove, §9.4).

use api::podcliqueset::{CliqueStartupType, PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec};
use api::{PodClique, names};

use super::gang;
use super::layout::{self, LayoutSlot};
use crate::Pod;
use crate::health::training;

/// `spec.startsAfter` of a PodClique. It follows from the template alone; live counts, when a pod
/// is created, decide which of these dependencies the pod waits for.
pub fn starts_after(
    set: &str,
    template: &PodCliqueSetTemplateSpec,
    part: &LayoutSlot<'_>,
) -> Vec<String> {
    let minimum = |_: &str, config: &PodCliqueScalingGroupConfig| gang::group_minimum(config);
    let order = StartOrder {
        set,
        template,
        minimum: &minimum,
        in_base: &minimum,
    };
    order
        .dependencies(part)
        .into_iter()
        .map(|dependency| dependency.name)
        .collect()
}

/// The start order of a set.
#[derive(Clone, Copy)]
pub struct StartOrder<'a> {
    /// Name of the set.
    pub set: &'a str,
    /// Its template.
    pub template: &'a PodCliqueSetTemplateSpec,
    /// Minimum of the scaling group with this object name: replicas below it belong to the base
    /// gang, whether they are scaled in or not.
    pub minimum: &'a dyn Fn(&str, &PodCliqueScalingGroupConfig) -> i32,
    /// How many of its replicas are in the base gang.
    pub in_base: &'a dyn Fn(&str, &PodCliqueScalingGroupConfig) -> i32,
}

impl<'a> StartOrder<'a> {
    /// The dependencies of this PodClique. Order is kept within one gang only: in the base gang, a
    /// part waits for all PodCliques of a clique that are in it; in a scaled gang, for the one in
    /// the same group replica, if the clique is of the same group.
    pub fn dependencies(&self, part: &LayoutSlot<'_>) -> Vec<LayoutSlot<'a>> {
        self.beside(part, cliques_before(self.template, part.clique))
    }

    /// The dependents of this PodClique.
    pub fn dependents(&self, part: &LayoutSlot<'_>) -> Vec<LayoutSlot<'a>> {
        self.beside(part, cliques_after(self.template, part.clique))
    }

    /// The PodCliques of these cliques in the gang of the part.
    fn beside(&self, part: &LayoutSlot<'_>, cliques: Vec<&'a str>) -> Vec<LayoutSlot<'a>> {
        let scaled = part.group.zip(part.group_replica).filter(|(config, j)| {
            let group = names::scaling_group(self.set, part.replica, &config.name);
            *j >= (self.minimum)(&group, config)
        });
        let cliques = cliques.into_iter();
        match scaled {
            None => cliques
                .flat_map(|clique| self.in_base_gang(part.replica, clique))
                .collect(),
            Some((config, j)) => cliques
                .filter(|clique| config.clique_names.iter().any(|name| name == clique))
                .filter_map(|clique| {
                    let own = layout::group_of(self.template, clique)?;
                    let group = names::scaling_group(self.set, part.replica, &own.name);
                    Some(layout::grouped_part(&group, own, part.replica, j, clique))
                })
                .collect(),
        }
    }

    /// The PodCliques of a clique in the base gang of a replica.
    fn in_base_gang(&self, i: i32, clique: &'a str) -> Vec<LayoutSlot<'a>> {
        let Some(config) = layout::group_of(self.template, clique) else {
            return vec![layout::standalone_part(self.set, i, clique)];
        };
        let group = names::scaling_group(self.set, i, &config.name);
        (0..(self.in_base)(&group, config))
            .map(|j| layout::grouped_part(&group, config, i, j, clique))
            .collect()
    }
}

/// Dependencies of this clique.
pub fn cliques_before<'a>(template: &'a PodCliqueSetTemplateSpec, clique: &str) -> Vec<&'a str> {
    let cliques = &template.cliques;
    let Some(at) = cliques.iter().position(|c| c.name == clique) else {
        return Vec::new();
    };
    match template.clique_startup_type.unwrap_or_default() {
        CliqueStartupType::AnyOrder => Vec::new(),
        CliqueStartupType::InOrder => {
            let before = at.checked_sub(1).and_then(|before| cliques.get(before));
            before.map(|c| c.name.as_str()).into_iter().collect()
        }
        CliqueStartupType::Explicit => {
            let said = cliques.get(at).map_or(&[][..], |c| &c.spec.starts_after);
            let said = said.iter().map(String::as_str);
            let is_other = |name: &&str| *name != clique && cliques.iter().any(|c| c.name == *name);
            said.filter(is_other).collect()
        }
    }
}

/// Dependents of this clique.
fn cliques_after<'a>(template: &'a PodCliqueSetTemplateSpec, clique: &str) -> Vec<&'a str> {
    let cliques = template.cliques.iter();
    let after: Vec<_> = match template.clique_startup_type.unwrap_or_default() {
        CliqueStartupType::AnyOrder => Vec::new(),
        CliqueStartupType::InOrder => {
            let next = cliques
                .clone()
                .zip(cliques.skip(1))
                .filter(|(before, _)| before.name == clique);
            next.map(|(_, next)| next).collect()
        }
        CliqueStartupType::Explicit => cliques
            .filter(|c| c.name != clique && c.spec.starts_after.iter().any(|n| n == clique))
            .collect(),
    };
    after.into_iter().map(|c| c.name.as_str()).collect()
}

/// Whether a PodClique has as many pods Ready as its dependents wait for. Pods whose work is done
/// count, whether they still exist or not.
pub fn is_up<'a>(podclique: &PodClique, pods: impl Iterator<Item = &'a Pod> + Clone) -> bool {
    let completed = training::completed(podclique, pods.clone());
    let up = training::slots(completed, pods.filter(|p| p.is_ready()));
    up >= gang::clique_minimum(&podclique.spec)
}
