//! Decides which users may change managed objects.

use admission::authorizer::{Asked, Ruling, rule_on};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;

use super::Judge;
use crate::review::{Answer, Request, decode};

#[derive(Deserialize)]
struct PartialObject {
    #[serde(default)]
    metadata: ObjectMeta,
}

impl Judge {
    pub(super) fn authorize(&self, request: &Request<'_>) -> Answer {
        let Some(exemptions) = &self.exemptions else {
            return Answer::allowed();
        };
        let decoded = [request.object, request.old_object].map(|object| {
            let object = object.map(decode::<PartialObject>).transpose();
            object.map(|object| object.map(|object| object.metadata))
        });
        let (object, old) = match decoded {
            [Ok(object), Ok(old)] => (object, old),
            [Err(error), _] | [_, Err(error)] => {
                return Answer::undecodable("the object", &error);
            }
        };
        let asked = Asked {
            operation: request.operation,
            group: &request.resource.group,
            resource: &request.resource.resource,
            subresource: &request.sub_resource,
            user: &request.user_info.username,
            groups: &request.user_info.groups,
            object: object.as_ref(),
            old: old.as_ref(),
        };
        let set = |namespace: &str, name: &str| self.stored.set(namespace, name);
        match rule_on(&asked, exemptions, set) {
            Ruling::Allowed => Answer::allowed(),
            Ruling::AllowedWithWarning(warning) => Answer::Allowed {
                patch: None,
                warnings: vec![warning],
            },
            Ruling::Refused { reason } => Answer::forbidden(reason),
        }
    }
}
