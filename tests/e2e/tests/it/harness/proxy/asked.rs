//! The meaning of a request.

use http::Method;
use http::request::Parts;
use serde_json::Value;

/// A request of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asked {
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`; `describe` is the discovery
    /// of the API.
    pub verb: &'static str,
    /// The plural, such as `pods`.
    pub resource: String,
    /// `status`, or empty.
    pub subresource: String,
    /// Empty for lists and watches.
    pub name: String,
    /// The slot, in words that are the same in each run: names of pods follow from uids.
    pub slot: String,
    /// The number of earlier requests of the same kind.
    pub before: usize,
    /// The same, regardless of the name of the slot's object.
    pub turn: usize,
}

impl Asked {
    /// Reads it from the request.
    pub fn read(head: &Parts, body: &[u8]) -> Self {
        let Path { rest, .. } = Path::read(head.uri.path());
        let mut rest = rest.iter().map(|part| (*part).to_owned());
        let resource = rest.next().unwrap_or_default();
        let mut name = rest.next().unwrap_or_default();
        let query = head.uri.query().unwrap_or_default();
        let verb = match head.method {
            _ if !is_of_objects(head.uri.path()) => "describe",
            Method::GET if query.contains("watch=true") => "watch",
            Method::GET if name.is_empty() => "list",
            Method::GET => "get",
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE => "delete",
            _ => "other",
        };
        let mut slot = name.clone();
        if verb == "create" {
            let body: Value = serde_json::from_slice(body).unwrap_or_default();
            text(&body["metadata"]["name"]).clone_into(&mut name);
            slot = slot_in(&resource, &body);
        }
        Self {
            verb,
            resource,
            subresource: rest.next().unwrap_or_default(),
            name,
            slot,
            before: 0,
            turn: 0,
        }
    }

    /// Whether it changes anything.
    pub fn is_write(&self) -> bool {
        !["get", "list", "watch", "describe"].contains(&self.verb)
    }

    /// The kind of the request, regardless of its object.
    pub fn signature(&self) -> String {
        format!("{} {} {}", self.verb, self.resource, self.subresource)
    }

    /// Whether it has this verb and resource.
    pub fn is(&self, verb: &str, resource: &str) -> bool {
        self.verb == verb && self.resource == resource
    }
}

/// The slot of an object that is created.
fn slot_in(resource: &str, body: &Value) -> String {
    match resource {
        "pods" => text(&body["spec"]["hostname"]).to_owned(),
        "events" => {
            let about = text(&body["regarding"]["name"]);
            format!("{about}/{}", text(&body["reason"]))
        }
        _ => text(&body["metadata"]["name"]).to_owned(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A path of the API.
struct Path<'a> {
    /// `api/v1` or `apis/<group>/<version>`.
    version: String,
    is_of_namespace: bool,
    /// The rest: resource, name, subresource.
    rest: Vec<&'a str>,
}

impl<'a> Path<'a> {
    fn read(path: &'a str) -> Self {
        let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
        let length = if parts[0] == "api" { 2 } else { 3 };
        let (version, rest) = parts.split_at(length);
        let is_of_namespace = rest.first() == Some(&"namespaces");
        let rest = if is_of_namespace { &rest[2..] } else { rest };
        Self {
            version: version.join("/"),
            is_of_namespace,
            rest: rest.to_vec(),
        }
    }
}

fn is_of_objects(path: &str) -> bool {
    path.starts_with("/api")
}

/// Whether the path is one of nodes or ClusterTopologyBindings.
pub fn is_of_topology(path: &str) -> bool {
    let kinds = ["nodes", "clustertopologybindings"];
    is_of_objects(path)
        && Path::read(path)
            .rest
            .first()
            .is_some_and(|kind| kinds.contains(kind))
}

/// The same path, but in this namespace if it was for all. Paths of the discovery have no
/// namespace.
pub fn within(path: &str, namespace: &str) -> String {
    let read = Path::read(path);
    if read.is_of_namespace || !is_of_objects(path) {
        return path.to_owned();
    }
    let Path { version, rest, .. } = read;
    format!("/{version}/namespaces/{namespace}/{}", rest.join("/"))
}
