//! Connections and requests.

use std::io;
use std::sync::{Arc, PoisonError};

use futures::stream;
use http::{HeaderMap, Request, Response, header, request::Parts};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use super::{Asked, Fault, Shared, asked, shown};

/// The body of an answer.
pub type Body = UnsyncBoxBody<Bytes, io::Error>;

/// Accepts connections for ever.
pub async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        if !*shared.is_gone.borrow() {
            tokio::spawn(connection(stream, shared.clone()));
        }
    }
}

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let mut is_gone = shared.is_gone.subscribe();
    let service = service_fn(|request| answer(shared.clone(), request));
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        // It ends with an error whenever an answer gets lost.
        _ = served => (),
        _ = is_gone.wait_for(|is_gone| *is_gone) => (),
    }
}

/// An error ends the connection without an answer.
async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let asked = shared.note(Asked::read(&head, &body));
    let rule = shared.rule().clone();
    let edit = match rule(&asked) {
        Fault::None => None,
        Fault::Answer(code) => return Ok(refusal(code)),
        Fault::Hang => std::future::pending().await,
        Fault::Silence => return Ok(Response::new(silence())),
        Fault::AnswerLost => {
            shared
                .forward(head, body)
                .await?
                .collect()
                .await
                .map_err(io::Error::other)?;
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Fault::Edit(edit) => Some(edit),
    };
    let (head, body) = shared.forward(head, body).await?.into_parts();
    let body = match (asked.verb, head.status.is_success()) {
        ("watch", true) => shown::watch(body, edit, shared.cuts.subscribe()),
        ("list", true) => shown::list(body, edit).await?,
        ("get", true) => shown::one(body, edit).await?,
        _ => whole(bytes(body).await?),
    };
    let mut response = Response::new(body);
    *response.status_mut() = head.status;
    response.headers_mut().extend(kept(&head.headers));
    Ok(response)
}

impl Shared {
    /// Counts the request.
    fn note(&self, mut asked: Asked) -> Asked {
        if asked.is_write() {
            let mut writes = self.writes.lock().unwrap_or_else(PoisonError::into_inner);
            writes.push(asked.signature());
        }
        let mut all = self.asked();
        let count = all.entry(asked.clone()).or_default();
        asked.before = *count;
        *count += 1;
        drop(all);
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.place(&mut asked);
        asked
    }

    async fn forward(&self, head: Parts, body: Bytes) -> io::Result<Response<kube::client::Body>> {
        let mut path = head.uri.path().to_owned();
        if !(self.shows_topology && asked::is_of_topology(&path)) {
            path = asked::within(&path, &self.namespace);
        }
        if let Some(query) = head.uri.query() {
            path = format!("{path}?{query}");
        }
        let mut request = Request::new(kube::client::Body::from(body.to_vec()));
        *request.method_mut() = head.method;
        *request.uri_mut() = path.parse().unwrap();
        request.headers_mut().extend(kept(&head.headers));
        self.client.send(request).await.map_err(io::Error::other)
    }
}

/// The headers that describe the body, or the requested one.
fn kept(headers: &HeaderMap) -> HeaderMap {
    let kept = [header::ACCEPT, header::CONTENT_TYPE, header::RETRY_AFTER];
    let kept = kept
        .into_iter()
        .filter_map(|name| Some((name.clone(), headers.get(name)?.clone())));
    kept.collect()
}

fn refusal(code: u16) -> Response<Body> {
    let status = whole(Bytes::from(status(code).to_string()));
    let response = Response::builder().status(code);
    let response = response.header(header::CONTENT_TYPE, "application/json");
    let response = if code == 429 {
        response.header(header::RETRY_AFTER, "1")
    } else {
        response
    };
    response.body(status).unwrap()
}

/// The API server's Status with that code.
pub fn status(code: u16) -> Value {
    let reason = match code {
        403 => "Forbidden",
        409 => "Conflict",
        410 => "Expired",
        429 => "TooManyRequests",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "InternalError",
    };
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("{reason}, says the proxy"), "reason": reason, "code": code,
    })
}

/// All of a body.
pub async fn bytes(body: kube::client::Body) -> io::Result<Bytes> {
    let collected = body.collect().await.map_err(io::Error::other)?;
    Ok(collected.to_bytes())
}

/// A body that never sends anything.
fn silence() -> Body {
    StreamBody::new(stream::pending()).boxed_unsync()
}

/// A body that is sent at once.
pub fn whole(bytes: Bytes) -> Body {
    Full::new(bytes)
        .map_err(|never| match never {})
        .boxed_unsync()
}
