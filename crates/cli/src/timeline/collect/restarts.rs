//! Restarts on demand: each leaves its time and its reason in the pod templates.

use std::collections::BTreeMap;

use api::podcliqueset::PodCliqueTemplateSpec;
use domain::object::ownership;
use jiff::Timestamp;

use crate::restart::{CHANGE_CAUSE, RESTARTED_AT};
use crate::timeline::moment::{Moment, RESTART, What};
use crate::workload::Workload;

/// The last restart of each clique of the set.
pub fn of_set(workload: &Workload) -> Vec<Moment> {
    let mut restarts: BTreeMap<Timestamp, Vec<&PodCliqueTemplateSpec>> = BTreeMap::new();
    for clique in &workload.set.spec.template.cliques {
        let at = clique.annotations.get(RESTARTED_AT);
        if let Some(at) = at.and_then(|at| at.parse::<Timestamp>().ok()) {
            restarts.entry(at).or_default().push(clique);
        }
    }
    let name = ownership::name(&workload.set.metadata);
    let moment = |(at, cliques): (Timestamp, Vec<&PodCliqueTemplateSpec>)| {
        let text = describe(&cliques);
        Moment::new(at, What::Update, "podcliqueset", name, text).because(RESTART)
    };
    restarts.into_iter().map(moment).collect()
}

fn describe(cliques: &[&PodCliqueTemplateSpec]) -> String {
    let names: Vec<&str> = cliques.iter().map(|clique| clique.name.as_str()).collect();
    let names = names.join(", ");
    let mut reasons = cliques
        .iter()
        .filter_map(|clique| clique.annotations.get(CHANGE_CAUSE));
    reasons.next().map_or_else(
        || format!("restart of {names} was asked for"),
        |reason| format!("restart of {names} was asked for: {reason}"),
    )
}
