//! An API server with the endpoints that the keeper of certificates needs.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::StreamExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use http::{Method, Request, Response};
use http_body_util::StreamBody;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Frame};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

#[derive(Clone, Default)]
pub struct ApiServer(Arc<Mutex<State>>);

#[derive(Default)]
pub struct State {
    version: u64,
    /// By path.
    objects: BTreeMap<String, Value>,
    watches: Vec<(String, UnboundedSender<Value>)>,
    /// `METHOD path` of each write.
    pub writes: Vec<String>,
    /// Of each that many writes, one is stored and its answer lost, and the one before is refused.
    pub trouble: Option<usize>,
    /// Writes get no answer.
    pub is_deaf: bool,
}

impl ApiServer {
    pub fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect_bytes().await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or_default();
                let query = head.uri.query().unwrap_or_default();
                if server.state().is_deaf && head.method != Method::GET {
                    std::future::pending::<()>().await;
                }
                let answer = server.answer(&head.method, head.uri.path(), query, &body);
                Ok::<_, Infallible>(answer)
            }
        });
        Client::new(service, "default")
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn get(&self, path: &str) -> Value {
        self.state().objects[path].clone()
    }

    /// Stores it, as another writer would.
    pub fn put(&self, path: &str, object: Value) {
        self.state().store(path, object);
    }

    /// Removes it without a watch event: watchers have to list again.
    pub fn remove(&self, path: &str) {
        self.state().objects.remove(path);
    }

    fn answer(&self, method: &Method, path: &str, query: &str, body: &Value) -> Answer {
        let mut state = self.state();
        if *method != Method::GET {
            return state.write(method, path, body);
        }
        if !query.contains("fieldSelector") {
            let object = state.objects.get(path).cloned();
            return object.map_or_else(|| failure(404, "NotFound"), |object| whole(200, &object));
        }
        let name = query.split("metadata.name%3D").nth(1).unwrap();
        let path = format!("{path}/{}", name.split('&').next().unwrap());
        if query.contains("watch=true") {
            return state.watch(path, query);
        }
        let items: Vec<_> = state.objects.get(&path).cloned().into_iter().collect();
        let version = state.version.to_string();
        whole(
            200,
            &json!({"metadata": {"resourceVersion": version}, "items": items}),
        )
    }
}

impl State {
    fn write(&mut self, method: &Method, path: &str, body: &Value) -> Answer {
        self.writes.push(format!("{method} {path}"));
        let turn = self.trouble.map(|many| self.writes.len() % many);
        if turn == Some(1) {
            return failure(500, "no");
        }
        let Some(old) = self.objects.get(path).cloned() else {
            return failure(404, "NotFound");
        };
        let mut new = old.clone();
        if *method == Method::PATCH {
            let changes: json_patch::Patch = serde_json::from_value(body.clone()).unwrap();
            if json_patch::patch(&mut new, &changes).is_err() {
                let message = "the server rejected our request due to an error in our request";
                return failure(422, message);
            }
        } else if body["metadata"]["resourceVersion"] == old["metadata"]["resourceVersion"] {
            new = body.clone();
        } else {
            return failure(409, "conflict");
        }
        self.store(path, new);
        if turn == Some(0) {
            return failure(504, "stored all the same");
        }
        whole(200, &self.objects[path])
    }

    fn store(&mut self, path: &str, mut object: Value) {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        let event = json!({"type": "MODIFIED", "object": object});
        self.objects.insert(path.to_owned(), object);
        let hears = |watch: &(String, UnboundedSender<Value>)| {
            watch.0 != path || watch.1.unbounded_send(event.clone()).is_ok()
        };
        self.watches.retain(hears);
    }

    fn watch(&mut self, path: String, query: &str) -> Answer {
        let (sender, events) = unbounded();
        let from = query.split("resourceVersion=").nth(1).unwrap();
        let from: u64 = from.split('&').next().unwrap().parse().unwrap();
        if let Some(object) = self.objects.get(&path) {
            let version = object["metadata"]["resourceVersion"].as_str().unwrap();
            if version.parse::<u64>().unwrap() > from {
                let event = json!({"type": "MODIFIED", "object": object});
                sender.unbounded_send(event).unwrap();
            }
        }
        self.watches.push((path, sender));
        let frames = events.map(|event| Ok(Frame::data(Bytes::from(format!("{event}\n")))));
        Response::new(StreamBody::new(frames).boxed_unsync())
    }
}

fn whole(code: u16, body: &Value) -> Answer {
    let body = Full::from(body.to_string()).boxed_unsync();
    Response::builder().status(code).body(body).unwrap()
}

fn failure(code: u16, message: &str) -> Answer {
    let reason = if code == 404 { "NotFound" } else { "Failure" };
    let body = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "code": code, "message": message, "reason": reason,
    });
    whole(code, &body)
}
