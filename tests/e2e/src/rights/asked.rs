//! What the operator asked of API servers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{NAMED, Right, WITHOUT_ROLE};

/// What an audit log says of the authorizer's decision.
const DECISION: &str = "authorization.k8s.io/decision";

/// Refused by priority and fairness, before it is authorized.
const TOO_MANY: u16 = 429;

/// Words of refusals that come after that decision; the second by the chart's policies.
const REFUSALS: [&str; 2] = [
    "a resource you can't set finalizers on",
    "ValidatingAdmissionPolicy 'grove-operator",
];

/// A line of an audit log.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    verb: String,
    #[serde(default)]
    stage: String,
    #[serde(default)]
    object_ref: Object,
    #[serde(default)]
    response_status: Status,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Object {
    api_group: String,
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Status {
    code: u16,
    message: String,
}

/// What the operator asked of API servers.
#[derive(Debug, Default)]
pub struct Asked {
    /// How often it asked.
    pub requests: usize,
    /// What it asked for, allowed or not.
    pub tried: BTreeSet<Right>,
    /// What it used.
    pub used: BTreeSet<Right>,
    /// What it was not allowed, as text.
    pub forbidden: BTreeSet<String>,
}

impl Asked {
    /// One more request.
    pub fn note(&mut self, event: Event) {
        // Refused for overload before authorization: whether it is allowed is not known.
        if event.response_status.code == TOO_MANY {
            return;
        }
        // A watch is logged when it begins and again when it ends.
        if event.stage != "ResponseStarted" {
            self.requests += 1;
        }
        let right = event.right();
        self.tried.insert(right.clone());
        if event.is_allowed() {
            self.used.insert(right);
            return;
        }
        let (namespace, message) = (event.object_ref.namespace, event.response_status.message);
        if namespace.contains(WITHOUT_ROLE) {
            return;
        }
        self.forbidden
            .insert(format!("forbidden: `{right}` in {namespace:?}: {message}"));
    }
}

impl Event {
    fn right(&self) -> Right {
        let object = &self.object_ref;
        let resource = match object.subresource.as_str() {
            "" => object.resource.clone(),
            subresource => format!("{}/{subresource}", object.resource),
        };
        // What is made has no name for who allows it.
        let is_named = NAMED.contains(&resource.as_str()) && self.verb != "create";
        Right {
            verb: self.verb.clone(),
            group: object.api_group.clone(),
            resource,
            name: object.name.clone().repeat(usize::from(is_named)),
        }
    }

    fn is_allowed(&self) -> bool {
        let message = &self.response_status.message;
        self.annotations.get(DECISION).is_some_and(|d| d == "allow")
            && !REFUSALS.iter().any(|words| message.contains(words))
    }
}
