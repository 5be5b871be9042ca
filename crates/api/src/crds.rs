//! All custom resource definitions.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

/// All definitions in the order in which they are installed, completed by [`crate::schema`].
pub fn all() -> Vec<CustomResourceDefinition> {
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
