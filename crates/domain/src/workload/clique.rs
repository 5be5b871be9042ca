//! How a PodClique object is built from the template, and how it is corrected afterwards. The
//! PodCliqueSet creates the standalone ones, the scaling group the others.

mod build;
mod correct;
mod metadata;
mod nvlink;
mod older;

use api::SharedPodSpec;
use api::podcliqueset::PodCliqueTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

pub use self::build::{build, users_annotations};
pub use self::correct::{corrected, live_replicas, without_rise};
pub use self::metadata::{add_finalizer, add_owner, overlay};
pub use self::nvlink::{MNNVL_CLAIM, domain_of, join_domain};
pub use self::older::{note_older, with_older_template};
use crate::object::attempt::Attempt;
use crate::object::environment;

/// The position of a PodClique in its set.
#[derive(Clone, Debug)]
pub struct PodCliquePosition {
    /// Name of the PodClique.
    pub name: String,
    /// Index of the PodCliqueSet replica.
    pub replica: i32,
    /// Name of its PodGang.
    pub gang: String,
    /// Name of the base gang, if its own gang is a scaled one.
    pub base_gang: Option<String>,
    /// The scaling group, unless it is a standalone clique.
    pub group: Option<GroupPosition>,
    /// The reference to its owner.
    pub owner: OwnerReference,
    /// Replica count it starts with, and the template's value that is stamped on it.
    pub count: LiveCount,
    /// The attempt it is created in.
    pub attempt: Attempt,
    /// Names of its dependencies.
    pub starts_after: Vec<String>,
}

/// The replica count of a PodClique that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveCount {
    /// `spec.replicas`.
    pub replicas: i32,
    /// The template's value when the count was last set.
    pub stamped: i32,
}

/// The position of a PodClique in a scaling group.
#[derive(Clone, Debug)]
pub struct GroupPosition {
    /// Name of the PodCliqueScalingGroup object.
    pub name: String,
    /// Index of the group's replica.
    pub replica: i32,
}

/// A clique of the template, prepared once for all of its slots.
#[derive(Clone, Debug)]
pub struct Ready<'a> {
    /// The clique in the template.
    pub template: &'a PodCliqueTemplateSpec,
    /// Hash of its pods' template.
    pub hash: String,
    /// Its pods, with the variables of a scaling group.
    pod_spec: SharedPodSpec,
}

impl<'a> Ready<'a> {
    /// Of a standalone clique, with its hash.
    pub fn standalone((template, hash): (&'a PodCliqueTemplateSpec, String)) -> Self {
        Self {
            template,
            hash,
            pod_spec: template.spec.pod_spec.clone(),
        }
    }

    /// For a clique in a scaling group; `pods` is the number of pods of one group replica in the
    /// template.
    pub fn grouped((template, hash): (&'a PodCliqueTemplateSpec, String), pods: i32) -> Self {
        let mut pod_spec = template.spec.pod_spec.clone();
        environment::inject(&mut pod_spec, &environment::of_scaling_group(pods));
        Self {
            template,
            hash,
            pod_spec,
        }
    }
}
