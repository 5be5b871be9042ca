//! An API server made of canned answers; it keeps what it was asked.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use engine::Hub;
use engine::metrics::Metrics;
use engine::requests::Requests;
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};

/// Requests as `METHOD path`, in the order of arrival.
pub type Asked = Arc<Mutex<Vec<String>>>;

/// Bodies of requests.
pub type Bodies = Arc<Mutex<Vec<Value>>>;

/// A hub whose requests get these answers, one after the other.
pub fn hub(answers: Vec<(u16, Value)>) -> (Arc<Hub>, Asked) {
    let (hub, asked, _) = hub_that_keeps_bodies(answers);
    (hub, asked)
}

/// The same, which also keeps what was sent.
pub fn hub_that_keeps_bodies(answers: Vec<(u16, Value)>) -> (Arc<Hub>, Asked, Bodies) {
    let (client, asked, bodies) = client_that_keeps_bodies(answers);
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(client, metrics.clone());
    (Arc::new(Hub::new(requests, metrics)), asked, bodies)
}

/// A client whose requests get these answers, and errors after them.
pub fn client(answers: Vec<(u16, Value)>) -> (Client, Asked) {
    let (client, asked, _) = client_that_keeps_bodies(answers);
    (client, asked)
}

fn client_that_keeps_bodies(answers: Vec<(u16, Value)>) -> (Client, Asked, Bodies) {
    let (asked, bodies) = (Asked::default(), Bodies::default());
    let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
    let (log, kept) = (asked.clone(), bodies.clone());
    let service = tower::service_fn(move |request: Request<Body>| {
        log.lock()
            .unwrap()
            .push(format!("{} {}", request.method(), request.uri().path()));
        let next = answers.lock().unwrap().pop_front();
        let (code, body) = next.unwrap_or((500, failure(500, "InternalError")));
        let response = Response::builder()
            .status(code)
            .body(Body::from(body.to_string().into_bytes()));
        let kept = kept.clone();
        async move {
            let sent = request.into_body().collect_bytes().await.unwrap();
            kept.lock()
                .unwrap()
                .push(serde_json::from_slice(&sent).unwrap_or_default());
            Ok::<_, Infallible>(response.unwrap())
        }
    });
    (Client::new(service, "default"), asked, bodies)
}

/// A Status object of the API server.
pub fn failure(code: u16, reason: &str) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "message": format!("{reason} from the server"), "reason": reason, "code": code,
    })
}
