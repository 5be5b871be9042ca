//! The components of a template: its standalone cliques and its scaling groups, each of which is
//! updated as one.

use std::collections::HashSet;

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec, RollingUpdate};

use super::partition_of;
use crate::workload::gang::group_minimum;
use crate::workload::layout;

/// A standalone clique or a scaling group of a template.
#[derive(Clone, Copy, Debug)]
pub struct TemplateComponent<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its `rollingUpdate`.
    pub rolling: Option<&'a RollingUpdate>,
    /// Its `minAvailable`, or the default of that.
    pub minimum: i32,
    /// The group; `None`: it is a clique.
    pub group: Option<&'a PodCliqueScalingGroupConfig>,
}

impl TemplateComponent<'_> {
    /// Units with a lower index than this keep their templates.
    pub fn partition(&self) -> i32 {
        partition_of(self.rolling)
    }

    /// Whether it is one of these cliques, or has one.
    pub fn has_any(&self, cliques: &HashSet<&str>) -> bool {
        match self.group {
            Some(group) => group.clique_names.iter().any(|n| cliques.contains(&**n)),
            None => cliques.contains(self.name),
        }
    }
}

/// The components of the template, cliques first, each in the order of the template.
pub fn components_of(
    template: &PodCliqueSetTemplateSpec,
) -> impl Iterator<Item = TemplateComponent<'_>> {
    let cliques = layout::standalone_cliques(template).map(|clique| TemplateComponent {
        name: &clique.name,
        rolling: clique.rolling_update.as_ref(),
        minimum: clique.spec.min_available.unwrap_or(clique.spec.replicas),
        group: None,
    });
    let groups = template
        .scaling_groups
        .iter()
        .map(|group| TemplateComponent {
            name: &group.name,
            rolling: group.rolling_update.as_ref(),
            minimum: group_minimum(group),
            group: Some(group),
        });
    cliques.chain(groups)
}
