//! All custom resource definitions.

use std::sync::LazyLock;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

/// To derive them takes a second without optimisation, and much of a test's time.
static ALL: LazyLock<Vec<CustomResourceDefinition>> = LazyLock::new(derive_all);

/// All definitions in the order in which they are installed, completed by [`crate::schema`].
pub fn all() -> &'static [CustomResourceDefinition] {
    &ALL
}

fn derive_all() -> Vec<CustomResourceDefinition> {
    vec![
        crate::PodCliqueSet::crd(),
        crate::PodCliqueScalingGroup::crd(),
        crate::PodClique::crd(),
        crate::PodGang::crd(),
        crate::ClusterTopologyBinding::crd(),
    ]
    .into_iter()
    .map(crate::schema::complete)
    .collect()
}
