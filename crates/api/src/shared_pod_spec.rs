//! A PodSpec that many objects share in memory.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use k8s_openapi::api::core::v1::PodSpec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A PodSpec that is stored once for all objects with the same content, such as all PodCliques of a
/// template. A change makes a copy first.
#[derive(Clone, Debug, Default)]
pub struct SharedPodSpec(Arc<PodSpec>);

impl SharedPodSpec {
    /// Whether both are the same allocation.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Number of objects that share it.
    pub fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

impl PartialEq for SharedPodSpec {
    fn eq(&self, other: &Self) -> bool {
        self.is_shared_with(other) || self.0 == other.0
    }
}

impl From<PodSpec> for SharedPodSpec {
    fn from(spec: PodSpec) -> Self {
        Self(Arc::new(spec))
    }
}

impl Deref for SharedPodSpec {
    type Target = PodSpec;

    fn deref(&self) -> &PodSpec {
        &self.0
    }
}

impl DerefMut for SharedPodSpec {
    fn deref_mut(&mut self) -> &mut PodSpec {
        Arc::make_mut(&mut self.0)
    }
}

impl Serialize for SharedPodSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedPodSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PodSpec::deserialize(deserializer).map(Self::from)
    }
}
