//! Gangs with topology constraints.

use api::podgang::{
    GangTopologyConstraint, PackConstraint, PodGroup, TopologyConstraintGroupConfig,
};
use api::{PodGang, labels};

/// Levels whose keys are their names.
const LEVELS: &str = r#"[
    {"domain": "zone", "key": "zone"},
    {"domain": "rack", "key": "rack"},
    {"domain": "host", "key": "host"}
]"#;

/// Notes that the operator wrote the constraints of the gang, by topology `fabric`.
pub fn note_topology(gang: &mut PodGang) {
    let annotations = gang.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::TOPOLOGY_NAME.into(), "fabric".into());
    annotations.insert(labels::TOPOLOGY_LEVELS.into(), LEVELS.into());
}

/// Of the form `required`, `required/preferred` or `/preferred`; none if empty.
pub fn constraint(text: &str) -> Option<GangTopologyConstraint> {
    let (required, preferred) = text.split_once('/').unwrap_or((text, ""));
    let key = |key: &str| (!key.is_empty()).then(|| key.to_owned());
    (!text.is_empty()).then(|| GangTopologyConstraint {
        pack_constraint: Some(PackConstraint {
            required: key(required),
            preferred: key(preferred),
        }),
    })
}

/// The constraint of a group replica with these PodCliques.
pub fn of_group_replica(
    name: &str,
    text: &str,
    podcliques: &[&str],
) -> TopologyConstraintGroupConfig {
    TopologyConstraintGroupConfig {
        name: name.into(),
        pod_group_names: podcliques.iter().map(ToString::to_string).collect(),
        topology_constraint: constraint(text),
    }
}

/// A part with a constraint.
pub fn part(name: &str, text: &str) -> PodGroup {
    PodGroup {
        name: name.into(),
        min_replicas: 1,
        topology_constraint: constraint(text),
        ..PodGroup::default()
    }
}
