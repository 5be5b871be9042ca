//! The lock of sizes while a coherent update is in progress (Grove's scale guard; configuration
//! `admission.coherentScaleLock`). Off by default: the steps of an update follow live counts. Pure:
//! the webhook decodes the request and looks up the set.

use api::PodCliqueSet;
use domain::object::ownership;
use domain::update;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The lock. It refuses autoscalers, too, and accounts that the authorizer exempts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScaleLock {
    /// The operator's own account, which may change every size:
    /// `system:serviceaccount:<namespace>:<name>`.
    pub operator: String,
}

/// A request that may change the size of a PodClique or a scaling group.
#[derive(Clone, Copy, Debug)]
pub struct Resize<'a> {
    /// The name of the user.
    pub user: &'a str,
    /// Metadata of the object.
    pub object: &'a ObjectMeta,
    /// `spec.replicas`, before and after.
    pub replicas: (i32, i32),
}

impl ScaleLock {
    /// The reason of the refusal, if the request is refused. `set` controls the object, directly or
    /// through its group.
    pub fn refusal(&self, resize: &Resize<'_>, set: &PodCliqueSet) -> Option<String> {
        let (before, after) = resize.replicas;
        let is_open = before == after
            || self.is_operator(resize.user)
            || ownership::is_terminating(resize.object)
            || ownership::is_terminating(&set.metadata)
            || !(update::is_coherent(set) && update::runs_by_turns(set));
        (!is_open).then(|| describe_refusal(set, before, after))
    }

    fn is_operator(&self, user: &str) -> bool {
        !user.is_empty() && user == self.operator
    }
}

/// It begins with Grove's words, by which clients recognise the refusal.
fn describe_refusal(set: &PodCliqueSet, before: i32, after: i32) -> String {
    let namespace = set.metadata.namespace.as_deref().unwrap_or_default();
    let name = ownership::name(&set.metadata);
    format!(
        "spec.replicas changes are not allowed while a coherent update is in progress on \
         PodCliqueSet {namespace}/{name}, complete the update before scaling: {after} is refused, \
         {before} stays; scale again once the set has status.updateProgress.updateEndedAt \
         (autoscalers try again by themselves). An update that is paused, keeps a partition or has a \
         refused template does not end by itself: `kubectl grove explain {name}` says what it waits \
         for. Or set spec.updateStrategy.type of the set to RollingRecreate (its versions may mix \
         then), or set admission.coherentScaleLock of the operator to false"
    )
}
