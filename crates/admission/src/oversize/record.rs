//! The record of a job's finished PodCliques in its status, in `status.replicaAttempts`: an entry
//! for each replica with the names of its PodCliques. All of it is in one object, and etcd accepts
//! 1.5 MiB for one.

use api::{PodCliqueSet, WorkloadType, names};
use domain::object::ownership;
use domain::workload::limits::MAX_REPLICAS;

use super::shape::Shape;
use crate::field::{FieldError, Path};

/// Bytes of the record. The rest is for the spec and the conditions.
const MAX_BYTES: i128 = 1024 * 1024;
/// Bytes of an entry without names, with the longest numbers.
const ENTRY: i128 = 170;
/// Two quotes and a comma for each name.
const PUNCTUATION: usize = 3;

/// The error of a job whose result would not fit into its status.
pub(super) fn check_record(set: &PodCliqueSet) -> Vec<FieldError> {
    if set.spec.workload_type != Some(WorkloadType::Training) {
        return Vec::new();
    }
    let replicas = i128::from(set.spec.replicas.max(0));
    let size = replicas.saturating_mul(bytes_of_replica(set).saturating_add(ENTRY));
    let problem = format!(
        "the status of the job would have {size} bytes of replicas and PodCliques that are done, \
         at most {MAX_BYTES} can be stored"
    );
    let remedy = "lower replicas of the set or of its groups, shorten names, or split the job into \
                  several sets";
    let at = Path::new("spec").field("replicas");
    let error = (size > MAX_BYTES).then(|| at.wrong(set.spec.replicas, problem, remedy));
    error
        .map(|error| error.counting("bytes of status", size))
        .into_iter()
        .collect()
}

/// Bytes of the names of the PodCliques of one replica.
fn bytes_of_replica(set: &PodCliqueSet) -> i128 {
    let shape = Shape::of(set);
    let name = ownership::name(&set.metadata);
    let last = MAX_REPLICAS - 1;
    let alone = shape
        .standalone
        .keys()
        .map(|clique| entry(&names::standalone_clique(name, last, clique)));
    let groups = shape.groups.iter().map(|(config, group)| {
        let group_name = names::scaling_group(name, last, config);
        let members = group
            .members
            .keys()
            .map(|clique| entry(&names::grouped_clique(&group_name, last, clique)));
        members.sum::<i128>().saturating_mul(group.replicas)
    });
    alone.chain(groups).fold(0, i128::saturating_add)
}

fn entry(name: &str) -> i128 {
    i128::try_from(name.len() + PUNCTUATION).unwrap_or(i128::MAX)
}
