//! The slots of a set, by names alone and without any code of the operator.

use serde_json::Value;

use crate::view;

/// A PodClique that a set has, or may have.
#[derive(Clone, Debug)]
pub struct LayoutSlot {
    /// Its name.
    pub name: String,
    /// Name of its gang.
    pub gang: String,
    /// Name of its scaling group, if it is in one.
    pub group: Option<String>,
    /// Pods by the template.
    pub replicas: i64,
}

/// Names of the scaling groups of replica `i`, each with its entry in the template.
pub fn groups(set: &Value, i: i64) -> impl Iterator<Item = (String, &Value)> {
    let groups = view::list(set, "/spec/template/podCliqueScalingGroups");
    groups.map(move |g| {
        (
            format!("{}-{i}-{}", view::name(set), view::text(g, "/name")),
            g,
        )
    })
}

/// All PodCliques of replica `i`; `live` returns the indexes of the replicas of a scaling group.
pub fn slots(set: &Value, i: i64, live: impl Fn(&str, &Value) -> Vec<i64>) -> Vec<LayoutSlot> {
    let base = format!("{}-{i}", view::name(set));
    let cliques = || view::list(set, "/spec/template/cliques");
    let name = |clique| view::text(clique, "/name");
    let replicas = |clique: &str| {
        let found = cliques().find(|c| name(c) == clique);
        found.map_or(0, |c| view::number(c, "/spec/replicas"))
    };
    let is_grouped = |clique: &str| {
        groups(set, i).any(|(_, g)| view::list(g, "/cliqueNames").any(|n| n == clique))
    };
    let mut slots: Vec<LayoutSlot> = cliques()
        .map(name)
        .filter(|c| !is_grouped(c))
        .map(|clique| LayoutSlot {
            name: format!("{base}-{clique}"),
            gang: base.clone(),
            group: None,
            replicas: replicas(clique),
        })
        .collect();
    for (full, group) in groups(set, i) {
        let least = view::number(group, "/minAvailable");
        for j in live(&full, group) {
            let gang = if j < least {
                base.clone()
            } else {
                format!("{full}-{}", j - least)
            };
            let members = view::list(group, "/cliqueNames").filter_map(Value::as_str);
            slots.extend(members.map(|clique| LayoutSlot {
                name: format!("{full}-{j}-{clique}"),
                gang: gang.clone(),
                group: Some(full.clone()),
                replicas: replicas(clique),
            }));
        }
    }
    slots
}
