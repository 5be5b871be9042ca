//! The view of the cache, whatever order answers and watch events arrive in.

mod evidence;
mod kept;
mod lists;
mod live_reads;
mod own_writes;
mod owners;
mod sizes;

use api::{PodClique, labels};
use domain::object::ownership;
use domain::{Key, Pod};
use engine::Cache;
use engine::scope::Scope;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};

fn key() -> Key {
    Key::new("default", "a")
}

fn pod(uid: &str, version: u64) -> Pod {
    named("a", uid, version)
}

fn named(name: &str, uid: &str, version: u64) -> Pod {
    Pod {
        metadata: ObjectMeta {
            name: Some(name.into()),
            namespace: Some("default".into()),
            uid: Some(uid.into()),
            resource_version: Some(version.to_string()),
            labels: Some([(labels::MANAGED_BY.into(), labels::MANAGER.into())].into()),
            owner_references: Some(vec![reference("owner")]),
            ..ObjectMeta::default()
        },
        ..Pod::default()
    }
}

fn reference(uid: &str) -> OwnerReference {
    ownership::controller_reference(&owner(uid))
}

/// A PodClique.
fn owner(uid: &str) -> PodClique {
    let metadata = ObjectMeta {
        namespace: Some("default".into()),
        uid: Some(uid.into()),
        ..ObjectMeta::default()
    };
    PodClique {
        metadata,
        ..PodClique::default()
    }
}

fn shown(cache: &Cache<Pod>) -> Option<(String, bool)> {
    let pod = cache.get(&key())?;
    Some((
        pod.metadata.resource_version.clone().unwrap(),
        pod.is_terminating(),
    ))
}

fn list(cache: &Cache<Pod>, pods: Vec<Pod>) -> usize {
    cache.begin_list(&Scope::Cluster);
    for pod in pods {
        cache.list_item(&Scope::Cluster, pod);
    }
    cache.end_list(&Scope::Cluster).len()
}

/// The pod as the watch shows it once its end is certain.
fn terminating(uid: &str, version: u64) -> Pod {
    let mut pod = pod(uid, version);
    pod.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    pod.metadata.deletion_grace_period_seconds = Some(0);
    pod
}
