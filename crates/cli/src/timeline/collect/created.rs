//! Creation times of objects. Only events show deleted objects.

use domain::object::ownership;

use crate::timeline::moment::{Moment, What};
use crate::workload::Workload;

/// The creation of the set and of its objects.
pub fn of_objects(workload: &Workload) -> Vec<Moment> {
    let groups = workload
        .groups
        .iter()
        .map(|g| ("podcliquescalinggroup", &g.metadata));
    let podcliques = workload
        .podcliques
        .iter()
        .map(|c| ("podclique", &c.metadata));
    let gangs = workload.gangs.iter().map(|g| ("podgang", &g.metadata));
    let pods = workload.pods.iter().map(|p| ("pod", &p.metadata));
    [("podcliqueset", &workload.set.metadata)]
        .into_iter()
        .chain(groups)
        .chain(podcliques)
        .chain(gangs)
        .chain(pods)
        .filter_map(|(kind, meta)| {
            let (at, name) = (meta.creation_timestamp.as_ref()?.0, ownership::name(meta));
            Some(Moment::new(at, What::Created, kind, name, ""))
        })
        .collect()
}
