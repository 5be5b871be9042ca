//! Standalone PodCliques of a set `demo`.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{PodClique, PodCliqueSpec, PodCliqueStatus, labels};
use k8s_openapi::api::core::v1::{Container, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{OwnerReference, Time};

use super::{after, stored};

/// Builds a PodClique.
#[derive(Clone, Debug)]
pub struct PodCliqueBuilder(PodClique);

/// A stored PodClique of that name in replica 0 of set `demo`: one pod, owned by the set.
pub fn podclique(name: &str) -> PodCliqueBuilder {
    let mut metadata = stored(name);
    let mut all = labels::default_labels("demo");
    all.insert(labels::NAME.into(), name.into());
    all.insert(
        labels::COMPONENT.into(),
        labels::component::PCS_POD_CLIQUE.into(),
    );
    all.insert(labels::PCS_REPLICA_INDEX.into(), "0".into());
    all.insert(labels::POD_GANG.into(), "demo-0".into());
    all.insert(labels::POD_TEMPLATE_HASH.into(), "r1bbbbbbbbbbbbbb".into());
    metadata.labels = Some(all);
    metadata.annotations = Some(BTreeMap::from([(
        labels::TEMPLATE_REPLICAS.into(),
        "1".into(),
    )]));
    metadata.finalizers = Some(vec![labels::PCLQ_FINALIZER.into()]);
    metadata.owner_references = Some(vec![OwnerReference {
        api_version: "grove.io/v1alpha1".into(),
        kind: "PodCliqueSet".into(),
        name: "demo".into(),
        uid: "uid-demo".into(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }]);
    let container = Container {
        name: "main".into(),
        image: Some("example/main:1".into()),
        ..Container::default()
    };
    let spec = PodCliqueSpec {
        role_name: "main".into(),
        replicas: 1,
        min_available: Some(1),
        pod_spec: PodSpec {
            containers: vec![container],
            ..PodSpec::default()
        }
        .into(),
        ..PodCliqueSpec::default()
    };
    PodCliqueBuilder(PodClique {
        metadata,
        spec,
        status: None,
    })
}

impl PodCliqueBuilder {
    /// `spec.replicas` and `spec.minAvailable`.
    #[must_use]
    pub fn size(mut self, replicas: i32, min_available: i32) -> Self {
        self.0.spec.replicas = replicas;
        self.0.spec.min_available = Some(min_available);
        self
    }

    /// Deletion was requested this many seconds after the epoch.
    #[must_use]
    pub fn terminating(mut self, seconds: i64) -> Self {
        self.0.metadata.deletion_timestamp = Some(Time(after(seconds)));
        self
    }

    /// Its minimum was available once.
    #[must_use]
    pub fn was_available(mut self) -> Self {
        self.0.status = Some(PodCliqueStatus {
            was_available: true,
            ..PodCliqueStatus::default()
        });
        self
    }

    /// Changes anything else.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut PodClique)) -> Self {
        change(&mut self.0);
        self
    }

    /// The PodClique.
    pub fn build(self) -> Arc<PodClique> {
        Arc::new(self.0)
    }
}
