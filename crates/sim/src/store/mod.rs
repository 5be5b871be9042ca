//! An API server's store: its objects, its log, and its answers to requests.

mod answer;
mod completion;
mod delete;
mod history;
mod rules;
mod write;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

pub use answer::Answer;
pub(crate) use completion::POD_GROUP_FINALIZER;

use super::resource::{Id, RequestPath, Resource};
use super::{topology, view};

/// An object as stored.
pub type Stored = Arc<Value>;

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE`, or `DRYRUN` for a POST that creates nothing.
    pub method: String,
    /// Path without query.
    pub path: String,
    /// Content type, which distinguishes the kinds of patches.
    pub content_type: String,
    /// Body; null if there is none.
    pub body: Value,
}

impl Call {
    /// A request with a JSON body.
    pub fn new(method: &str, path: &str, body: Value) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            content_type: "application/json".to_owned(),
            body,
        }
    }

    /// The method of a request with this query.
    pub fn method_of(method: &str, query: Option<&str>) -> String {
        let is_dry_run = query.is_some_and(|query| query.contains("dryRun=All"));
        if is_dry_run { "DRYRUN" } else { method }.to_owned()
    }

    /// A merge patch.
    pub fn merge(path: &str, body: Value) -> Self {
        Self {
            content_type: "application/merge-patch+json".to_owned(),
            ..Self::new("PATCH", path, body)
        }
    }

    /// A JSON patch.
    pub fn json_patch(path: &str, body: Value) -> Self {
        Self {
            content_type: "application/json-patch+json".to_owned(),
            ..Self::new("PATCH", path, body)
        }
    }
}

/// One change of one object.
#[derive(Clone, Debug)]
pub struct Record {
    /// The resourceVersion that resulted.
    pub version: u64,
    /// The object.
    pub id: Id,
    /// As it was; `None` if it is new.
    pub before: Option<Stored>,
    /// As it is; `None` if it is gone.
    pub after: Option<Stored>,
    /// As a watch shows its end: the last state with the version of the deletion.
    pub last: Stored,
    /// The actor.
    pub actor: &'static str,
    /// The time.
    pub time: Timestamp,
}

/// The store.
#[derive(Clone, Debug)]
pub struct Store {
    objects: BTreeMap<Id, Stored>,
    by_uid: HashMap<String, Id>,
    /// All changes, except those of events.
    pub log: Vec<Record>,
    /// The current time.
    pub now: Timestamp,
    /// The actor of the present change.
    pub actor: &'static str,
    version: u64,
    uids: u64,
    /// Pods with one of these versions of their template are refused, and the length of the log
    /// when that began.
    pub refused: BTreeMap<String, usize>,
    /// A `ResourceQuota`: the number of pods that may exist.
    pub pod_quota: Option<usize>,
}

impl Store {
    /// An empty store.
    pub fn new(now: Timestamp) -> Self {
        Self {
            objects: BTreeMap::new(),
            by_uid: HashMap::new(),
            log: Vec::new(),
            now,
            actor: "nobody",
            version: 100,
            uids: 0,
            refused: BTreeMap::new(),
            pod_quota: None,
        }
    }

    /// Answers a request of this actor.
    pub fn handle(&mut self, actor: &'static str, call: &Call) -> Answer {
        self.actor = actor;
        let target = RequestPath::parse(&call.path);
        let Some(target) = target.filter(|target| self.serves(target.resource)) else {
            return Answer::not_found("the server could not find the requested resource");
        };
        let result = match (call.method.as_str(), &target.name) {
            ("POST", None) => self.create(&target, call.body.clone()),
            ("DRYRUN", None) => self.try_create(&target, &call.body),
            ("GET", None) => Ok(Answer::ok(self.list(&target))),
            (method, Some(name)) => {
                let id = Id {
                    resource: target.resource,
                    namespace: target.namespace.clone(),
                    name: name.clone(),
                };
                let sub = target.subresource.as_deref().unwrap_or("");
                match method {
                    "GET" => self.read(&id, sub),
                    "PUT" => self.replace(&id, sub, call.body.clone()),
                    "PATCH" => self.patch(&id, sub, call),
                    "DELETE" => self.delete(&id, &call.body),
                    _ => Err(Answer::failure(
                        405,
                        "MethodNotAllowed",
                        "method not allowed",
                    )),
                }
            }
            _ => Err(Answer::failure(
                405,
                "MethodNotAllowed",
                "method not allowed",
            )),
        };
        result.unwrap_or_else(|refusal| refusal)
    }

    /// Whether requests about this resource are answered.
    pub fn serves(&self, resource: Resource) -> bool {
        !resource.is_of_topology() || topology::is_installed(self)
    }

    /// The object.
    pub fn get(&self, id: &Id) -> Option<&Stored> {
        self.objects.get(id)
    }

    /// Everything that exists.
    pub fn objects(&self) -> impl Iterator<Item = (&Id, &Stored)> {
        self.objects.iter()
    }

    /// All objects of a resource.
    pub fn all(&self, resource: Resource) -> impl Iterator<Item = (&Id, &Stored)> {
        let first = Id {
            resource,
            namespace: String::new(),
            name: String::new(),
        };
        let from = self.objects.range(first..);
        from.take_while(move |(id, _)| id.resource == resource)
    }

    /// The object with this uid.
    pub fn by_uid(&self, uid: &str) -> Option<(&Id, &Stored)> {
        self.objects.get_key_value(self.by_uid.get(uid)?)
    }

    /// Changes an object as `actor`, status and all, without preconditions.
    pub fn edit(&mut self, actor: &'static str, id: &Id, change: impl FnOnce(&mut Value)) {
        self.actor = actor;
        let Some(before) = self.objects.get(id).cloned() else {
            return;
        };
        let mut next = (*before).clone();
        change(&mut next);
        let _ = self.put(id, &before, next);
    }

    /// Deletes an object as `actor`, in the background.
    pub fn remove(&mut self, actor: &'static str, id: &Id) {
        self.actor = actor;
        let _ = self.delete(id, &Value::Null);
    }

    /// Creates an object of the cluster as `actor`; no request does.
    pub fn add(&mut self, actor: &'static str, resource: Resource, body: Value) {
        self.actor = actor;
        let target = RequestPath {
            resource,
            namespace: String::new(),
            name: None,
            subresource: None,
        };
        let _ = self.create(&target, body);
    }

    /// Namespaces with at least one object.
    pub fn namespaces(&self) -> BTreeSet<String> {
        let ids = self
            .objects
            .keys()
            .filter(|id| !id.resource.is_of_cluster());
        ids.map(|id| id.namespace.clone()).collect()
    }

    /// The part of one namespace, as if that were `default`.
    #[must_use]
    pub fn within(&self, namespace: &str) -> Self {
        let is_meant = |id: &Id| id.namespace == namespace;
        let renamed = |id: &Id| Id::new(id.resource, &id.name);
        let objects = self.objects.iter().filter(|(id, _)| is_meant(id));
        let by_uid = self.by_uid.iter().filter(|(_, id)| is_meant(id));
        let log = self.log.iter().filter(|r| is_meant(&r.id));
        Self {
            objects: objects.map(|(id, o)| (renamed(id), o.clone())).collect(),
            by_uid: by_uid.map(|(uid, id)| (uid.clone(), renamed(id))).collect(),
            log: log.cloned().collect(),
            ..Self::new(self.now)
        }
    }

    /// The present time in the format of objects.
    pub fn stamp(&self) -> String {
        seconds(self.now)
    }

    fn list(&self, target: &RequestPath) -> Value {
        let items: Vec<&Value> = self
            .all(target.resource)
            .filter(|(id, _)| id.namespace == target.namespace)
            .map(|(_, o)| &**o)
            .collect();
        json!({
            "apiVersion": target.resource.api_version(),
            "kind": format!("{}List", target.resource.kind()),
            "metadata": {"resourceVersion": self.version.to_string()},
            "items": items,
        })
    }

    fn read(&self, id: &Id, sub: &str) -> Result<Answer, Answer> {
        let object = self.found(id)?;
        Ok(Answer::ok(match sub {
            "scale" => scale_of(id, &object),
            _ => (*object).clone(),
        }))
    }

    fn found(&self, id: &Id) -> Result<Stored, Answer> {
        let missing = || {
            Answer::not_found(&format!(
                "{} \"{}\" not found",
                id.resource.plural(),
                id.name
            ))
        };
        self.objects.get(id).cloned().ok_or_else(missing)
    }

    fn insert(&mut self, id: &Id, object: Stored) {
        self.by_uid
            .insert(view::uid(&object).to_owned(), id.clone());
        self.objects.insert(id.clone(), object);
    }

    fn take_out(&mut self, id: &Id) {
        if let Some(object) = self.objects.remove(id) {
            self.by_uid.remove(view::uid(&object));
        }
    }

    fn next_version(&mut self) -> u64 {
        self.version += 1;
        self.version
    }

    fn record(&mut self, id: &Id, before: Option<Stored>, after: Option<Stored>, last: Stored) {
        if id.resource == Resource::Event {
            return;
        }
        self.log.push(Record {
            version: self.version,
            id: id.clone(),
            before,
            after,
            last,
            actor: self.actor,
            time: self.now,
        });
    }
}

/// The Scale of an object.
fn scale_of(id: &Id, object: &Value) -> Value {
    json!({
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {
            "name": id.name,
            "namespace": id.namespace,
            "uid": view::uid(object),
            "resourceVersion": view::text(object, "/metadata/resourceVersion"),
        },
        "spec": {"replicas": view::number(object, "/spec/replicas")},
        "status": {"replicas": view::number(object, "/status/replicas")},
    })
}

/// Times in the API have whole seconds.
fn seconds(time: Timestamp) -> String {
    Timestamp::from_second(time.as_second())
        .unwrap_or(time)
        .to_string()
}
