//! The messages of the authorizer.

use api::labels::{DISABLE_PROTECTION, MANAGER, PART_OF};
use domain::object::ownership;
use domain::object::text::cut_text;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{Asked, Operation};

/// Names of objects and users are shorter; only an invented name is longer.
const MAX_NAME: usize = 253;

pub(super) fn refusal(asked: &Asked<'_>, meta: &ObjectMeta, set: &str) -> String {
    let subject = subject(asked, meta);
    let set = cut_text(set, MAX_NAME);
    let user = cut_text(asked.user, MAX_NAME);
    let verb = verb(asked.operation);
    let instead = instead(asked);
    format!(
        "{subject} is managed by {MANAGER} for PodCliqueSet {set:?}, and {user:?} may not {verb} it: \
         change the PodCliqueSet instead, {instead}or annotate the PodCliqueSet with \
         {DISABLE_PROTECTION}: \"true\""
    )
}

/// The alternative to a deletion; the set cannot do it for one replica.
fn instead(asked: &Asked<'_>) -> &'static str {
    let is_scaled = matches!(asked.resource, "podcliques" | "podcliquescalinggroups");
    if is_scaled && asked.operation == Operation::Update {
        return "use kubectl scale for its replicas, ";
    }
    ""
}

pub(super) fn without_object(asked: &Asked<'_>) -> String {
    let resource = cut_text(asked.resource, MAX_NAME);
    format!("{resource}: the request has no metadata, so the owner of the object was not checked")
}

pub(super) fn without_parent(asked: &Asked<'_>, meta: &ObjectMeta) -> String {
    let subject = subject(asked, meta);
    format!("{subject} has no label {PART_OF}, so its owner was not checked")
}

pub(super) fn unknown_parent(asked: &Asked<'_>, meta: &ObjectMeta, set: &str) -> String {
    let subject = subject(asked, meta);
    let set = cut_text(set, MAX_NAME);
    format!("{subject} is part of PodCliqueSet {set:?}, which does not exist: it is not protected")
}

/// Kind, namespace and name. Unknown kinds keep their name in the request.
fn subject(asked: &Asked<'_>, meta: &ObjectMeta) -> String {
    let kind = asked.resource.strip_suffix('s').unwrap_or(asked.resource);
    let kind = cut_text(kind, MAX_NAME);
    let generated = meta.generate_name.as_deref().unwrap_or_default();
    let name = match ownership::name(meta) {
        "" => format!("{generated}*"),
        name => name.to_owned(),
    };
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    let place = cut_text(&format!("{namespace}/{name}"), 2 * MAX_NAME);
    format!("{kind} {place:?}")
}

fn verb(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "create",
        Operation::Update => "change",
        Operation::Delete => "delete",
        Operation::Connect => "connect to",
    }
}
