//! The body of a status write.

use std::borrow::Cow;

use kube::Resource;
use serde::Serialize;

use super::{RequestError, encode_body};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a, S> {
    api_version: Cow<'a, str>,
    kind: Cow<'a, str>,
    metadata: Metadata<'a>,
    status: &'a S,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    name: Option<&'a str>,
    namespace: Option<&'a str>,
    uid: Option<&'a str>,
    resource_version: Option<&'a str>,
}

/// The object with this status, its identity and its version, as JSON.
pub(crate) fn encode_status<R, S>(object: &R, status: &S) -> Result<Vec<u8>, RequestError>
where
    R: Resource<DynamicType = ()>,
    S: Serialize,
{
    let meta = object.meta();
    encode_body(&Body {
        api_version: R::api_version(&()),
        kind: R::kind(&()),
        metadata: Metadata {
            name: meta.name.as_deref(),
            namespace: meta.namespace.as_deref(),
            uid: meta.uid.as_deref(),
            resource_version: meta.resource_version.as_deref(),
        },
        status,
    })
}
