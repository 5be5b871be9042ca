//! Creation times of objects. Only events show deleted objects.

use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::timeline::moment::{Moment, What};
use crate::workload::Workload;

/// The creation of the set and of its objects.
pub fn of_objects(workload: &Workload) -> Vec<Moment> {
    let groups = workload.groups.iter().map(|g| &g.metadata);
    let podcliques = workload.podcliques.iter().map(|c| &c.metadata);
    let gangs = workload.gangs.iter().map(|g| &g.metadata);
    let pods = workload.pods.iter().map(|p| &p.metadata);
    let set = of_object("podcliqueset", &workload.set.metadata);
    let groups = groups.filter_map(|meta| of_object("podcliquescalinggroup", meta));
    let podcliques = podcliques.filter_map(|meta| of_object("podclique", meta));
    let gangs = gangs.filter_map(|meta| of_object("podgang", meta));
    let pods = pods.filter_map(|meta| of_object("pod", meta));
    let all = set.into_iter().chain(groups).chain(podcliques);
    all.chain(gangs).chain(pods).collect()
}

fn of_object(kind: &str, meta: &ObjectMeta) -> Option<Moment> {
    let at = meta.creation_timestamp.as_ref()?.0;
    Some(Moment::new(
        at,
        What::Created,
        kind,
        ownership::name(meta),
        "",
    ))
}
