//! Labels of pods that do not exist yet, for terms of anti-affinity.

use std::collections::BTreeMap;

use api::podcliqueset::PodCliqueTemplateSpec;
use api::{PodCliqueSet, labels};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::workload::clique::{self, GroupPosition, LiveCount, PodCliquePosition, Ready};
use domain::workload::gang::ExpectedGang;
use domain::workload::layout::LayoutSlot;

/// The labels that all pods of a PodClique will share: the labels of the PodClique, and its name.
/// Index and template hash are not among them.
pub fn labels_of_pods(
    set: &PodCliqueSet,
    gang: &ExpectedGang,
    part: &LayoutSlot<'_>,
    template: &PodCliqueTemplateSpec,
) -> BTreeMap<String, String> {
    let name = ownership::name(&set.metadata);
    let group = part.group.zip(part.group_replica);
    let position = PodCliquePosition {
        name: part.name.clone(),
        replica: part.replica,
        gang: gang.name.clone(),
        base_gang: gang.base.clone(),
        group: group.map(|(config, replica)| GroupPosition {
            name: api::names::scaling_group(name, part.replica, &config.name),
            replica,
        }),
        owner: ownership::controller_reference(set),
        count: LiveCount {
            replicas: template.spec.replicas,
            stamped: template.spec.replicas,
        },
        attempt: Attempt::default(),
        starts_after: Vec::new(),
    };
    let ready = Ready::standalone((template, String::new()));
    let podclique = clique::build(set, &ready, position);
    let mut all = podclique.metadata.labels.unwrap_or_default();
    all.remove(labels::POD_TEMPLATE_HASH);
    all.insert(labels::POD_CLIQUE.into(), part.name.clone());
    all
}
