//! Changes of a set's objects by users and autoscalers: PodCliques and scaling groups.

use std::sync::Arc;

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
        self.judge_update::<PodClique>(request, |o| &o.metadata, scaling::check_podclique_update)
    }

    pub(super) fn validate_group(&self, request: &Request<'_>) -> Answer {
        if request.sub_resource == "scale" {
            let stored = self.stored.group(&request.namespace, &request.name);
            return self.judge_scale(request, stored, |o| &o.metadata, scaling::check_group_scale);
        }
        self.judge_update::<PodCliqueScalingGroup>(
            request,
            |o| &o.metadata,
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
        let set = find_set(self.stored.as_ref(), meta(&stored));
        let verdict = check(&stored, replicas, set.as_deref());
        Answer::judged(verdict.errors, &verdict.warnings)
    }

    fn judge_update<K: DeserializeOwned>(
        &self,
        request: &Request<'_>,
        meta: fn(&K) -> &ObjectMeta,
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
        let verdict = check(&old, &new, set.as_deref());
        Answer::judged(verdict.errors, &verdict.warnings)
    }
}
