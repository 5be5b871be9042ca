//! An API server that has one Lease.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use http::{Method, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Bytes, Frame};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::server::failure;

pub const NAMESPACE: &str = "system";
pub const NAME: &str = "lead";

/// The store; clones share it.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    /// All versions so far.
    versions: Mutex<Vec<(Value, Instant)>>,
    newest: watch::Sender<usize>,
}

impl Default for Store {
    fn default() -> Self {
        Self(Arc::new(Shared {
            versions: Mutex::default(),
            newest: watch::Sender::new(0),
        }))
    }
}

/// The connection of one process to the store.
#[derive(Clone)]
pub struct Link {
    store: Store,
    is_cut: Arc<AtomicBool>,
    loses_answers: Arc<AtomicBool>,
}

impl Store {
    pub fn link(&self) -> Link {
        Link {
            store: self.clone(),
            is_cut: Arc::default(),
            loses_answers: Arc::default(),
        }
    }

    pub fn holder(&self) -> String {
        let spec = self.spec();
        spec["holderIdentity"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    pub fn transitions(&self) -> i64 {
        self.spec()["leaseTransitions"].as_i64().unwrap()
    }

    /// When it was written last.
    pub fn last_write(&self) -> Instant {
        self.0.versions.lock().unwrap().last().unwrap().1
    }

    /// A foreign edit.
    pub fn put_holder(&self, holder: &str) {
        let mut lease = self.newest().unwrap();
        lease["spec"]["holderIdentity"] = holder.into();
        self.keep(lease);
    }

    /// A user deletes it.
    pub fn delete(&self) {
        let mut versions = self.0.versions.lock().unwrap();
        versions.push((Value::Null, Instant::now()));
        self.0.newest.send_replace(versions.len());
    }

    fn spec(&self) -> Value {
        self.newest().map(|mut lease| lease["spec"].take()).unwrap()
    }

    fn newest(&self) -> Option<Value> {
        let versions = self.0.versions.lock().unwrap();
        let newest = versions.last().map(|(lease, _)| lease.clone());
        newest.filter(|lease| !lease.is_null())
    }

    fn keep(&self, mut lease: Value) -> Value {
        let mut versions = self.0.versions.lock().unwrap();
        let version = versions.len() + 1;
        lease["metadata"]["resourceVersion"] = version.to_string().into();
        lease["metadata"]["uid"] = "uid".into();
        versions.push((lease.clone(), Instant::now()));
        self.0.newest.send_replace(version);
        lease
    }

    fn write(&self, method: &Method, lease: Value) -> (u16, Value) {
        let known = self.newest();
        let is_current = match (method, &known) {
            (&Method::POST, None) => true,
            (_, Some(known)) => {
                let version = |lease: &Value| lease["metadata"]["resourceVersion"].clone();
                method == Method::PUT && version(known) == version(&lease)
            }
            _ => return (404, failure(404, "NotFound")),
        };
        if is_current {
            return (200, self.keep(lease));
        }
        (409, failure(409, "Conflict"))
    }

    fn event(&self, at: usize) -> Value {
        let versions = self.0.versions.lock().unwrap();
        let (lease, _) = &versions[at];
        if !lease.is_null() {
            return json!({"type": "MODIFIED", "object": lease});
        }
        let mut last = versions[at - 1].0.clone();
        last["metadata"]["resourceVersion"] = (at + 1).to_string().into();
        json!({"type": "DELETED", "object": last})
    }

    /// All versions from this one on.
    fn events(&self, from: usize) -> impl futures::Stream<Item = Value> + use<> {
        let (store, newest) = (self.clone(), self.0.newest.subscribe());
        futures::stream::unfold(
            (store, newest, from),
            |(store, mut newest, at)| async move {
                newest.wait_for(|newest| *newest > at).await.ok()?;
                Some((store.event(at), (store, newest, at + 1)))
            },
        )
    }
}

impl Link {
    /// From now on requests hang, or do not any more.
    pub fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::SeqCst);
    }

    /// From now on requests are carried out and not answered, or are again.
    pub fn lose_answers(&self, loses: bool) {
        self.loses_answers.store(loses, Ordering::SeqCst);
    }

    pub fn client(&self) -> Client {
        let link = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let link = link.clone();
            async move { Ok::<_, Infallible>(link.answer(request).await) }
        });
        Client::new(service, NAMESPACE)
    }

    async fn answer(&self, request: Request<Body>) -> Response<UnsyncBoxBody<Bytes, Infallible>> {
        self.wait_while_cut().await;
        let (head, body) = request.into_parts();
        let sent = body.collect_bytes().await.unwrap();
        let query = head.uri.query().unwrap_or_default();
        let frame = |value: Value| Ok(Frame::data(Bytes::from(format!("{value}\n"))));
        let (code, body) = if query.contains("watch=") {
            let from = query
                .split('&')
                .find_map(|p| p.strip_prefix("resourceVersion="));
            let events = self.store.events(from.unwrap().parse().unwrap());
            let link = self.clone();
            let shown = events.then(move |event| {
                let link = link.clone();
                async move {
                    link.wait_while_cut().await;
                    event
                }
            });
            (200, shown.map(frame).boxed())
        } else {
            let (code, value) = self.carry_out(&head, &sent);
            (code, futures::stream::iter([frame(value)]).boxed())
        };
        if self.loses_answers.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.wait_while_cut().await;
        let response = Response::builder().status(code);
        response.body(StreamBody::new(body).boxed_unsync()).unwrap()
    }

    fn carry_out(&self, head: &http::request::Parts, sent: &[u8]) -> (u16, Value) {
        let newest = self.store.newest();
        match (&head.method, head.uri.path().ends_with(NAME)) {
            (&Method::GET, true) => newest.map_or((404, failure(404, "NotFound")), |l| (200, l)),
            (&Method::GET, false) => {
                let version = self.store.0.newest.borrow().to_string();
                let items: Vec<Value> = newest.into_iter().collect();
                let list = json!({
                    "kind": "LeaseList", "apiVersion": "coordination.k8s.io/v1",
                    "metadata": {"resourceVersion": version}, "items": items,
                });
                (200, list)
            }
            (method, _) => self
                .store
                .write(method, serde_json::from_slice(sent).unwrap()),
        }
    }

    async fn wait_while_cut(&self) {
        while self.is_cut.load(Ordering::SeqCst) {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
}
