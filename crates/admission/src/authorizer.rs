//! Decides which users may change or delete managed objects (Grove's authorizer webhook). Pure: the
//! webhook decodes the request and looks up the set.
//!
//! It checks objects, never their subresources, so `kubectl scale`, autoscalers, evictions,
//! bindings and statuses pass. It protects users from mistakes and does not replace RBAC: a user
//! who may annotate the set may switch it off.

mod exemptions;
mod words;

use std::ops::Deref;

use api::{PodCliqueSet, labels};
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;

pub use exemptions::{ALWAYS_EXEMPT, Exemptions};

/// The operation on the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Operation {
    /// `POST`.
    Create,
    /// `PUT` and `PATCH`.
    Update,
    /// `DELETE`, of one or of a collection.
    Delete,
    /// `exec`, `port-forward` and the like.
    Connect,
}

impl Operation {
    /// In lower case, for metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Connect => "connect",
        }
    }
}

/// A request to change an object.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The operation.
    pub operation: Operation,
    /// API group; empty for Kubernetes' own first kinds.
    pub group: &'a str,
    /// Name of the kind in paths: `podcliques`.
    pub resource: &'a str,
    /// Such as `scale`; empty for the object itself.
    pub subresource: &'a str,
    /// The name of the user.
    pub user: &'a str,
    /// The groups of the user.
    pub groups: &'a [String],
    /// New metadata; none for a deletion.
    pub object: Option<&'a ObjectMeta>,
    /// Stored metadata; none for a creation.
    pub old: Option<&'a ObjectMeta>,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It may be carried out.
    Allowed,
    /// Allowed because the owner of the object is unknown.
    AllowedWithWarning(String),
    /// It may not.
    Refused {
        /// Object, user, operation, and an alternative.
        reason: String,
    },
}

impl Asked<'_> {
    /// The metadata that decides the owner: the stored one, so that a change of labels frees no
    /// object.
    fn judged(&self) -> Option<&ObjectMeta> {
        match self.operation {
            Operation::Create => self.object,
            Operation::Update | Operation::Delete | Operation::Connect => self.old,
        }
    }

    fn is_of_pod(&self) -> bool {
        self.group.is_empty() && self.resource == "pods"
    }

    /// Operations that every user may do. Deleting a pod replaces it; a pod without an owner is not
    /// managed.
    fn is_open_to_all(&self) -> bool {
        let is_update = self.operation == Operation::Update;
        self.operation == Operation::Connect
            || !self.subresource.is_empty()
            || (self.is_of_pod() && !is_update)
            || self.only_lets_go()
    }

    /// Whether the request only removes finalizers of an object that is being deleted: a user must
    /// be able to do that if the operator may not write any more and does not know that the set is
    /// gone.
    fn only_lets_go(&self) -> bool {
        let (Some(old), Some(new)) = (self.old, self.object) else {
            return false;
        };
        let had = old.finalizers.as_deref().unwrap_or_default();
        let has = new.finalizers.as_deref().unwrap_or_default();
        let as_before = ObjectMeta {
            finalizers: old.finalizers.clone(),
            managed_fields: old.managed_fields.clone(),
            ..new.clone()
        };
        // Of kinds that count generations: metadata says whether all else is as it was.
        let is_ours = ["grove.io", "scheduler.grove.io"].contains(&self.group);
        is_ours
            && self.operation == Operation::Update
            && ownership::is_terminating(old)
            && has.iter().all(|finalizer| had.contains(finalizer))
            && as_before == *old
    }
}

/// Whether the request may be carried out. `find_set` looks up the set by namespace and name.
pub fn rule_on<S: Deref<Target = PodCliqueSet>>(
    asked: &Asked<'_>,
    exemptions: &Exemptions,
    find_set: impl Fn(&str, &str) -> Option<S>,
) -> Ruling {
    if asked.is_open_to_all() || exemptions.contain(asked) {
        return Ruling::Allowed;
    }
    let Some(meta) = asked.judged() else {
        return Ruling::AllowedWithWarning(words::without_object(asked));
    };
    if ownership::label(meta, labels::MANAGED_BY) != Some(labels::MANAGER) {
        return Ruling::Allowed;
    }
    let Some(set) = ownership::label(meta, labels::PART_OF).filter(|set| !set.is_empty()) else {
        return Ruling::AllowedWithWarning(words::without_parent(asked, meta));
    };
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    match find_set(namespace, set) {
        None => Ruling::AllowedWithWarning(words::unknown_parent(asked, meta, set)),
        Some(parent) if is_open(&parent) => Ruling::Allowed,
        Some(_) => Ruling::Refused {
            reason: words::refusal(asked, meta, set),
        },
    }
}

fn is_open(set: &PodCliqueSet) -> bool {
    ownership::annotation(&set.metadata, labels::DISABLE_PROTECTION) == Some("true")
}
