//! Objects for tests, in the words of the domain:
//!
//! ```
//! use testkit::builders::set;
//! let demo = set("demo")
//!     .clique("frontend", |c| c.replicas(2).min(1))
//!     .clique("decode", |c| c)
//!     .group("workers", ["decode"], |g| g.replicas(3).min(2))
//!     .build();
//! assert_eq!(demo.spec.template.cliques.len(), 2);
//! ```
//!
//! All are in namespace `default`, created at [`EPOCH`], and have `uid-<name>` as uid.

mod pod;
mod podclique;
mod set;

use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

pub use pod::{PodBuilder, pod};
pub use podclique::{PodCliqueBuilder, podclique};
pub use set::{CliqueBuilder, GroupBuilder, SetBuilder, set};

/// When all objects were created: 2026-01-01T00:00:00Z.
pub static EPOCH: LazyLock<Timestamp> = LazyLock::new(|| after(0));

/// This many seconds after [`EPOCH`].
pub fn after(seconds: i64) -> Timestamp {
    const EPOCH_SECOND: i64 = 1_767_225_600;
    let offset = SignedDuration::from_secs(seconds);
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(EPOCH_SECOND) + offset
}

/// Metadata of a stored object.
pub fn stored(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some("default".to_owned()),
        uid: Some(format!("uid-{name}")),
        resource_version: Some("1".to_owned()),
        generation: Some(1),
        creation_timestamp: Some(Time(*EPOCH)),
        ..ObjectMeta::default()
    }
}

/// Sets the fields that the API server adds to an object when it stores it.
pub fn store(meta: &mut ObjectMeta) {
    let name = meta.name.clone().unwrap_or_default();
    let known = stored(&name);
    meta.uid = known.uid;
    meta.resource_version = known.resource_version;
    meta.generation = known.generation;
    meta.creation_timestamp = known.creation_timestamp;
}
