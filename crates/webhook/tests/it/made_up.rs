//! Stored objects, and a judge that sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use admission::Rules;
use admission::authorizer::Exemptions;
use admission::defaults::DefaultsConfig;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::topology::Levels;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use webhook::answers::Judge;
use webhook::parents::CachedObjects;

/// Objects of namespace `default`, or of their own namespace.
#[derive(Clone, Default)]
pub struct MadeUp {
    pub sets: Vec<PodCliqueSet>,
    pub groups: Vec<PodCliqueScalingGroup>,
    pub podcliques: Vec<PodClique>,
    /// Bytes of other sets in each namespace, in addition to the objects above.
    pub bytes_beside: i128,
    /// The topologies of the cluster, if they are known.
    pub topologies: Option<BTreeMap<String, Levels>>,
}

fn find<K: Clone>(
    all: &[K],
    meta: fn(&K) -> &ObjectMeta,
    namespace: &str,
    name: &str,
) -> Option<Arc<K>> {
    let is_it = |object: &&K| {
        let meta = meta(object);
        let own = meta.namespace.as_deref().unwrap_or("default");
        own == namespace && meta.name.as_deref() == Some(name)
    };
    all.iter().find(is_it).cloned().map(Arc::new)
}

impl CachedObjects for MadeUp {
    fn set(&self, namespace: &str, name: &str) -> Option<Arc<PodCliqueSet>> {
        find(&self.sets, |o| &o.metadata, namespace, name)
    }

    fn bytes_beside(&self, _: &str, _: &str) -> i128 {
        self.bytes_beside
    }

    fn group(&self, namespace: &str, name: &str) -> Option<Arc<PodCliqueScalingGroup>> {
        find(&self.groups, |o| &o.metadata, namespace, name)
    }

    fn podclique(&self, namespace: &str, name: &str) -> Option<Arc<PodClique>> {
        find(&self.podcliques, |o| &o.metadata, namespace, name)
    }

    fn topologies(&self) -> Option<BTreeMap<String, Levels>> {
        self.topologies.clone()
    }
}

pub fn judge(stored: MadeUp, exemptions: Option<Exemptions>) -> Judge {
    Judge {
        stored: Arc::new(stored),
        defaults: DefaultsConfig::default(),
        rules: Rules::default(),
        exemptions,
        scale_lock: None,
    }
}

/// A judge without stored objects that allows every user every change.
pub fn judge_of_nothing() -> Judge {
    judge(MadeUp::default(), None)
}
