//! PodCliqueSets.

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodCliqueSet, PodCliqueSetSpec, labels};
use k8s_openapi::api::core::v1::{Container, PodSpec};

use super::stored;

/// Builds a PodCliqueSet.
#[derive(Clone, Debug)]
pub struct SetBuilder(PodCliqueSet);

/// A set of that name with one replica, no cliques and its finalizer.
pub fn set(name: &str) -> SetBuilder {
    let mut metadata = stored(name);
    metadata.finalizers = Some(vec![labels::PCS_FINALIZER.to_owned()]);
    let spec = PodCliqueSetSpec {
        replicas: 1,
        ..PodCliqueSetSpec::default()
    };
    SetBuilder(PodCliqueSet {
        metadata,
        spec,
        status: None,
    })
}

impl SetBuilder {
    /// Replicas of the whole set.
    #[must_use]
    pub fn replicas(mut self, replicas: i32) -> Self {
        self.0.spec.replicas = replicas;
        self
    }

    /// Adds a clique of one pod, adapted by `adapt`.
    #[must_use]
    pub fn clique(
        mut self,
        name: &str,
        adapt: impl FnOnce(CliqueBuilder) -> CliqueBuilder,
    ) -> Self {
        let mut clique = PodCliqueTemplateSpec {
            name: name.to_owned(),
            ..Default::default()
        };
        clique.spec.role_name = name.into();
        clique.spec.replicas = 1;
        clique.spec.pod_spec = PodSpec {
            containers: vec![Container {
                name: "main".to_owned(),
                image: Some("example/main:1".to_owned()),
                ..Container::default()
            }],
            ..PodSpec::default()
        }
        .into();
        self.0
            .spec
            .template
            .cliques
            .push(adapt(CliqueBuilder(clique)).0);
        self
    }

    /// Adds a scaling group, adapted by `adapt`.
    #[must_use]
    pub fn group<const N: usize>(
        mut self,
        name: &str,
        cliques: [&str; N],
        adapt: impl FnOnce(GroupBuilder) -> GroupBuilder,
    ) -> Self {
        let group = PodCliqueScalingGroupConfig {
            name: name.to_owned(),
            clique_names: cliques.iter().map(ToString::to_string).collect(),
            ..Default::default()
        };
        self.0
            .spec
            .template
            .scaling_groups
            .push(adapt(GroupBuilder(group)).0);
        self
    }

    /// Changes anything else.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut PodCliqueSet)) -> Self {
        change(&mut self.0);
        self
    }

    /// The set.
    pub fn build(self) -> PodCliqueSet {
        self.0
    }
}

/// Builds a clique of a set.
#[derive(Clone, Debug)]
pub struct CliqueBuilder(PodCliqueTemplateSpec);

impl CliqueBuilder {
    /// Pods of the clique.
    #[must_use]
    pub fn replicas(mut self, replicas: i32) -> Self {
        self.0.spec.replicas = replicas;
        self
    }

    /// `minAvailable`.
    #[must_use]
    pub fn min(mut self, min_available: i32) -> Self {
        self.0.spec.min_available = Some(min_available);
        self
    }

    /// Changes anything else.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut PodCliqueTemplateSpec)) -> Self {
        change(&mut self.0);
        self
    }
}

/// Builds a scaling group of a set.
#[derive(Clone, Debug)]
pub struct GroupBuilder(PodCliqueScalingGroupConfig);

impl GroupBuilder {
    /// Replicas of the group.
    #[must_use]
    pub fn replicas(mut self, replicas: i32) -> Self {
        self.0.replicas = Some(replicas);
        self
    }

    /// `minAvailable`.
    #[must_use]
    pub fn min(mut self, min_available: i32) -> Self {
        self.0.min_available = Some(min_available);
        self
    }
}
