//! The running or last update: of the set, of its groups and standalone cliques.

use domain::object::ownership;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::timeline::moment::{Moment, What};
use crate::workload::Workload;

/// The times of its beginning, progress and end.
pub fn of_objects(workload: &Workload) -> Vec<Moment> {
    let mut all = of_set(workload);
    for group in &workload.groups {
        let progress = group
            .status
            .as_ref()
            .and_then(|s| s.update_progress.as_ref());
        all.extend(progress.into_iter().flat_map(|p| {
            let name = ownership::name(&group.metadata);
            let times = (
                &p.update_started_at,
                &p.update_ended_at,
                &p.last_progress_time,
            );
            of_part("podcliquescalinggroup", name, times)
        }));
    }
    for podclique in &workload.podcliques {
        let status = podclique.status.as_ref();
        let progress = status.and_then(|s| s.update_progress.as_ref());
        all.extend(progress.into_iter().flat_map(|p| {
            let name = ownership::name(&podclique.metadata);
            let times = (
                &p.update_started_at,
                &p.update_ended_at,
                &p.last_progress_time,
            );
            of_part("podclique", name, times)
        }));
    }
    all
}

fn of_set(workload: &Workload) -> Vec<Moment> {
    let status = workload.set.status.as_ref();
    let Some(progress) = status.and_then(|s| s.update_progress.as_ref()) else {
        return Vec::new();
    };
    let name = ownership::name(&workload.set.metadata);
    let began = of_object(progress.update_started_at.0, "podcliqueset", name, "began");
    let ended = progress.update_ended_at.as_ref();
    let ended = ended.map(|at| of_object(at.0, "podcliqueset", name, "ended"));
    let turns = progress.currently_updating.iter().map(|turn| {
        let (at, index) = (turn.update_started_at.0, turn.replica_index.to_string());
        of_object(at, "replica", &index, "its turn began")
    });
    std::iter::once(began).chain(turns).chain(ended).collect()
}

fn of_part(kind: &str, name: &str, times: (&Time, &Option<Time>, &Option<Time>)) -> Vec<Moment> {
    let (began, ended, last) = times;
    let mut all = vec![of_object(began.0, kind, name, "began")];
    let came_on = last.as_ref().filter(|last| last.0 > began.0);
    all.extend(match (ended, came_on) {
        (Some(at), _) => Some(of_object(at.0, kind, name, "ended")),
        (None, Some(last)) => Some(of_object(last.0, kind, name, "last came on")),
        (None, None) => None,
    });
    all
}

fn of_object(at: Timestamp, kind: &str, name: &str, text: &str) -> Moment {
    Moment::new(at, What::Update, kind, name, text)
}
