//! The last scaling by each user: the API server keeps the writer of `/scale`, and for some kinds
//! the time (not for custom resources, as of 1.37).

use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::timeline::moment::{Moment, UNDATED, What};
use crate::workload::Workload;

/// The last scaling of the set, of its groups and its PodCliques.
pub fn of_objects(workload: &Workload) -> Vec<Moment> {
    let set = &workload.set;
    let set = of_object("podcliqueset", &set.metadata, set.spec.replicas);
    let groups = workload
        .groups
        .iter()
        .flat_map(|g| of_object("podcliquescalinggroup", &g.metadata, g.spec.replicas));
    let podcliques = workload
        .podcliques
        .iter()
        .flat_map(|c| of_object("podclique", &c.metadata, c.spec.replicas));
    set.into_iter().chain(groups).chain(podcliques).collect()
}

fn of_object(kind: &str, meta: &ObjectMeta, replicas: i32) -> Vec<Moment> {
    let writes = meta.managed_fields.iter().flatten();
    let mut scalings: Vec<_> = writes
        .filter(|w| w.subresource.as_deref() == Some("scale"))
        .map(|w| {
            let at = w.time.as_ref().map_or(UNDATED, |time| time.0);
            (at, w.manager.as_deref().unwrap_or("an unknown client"))
        })
        .collect();
    scalings.sort_unstable();
    let name = ownership::name(meta);
    let last = scalings.len().saturating_sub(1);
    scalings
        .into_iter()
        .enumerate()
        .map(|(place, (at, who))| {
            // Earlier counts are not kept.
            let to = if place == last {
                format!("to {replicas} by {who}")
            } else {
                format!("by {who}")
            };
            Moment::new(at, What::Scaled, kind, name, to)
        })
        .collect()
}
