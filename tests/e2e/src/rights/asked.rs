//! The operator's requests to API servers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{NAMED, Right, WITHOUT_ROLE};

/// The authorizer's decision in an audit log.
const DECISION: &str = "authorization.k8s.io/decision";

/// Refused by priority and fairness, before it is authorized.
const TOO_MANY: u16 = 429;

/// Words of refusals after that decision; the second are those of the chart's policies.
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

/// The operator's requests to API servers.
#[derive(Debug, Default)]
pub struct Asked {
    /// Number of requests.
    pub requests: usize,
    /// The requested rights, allowed or not.
    pub tried: BTreeSet<Right>,
    /// The used rights.
    pub used: BTreeSet<Right>,
    /// The forbidden requests, as text.
    pub forbidden: BTreeSet<String>,
}

impl Asked {
    /// One more request.
    pub fn note(&mut self, event: Event) {
        // Refused for overload before authorization: the decision is unknown.
        if event.response_status.code == TOO_MANY {
            return;
        }
        // The log has two lines for a watch: for its begin and its end.
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
        // A new object has no name yet when the authorizer decides.
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
