//! The PodCliques and pods of a set as the operator's rules see them.

use std::collections::HashMap;
use std::sync::Arc;

use domain::Pod;
use domain::object::ownership;
use domain::object::pod::sort_pods;
use domain::roster::ObservedClique;
use k8s_openapi::api::core::v1::Pod as FullPod;
use serde::Deserialize as _;

use super::Workload;

impl Workload {
    /// Its PodCliques of any attempt, in the order in which they were read, each with the pods that
    /// it controls.
    pub fn observe(&self) -> Vec<ObservedClique> {
        let mut pods: HashMap<&str, Vec<Arc<Pod>>> = HashMap::new();
        for pod in &self.pods {
            let owner = ownership::controller(&pod.metadata);
            if let Some((owner, lean)) = owner.zip(lean(pod)) {
                pods.entry(&owner.uid).or_default().push(Arc::new(lean));
            }
        }
        let podcliques = self.podcliques.iter();
        podcliques
            .map(|podclique| {
                let own = pods.remove(ownership::uid(&podclique.metadata));
                let mut pods = own.unwrap_or_default();
                sort_pods(&mut pods);
                ObservedClique {
                    podclique: Arc::new(podclique.clone()),
                    pods,
                    lost: Vec::new(),
                }
            })
            .collect()
    }
}

/// The fields of a pod that rules read.
pub fn lean(pod: &FullPod) -> Option<Pod> {
    let value = serde_json::to_value(pod).ok()?;
    Pod::deserialize(&value).ok()
}
