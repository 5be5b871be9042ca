//! Single requests: each bounded in time, counted, and answered with a class that callers act on.

mod crash_test;
mod dry_run;
mod error;
mod status_body;

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use domain::Key;
use domain::object::text;
use http::HeaderValue;
use http::header::ACCEPT;
use hyper::body::Bytes;
use kube::api::{
    DeleteParams, GetParams, ListParams, ObjectList, Patch, PatchParams, PostParams, Preconditions,
};
use kube::client::Body;
use kube::core::error_boundary::InvalidObject;
use kube::core::{Request, Status};
use kube::{Client, Resource};
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use tokio::time::{Instant, timeout};

use crate::flow::{Flow, WriteHealth};
use crate::leader::WriteGate;
use crate::list_item::ListItem;
use crate::metrics::{ByRequest, Metrics};
use crate::pages;
use crate::scope::Scope;
use crate::watch_liveness::{self, HEAD_TIMEOUT};
pub use error::RequestError;
use error::{refused, retry_after};
pub(crate) use status_body::encode_status;

/// Limit for a write without an answer: admission webhooks may take up to 30 s.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// An answer's body that takes longer stopped on its way.
const BODY_TIMEOUT: Duration = Duration::from_secs(15);
/// The same for a list.
const LIST_TIMEOUT: Duration = Duration::from_mins(2);

type Answer<R> = Result<R, RequestError>;

/// Sends requests.
#[derive(Clone, Debug)]
pub struct Requests {
    client: ClientBox,
    metrics: Arc<Metrics>,
    flow: Flow,
    gate: WriteGate,
    writes_left: Arc<AtomicI64>,
}

/// Gives `Client` a `Debug` impl.
#[derive(Clone)]
struct ClientBox(Client);

impl std::fmt::Debug for ClientBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

impl Requests {
    /// Sends through this client.
    pub fn new(client: Client, metrics: Arc<Metrics>) -> Self {
        Self {
            client: ClientBox(client),
            metrics,
            flow: Flow::default(),
            gate: WriteGate::open(),
            writes_left: Arc::new(AtomicI64::new(crash_test::exit_after())),
        }
    }

    /// Sends only writes that this gate admits.
    #[must_use]
    pub fn behind(mut self, gate: WriteGate) -> Self {
        self.gate = gate;
        self
    }

    /// The state of the writes to the namespace.
    pub fn write_health(&self, namespace: &str) -> WriteHealth {
        self.flow.write_health(namespace)
    }

    /// POST of this JSON. The answer is decoded to `R`.
    pub async fn create<R>(&self, namespace: &str, body: Vec<u8>) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let request = path::<R>(namespace).create(&PostParams::default(), body);
        let what = What::of::<R>("create", namespace);
        self.write_object(what, request).await
    }

    /// PUT of a whole object as this JSON.
    pub async fn replace<R>(&self, key: &Key, body: Vec<u8>) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let pp = PostParams::default();
        let request = path::<R>(&key.namespace).replace(&key.name, &pp, body);
        let what = What::of::<R>("update", &key.namespace);
        self.write_object(what, request).await
    }

    /// PUT of the status in this JSON, guarded by the resourceVersion in it.
    pub async fn replace_status<R>(&self, key: &Key, body: Vec<u8>) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let pp = PostParams::default();
        let request = path::<R>(&key.namespace).replace_subresource("status", &key.name, &pp, body);
        let subresource = "status";
        let what = What::of::<R>("update", &key.namespace);
        self.write_object(
            What {
                subresource,
                ..what
            },
            request,
        )
        .await
    }

    /// JSON merge patch.
    pub async fn merge<R>(&self, key: &Key, patch: &Value) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.patch(key, &Patch::Merge(patch)).await
    }

    /// JSON patch. A failed test is answered as a conflict.
    pub async fn json_patch<R>(&self, key: &Key, operations: &[Value]) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        // The API server reports a failed test only by this text.
        const FAILED_TEST: &str = "the server rejected our request due to an error in our request";
        let patch: json_patch::Patch =
            serde_json::from_value(operations.into()).map_err(malformed)?;
        match self.patch(key, &Patch::<()>::Json(patch)).await {
            Err(RequestError::Refused { code: 422, message }) if message == FAILED_TEST => {
                Err(RequestError::Conflict)
            }
            answer => answer,
        }
    }

    async fn patch<R, P>(&self, key: &Key, patch: &Patch<P>) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
        P: Serialize + std::fmt::Debug,
    {
        let request = path::<R>(&key.namespace).patch(&key.name, &PatchParams::default(), patch);
        let what = What::of::<R>("patch", &key.namespace);
        self.write_object(what, request).await
    }

    /// DELETE of the object with this uid, in this version if one is named. Children follow in the
    /// background.
    pub async fn delete<R>(&self, key: &Key, uid: &str, version: Option<&str>) -> Answer<()>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let params = DeleteParams::background().preconditions(Preconditions {
            uid: Some(uid.to_owned()),
            resource_version: version.map(str::to_owned),
        });
        let request = path::<R>(&key.namespace).delete(&key.name, &params);
        let what = What::of::<R>("delete", &key.namespace);
        let request = request.map(ask_for_metadata);
        self.write::<IgnoredAny>(what, request).await.map(|_| ())
    }

    /// GET.
    pub async fn get<R>(&self, key: &Key) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        let request = path::<R>(&key.namespace).get(&key.name, &GetParams::default());
        let what = What::of::<R>("get", &key.namespace);
        let answer = self.send(what, HEAD_TIMEOUT, BODY_TIMEOUT, request).await;
        answer.and_then(object_of)
    }

    /// LIST in that scope by these labels, page by page; objects that cannot be decoded are left out.
    pub async fn list<R>(
        &self,
        scope: &Scope,
        selector: &str,
        mut found: impl FnMut(R) + Send,
    ) -> Answer<()>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned + Clone,
    {
        let watching = watch_liveness::report_liveness(self.client.0.clone(), Arc::default());
        let paged = Self {
            client: ClientBox(pages::bounded(watching)),
            ..self.clone()
        };
        let all = Request::new(R::url_path(&(), scope.namespace()));
        let mut params = ListParams::default().labels(selector).limit(pages::MOST);
        loop {
            let request = all.list(&params);
            let what = What::of::<R>("list", scope.namespace().unwrap_or_default());
            // A page is read before its head is passed on; the client waits for that head.
            let page: ObjectList<ListItem<R>> = paged
                .send(what, LIST_TIMEOUT, LIST_TIMEOUT, request)
                .await?;
            let readable = page.items.into_iter().filter_map(|item| item.object.ok());
            readable.for_each(&mut found);
            params.continue_token = page.metadata.continue_.filter(|next| !next.is_empty());
            if params.continue_token.is_none() {
                return Ok(());
            }
        }
    }

    async fn write_object<R>(
        &self,
        what: What<'_>,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Answer<R>
    where
        R: Resource<DynamicType = ()> + DeserializeOwned,
    {
        self.write(what, request).await.and_then(object_of)
    }

    async fn write<R: DeserializeOwned>(
        &self,
        what: What<'_>,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Answer<R> {
        let mut permit = self.flow.enter(&what.share()).await;
        // Checked last: the wait for the permit may have taken long.
        let Some(_turn) = self.gate.enter() else {
            return Err(RequestError::NotLeading);
        };
        let sent = Instant::now();
        let sending = permit.write(self.send(what, WRITE_TIMEOUT, BODY_TIMEOUT, request));
        let Some(answer) = self.gate.while_in_time(sending).await else {
            return Err(RequestError::NotLeading);
        };
        match &answer {
            Err(RequestError::Unavailable(_)) if sent.elapsed() >= WRITE_TIMEOUT => {
                self.flow.unanswered(sent);
            }
            Err(RequestError::Unavailable(_) | RequestError::Throttled { .. }) => {}
            _ => self.flow.answered(),
        }
        if answer.is_ok() && self.writes_left.fetch_sub(1, Ordering::SeqCst) == 1 {
            tracing::warn!("GROVE_EXIT_AFTER_WRITE: ending here");
            std::process::exit(77);
        }
        answer
    }

    async fn send<R: DeserializeOwned>(
        &self,
        what: What<'_>,
        longest_head: Duration,
        longest_body: Duration,
        request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Answer<R> {
        let request = request.map_err(malformed)?;
        let sent = Instant::now();
        let body = self.ask(request, longest_head, longest_body).await;
        let answer = body.and_then(|body| decode(&body));
        if let Err(RequestError::Throttled { after, .. }) = &answer {
            self.flow.throttled(sent, *after);
        }
        let code = answer.as_ref().err().map_or(200, RequestError::code);
        self.metrics.usual.note_request(what.verb, code);
        let labels = ByRequest {
            verb: what.verb,
            resource: what.resource,
            subresource: what.subresource,
            code,
        };
        self.metrics.requests.get_or_create(&labels).inc();
        answer
    }

    /// The body of the answer. Compiled once for all kinds.
    async fn ask(
        &self,
        request: http::Request<Vec<u8>>,
        longest_head: Duration,
        longest_body: Duration,
    ) -> Answer<Bytes> {
        let none = |limit| move |_| RequestError::Unavailable(format!("none within {limit:?}"));
        let failed = |error: kube::Error| RequestError::Unavailable(text::with_causes(&error));
        let sent = self.client.0.send(request.map(Body::from));
        let head = timeout(longest_head, sent).await;
        let (head, body) = head
            .map_err(none(longest_head))?
            .map_err(failed)?
            .into_parts();
        let body = timeout(longest_body, body.collect_bytes()).await;
        let body = body.map_err(none(longest_body))?.map_err(failed)?;
        if head.status.is_success() {
            return Ok(body);
        }
        // A proxy in front of the API server answers in another format, and so does the API server
        // itself if it has too many requests.
        let status = serde_json::from_slice(&body)
            .unwrap_or_else(|_| Status::failure(String::from_utf8_lossy(&body).trim(), ""));
        let code = head.status.as_u16();
        Err(refused(&status.with_code(code), retry_after(&head.headers)))
    }
}

/// From text, as kube does it: each kind is compiled once for both.
fn decode<R: DeserializeOwned>(body: &[u8]) -> Answer<R> {
    let unreadable = |error: &dyn Display| RequestError::Unreadable(error.to_string());
    let text = str::from_utf8(body).map_err(|error| unreadable(&error))?;
    serde_json::from_str(text).map_err(|error| unreadable(&error))
}

/// The parts of a request.
struct What<'a> {
    verb: &'static str,
    resource: String,
    subresource: &'static str,
    namespace: &'a str,
}

impl<'a> What<'a> {
    fn of<R: Resource<DynamicType = ()>>(verb: &'static str, namespace: &'a str) -> Self {
        Self {
            verb,
            resource: R::plural(&()).into_owned(),
            subresource: "",
            namespace,
        }
    }

    /// Each namespace has a share of the requests that may be under way, and its events have
    /// another share: while events hang, pods are created.
    fn share(&self) -> Cow<'_, str> {
        match self.resource.as_str() {
            "events" => format!("{}/events", self.namespace).into(),
            _ => self.namespace.into(),
        }
    }
}

/// The object in an answer.
fn object_of<R>(answer: ListItem<R>) -> Answer<R> {
    let invalid = |invalid: InvalidObject| RequestError::Unreadable(invalid.error);
    answer.object.map_err(invalid)
}

/// A caller that reads nothing of the object in the answer need not receive it. The second type is
/// for a proxy in front of the API server.
fn ask_for_metadata(mut request: http::Request<Vec<u8>>) -> http::Request<Vec<u8>> {
    let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
    let accept = HeaderValue::from_static(metadata);
    request.headers_mut().insert(ACCEPT, accept);
    request
}

fn path<R: Resource<DynamicType = ()>>(namespace: &str) -> Request {
    let namespace = Some(namespace).filter(|namespace| !namespace.is_empty());
    Request::new(R::url_path(&(), namespace))
}

pub(crate) fn encode_body<B: Serialize>(body: &B) -> Answer<Vec<u8>> {
    serde_json::to_vec(body).map_err(malformed)
}

pub(crate) fn malformed(error: impl std::fmt::Display) -> RequestError {
    RequestError::Refused {
        code: 400,
        message: error.to_string(),
    }
}
