//! Changes of a set's objects by users and autoscalers: PodCliques and scaling groups.

use std::sync::Arc;

use admission::scale_lock::Resize;
use admission::scaling::{self, ScalingVerdict};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Judge;
use super::unreadable::answer_unreadable;
use crate::parents::find_set;
use crate::review::{Answer, Request, decode};

/// The body of `/scale`.
#[derive(Deserialize)]
struct Scale {
    #[serde(default)]
    spec: ScaleSpec,
}

/// The API server leaves 0 out.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ScaleSpec {
    replicas: i32,
}

/// The wanted replicas.
pub(super) fn decode_scale(request: &Request<'_>) -> Result<i32, Answer> {
    let Some(sent) = request.object else {
        return Err(Answer::allowed());
    };
    match decode::<Scale>(sent) {
        Ok(sent) => Ok(sent.spec.replicas),
        Err(error) => Err(Answer::undecodable("the Scale", &error)),
    }
}

/// The replicas of the stored object; the cache may be behind.
fn decode_old_scale(request: &Request<'_>) -> Option<i32> {
    let stored: Scale = decode(request.old_object?).ok()?;
    Some(stored.spec.replicas)
}

impl Judge {
    pub(super) fn validate_podclique(&self, request: &Request<'_>) -> Answer {
        if request.sub_resource == "scale" {
            let stored = self.stored.podclique(&request.namespace, &request.name);
            return self.judge_scale(
                request,
                stored,
                |o| &o.metadata,
                scaling::check_podclique_scale,
            );
        }
        self.judge_update::<PodClique>(
            request,
            |o| &o.metadata,
            |o| o.spec.replicas,
            scaling::check_podclique_update,
        )
    }

    pub(super) fn validate_group(&self, request: &Request<'_>) -> Answer {
        if request.sub_resource == "scale" {
            let stored = self.stored.group(&request.namespace, &request.name);
            return self.judge_scale(request, stored, |o| &o.metadata, scaling::check_group_scale);
        }
        self.judge_update::<PodCliqueScalingGroup>(
            request,
            |o| &o.metadata,
            |o| o.spec.replicas,
            scaling::check_group_update,
        )
    }

    fn judge_scale<K>(
        &self,
        request: &Request<'_>,
        stored: Option<Arc<K>>,
        meta: fn(&K) -> &ObjectMeta,
        check: fn(&K, i32, Option<&PodCliqueSet>) -> ScalingVerdict,
    ) -> Answer {
        let replicas = match decode_scale(request) {
            Ok(replicas) => replicas,
            Err(answer) => return answer,
        };
        // If the cache does not show the object yet, its definition refuses the most important
        // errors.
        let Some(stored) = stored else {
            return Answer::allowed();
        };
        let object = meta(&stored);
        let set = find_set(self.stored.as_ref(), object);
        let before = decode_old_scale(request).unwrap_or(replicas);
        let refusal = self.check_lock(request, object, set.as_deref(), (before, replicas));
        refusal.unwrap_or_else(|| {
            let verdict = check(&stored, replicas, set.as_deref());
            Answer::judged(verdict.errors, &verdict.warnings)
        })
    }

    fn judge_update<K: DeserializeOwned>(
        &self,
        request: &Request<'_>,
        meta: fn(&K) -> &ObjectMeta,
        replicas: fn(&K) -> i32,
        check: fn(&K, &K, Option<&PodCliqueSet>) -> ScalingVerdict,
    ) -> Answer {
        let (Some(wanted), Some(old)) = (request.object, request.old_object) else {
            return Answer::allowed();
        };
        let new: K = match decode(wanted) {
            Ok(new) => new,
            Err(error) => return answer_unreadable("the object", wanted, &error),
        };
        let Ok(old) = decode::<K>(old) else {
            return Answer::allowed();
        };
        let set = find_set(self.stored.as_ref(), meta(&old));
        let sizes = (replicas(&old), replicas(&new));
        let refusal = self.check_lock(request, meta(&new), set.as_deref(), sizes);
        refusal.unwrap_or_else(|| {
            let verdict = check(&old, &new, set.as_deref());
            Answer::judged(verdict.errors, &verdict.warnings)
        })
    }

    /// The refusal by the lock of sizes. Without the set nothing says that an update is in
    /// progress, and the change is allowed, as it is by default.
    fn check_lock(
        &self,
        request: &Request<'_>,
        object: &ObjectMeta,
        set: Option<&PodCliqueSet>,
        replicas: (i32, i32),
    ) -> Option<Answer> {
        let resize = Resize {
            user: &request.user_info.username,
            object,
            replicas,
        };
        let reason = self.scale_lock.as_ref()?.refusal(&resize, set?)?;
        Some(Answer::forbidden(reason))
    }
}
