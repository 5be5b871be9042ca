//! What a plan writes, and what an event is about.

use api::{PodClique, PodCliqueScalingGroup, PodGang};
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::Key;
use crate::object::ownership;

/// Kinds that a plan may touch.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr,
)]
#[allow(missing_docs)]
pub enum Kind {
    PodCliqueSet,
    PodCliqueScalingGroup,
    PodClique,
    PodGang,
    Pod,
    Service,
}

/// An object to be written.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Object {
    PodCliqueScalingGroup(Box<PodCliqueScalingGroup>),
    PodClique(Box<PodClique>),
    PodGang(Box<PodGang>),
    Pod(Box<Pod>),
    Service(Box<Service>),
}

impl Object {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::PodCliqueScalingGroup(_) => Kind::PodCliqueScalingGroup,
            Self::PodClique(_) => Kind::PodClique,
            Self::PodGang(_) => Kind::PodGang,
            Self::Pod(_) => Kind::Pod,
            Self::Service(_) => Kind::Service,
        }
    }

    /// Its metadata.
    pub fn meta(&self) -> &ObjectMeta {
        match self {
            Self::PodCliqueScalingGroup(o) => &o.metadata,
            Self::PodClique(o) => &o.metadata,
            Self::PodGang(o) => &o.metadata,
            Self::Pod(o) => &o.metadata,
            Self::Service(o) => &o.metadata,
        }
    }
}

/// An object that exists, identified so that no other of the same name can be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub key: Key,
    /// Its uid.
    pub uid: String,
}

impl Target {
    /// The object with this metadata.
    pub fn of(kind: Kind, meta: &ObjectMeta) -> Self {
        Self {
            kind,
            key: Key::of(meta),
            uid: ownership::uid(meta).to_owned(),
        }
    }
}
