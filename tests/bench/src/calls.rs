//! Requests to the API server as plain HTTP: bodies that are not needed are not decoded.

use std::fmt::Display;

use anyhow::{Context as _, Result};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::{Method, Request};
use kube::Client;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Requests in flight, as many as the operator has per reconcile (`engine::apply`).
pub const WIDTH: usize = 16;

/// A request, ready to be sent.
pub type Call = Request<Vec<u8>>;

/// POST.
pub fn post(path: &str, body: &Value) -> Result<Call> {
    call(Method::POST, path, "application/json", body)
}

/// PUT.
pub fn put(path: &str, body: &Value) -> Result<Call> {
    call(Method::PUT, path, "application/json", body)
}

/// JSON patch.
pub fn json_patch(path: &str, operations: &Value) -> Result<Call> {
    call(
        Method::PATCH,
        path,
        "application/json-patch+json",
        operations,
    )
}

/// Strategic merge patch: conditions are merged by type.
pub fn strategic_patch(path: &str, body: &Value) -> Result<Call> {
    let content = "application/strategic-merge-patch+json";
    call(Method::PATCH, path, content, body)
}

/// Merge patch.
pub fn merge_patch(path: &str, body: &Value) -> Result<Call> {
    call(Method::PATCH, path, "application/merge-patch+json", body)
}

/// DELETE; the object's dependents follow in the background.
pub fn delete(path: &str, uid: Option<&str>) -> Result<Call> {
    let mut options = json!({
        "apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background",
    });
    if let (Some(uid), Some(options)) = (uid, options.as_object_mut()) {
        options.insert("preconditions".into(), json!({"uid": uid}));
    }
    call(Method::DELETE, path, "application/json", &options)
}

/// GET.
pub fn get(path: &str) -> Result<Call> {
    Ok(Request::get(path).body(Vec::new())?)
}

fn call(method: Method, path: &str, content: &str, body: &Value) -> Result<Call> {
    let request = Request::builder().method(method).uri(path);
    let body = serde_json::to_vec(body)?;
    Ok(request
        .header(http::header::CONTENT_TYPE, content)
        .body(body)?)
}

/// Sends the requests, [`WIDTH`] at once; the answers come in any order.
pub async fn send_all<T: DeserializeOwned>(client: &Client, calls: Vec<Call>) -> Result<Vec<T>> {
    let sent = stream::iter(calls.into_iter().map(|call| send(client, call)));
    sent.buffer_unordered(WIDTH).try_collect().await
}

/// Sends a request and decodes the fields of `T` from the answer.
pub async fn send<T: DeserializeOwned>(client: &Client, call: Call) -> Result<T> {
    let what = format!("{} {}", call.method(), call.uri());
    client.request(call).await.context(what)
}

/// The path of a kind's objects in a namespace; `group` as `api/v1` or `apis/<group>/<version>`.
pub fn path(group: impl Display, namespace: impl Display, resource: impl Display) -> String {
    format!("/{group}/namespaces/{namespace}/{resource}")
}
